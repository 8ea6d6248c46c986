"""A result on disk: JSON lines, versioned, closed by a digest of everything before."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from chunkfilter.errors import InputError, ResultFileError
from chunkfilter.policy import Policy
from chunkfilter.result import Conflict, FilterResult, Removal, Report
from chunkfilter.storage import COUNT, COUNTS, NUMBER, TEXT, TEXTS, Form, LinesFile

_FILE = LinesFile("result", 1, ResultFileError, "filter again")
#: The ``format`` in the header of a saved result.
FORMAT = _FILE.format

_HEADER: Mapping[str, Form] = {
    "algorithm": COUNT,
    "policy": TEXT,
    "chunks": COUNT,
    "existing": COUNT,
    "warnings": TEXTS,
    "seconds": NUMBER,
    "window": TEXT,
    "across_sources": COUNT,
}
_TEXT: Mapping[str, Form] = {"sha256": TEXT}
_REMOVED: Mapping[str, Form] = {
    "rule": TEXT,
    "score": NUMBER.or_null(),
    "kept_by": COUNTS,
    "kept_by_existing": COUNTS,
}
#: A position, or ``-1 - position`` of an existing chunk.
_OTHER = Form("a whole number", lambda value: isinstance(value, int) and not isinstance(value, bool))
_CONFLICT: Mapping[str, Form] = {"conflict": COUNT, "other": _OTHER, "guard": TEXT}


def write_result(result: FilterResult, path: Path) -> None:
    """Write a result; an earlier file of that name is replaced only by a complete one.

    Raises:
        InputError: the name is not one of a file to write.
        OSError: the file cannot be written.
    """
    report = result.report
    header = {
        "algorithm": result.algorithm,
        "policy": str(result.policy),
        "chunks": len(result.digests),
        "existing": len(result.existing_digests),
        "warnings": list(report.warnings),
        "seconds": report.seconds,
        "window": report.window,
        "across_sources": report.across_sources,
    }
    _FILE.write(path, header, _lines(result))


def _lines(result: FilterResult) -> Iterator[dict[str, Any]]:
    removed = {removal.index: removal for removal in result.removed}
    for position, text_digest in enumerate(result.digests):
        line: dict[str, Any] = {"chunk": position, "sha256": text_digest}
        if (removal := removed.get(position)) is not None:
            line |= {"rule": removal.rule, "score": removal.score}
            line |= {"kept_by": list(removal.kept_by), "kept_by_existing": list(removal.kept_by_existing)}
        yield line
    for position, text_digest in enumerate(result.existing_digests):
        yield {"existing": position, "sha256": text_digest}
    for conflict in result.conflicts:
        yield {"conflict": conflict.index, "other": conflict.other, "guard": conflict.guard}


def read_result(path: Path) -> FilterResult:
    """Read a result.

    Raises:
        ResultFileError: with the line that is wrong and what was expected.
        OSError: the file cannot be read.
    """
    header, entries = _FILE.read(path)
    _FILE.check(path, 1, header, _HEADER)
    digests: dict[str, list[str]] = {"chunk": [], "existing": []}
    kept, removed, conflicts = list[int](), list[Removal](), list[Conflict]()
    for number, entry in enumerate(entries, start=2):
        if "conflict" in entry:
            _FILE.check(path, number, entry, _CONFLICT)
            conflicts.append(Conflict(entry["conflict"], entry["other"], entry["guard"]))
            continue
        kind = "chunk" if "chunk" in entry else "existing"
        place = len(digests[kind])
        _FILE.check(path, number, entry, {kind: _equal(place, "the next position"), **_TEXT})
        digests[kind].append(entry["sha256"])
        if kind == "chunk" and "rule" in entry:
            _FILE.check(path, number, entry, _REMOVED)
            by, by_existing = tuple(entry["kept_by"]), tuple(entry["kept_by_existing"])
            removed.append(Removal(place, by, by_existing, entry["rule"], entry["score"]))
        elif kind == "chunk":
            kept.append(place)
    found = {"chunks": len(digests["chunk"]), "existing": len(digests["existing"])}
    _FILE.check(
        path, 1, header, {key: _equal(count, "the number of its lines") for key, count in found.items()}
    )
    return FilterResult(
        kept=tuple(kept),
        removed=tuple(removed),
        conflicts=tuple(conflicts),
        policy=_policy(path, header["policy"]),
        digests=tuple(digests["chunk"]),
        existing_digests=tuple(digests["existing"]),
        report=Report(
            tuple(header["warnings"]), header["seconds"], header["window"], header["across_sources"]
        ),
        algorithm=header["algorithm"],
    )


def _equal(number: int, words: str) -> Form:
    return Form(f"{number}, {words}", lambda value: value == number)


def _policy(path: Path, text: str) -> Policy:
    try:
        return Policy.parse(text)
    except InputError as error:
        raise ResultFileError(f"{path}: line 1: 'policy': {error}") from error
