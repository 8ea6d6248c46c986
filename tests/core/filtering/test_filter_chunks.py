"""What every run promises, whatever the rule."""

import logging
import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

import chunkfilter as cf
from chunkfilter.errors import InputError, TooManyRemovedError

PIECES = st.sampled_from(
    ["Pumps start at six.", "Valves open.", " ", "pumps start at six", "", "a", "1.5", "15", "…"]
)


@given(st.lists(PIECES, max_size=12), st.lists(PIECES, max_size=4))
def test_kept_and_removed_share_out_the_input_and_every_keeper_stays(
    texts: list[str], stored: list[str]
) -> None:
    result = cf.filter_chunks(texts, "exact", existing=stored)
    assert sorted([*result.kept, *(removal.index for removal in result.removed)]) == list(range(len(texts)))
    for removal in result.removed:
        assert set(removal.kept_by) <= set(result.kept)
        assert all(0 <= place < len(stored) for place in removal.kept_by_existing)
        assert removal.rule == "blank" or len(removal.kept_by) + len(removal.kept_by_existing) == 1
    result.verify(texts, existing=stored)


@given(st.lists(PIECES, max_size=12))
def test_filtering_what_was_kept_removes_nothing(texts: list[str]) -> None:
    kept = [texts[position] for position in cf.filter_chunks(texts, "exact").kept]
    assert not cf.filter_chunks(kept, "exact").removed


def test_the_first_of_two_copies_stays_and_is_named() -> None:
    result = cf.filter_chunks(["Salt is dry.", "Sugar.", "Salt  is\ndry."], "exact")
    assert result.kept == (0, 1)
    assert result.removed == (cf.Removal(2, (0,), (), "exact", 1.0),)


@pytest.mark.parametrize(
    ("keep", "kept"), [("first", 0), ("longest", 1), ("newest:date", 2), ("best-score", 1)]
)
def test_keep_decides_which_copy_stays(keep: str, kept: int) -> None:
    chunks = [
        cf.Chunk("Salt is dry", metadata={"date": "2024-01-01"}),
        cf.Chunk("Salt   is dry", metadata={"date": "2023-01-01", "score": 0.9}),
        cf.Chunk(" Salt is dry", metadata={"date": "2025-01-01", "score": 0.3}),
    ]
    assert cf.filter_chunks(chunks, f"exact keep={keep}").kept == (kept,)


def test_keep_values_that_cannot_be_compared_are_an_error() -> None:
    chunks = [cf.Chunk("a", metadata={"d": 1}), cf.Chunk("b", metadata={"d": "x"})]
    with pytest.raises(InputError, match="'d' are int and str"):
        cf.filter_chunks(chunks, "exact keep=newest:d")


def test_chunks_of_different_scope_are_never_compared_and_lists_count_as_sets() -> None:
    chunks = [
        cf.Chunk("same", metadata={"tenant": "a", "acl": ["x", "y"]}),
        cf.Chunk("same", metadata={"tenant": "b", "acl": ["x", "y"]}),
        cf.Chunk("same", metadata={"tenant": "a", "acl": ["y", "x"]}),
        cf.Chunk("same", metadata={"tenant": "a"}),
        cf.Chunk("same", metadata={"tenant": "a"}),
    ]
    result = cf.filter_chunks(chunks, "exact scope=tenant,acl")
    assert result.kept == (0, 1, 3, 4)
    assert "2 chunks lack a scope key (tenant, acl)" in result.report.warnings[0]
    result.verify(chunks)


def test_scope_source_keeps_a_copy_in_each_source() -> None:
    chunks = [cf.Chunk("same", source="a"), cf.Chunk("same", source="b"), cf.Chunk("same", source="b")]
    assert cf.filter_chunks(chunks, "exact scope=source").kept == (0, 1)
    assert cf.filter_chunks(chunks, "exact").report.across_sources == 2


def test_blank_chunks_go_by_their_own_name_or_stay() -> None:
    texts = ["", " \t\n", "\x00", "\N{ZERO WIDTH SPACE}", "text"]
    assert cf.filter_chunks(texts, "none").removed_by_rule == {"blank": 4}
    assert cf.filter_chunks(texts, "none blank=keep").kept == (0, 1, 2, 3, 4)


def test_texts_without_words_are_compared_exactly() -> None:
    assert cf.filter_chunks(["...", "!!!", "...", "🚀", "🐢"], "exact").kept == (0, 1, 3, 4)


def test_random_removes_its_share_the_same_way_each_time() -> None:
    texts = [str(number) for number in range(100)]
    first = cf.filter_chunks(texts, "random@0.2")
    assert len(first.removed) == 20
    assert first.kept == cf.filter_chunks(texts, "random@0.2").kept
    first.verify(texts)


def test_a_later_stage_never_leaves_a_removal_without_a_kept_keeper() -> None:
    texts = [f"text {number // 2}" for number in range(200)]
    result = cf.filter_chunks(texts, "exact|random@0.5")
    kept = set(result.kept)
    assert all(set(removal.kept_by) <= kept for removal in result.removed)
    result.verify(texts)


def test_too_many_removals_are_refused_before_anything_is_removed() -> None:
    with pytest.raises(TooManyRemovedError, match=r"would remove 2 of 3 chunks .*max_removed=0.5"):
        cf.filter_chunks(["a", "a", "a"], "exact max_removed=0.5")


@pytest.mark.parametrize(
    ("items", "said"),
    [([None], "chunk 0: got None"), ("text", "got one str"), ([1], "got 1")],
)
def test_what_is_no_chunk_is_named(items: object, said: str) -> None:
    with pytest.raises(InputError, match=said):
        cf.filter_chunks(items, "exact")  # type: ignore[arg-type]


def test_a_chunk_without_a_text_is_named_by_its_id() -> None:
    with pytest.raises(InputError, match="chunk 'p7': text is None"):
        cf.Chunk(None, id="p7")  # type: ignore[arg-type]


def test_metadata_beyond_scope_and_keep_is_never_touched() -> None:
    class Untouchable:
        def __eq__(self, other: object) -> bool:
            raise AssertionError

        def __hash__(self) -> int:
            raise AssertionError

    chunks = [cf.Chunk("a", metadata={"x": Untouchable()}), cf.Chunk("a", metadata={"x": Untouchable()})]
    assert cf.filter_chunks(chunks, "exact").kept == (0,)


def test_a_run_logs_one_line_without_texts(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.INFO, "chunkfilter"):
        cf.filter_chunks(["secret", "secret"], "exact")
    (record,) = caplog.records
    assert "1 of 2 chunks kept" in record.getMessage()
    assert "secret" not in record.getMessage()


def test_importing_the_package_loads_no_model_library() -> None:
    code = (
        "import sys, chunkfilter; chunkfilter.filter_chunks(['a'], 'exact');"
        "mods = ('torch', 'spacy', 'chromadb', 'sklearn', 'langchain_core', 'llama_index');"
        "print([m for m in mods if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_the_public_names_are_sorted_and_all_there() -> None:
    assert list(cf.__all__) == sorted(cf.__all__)
    assert all(hasattr(cf, name) for name in cf.__all__)
    with pytest.raises(AttributeError, match="nothing"):
        _ = cf.nothing
