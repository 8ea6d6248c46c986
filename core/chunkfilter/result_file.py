"""A result on disk: JSON lines, versioned, closed by a digest of everything before."""

import hashlib
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from chunkfilter.errors import InputError, ResultFileError
from chunkfilter.files import replacing
from chunkfilter.policy import Policy
from chunkfilter.result import Conflict, FilterResult, Removal, Report

FORMAT = "chunkfilter-result"
VERSION = 1


def write_result(result: FilterResult, path: Path) -> None:
    """Write a result; an earlier file of that name is replaced only by a complete one."""
    with replacing(path) as file:
        whole = hashlib.sha256()
        for entry in _lines(result):
            line = json.dumps(entry, ensure_ascii=True, separators=(",", ":")) + "\n"
            whole.update(line.encode())
            file.write(line)
        file.write(json.dumps({"end": whole.hexdigest()}) + "\n")


def _lines(result: FilterResult) -> Iterator[dict[str, Any]]:
    report = result.report
    yield {
        "format": FORMAT,
        "version": VERSION,
        "algorithm": result.algorithm,
        "policy": str(result.policy),
        "chunks": len(result.digests),
        "existing": len(result.existing_digests),
        "warnings": list(report.warnings),
        "seconds": report.seconds,
        "window": report.window,
        "across_sources": report.across_sources,
    }
    removed = {removal.index: removal for removal in result.removed}
    for position, text_digest in enumerate(result.digests):
        line: dict[str, Any] = {"chunk": position, "sha256": text_digest}
        if (removal := removed.get(position)) is not None:
            line |= {"rule": removal.rule, "score": removal.score}
            line |= {"kept_by": list(removal.kept_by), "kept_by_existing": list(removal.kept_by_existing)}
        yield line
    for position, text_digest in enumerate(result.existing_digests):
        yield {"existing": position, "sha256": text_digest}
    for veto in result.conflicts:
        yield {"conflict": veto.index, "other": veto.other, "guard": veto.guard}


def read_result(path: Path) -> FilterResult:
    """Read a result.

    Raises:
        ResultFileError: with the line that is wrong and what was expected.
    """
    try:
        lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
    except UnicodeDecodeError:
        raise ResultFileError(f"{path}: not a text file; expected a saved result of chunkfilter") from None
    header = _header(path, lines)
    entries = [_parsed(path, number, line) for number, line in enumerate(lines[1:], start=2)]
    whole = hashlib.sha256("".join(lines[:-1]).encode()).hexdigest()
    if not entries or entries[-1].get("end") != whole:
        raise ResultFileError(
            f"{path}: line {len(lines)}: the file is truncated or was altered; filter again"
        )
    try:
        return _result(header, entries[:-1])
    except (KeyError, TypeError, ValueError, InputError) as error:
        raise ResultFileError(f"{path}: a line lacks a field or holds a wrong value: {error}") from error


def _header(path: Path, lines: list[str]) -> dict[str, Any]:
    header = _parsed(path, 1, lines[0]) if lines else {}
    if header.get("format") != FORMAT:
        raise ResultFileError(f"{path}: line 1: expected the header of a saved result of chunkfilter")
    version = header.get("version")
    if version != VERSION:
        raise ResultFileError(
            f"{path}: format version {version}; this chunkfilter reads {VERSION}: upgrade it, or filter again"
        )
    return header


def _parsed(path: Path, number: int, line: str) -> dict[str, Any]:
    try:
        entry = json.loads(line)
    except (ValueError, RecursionError):
        entry = None
    if not isinstance(entry, dict):
        raise ResultFileError(f"{path}: line {number}: expected a JSON object, got {line!r:.80}")
    return entry


def _result(header: dict[str, Any], entries: list[dict[str, Any]]) -> FilterResult:
    chunks = [entry for entry in entries if "chunk" in entry]
    stored = [entry for entry in entries if "existing" in entry]
    vetoes = [entry for entry in entries if "conflict" in entry]
    if [entry["chunk"] for entry in chunks] != list(range(header["chunks"])):
        raise ValueError(f"expected one line for each of {header['chunks']} chunks")
    if [entry["existing"] for entry in stored] != list(range(header["existing"])):
        raise ValueError(f"expected one line for each of {header['existing']} existing chunks")
    return FilterResult(
        kept=tuple(entry["chunk"] for entry in chunks if "rule" not in entry),
        removed=tuple(
            Removal(
                entry["chunk"],
                tuple(entry["kept_by"]),
                tuple(entry["kept_by_existing"]),
                entry["rule"],
                entry["score"],
            )
            for entry in chunks
            if "rule" in entry
        ),
        conflicts=tuple(Conflict(entry["conflict"], entry["other"], entry["guard"]) for entry in vetoes),
        policy=Policy.parse(header["policy"]),
        digests=tuple(entry["sha256"] for entry in chunks),
        existing_digests=tuple(entry["sha256"] for entry in stored),
        report=Report(
            tuple(header["warnings"]), header["seconds"], header["window"], header["across_sources"]
        ),
        algorithm=header["algorithm"],
    )
