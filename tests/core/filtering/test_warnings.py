"""What a user hears about a run, beyond the inputs of ``tests/contracts/cases``."""

import datetime

import numpy as np
import pytest

import chunkfilter as cf
from chunkfilter.errors import InputError
from chunkfilter.filtering.metadata_warnings import looks_like_access
from chunkfilter.filtering.moments import moment


def warnings(chunks: list[cf.Chunk], policy: str = "exact", **signals: object) -> tuple[str, ...]:
    return cf.filter_chunks(chunks, policy, **signals).report.warnings  # type: ignore[arg-type]


def copies(*metadata: dict[str, object] | None) -> list[cf.Chunk]:
    return [cf.Chunk("One text.", metadata=one) for one in metadata]


@pytest.mark.parametrize(
    "key", ["tenant", "tenant_id", "orgId", "ACL", "allowedGroups", "owner.name", "user-roles", "visibility"]
)
def test_keys_whose_names_tell_who_may_read_are_known(key: str) -> None:
    assert looks_like_access(key)


@pytest.mark.parametrize("key", ["page", "title", "source", "author", "placement", "lang", "", "grouping_x"])
def test_other_keys_are_left_alone(key: str) -> None:
    assert not looks_like_access(key)


def test_equal_values_say_nothing_and_lists_count_as_sets() -> None:
    assert warnings(copies({"acl": ["a", "b"]}, {"acl": ["b", "a"]}, {"acl": ["a", "b"], "page": 3})) == ()


def test_the_warning_names_keys_and_no_values() -> None:
    (said,) = warnings(copies({"tenant": "north", "acl": "x"}, {"tenant": "south", "acl": "x"}))
    assert "tenant" in said
    assert "scope=tenant" in said
    assert not {"acl", "north", "south"} & {*said.replace("=", " ").split()}


def test_a_scope_that_was_chosen_is_not_questioned() -> None:
    assert warnings(copies({"tenant": "n", "doc": 1}, {"tenant": "s", "doc": 1}), "exact scope=doc") == ()


def test_names_of_keys_are_harmless_to_print() -> None:
    (said,) = warnings(copies({"tenant \x1b[2J": 1}, {"tenant \x1b[2J": 2}))
    assert "\x1b" not in said
    assert r"\x1b" in said


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        ("2024-01-31", "2024-02-01"),
        ("2024/01/31", "2024/02/01"),
        ("2024-01-31T10:00:00+02:00", "2024-01-31T09:00:00Z"),
        (datetime.date(2024, 1, 31), datetime.datetime(2024, 1, 31, 1)),
        (2023, 2024),
        (1_700_000_000.0, 1_700_000_001),
    ],
)
def test_dates_of_many_kinds_are_ordered(older: object, newer: object) -> None:
    one, other = moment(older), moment(newer)
    assert one is not None
    assert other is not None
    assert one < other
    assert warnings(copies({"updated_at": newer}, {"updated_at": older})) == ()
    (said,) = warnings(copies({"updated_at": older}, {"updated_at": newer}))
    assert "keep=newest:updated_at" in said
    assert (
        warnings(copies({"updated_at": older}, {"updated_at": newer}), "exact keep=newest:updated_at") == ()
    )


@pytest.mark.parametrize("value", [None, True, "soon", "", 7, float("nan"), [2024], object(), "9" * 5000])
def test_what_is_no_date_is_left_alone(value: object) -> None:
    assert moment(value) is None


def test_one_topic_is_noticed() -> None:
    texts = [f"Text number {number} stands alone." for number in range(12)]
    vectors = np.eye(12)
    said = warnings(
        [cf.Chunk(text) for text in texts], "similarity@0.9+topics", vectors=vectors, topics=[1] * 12
    )
    assert [part for part in said if "one topic holds 12 of 12 chunks" in part]


def test_a_limit_that_was_set_is_not_questioned() -> None:
    texts = [cf.Chunk(f"Word{number} and more") for number in range(6)]
    policy = "similarity@0.9 guards=none max_removed=0.9"
    assert warnings(texts, policy, vectors=[[1, number / 100] for number in range(6)]) == ()


def test_verbatim_removals_are_no_wipe_out() -> None:
    assert warnings(copies(*[None] * 30), "coverage") == ()


class TestOccurrences:
    """How many chunks a kept one stands for."""

    def test_each_kept_chunk_counts_itself_and_what_it_stands_for_by_source(self) -> None:
        chunks = [
            cf.Chunk("Salt is dry.", source="a"),
            cf.Chunk("Salt  is dry.", source="b"),
            cf.Chunk("Salt is\ndry.", source="b"),
            cf.Chunk("Sugar."),
            cf.Chunk(" "),
            cf.Chunk("Rice.", source="c"),
        ]
        result = cf.filter_chunks(chunks, "exact", existing=["Rice. "])
        assert result.occurrences(chunks) == {0: {"a": 1, "b": 2}, 3: {None: 1}, -1: {"c": 1}}

    def test_other_chunks_are_refused(self) -> None:
        with pytest.raises(InputError, match="got 1; expected the 2"):
            cf.filter_chunks(["a", "b"], "exact").occurrences(["a"])


def test_chunks_that_lack_the_key_of_keep_are_counted() -> None:
    dated: list[dict[str, object] | None] = [{"date": "2024-01-01"}, {"date": "2025-01-01"}, None]
    (said,) = warnings(copies(*dated), "exact keep=newest:date")
    assert said.startswith("1 of 3 chunks lack date")
    (said, *_) = warnings(copies(*dated), "exact keep=newest:dat")
    assert said.startswith("3 of 3 chunks lack dat,")
    assert said.endswith("; none has dat, their keys are: date")
    assert warnings(copies(*dated[:2]), "exact keep=newest:date") == ()


def test_a_scope_key_that_no_chunk_has_is_told_with_those_that_are_there() -> None:
    said = warnings(copies({"tenant": "a"}, {"tenant": "a"}), "exact scope=tenat")[0]
    assert said.startswith("2 chunks lack a scope key (tenat) and were compared with none; ")
    assert said.endswith("none has tenat, their keys are: tenant")
    assert "their keys are: none" in warnings([cf.Chunk("a"), cf.Chunk("a")], "exact scope=tenant")[0]
    assert warnings([cf.Chunk("a", source="x"), cf.Chunk("a")], "exact scope=source")[0].endswith("with none")


def test_chunks_that_do_not_know_their_place_in_their_source_are_told() -> None:
    bare = [cf.Chunk(f"Text number {number} of it.", source="a") for number in range(4)]
    (said,) = warnings(bare, "coverage")
    assert said.startswith(
        "4 of 4 chunks do not know their place in their source (spans), for example chunk 0"
    )
    assert "add_start_index=True" in said
    assert warnings(bare, "exact") == ()
    placed = [
        cf.Chunk(chunk.text, source="a", spans=((9 * n, 9 * n + len(chunk.text)),))
        for n, chunk in enumerate(bare)
    ]
    assert warnings(placed, "coverage") == ()
    assert warnings(bare[:1], "coverage") == ()
