"""What every rule promises, whatever it looks for."""

import copy
import dataclasses
import hashlib
import subprocess
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from threadpoolctl import threadpool_limits

import chunkfilter as cf
from chunkfilter.errors import CertificateError, MissingSignalError
from chunkfilter.policy import RULES, Policy

from .batches import ALONE, POLICIES, Case, cases, mixed_case

every_rule = pytest.mark.parametrize("policy", POLICIES)
few = settings(max_examples=30, deadline=None)
#: How much is worked on at once, as small as it may be.
SIZES = {
    "filtering.select.BLOCK": 5,
    "filtering.select.WINDOW": 1,
    "rules.buckets._HITS": 3,
    "rules.similarity._TILE": 2,
    "rules.similarity._PAIRS": 1,
    "rules.coverage.fragments._TILE": 2,
    "signals.minhash._TILE": 2,
    "signals.simhash._TILE": 2,
    "signals.shingle_hashes._BLOCK": 3,
    "signals.shingle_hashes._HELD": 3,
    "text.row_sets._TILE": 2,
    "text.set_sketches._TILE": 2,
    "text.set_sketches._PAIRED": 2,
    "text.shingle_sets._BLOCK": 3,
    "text.slices.BLOCK": 3,
    "text.vocabulary._BLOCK": 3,
    "text.vocabulary._TEXTS": 3,
}


def test_every_rule_has_a_case() -> None:
    named = {term.name for text in POLICIES for stage in Policy.parse(text).stages for term in stage.terms}
    assert named == set(RULES)


@every_rule
@few
@given(case=cases())
def test_kept_and_removed_share_out_the_input_and_nothing_is_changed(policy: str, case: Case) -> None:
    before = [(chunk.text, chunk.id, copy.deepcopy(chunk.metadata), chunk.source) for chunk in case.chunks]
    signals = copy.deepcopy((case.entities, case.topics))
    result = case.run(policy)
    removed = [removal.index for removal in result.removed]
    assert list(result.kept) == sorted(result.kept)
    assert sorted([*result.kept, *removed]) == list(range(len(case.chunks)))
    assert before == [(chunk.text, chunk.id, chunk.metadata, chunk.source) for chunk in case.chunks]
    assert signals == (case.entities, case.topics)


@every_rule
@few
@given(case=cases())
def test_every_representative_is_kept_and_the_rule_holds_with_it_at_the_stated_value(
    policy: str, case: Case
) -> None:
    result = case.run(policy)
    kept = set(result.kept)
    for removal in result.removed:
        assert set(removal.kept_by) <= kept
        named = len(removal.kept_by) + len(removal.kept_by_existing)
        assert (named == 0) == (removal.rule == "blank" or removal.rule.startswith("random"))
    result.verify(case.chunks, existing=case.existing, **case.signals)


@pytest.mark.parametrize("policy", ALONE)
@few
@given(case=cases())
def test_filtering_what_was_kept_removes_nothing(policy: str, case: Case) -> None:
    kept = case.only(case.run(policy).kept)
    assert kept.run(policy).removed == ()


@every_rule
@few
@given(case=cases(most=30), keep=st.sampled_from(["first", "longest"]), threads=st.integers(1, 2))
def test_neither_block_sizes_nor_threads_change_the_result(
    policy: str, case: Case, keep: str, threads: int
) -> None:
    policy = f"{policy} keep={keep}"
    expected = case.run(policy)
    with pytest.MonkeyPatch.context() as patch, threadpool_limits(threads):
        for name, size in SIZES.items():
            patch.setattr(f"chunkfilter.{name}", size)
        found = case.run(policy)
    assert dataclasses.replace(found, conflicts=()) == dataclasses.replace(expected, conflicts=())
    # which of several earlier chunks is named first depends on how many are looked at together
    assert [one.index for one in found.conflicts] == [one.index for one in expected.conflicts]


