"""What turns passages into propositions: any object with one method."""

from collections.abc import Sequence
from typing import Protocol


class Propositionizer(Protocol):
    """States the facts of passages."""

    def propositions(self, passages: Sequence[str], /) -> Sequence[Sequence[str] | Exception]:
        """For each passage the facts it states, one a sentence, or the exception that it failed with."""
        ...
