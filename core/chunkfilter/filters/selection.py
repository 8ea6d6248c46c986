"""What a stage decided, in positions of the batch."""

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Dropped:
    """A chunk that goes.

    Args:
        row: its position in the batch.
        keepers: positions of chunks that stay and alone satisfy the rule.
        rule: the term that decided.
        score: the rule's score.
    """

    row: int
    keepers: tuple[int, ...]
    rule: str
    score: float | None


@dataclass(slots=True)
class Selection:
    """Decisions of a stage; ``conflicts`` maps a kept row to the (kept row, guard) it was kept apart from."""

    dropped: list[Dropped] = field(default_factory=list)
    conflicts: dict[int, tuple[int, str]] = field(default_factory=dict)
