"""Policy <-> text: the rule and every option that decides a result, as one line that can be stored.

``RULE [keep=...] [scope=key,key] [guards=default|none] [blank=drop|keep] [window=auto|none|N]
[max_removed=SHARE]``

A RULE is stages separated by ``|`` (one after another); a stage is terms joined by ``+`` (all must hold).
"""

import hashlib
import re
from dataclasses import dataclass
from typing import Literal

from chunkfilter.errors import PolicyError
from chunkfilter.policy_rules import RULES, RuleSyntax, Stage, Term

__all__ = ["ALGORITHM_VERSION", "KEEPS", "RULES", "Policy", "RuleSyntax", "Stage", "Term"]

#: Raised whenever the same policy may give another result on the same input.
ALGORITHM_VERSION = 3

KEEPS = ("first", "longest", "richest", "newest:KEY", "best-score")

_TERM = re.compile(r"(?P<name>[a-z][a-z0-9-]*)(?:@(?P<value>[^\s@+|]+))?")


@dataclass(frozen=True, slots=True)
class Policy:
    """The rule and every option that decides a result.

    Args:
        stages: applied one after another.
        keep: which of two equals is kept: ``first``, ``longest``, ``richest`` (most metadata keys),
            ``newest:KEY``, ``best-score``.
        scope: metadata keys (or ``source``); chunks that differ in one are never compared.
        guards: ``default`` or ``none``; ``None`` means ``none`` for ``@paper`` rules, else ``default``.
        blank: ``drop`` or ``keep``; ``None`` means ``keep`` for ``@paper`` rules, else ``drop``.
        window: ``auto`` (the embedder's), ``none``, or the number of words an embedder reads.
        max_removed: largest share of the chunks that may be removed; beyond it nothing is removed.

    Raises:
        PolicyError: from :meth:`parse`, naming the value received and what is allowed.
    """

    stages: tuple[Stage, ...]
    keep: str = "first"
    scope: tuple[str, ...] = ()
    guards: Literal["default", "none"] | None = None
    blank: Literal["drop", "keep"] | None = None
    window: int | Literal["auto", "none"] = "auto"
    max_removed: float | None = None

    def __post_init__(self) -> None:
        """Default guards become ``None``, however written; ``blank`` stays: compare asks if it was said."""
        if self.guards == ("none" if self.paper else "default"):
            object.__setattr__(self, "guards", None)

    @classmethod
    def parse(cls, text: "str | Policy") -> "Policy":
        """Read a policy.

        Args:
            text: the one line described at the top of this module, or a ``Policy``, returned as it is.

        Raises:
            PolicyError: an unknown rule or option, or a value out of its bounds.
        """
        if isinstance(text, Policy):
            return text
        if not isinstance(text, str) or not text.strip():
            raise PolicyError(
                f"policy: got {text!r}; expected RULE [option=value ...], for example 'coverage'"
            )
        words = re.sub(r"\s*([+|])\s*", r"\1", text.strip()).split()
        options: dict[str, str] = {}
        for word in words[1:]:
            name, separator, value = word.partition("=")
            if not separator or name not in _OPTIONS:
                raise PolicyError(f"policy {text!r}: {word!r} is no option; known: {', '.join(_OPTIONS)}")
            if name in options:
                raise PolicyError(f"policy {text!r}: option {name!r} is given twice")
            options[name] = value
        stages = tuple(_parse_stage(stage, text) for stage in words[0].split("|"))
        return cls(stages, **{name: _OPTIONS[name](value, text) for name, value in options.items()})  # type: ignore[arg-type]  # each reader returns its option's type

    @property
    def rule(self) -> str:
        """The rule without options."""
        return "|".join(map(str, self.stages))

    @property
    def paper(self) -> bool:
        """Whether any term is a published variant (``@paper``)."""
        return any(term.paper for stage in self.stages for term in stage.terms)

    @property
    def drops_blank(self) -> bool:
        """Whether chunks without visible text are removed."""
        return self.blank == "drop" or (self.blank is None and not self.paper)

    @property
    def guarded(self) -> bool:
        """Whether guards may keep a chunk that a rule would remove."""
        return self.guards == "default" or (self.guards is None and not self.paper)

    @property
    def verbatim(self) -> bool:
        """Whether everything that is removed is word for word in kept chunks."""
        return not any(term.lossy for stage in self.stages for term in stage.terms)

    @property
    def needs_vectors(self) -> bool:
        """Whether a rule reads vectors: an embedder or vectors must be given."""
        return any(term.syntax.vectors for stage in self.stages for term in stage.terms)

    @property
    def needs_entities(self) -> bool:
        """Whether a rule reads entities of the chunks."""
        return any(term.syntax.entities for stage in self.stages for term in stage.terms)

    @property
    def fingerprint(self) -> str:
        """16 hexadecimal digits that change with the policy or the algorithm."""
        return hashlib.sha256(f"{ALGORITHM_VERSION} {self}".encode()).hexdigest()[:16]

    def __str__(self) -> str:
        shown = [
            ("keep", None if self.keep == "first" else self.keep),
            ("scope", ",".join(self.scope) or None),
            ("guards", self.guards),
            ("blank", self.blank),
            ("window", None if self.window == "auto" else self.window),
            ("max_removed", None if self.max_removed is None else f"{self.max_removed:.12g}"),
        ]
        return " ".join([self.rule, *(f"{name}={value}" for name, value in shown if value is not None)])


