"""Files that appear whole or not at all."""

import contextlib
import os
import secrets
from collections.abc import Iterator
from pathlib import Path
from typing import TextIO

from chunkfilter.errors import InputError


@contextlib.contextmanager
def replacing(path: Path) -> Iterator[TextIO]:
    """A text file that takes the name when it is complete; on any exception there is no trace of it.

    A symbolic link of that name is replaced, what it points to is not touched.

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
        with temporary.open("x", encoding="utf-8", newline="\n") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
