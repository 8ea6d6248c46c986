"""How each rule is re-derived."""

import math
from collections.abc import Callable

from chunkfilter.certificate.coverage import copy_check, coverage_check
from chunkfilter.certificate.evidence import Evidence, Run
from chunkfilter.certificate.likeness import (
    ner_check,
    ner_exact_check,
    ner_half_check,
    similarity_check,
    topics_check,
)
from chunkfilter.certificate.shingles import minhash_score, simhash_score
from chunkfilter.policy import Term
from chunkfilter.text.keys import folded, paper_key
from chunkfilter.text.words import words

#: The score of a removal, NaN if the rule does not hold, infinity if it holds and has no degree.
Check = Callable[[Term, Evidence], float]


def _exact_score(term: Term, evidence: Evidence) -> float:
    key = paper_key if term.paper else _words_or_text
    same = len(evidence.keepers) == 1 and key(evidence.removed.text) == key(evidence.keepers[0].text)
    return 1.0 if same else math.nan


def _words_or_text(text: str) -> tuple[str, ...]:
    return tuple(words(text)) or ("", folded(text))


def _random_score(term: Term, evidence: Evidence) -> float:
    del term
    return math.nan if evidence.keepers else math.inf


#: Prepares the check of each rule for a run; a rule that is not here cannot be checked.
CHECKS: dict[str, Callable[[Run], Check]] = {
    "coverage": coverage_check,
    "copy": copy_check,
    "exact": lambda run: _exact_score,  # noqa: ARG005  # looks at two texts only
    "minhash": lambda run: minhash_score,  # noqa: ARG005  # likewise
    "ner": ner_check,
    "ner-exact": ner_exact_check,
    "ner-half": ner_half_check,
    "random": lambda run: _random_score,  # noqa: ARG005  # looks at nothing
    "simhash": lambda run: simhash_score,  # noqa: ARG005  # looks at two texts only
    "similarity": similarity_check,
    "topics": topics_check,
}
