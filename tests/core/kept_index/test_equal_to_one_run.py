"""Batch by batch through an index, the decisions are those of runs against everything that was kept."""

import random
from typing import Any

import pytest
from chunkfilter.filters.kept_index import candidates, postings, rows, vectors
from hypothesis import given, settings
from hypothesis import strategies as st

import chunkfilter as cf

POLICIES = [
    "none",
    "exact",
    "exact@paper",
    "minhash@0.5",
    "minhash@0.3 guards=none",
    "simhash@8 guards=none",
    "similarity@0.8",
    "similarity@0.8+ner",
    "exact+ner",
    "ner-exact guards=none",
    "ner-exact@paper",
    "ner-half@0.5 guards=none",
    "coverage",
    "coverage window=6",
    "coverage@0.8",
    "coverage@0.8 guards=none",
    "coverage scope=tenant",
    "exact|similarity@0.8 guards=none",
    "coverage|ner-half@0.6",
    "minhash@0.5 scope=tenant,acl keep=longest",
]
#: Rules between two chunks, in the order of the input: batches do not matter at all.
ONE_RUN = [
    policy
    for policy in POLICIES
    if not policy.startswith("coverage") and "|" not in policy and "keep" not in policy
]

_PIECES = [
    "The pump starts at six in the morning.",
    "The pump starts at seven in the morning.",
    "valve B4 opens when the pressure",
    "reaches 12 bar or more.",
    "No one may enter.",
    "Salt",
    "and pepper",
    "水在零度以下会结成冰。",
    "\n",
    "…",
    "\ud800",
]
_CHUNKS = st.tuples(
    st.lists(st.sampled_from(_PIECES), max_size=4).map(" ".join),
    st.sampled_from([(1.0, 0.0), (0.9, 0.1), (0.0, 1.0), (0.0, 0.0), (float("nan"), 1.0), None]),
    st.frozensets(st.sampled_from(["Acme", "Bern", ("Acme", "ORG")]), max_size=3),
    st.sampled_from([None, "a", ["a", "b"], ["b", "a"], 1]),
    st.sampled_from([None, "s1", "s2"]),
)


def made(rows_: list[Any]) -> tuple[list[cf.Chunk], dict[str, list[Any]]]:
    chunks = [
        cf.Chunk(text, id=f"c{place}", metadata={"tenant": tenant, "acl": "x"}, source=source)
        for place, (text, _, _, tenant, source) in enumerate(rows_)
    ]
    return chunks, {"vectors": [row[1] for row in rows_], "entities": [row[2] for row in rows_]}


def part(signals: dict[str, list[Any]], first: int, last: int) -> dict[str, list[Any]]:
    return {name: values[first:last] for name, values in signals.items()}


def by_batches(
    policy: str, chunks: list[cf.Chunk], signals: dict[str, list[Any]], cuts: list[int]
) -> list[int]:
    """What is kept; every batch is compared with a run against all that was kept before."""
    kept: list[int] = []
    with cf.KeptIndex(policy) as index:
        for first, last in zip([0, *cuts], [*cuts, len(chunks)], strict=True):
            match = index.add(chunks[first:last], **part(signals, first, last))
            existing = [chunks[place] for place in kept]
            given_signals = {
                name: [*values[first:last], *(values[place] for place in kept)]
                for name, values in signals.items()
            }
            expected = cf.filter_chunks(chunks[first:last], policy, existing=existing, **given_signals)
            assert match.kept == expected.kept
            assert named(match.result, match.existing) == named(expected, existing)
            assert [(veto.index, veto.guard) for veto in match.result.conflicts] == [
                (veto.index, veto.guard) for veto in expected.conflicts
            ]
            kept += [first + place for place in match.kept]
            assert len(index) == len(kept)
    return kept


def named(result: cf.FilterResult, existing: Any) -> list[Any]:
    return [
        (
            line.index,
            line.kept_by,
            [existing[place].id for place in line.kept_by_existing],
            line.rule,
            line.score,
        )
        for line in result.removed
    ]


@pytest.mark.parametrize("policy", POLICIES)
@settings(max_examples=25)
@given(rows_=st.lists(_CHUNKS, max_size=14), draw=st.randoms(use_true_random=False))
def test_each_batch_is_decided_as_against_everything_kept(policy: str, rows_: list[Any], draw: Any) -> None:
    chunks, signals = made(rows_)
    cuts = sorted(draw.sample(range(len(rows_) + 1), k=min(3, len(rows_))))
    with pytest.MonkeyPatch.context() as patch:
        for module, name, size in [
            (postings, "_PAGE", 3),
            (postings, "_FAN", 2),
            (vectors, "_BLOCK", 2),
            (rows, "_AT_ONCE", 2),
        ]:
            patch.setattr(module, name, size)
        kept = by_batches(policy, chunks, signals, cuts)
    if policy in ONE_RUN:
        assert kept == list(cf.filter_chunks(chunks, policy, **signals).kept)


@pytest.mark.parametrize(
    "policy", ["coverage", "coverage@0.9", "coverage@0.9 guards=none", "minhash@0.3 guards=none"]
)
def test_windows_of_documents_are_decided_alike(policy: str) -> None:
    draw = random.Random(3)
    words = ["pump", "valve", "opens", "six", "morning", "bar", "crane", "The", "No.", "Salt,", "shuts.", "A"]
    sentences = [" ".join(draw.choices(words, k=draw.randint(3, 9))).capitalize() + "." for _ in range(60)]
    chunks = []
    for document in range(12):
        text = " ".join(draw.choices(sentences, k=20))
        chunks += [
            cf.Chunk(
                text[start : start + 160],
                source=f"d{document}",
                spans=((start, start + len(text[start : start + 160])),),
                id=f"{document}-{start}",
            )
            for start in range(0, len(text) - 60, 90)
        ]
    for given_chunks in (chunks, [cf.Chunk(chunk.text, chunk.id, source=chunk.source) for chunk in chunks]):
        kept = by_batches(policy, given_chunks, {}, [17, 18, 60, 90])
        assert 0 < len(kept) < len(chunks)


def test_keys_that_collide_bring_up_chunks_too_many_and_change_nothing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(candidates, "find_postings", _everything(candidates.find_postings))
    texts = [cf.Chunk(text, id=str(place)) for place, text in enumerate(_PIECES * 3)]
    for policy in ("exact", "coverage", "minhash@0.5"):
        by_batches(policy, texts, {}, [5, 9, 20])


def _everything(find: Any) -> Any:
    def found(connection: Any, kind: str, keys: Any) -> Any:
        import numpy as np

        places, numbers = find(connection, kind, keys)
        every = np.array([row[0] for row in connection.execute("SELECT number FROM chunks")], dtype=np.int64)
        more = np.repeat(np.arange(len(keys)), len(every))
        return np.concatenate([places, more]), np.concatenate([numbers, np.tile(every, len(keys))])

    return found
