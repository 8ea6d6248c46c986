"""What several measurements ask of their arguments."""

import numpy as np

from chunkfilter.errors import InputError


def is_count(value: object) -> bool:
    """Whether a value is a whole number of at least 1."""
    return isinstance(value, (int, np.integer)) and not isinstance(value, bool) and int(value) >= 1


def refuse_margin(margin: float) -> None:
    """Refuse a margin that is no share.

    Raises:
        InputError: it is no number from 0 to below 1.
    """
    if not (isinstance(margin, (int, float)) and 0 <= margin < 1):
        raise InputError(f"margin: got {margin!r}; expected a number from 0 to below 1")
