"""Files that appear whole or not at all."""

import contextlib
import os
import secrets
from collections.abc import Iterator
from pathlib import Path
from typing import TextIO

from chunkfilter.errors import InputError


@contextlib.contextmanager
def replacing(path: Path, *, private: bool = False) -> Iterator[TextIO]:
    """A text file that takes the name, synced to disk, when it is complete; on an exception no trace is left.

    A symbolic link of that name is replaced; what it points to is not touched.

    Args:
        path: the file; an earlier one of that name is untouched until the new one is complete.
        private: only its owner may read it.

    Raises:
        InputError: the name is that of a folder, a device or a pipe, or of a file in no folder that exists.
        OSError: the file cannot be written.
    """
    if path.exists() and not path.is_file():
        raise InputError(f"{path}: not a regular file; expected a file to write or to replace")
    if not path.parent.is_dir():
        raise InputError(f"{path}: the folder {path.parent} does not exist; make it first")
    temporary = path.with_name(f".chunkfilter-{secrets.token_hex(8)}.part")
    try:
        handle = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600 if private else 0o666)
        with os.fdopen(handle, "w", encoding="utf-8", newline="\n") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(path)
        sync_folder(path.parent)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


def sync_folder(folder: Path) -> None:
    """Make new names in a folder survive a power cut, where the system can."""
    if os.name == "posix":
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
