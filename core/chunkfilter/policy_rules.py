"""The rules that a policy may name, and a rule with its value: what :mod:`chunkfilter.policy` is made of."""

import importlib
from dataclasses import dataclass
from functools import cache
from typing import Any

#: Every rule a policy may name, and where it is: ``module:attribute``, a
#: :class:`chunkfilter.rules.rule.Rule`. A new rule is one file and one line here; a rule outside this package
#: is added to this table at run time.
RULES: dict[str, str] = {
    "none": "chunkfilter.rules.controls:NONE",
    "exact": "chunkfilter.rules.exact:EXACT",
    "minhash": "chunkfilter.rules.minhash:MINHASH",
    "simhash": "chunkfilter.rules.simhash:SIMHASH",
    "similarity": "chunkfilter.rules.similarity:SIMILARITY",
    "topics": "chunkfilter.rules.topics:TOPICS",
    "ner": "chunkfilter.rules.entities:NER",
    "ner-exact": "chunkfilter.rules.entities:NER_EXACT",
    "ner-half": "chunkfilter.rules.entities:NER_HALF",
    "coverage": "chunkfilter.rules.coverage.rule:COVERAGE",
    "random": "chunkfilter.rules.controls:RANDOM",
}


@dataclass(frozen=True, slots=True)
class RuleSyntax:
    """How a rule is written, and what it reads.

    Args:
        default: the value meant by the bare name, ``None`` for rules without one.
        low: smallest allowed value.
        high: largest allowed value.
        integer: the value is a whole number.
        paper: the rule has a published variant, ``name@paper``.
        combines: the rule may be joined to others with ``+``.
        alone: the rule may be used without a partner.
        verbatim: the rule only removes text that is word for word in kept chunks; guards do not apply.
        vectors: the rule reads vectors of the chunks.
        entities: the rule reads entities of the chunks.
        window: the rule asks what an embedder sees of a text.
        hint: what to use instead of a value, for a rule without one.
    """

    default: float | None = None
    low: float = 0.0
    high: float = 1.0
    integer: bool = False
    paper: bool = False
    combines: bool = True
    alone: bool = True
    verbatim: bool = False
    vectors: bool = False
    entities: bool = False
    window: bool = False
    hint: str = ""


@cache
def _loaded(place: str) -> Any:
    module, _, attribute = place.partition(":")
    return getattr(importlib.import_module(module), attribute)


@dataclass(frozen=True, slots=True)
class Term:
    """One rule with its value: ``similarity@0.9``, ``exact``, ``exact@paper``."""

    name: str
    value: float | None = None
    paper: bool = False

    @property
    def rule(self) -> Any:
        """The :class:`chunkfilter.rules.rule.Rule` of that name."""
        return _loaded(RULES[self.name])

    @property
    def syntax(self) -> RuleSyntax:
        """How the rule is written, and what it reads."""
        syntax: RuleSyntax = self.rule.syntax
        return syntax

    @property
    def lossy(self) -> bool:
        """Whether text may be lost."""
        return not self.syntax.verbatim

    def __str__(self) -> str:
        if self.paper:
            return f"{self.name}@paper"
        return self.name if self.value is None else f"{self.name}@{self.value:.12g}"


@dataclass(frozen=True, slots=True)
class Stage:
    """Terms that must all hold between a removed chunk and its representative."""

    terms: tuple[Term, ...]

    def __str__(self) -> str:
        return "+".join(map(str, self.terms))
