"""Lists worked on by several processes side by side, which send back results and nothing else."""

from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from typing import Any, ClassVar, TypeVar

Item = TypeVar("Item")
Result = TypeVar("Result")

#: Parts a process works on, at least: so that none waits long for the last one.
_PARTS = 4


def mapped_side_by_side(
    work: Callable[[Sequence[Item]], list[Result]], items: Sequence[Item], processes: int, most: int
) -> list[Result]:
    """``work(items)``, done in parts by processes that end when all is done.

    Args:
        work: from some items to one result each; every process gets its own copy, once.
        items: n items.
        processes: how many, at least 1.
        most: items of a part.
    """
    size = max(min(-(-len(items) // (_PARTS * processes)), most), 1)
    parts = [items[first : first + size] for first in range(0, len(items), size)]
    with ProcessPoolExecutor(min(processes, len(parts)), initializer=_hold, initargs=(work,)) as pool:
        return [result for part in pool.map(_do, parts) for result in part]


class _Held:
    """What a process works with: sent to it once, not with every part."""

    work: ClassVar[Callable[[Any], Any]]


def _hold(work: Callable[[Any], Any]) -> None:
    _Held.work = work


def _do(part: Sequence[Any]) -> list[Any]:
    done: list[Any] = _Held.work(part)
    return done