def _parse_stage(stage: str, policy: str) -> Stage:
    terms = tuple(_parse_term(term, policy) for term in stage.split("+"))
    names = [term.name for term in terms]
    if len(names) > 1:
        for term in terms:
            if not term.syntax.combines:
                raise PolicyError(f"policy {policy!r}: {term.name!r} cannot be joined with '+'; use '|'")
    if len(set(names)) < len(names):
        raise PolicyError(f"policy {policy!r}: a rule is named twice in {stage!r}")
    if not any(term.syntax.alone for term in terms):
        raise PolicyError(
            f"policy {policy!r}: {stage!r} needs a rule to add to, for example 'similarity@0.8+ner'"
        )
    return Stage(terms)


def _parse_term(term: str, policy: str) -> Term:
    match = _TERM.fullmatch(term)
    name = match["name"] if match else term
    if match is None or name not in RULES:
        hint = "; several policies are separated by ';'" if "," in name else ""
        known = ", ".join(sorted(RULES))
        raise PolicyError(f"policy {policy!r}: unknown rule {name!r}; known: {known}{hint}")
    syntax, value = Term(name).syntax, match["value"]
    if value is None:
        return Term(name, syntax.default)
    if value == "paper":
        if not syntax.paper:
            published = ", ".join(f"{rule}@paper" for rule in RULES if Term(rule).syntax.paper)
            raise PolicyError(f"policy {policy!r}: {name!r} has no published variant; known: {published}")
        return Term(name, syntax.default, paper=True)
    if syntax.default is None:
        raise PolicyError(f"policy {policy!r}: {name!r} takes no value, got {value!r}{syntax.hint}")
    return Term(name, _number(value, syntax, f"{name}@{value}", policy))


def _number(value: str, syntax: RuleSyntax, what: str, policy: str) -> float:
    kind = "a whole number" if syntax.integer else "a number"
    try:
        number = float(int(value) if syntax.integer else float(value))
    except ValueError:
        raise PolicyError(f"policy {policy!r}: {what}: expected {kind}") from None
    if not syntax.low <= number <= syntax.high:
        raise PolicyError(
            f"policy {policy!r}: {what}: expected {kind} from {syntax.low:.12g} to {syntax.high:.12g}"
        )
    return number


def _keep(value: str, policy: str) -> str:
    if value in ("first", "longest", "richest", "best-score") or (
        value.startswith("newest:") and len(value) > 7
    ):
        return value
    raise PolicyError(f"policy {policy!r}: keep={value}; expected one of {', '.join(KEEPS)}")


def _scope(value: str, policy: str) -> tuple[str, ...]:
    keys = tuple(dict.fromkeys(value.split(",")))
    if not all(keys):
        raise PolicyError(f"policy {policy!r}: scope={value}; expected metadata keys separated by commas")
    return keys


def _guards(value: str, policy: str) -> str:
    return _choice("guards", value, ("default", "none"), policy)


def _blank(value: str, policy: str) -> str:
    return _choice("blank", value, ("drop", "keep"), policy)


def _choice(name: str, value: str, allowed: tuple[str, ...], policy: str) -> str:
    if value not in allowed:
        raise PolicyError(f"policy {policy!r}: {name}={value}; expected one of {', '.join(allowed)}")
    return value


def _window(value: str, policy: str) -> int | str:
    if value in ("auto", "none"):
        return value
    if not value.isascii() or not value.isdigit() or int(value) < 1:
        raise PolicyError(f"policy {policy!r}: window={value}; expected auto, none or a number of words >= 1")
    return int(value)


def _max_removed(value: str, policy: str) -> float:
    return _number(value, RuleSyntax(), f"max_removed={value}", policy)


_OPTIONS = {
    "keep": _keep,
    "scope": _scope,
    "guards": _guards,
    "blank": _blank,
    "window": _window,
    "max_removed": _max_removed,
}
