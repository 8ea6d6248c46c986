"""One run at a time: locks that the system lets go of when a process dies."""

import hashlib
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from platformdirs import user_state_path

from chunkfilter.errors import StoreError


@contextmanager
def folder_lock(folder: Path, address: str) -> Iterator[None]:
    """Hold the lock of a store that is a folder; nothing is written into it.

    Raises:
        StoreError: another run holds it.
    """
    handle = os.open(folder, os.O_RDONLY)
    try:
        _take(handle, address)
        yield
    finally:
        os.close(handle)


@contextmanager
def named_lock(address: str) -> Iterator[None]:
    """Hold a lock of this user on this machine, for stores that have none of their own.

    Raises:
        StoreError: another run holds it.
    """
    folder = user_state_path("chunkfilter") / "locks"
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    name = hashlib.sha256(address.encode()).hexdigest()[:32]
    handle = os.open(folder / f"{name}.lock", os.O_RDWR | os.O_CREAT, 0o600)
    try:
        _take(handle, address)
        yield
    finally:
        os.close(handle)


def _take(handle: int, address: str) -> None:
    try:
        import fcntl
    except ImportError as error:
        raise StoreError("changing a store needs the file locks of a POSIX system") from error
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise StoreError(busy(address)) from None


def busy(address: str) -> str:
    """What the second of two runs is told."""
    return f"{address}: another run of chunkfilter is changing this store; wait until it has ended"
