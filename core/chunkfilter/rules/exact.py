"""Rule ``exact``: two chunks with the same text, as :mod:`chunkfilter.text.normalise` defines it."""

import re

from chunkfilter.policy import RuleSyntax, Term
from chunkfilter.rules.batch import Batch
from chunkfilter.rules.groups import group_rule
from chunkfilter.rules.rule import Certify, Run, of_pair
from chunkfilter.text.normalise import normalise
from chunkfilter.text.ragged import IntArray

_NOT_WORD = re.compile(r"[^\w\s]")


def paper_key(text: str) -> str:
    r"""The published normalisation: lower case, delete ``[^\w\s]``, fold white space.

    Source: "ExactNorm", section 3.5 of "Reducing Redundancy in Retrieval-Augmented Generation through
    Chunk Filtering".
    """
    return " ".join(_NOT_WORD.sub("", text.lower()).split())


def _groups(batch: Batch, term: Term) -> IntArray:
    return batch.groups(paper_key) if term.paper else batch.same_text


def _certify(run: Run) -> Certify:
    def score(term: Term, removed: int, kept: int) -> float:
        key = paper_key if term.paper else normalise
        return 1.0 if key(run.chunks[removed].text) == key(run.chunks[kept].text) else float("nan")

    return of_pair(score)


EXACT = group_rule(RuleSyntax(paper=True, verbatim=True), _groups, _certify, cost=0)
