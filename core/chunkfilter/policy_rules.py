"""The rules that a policy may name, and a rule with its value: what :mod:`chunkfilter.policy` is made of."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class RuleSyntax:
    """How a rule is written.

    Args:
        default: the value meant by the bare name, ``None`` for rules without one.
        low: smallest allowed value.
        high: largest allowed value.
        integer: the value is a whole number.
        paper: the rule has a published variant, ``name@paper``.
        combines: the rule may be joined to others with ``+``.
        alone: the rule may stand without a partner.
        verbatim: the rule only removes text that stays word for word elsewhere; guards do not apply.
        vectors: the rule reads vectors of the chunks.
        entities: the rule reads entities of the chunks.
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


#: Every rule a policy may name. A new filter gets a line here and one in ``filters.RULES``.
RULES: dict[str, RuleSyntax] = {
    "none": RuleSyntax(combines=False, verbatim=True),
    "exact": RuleSyntax(paper=True, verbatim=True),
    "minhash": RuleSyntax(default=0.8, low=0.1),
    "simhash": RuleSyntax(default=3, high=8, integer=True),
    "similarity": RuleSyntax(default=0.9, vectors=True),
    "topics": RuleSyntax(alone=False, vectors=True),
    "ner": RuleSyntax(alone=False, entities=True),
    "ner-exact": RuleSyntax(paper=True, entities=True),
    "ner-half": RuleSyntax(default=0.5, entities=True),
    "coverage": RuleSyntax(default=1.0, low=0.5, combines=False, verbatim=True),
    "random": RuleSyntax(default=0.2, combines=False),
}


@dataclass(frozen=True, slots=True)
class Term:
    """One rule with its value: ``similarity@0.9``, ``exact``, ``exact@paper``."""

    name: str
    value: float | None = None
    paper: bool = False

    @property
    def syntax(self) -> RuleSyntax:
        """The rule's line in ``RULES``."""
        return RULES[self.name]

    @property
    def lossy(self) -> bool:
        """Whether words may be lost: every rule but the verbatim ones at their full value."""
        return not self.syntax.verbatim or (self.name == "coverage" and self.value != 1.0)

    def __str__(self) -> str:
        if self.paper:
            return f"{self.name}@paper"
        if self.value is None or (self.name == "coverage" and self.value == 1.0):
            return self.name
        return f"{self.name}@{self.value:.12g}"


@dataclass(frozen=True, slots=True)
class Stage:
    """Terms that must all hold between a chunk that goes and the one that stands for it."""

    terms: tuple[Term, ...]

    def __str__(self) -> str:
        return "+".join(map(str, self.terms))
