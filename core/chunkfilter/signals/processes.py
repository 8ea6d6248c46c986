"""Lists worked on by several processes side by side, which send back results and nothing else."""

import multiprocessing
import pickle
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from typing import Any, ClassVar, TypeVar

from chunkfilter.errors import ChunkFilterError

Item = TypeVar("Item")
Result = TypeVar("Result")

#: Parts a process works on, at least: so that none waits long for the last one.
_PARTS = 4
_GUARD = "'if __name__ == \"__main__\":'"
_WAY_OUT = "n_process=1 does the work in the process that asks for it"


def mapped_side_by_side(
    work: Callable[[Sequence[Item]], list[Result]], items: Sequence[Item], processes: int, most: int
) -> list[Result]:
    """``work(items)``, done in parts by processes that end when all is done.

    A daemonic process, such as a worker of ``multiprocessing.Pool``, may start no others: it works itself.

    Args:
        work: from some items to one result each; every process gets its own copy, once.
        items: n items.
        processes: how many, at least 1.
        most: items of a part.

    Raises:
        ChunkFilterError: processes cannot be started, one ended before its part was done, or the work failed
            with an error that cannot be sent; the message names the part. Other errors of the work are
            raised as they are, with a note that names it.
    """
    if multiprocessing.current_process().daemon:
        return work(items)
    size = max(min(-(-len(items) // (_PARTS * processes)), most), 1)
    parts = [items[first : first + size] for first in range(0, len(items), size)]
    with ProcessPoolExecutor(min(processes, len(parts)), initializer=_hold, initargs=(work,)) as pool:
        done = _started(pool, parts)
        results: list[Result] = []
        for part in parts:
            results += _next(done, part, len(results), len(items))
        return results


def _started(pool: ProcessPoolExecutor, parts: Sequence[Sequence[Any]]) -> Iterator[list[Any]]:
    try:
        return pool.map(_do, parts)
    except (RuntimeError, OSError, pickle.PicklingError, AttributeError, TypeError) as error:
        raise ChunkFilterError(
            f"processes side by side cannot be started: {type(error).__name__}: {str(error).strip():.200}; a "
            f"script that is run again by its processes needs {_GUARD}; {_WAY_OUT}"
        ) from error


def _next(done: Iterator[list[Any]], part: Sequence[Any], first: int, count: int) -> list[Any]:
    place = f"items {first + 1} to {first + len(part)} of {count}, from {part[0]!r:.60} on"
    try:
        return next(done)
    except BrokenProcessPool as error:
        raise ChunkFilterError(
            "a process ended before its work was done (killed, out of memory, or run by a script without "
            f"{_GUARD}); the first not done: {place}; {_WAY_OUT}"
        ) from error
    except _CannotBeSentError as error:
        raise ChunkFilterError(f"{place}: {error}; {_WAY_OUT}") from error
    except Exception as error:
        error.add_note(f"in a process that worked on {place}")
        raise


class _CannotBeSentError(Exception):
    """What is told of an error that does not survive the way between processes, or would end the caller."""


class _Held:
    """What a process works with: sent to it once, not with every part."""

    work: ClassVar[Callable[[Any], Any]]


def _hold(work: Callable[[Any], Any]) -> None:
    _Held.work = work


def _do(part: Sequence[Any]) -> list[Any]:
    try:
        done: list[Any] = _Held.work(part)
    except SystemExit as error:
        raise _CannotBeSentError(f"the work called sys.exit({error.code!r:.80})") from None
    except Exception as error:
        if _can_be_sent(error):
            raise
        raise _CannotBeSentError(f"{type(error).__name__}: {error!s:.500}") from None
    return done


def _can_be_sent(error: Exception) -> bool:
    try:
        return type(pickle.loads(pickle.dumps(error))) is type(error)  # noqa: S301  # made here, a line ago
    except Exception:  # noqa: BLE001  # errors decide themselves how they are pickled, and fail in any way
        return False
