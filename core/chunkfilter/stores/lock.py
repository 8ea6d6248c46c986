"""One run at a time: locks that the system releases when a process dies."""

import hashlib
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from platformdirs import user_state_path

from chunkfilter.errors import StoreError


@contextmanager
def file_lock(address: str, folder: Path | None) -> Iterator[None]:
    """Hold the lock of a store.

    Args:
        address: how reports call the store.
        folder: where it is; nothing is written into it. ``None`` for a store that is no folder: its lock is
            one of this user on this machine.

    Raises:
        StoreError: another run holds it.
    """
    try:
        import fcntl
    except ImportError as error:
        raise StoreError("changing a store needs the file locks of a POSIX system") from error
    handle = (
        os.open(_file_of(address), os.O_RDWR | os.O_CREAT, 0o600) if folder is None else os.open(folder, 0)
    )
    try:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise StoreError(busy(address)) from None
        yield
    finally:
        os.close(handle)


def _file_of(address: str) -> Path:
    folder = user_state_path("chunkfilter") / "locks"
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    return folder / f"{hashlib.sha256(address.encode()).hexdigest()[:32]}.lock"


def busy(address: str) -> str:
    """The message for the second of two runs."""
    return f"{address}: another run of chunkfilter is changing this store; wait until it has ended"
