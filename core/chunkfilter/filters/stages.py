"""The rules a policy can name, and how its stages are run one after another."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from chunkfilter.filters.batch import Batch, BoolArray
from chunkfilter.filters.controls import drop_at_random, keep_all
from chunkfilter.filters.coverage.rule import coverage_homes, select_coverage
from chunkfilter.filters.entities import NER, NER_EXACT, NER_HALF
from chunkfilter.filters.exact import EXACT
from chunkfilter.filters.guards import guard_of
from chunkfilter.filters.minhash import MINHASH
from chunkfilter.filters.rehome import rehomed
from chunkfilter.filters.relation import Check, Guard, PairRule
from chunkfilter.filters.select import select_pairs
from chunkfilter.filters.selection import Dropped, Selection
from chunkfilter.filters.simhash import SIMHASH
from chunkfilter.filters.similarity import SIMILARITY
from chunkfilter.filters.topics import TOPICS
from chunkfilter.policy import Stage, Term
from chunkfilter.text.characters import is_blank
from chunkfilter.text.ragged import IntArray


@dataclass(frozen=True, slots=True)
class WholeRule:
    """A rule about a chunk and everything that stays, not about two chunks.

    Args:
        select: decides over the active chunks of a batch.
        homes: prepares to give a removal other keepers, from those named; ``None`` for rules that need none.
    """

    select: Callable[[Batch, Term, BoolArray], Selection]
    homes: Callable[[Batch, Term], Callable[[Dropped, BoolArray], Dropped | None]] | None = None


#: Every rule. A new one gets a file of its own, a line here and its syntax in ``policy_rules.RULES``.
RULES: dict[str, PairRule | WholeRule] = {
    "none": WholeRule(keep_all),
    "exact": EXACT,
    "minhash": MINHASH,
    "simhash": SIMHASH,
    "similarity": SIMILARITY,
    "topics": TOPICS,
    "ner": NER,
    "ner-exact": NER_EXACT,
    "ner-half": NER_HALF,
    "coverage": WholeRule(select_coverage, coverage_homes),
    "random": WholeRule(drop_at_random),
}


def run_policy(batch: Batch) -> Selection:
    """Run the blank policy and every stage; name for each removal keepers that stay to the end."""
    active = np.ones(len(batch), dtype=np.bool_)
    decided = Selection()
    if batch.policy.drops_blank:
        decided.dropped.extend(
            Dropped(row, (), "blank", None)
            for row in range(batch.stored, len(batch))
            if is_blank(batch.texts[row])
        )
    _settle(active, decided.dropped)
    conflicts: dict[int, tuple[int, str]] = {}
    for stage in batch.policy.stages:
        selection = run_stage(batch, stage, active)
        _settle(active, selection.dropped)
        decided.dropped.extend(selection.dropped)
        conflicts.update(selection.conflicts)
    decided.dropped = rehomed(decided.dropped, _Homes(batch).find)
    gone = {entry.row for entry in decided.dropped}
    decided.conflicts.update(
        {row: conflict for row, conflict in conflicts.items() if row not in gone and conflict[0] not in gone}
    )
    return decided


def _settle(active: BoolArray, dropped: list[Dropped]) -> None:
    active[[entry.row for entry in dropped]] = False


def run_stage(batch: Batch, stage: Stage, active: BoolArray) -> Selection:
    """Run one stage over the active chunks: the cheapest rule proposes, the others check."""
    lone = RULES[stage.terms[0].name]
    if isinstance(lone, WholeRule):
        return lone.select(batch, stage.terms[0], active)
    ranked = sorted(((pair_rule(term), term) for term in stage.terms), key=lambda entry: entry[0].cost)
    rule, index, proposing = next((rule, rule.index, term) for rule, term in ranked if rule.index is not None)
    checks = [rule.check(batch, term) for rule, term in ranked if term is not proposing]
    own_check = partial(rule.check, batch, proposing)
    return select_pairs(
        batch, active, index(batch, proposing), checks, str(stage), guard_of(batch, stage), own_check
    )


def pair_rule(term: Term) -> PairRule:
    """The pair rule of a term of a stage; the policy's grammar joins only pair rules."""
    rule = RULES[term.name]
    if isinstance(rule, WholeRule):
        raise TypeError(f"{term.name!r} is no rule between two chunks")
    return rule


class _Homes:
    """Tries other keepers for a removal, under the rules of the policy."""

    def __init__(self, batch: Batch) -> None:
        self._batch = batch
        self._checks: dict[Term, Check] = {}
        self._guards: dict[Stage, Guard | None] = {}
        self._homes: dict[Term, Callable[[Dropped, BoolArray], Dropped | None]] = {}

    def find(self, orphan: Dropped, candidates: tuple[int, ...]) -> Dropped | None:
        """The line of the orphan with candidates that stand for it under some stage."""
        for stage in self._batch.policy.stages:
            rule = RULES[stage.terms[0].name]
            if isinstance(rule, PairRule):
                home = self._first_pair(orphan, candidates, stage)
            else:
                home = self._from_all(orphan, candidates, rule, stage.terms[0])
            if home is not None:
                return home
        return None

    def _first_pair(self, orphan: Dropped, candidates: tuple[int, ...], stage: Stage) -> Dropped | None:
        row = np.array([orphan.row], dtype=np.int64)
        for candidate in candidates:
            column = np.array([candidate], dtype=np.int64)
            scores = [self._check(term)(row, column)[0] for term in stage.terms]
            if not np.isnan(scores).any() and not self._vetoed(stage, row, column):
                return replace(orphan, keepers=(candidate,), rule=str(stage), score=float(min(scores)))
        return None

    def _from_all(
        self, orphan: Dropped, candidates: tuple[int, ...], rule: WholeRule, term: Term
    ) -> Dropped | None:
        if rule.homes is None:
            return None
        if term not in self._homes:
            self._homes[term] = rule.homes(self._batch, term)
        mask = np.zeros(len(self._batch), dtype=np.bool_)
        mask[list(candidates)] = True
        return self._homes[term](orphan, mask)

    def _check(self, term: Term) -> Check:
        if term not in self._checks:
            self._checks[term] = pair_rule(term).check(self._batch, term)
        return self._checks[term]

    def _vetoed(self, stage: Stage, row: IntArray, column: IntArray) -> bool:
        if stage not in self._guards:
            self._guards[stage] = guard_of(self._batch, stage)
        guard = self._guards[stage]
        return guard is not None and guard(row, column)[0] != ""