@every_rule
@few
@given(case=cases())
def test_chunks_of_different_scope_are_never_compared(policy: str, case: Case) -> None:
    def scope(chunk: cf.Chunk) -> object:
        tenant = (chunk.metadata or {})["tenant"]
        return frozenset(tenant) if isinstance(tenant, list) else tenant

    result = case.run(f"{policy} scope=tenant")
    for removal in result.removed:
        if removal.kept_by or removal.kept_by_existing:
            representatives = [case.chunks[place] for place in removal.kept_by]
            representatives += [case.existing[place] for place in removal.kept_by_existing]
            assert {scope(chunk) for chunk in representatives} == {scope(case.chunks[removal.index])}
            assert scope(case.chunks[removal.index]) is not None
    result.verify(case.chunks, existing=case.existing, **case.signals)


@pytest.mark.parametrize(
    "policy", [policy for policy in ALONE if policy != "none" and "coverage" not in policy]
)
def test_a_forged_representative_is_found_out_unless_the_rule_holds_with_it_too(policy: str) -> None:
    case = mixed_case()
    policy = f"{policy} guards=none"  # whether guards agree is no part of the rule
    result = case.run(policy)
    line = next(removal for removal in reversed(result.removed) if removal.kept_by)
    outcomes = set()
    for other in result.kept:
        forged = dataclasses.replace(line, kept_by=(other,), kept_by_existing=())
        lines = tuple(forged if removal is line else removal for removal in result.removed)
        try:
            dataclasses.replace(result, removed=lines).verify(
                case.chunks, existing=case.existing, **case.signals
            )
            holds = True
        except CertificateError:
            holds = False
        (pair,) = case.pair(other, line.index).run(policy).removed or (None,)
        assert holds == (pair is not None and pair.score == line.score)
        outcomes.add(holds)
    assert outcomes == {True, False}


@every_rule
def test_an_empty_input_and_a_single_chunk_lose_nothing(policy: str) -> None:
    single = Case([cf.Chunk("One text of five words")], [], [(1.0, 0.0)], [{"Acme"}], [0])
    assert Case([], [], [], [], []).run(policy).kept == ()
    assert single.run(policy).kept == (0,)


@pytest.mark.parametrize(
    ("policy", "signal"),
    [
        ("similarity@0.8", "vectors"),
        ("exact+ner", "entities"),
        ("ner-exact", "entities"),
        ("ner-half@0.5", "entities"),
        ("exact+topics", "vectors"),
    ],
)
def test_a_missing_signal_is_named_before_and_after(policy: str, signal: str) -> None:
    case = Case([cf.Chunk("a b"), cf.Chunk("a b")], [], [(1.0, 0.0)] * 2, [{"x"}] * 2, ["t"] * 2)
    with pytest.raises(MissingSignalError, match=signal):
        cf.filter_chunks(case.chunks, policy)
    result = case.run(policy)
    assert len(result.removed) == 1
    rule = policy.rsplit("+", maxsplit=1)[-1].split("@", maxsplit=1)[0]
    with pytest.raises(MissingSignalError, match=rf"rule '{rule}.* was not checked"):
        result.verify(case.chunks)


_EVERY_POLICY = """
import sys
import chunkfilter as cf
from contextlib import suppress
words = "pump valve opens closes six seven morning bar pressure Acme Bern crane hall".split()
texts = [" ".join(words[(i * j + i // 3) % 13] for j in range(2 + i % 9)) for i in range(60)]
entities = [{word for word in text.split() if word[0] in "ABcv"} for text in texts]
vectors = [[i % 7 + 1, i % 5, (i * i) % 4] for i in range(60)]
for policy in sys.argv[1:]:
    r = cf.filter_chunks(texts, policy, vectors=vectors, entities=entities)
    print(policy, r.kept, r.removed, r.conflicts)
"""


def test_every_process_decides_the_same() -> None:
    seen = set()
    for seed in ("0", "1", "77"):
        done = subprocess.run(
            [sys.executable, "-c", _EVERY_POLICY, *POLICIES],
            capture_output=True,
            check=True,
            env={"PYTHONHASHSEED": seed, "PATH": "", "OMP_NUM_THREADS": "1" if seed == "0" else "2"},
        )
        seen.add(hashlib.sha256(done.stdout).hexdigest())
    assert len(seen) == 1
