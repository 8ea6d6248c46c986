"""Private files of JSON lines: versioned, closed by a digest of everything before, replaced only whole."""

import hashlib
import json
import os
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from io import BufferedRandom
from pathlib import Path
from typing import Any

from chunkfilter.errors import StoreError

VERSION = 1


@contextmanager
def replaced(path: Path) -> Iterator[BufferedRandom]:
    """A new file that takes the path's place, synced to disk, when the block ends without an error.

    Only its owner may read it; an earlier file of that name is untouched until then.
    """
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.", suffix=".part")
    try:
        with os.fdopen(handle, "w+b") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        Path(temporary).replace(path)
        sync_folder(path.parent)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise


def sync_folder(folder: Path) -> None:
    """Make new names in a folder survive a power cut, where the system can."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def write_lines(path: Path, kind: str, header: Mapping[str, Any], entries: Iterable[Any]) -> str:
    """Write a header and entries.

    Args:
        path: the file.
        kind: what it is, for example ``undo``; checked by :func:`read_lines`.
        header: values of the first line.
        entries: JSON values, one a line.

    Returns:
        The digest of the lines.
    """
    whole = hashlib.sha256()
    with replaced(path) as file:
        for entry in _with_header(kind, header, entries):
            line = (json.dumps(entry, ensure_ascii=True) + "\n").encode()
            whole.update(line)
            file.write(line)
        file.write((json.dumps({"end": whole.hexdigest()}) + "\n").encode())
    return whole.hexdigest()


def _with_header(kind: str, header: Mapping[str, Any], entries: Iterable[Any]) -> Iterator[Any]:
    yield {"format": f"chunkfilter-{kind}", "version": VERSION, **header}
    yield from entries


def read_lines(path: Path, kind: str, digest: str | None = None) -> tuple[dict[str, Any], Iterator[Any]]:
    """The header, and the entries one by one; the whole file is checked before the first is given.

    Args:
        path: the file.
        kind: what it is.
        digest: what :func:`write_lines` returned for it; ``None`` if that is not known.

    Raises:
        StoreError: the file is missing, truncated, altered, foreign, of another plan or of a newer version;
            the file and the way out are named.
    """
    found = _checked_end(path)
    if digest is not None and digest != found:
        raise StoreError(
            f"{path}: not the file that was written with this plan, but one of another; nothing was changed. "
            "Put back the original from a backup, or make a new plan in another folder"
        )
    lines = _parsed_lines(path)
    header = next(lines)
    if not isinstance(header, dict) or header.get("format") != f"chunkfilter-{kind}":
        raise StoreError(f"{path}: line 1: expected the header of a chunkfilter-{kind} file")
    if header.get("version") != VERSION:
        raise StoreError(
            f"{path}: format version {header.get('version')!r:.20}; this chunkfilter reads {VERSION}: "
            "upgrade it"
        )
    return header, lines


def _checked_end(path: Path) -> str:
    """Compare the digest on the last line with the lines before it; returns it."""
    whole, last = hashlib.sha256(), b""
    try:
        with path.open("rb") as file:
            for line in file:
                whole.update(last)
                last = line
    except OSError as error:
        raise StoreError(f"{path}: cannot be read: {error.strerror or error}") from error
    end = _parsed(path, "the last line", last)
    if not isinstance(end, dict) or end.get("end") != whole.hexdigest():
        raise StoreError(
            f"{path}: truncated, altered or not a file of chunkfilter; nothing was changed. Put back the "
            "original from a backup, or make a new plan in another folder"
        )
    return whole.hexdigest()


def _parsed_lines(path: Path) -> Iterator[Any]:
    with path.open("rb") as file:
        before = file.readline()
        for number, line in enumerate(file, start=1):
            yield _parsed(path, f"line {number}", before)
            before = line


def _parsed(path: Path, where: str, line: bytes) -> Any:
    try:
        return json.loads(line)
    except (ValueError, RecursionError):
        raise StoreError(
            f"{path}: {where}: expected a line of JSON, got {line!r:.60}; nothing was changed. Put back the "
            "original from a backup, or make a new plan in another folder"
        ) from None
