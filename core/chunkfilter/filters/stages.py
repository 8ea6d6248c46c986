"""The rules a policy can name, and how its stages are run one after another."""

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from chunkfilter.filters.batch import Batch, BoolArray
from chunkfilter.filters.controls import drop_at_random, keep_all
from chunkfilter.filters.exact import EXACT
from chunkfilter.filters.relation import PairRule
from chunkfilter.filters.select import select_pairs
from chunkfilter.filters.selection import Dropped, Selection
from chunkfilter.policy import Stage, Term
from chunkfilter.text.characters import is_blank


@dataclass(frozen=True, slots=True)
class WholeRule:
    """A rule about a chunk and everything that stays, not about two chunks.

    Args:
        select: decides over the active chunks of a batch.
        stands: whether one row is redundant to the rows of a mask, and the keepers if so; ``None`` for
            rules that need no keepers.
    """

    select: Callable[[Batch, Term, BoolArray], Selection]
    stands: Callable[[Batch, Term, int, BoolArray], tuple[int, ...] | None] | None = None


#: Every rule. A new one gets a file of its own, a line here and its syntax in ``policy.RULES``.
RULES: dict[str, PairRule | WholeRule] = {
    "none": WholeRule(keep_all),
    "exact": EXACT,
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
    for stage in batch.policy.stages:
        selection = run_stage(batch, stage, active)
        _settle(active, selection.dropped)
        decided.dropped.extend(selection.dropped)
        decided.conflicts.update(selection.conflicts)
    decided.dropped = _rehomed(batch, decided.dropped)
    return decided


def _settle(active: BoolArray, dropped: list[Dropped]) -> None:
    active[[entry.row for entry in dropped]] = False


def run_stage(batch: Batch, stage: Stage, active: BoolArray) -> Selection:
    """Run one stage over the active chunks: the cheapest rule proposes, the others check."""
    lone = RULES[stage.terms[0].name]
    if isinstance(lone, WholeRule):
        return lone.select(batch, stage.terms[0], active)
    ranked = sorted(((pair_rule(term), term) for term in stage.terms), key=lambda entry: entry[0].cost)
    proposing, term = next((rule, term) for rule, term in ranked if rule.propose is not None)
    assert proposing.propose is not None  # noqa: S101  # narrowed by the line above
    checks = [rule.check(batch, other) for rule, other in ranked if other is not term]
    block = proposing.block or max(len(batch), 1)
    return select_pairs(batch, active, proposing.propose(batch, term), checks, str(stage), block)


def pair_rule(term: Term) -> PairRule:
    """The pair rule of a term of a stage; the policy's grammar joins only pair rules."""
    rule = RULES[term.name]
    if isinstance(rule, WholeRule):
        raise TypeError(f"{term.name!r} is no rule between two chunks")
    return rule


def _rehomed(batch: Batch, dropped: list[Dropped]) -> list[Dropped]:
    """Give each removal whose keeper went in a later stage another one, or take that keeper's removal back.

    Only a chunk that is directly redundant, under some stage's rule, to one that finally stays may go.
    """
    gone = {entry.row: entry for entry in dropped}
    while True:
        orphan = next(
            (entry for entry in gone.values() if any(keeper in gone for keeper in entry.keepers)), None
        )
        if orphan is None:
            return sorted(gone.values(), key=lambda entry: entry.row)
        lost = next(keeper for keeper in orphan.keepers if keeper in gone)
        home = _new_home(batch, orphan, gone[lost].keepers, gone)
        if home is None:
            del gone[lost]
        else:
            gone[orphan.row] = home


def _new_home(
    batch: Batch, orphan: Dropped, candidates: tuple[int, ...], gone: dict[int, Dropped]
) -> Dropped | None:
    row = np.array([orphan.row], dtype=np.int64)
    for stage in batch.policy.stages:
        for candidate in candidates:
            if candidate in gone or isinstance(RULES[stage.terms[0].name], WholeRule):
                continue
            column = np.array([candidate], dtype=np.int64)
            scores = [pair_rule(term).check(batch, term)(row, column)[0] for term in stage.terms]
            if not np.isnan(scores).any():
                return replace(orphan, keepers=(candidate,), rule=str(stage), score=float(min(scores)))
    return None
