"""Rows by the thousand: what is held at once while a store is changed."""

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import TypeVar

T = TypeVar("T")

#: Rows changed between two lines of a journal.
BATCH = 1000


def batches(items: Iterable[T], size: int = BATCH) -> Iterator[list[T]]:
    """Lists of at most ``size`` items, in order."""
    rest = iter(items)
    while part := list(islice(rest, size)):
        yield part
