"""Rows by the thousand: what is held at once while a store is changed."""

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import TypeVar

T = TypeVar("T")

#: Rows changed between two lines of a journal.
BATCH = 1000


def batches(items: Iterable[T], size: int | None = None) -> Iterator[list[T]]:
    """Lists of at most ``size`` items, by default ``BATCH``, in order."""
    rest = iter(items)
    while part := list(islice(rest, size or BATCH)):
        yield part
