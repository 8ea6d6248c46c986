"""Finished rows on disk, a file each, so that a run that was stopped goes on where it was."""

import hashlib
import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from chunkfilter.files import replacing


class FinishedRows:
    """Rows by splitter and policy; one that was measured under other settings counts as missing.

    Settings are everything that decides a row beside its place, as JSON types.

    Args:
        folder: where the rows are; made when the first one is written.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def read(self, spec: str, policy: str, settings: Mapping[str, Any]) -> dict[str, Any] | None:
        """The row, ``None`` if it is not there, not of these settings, or changed since."""
        try:
            stored = json.loads(self._path(spec, policy).read_text(encoding="utf-8"))
        except (FileNotFoundError, ValueError, RecursionError):
            return None
        if not isinstance(stored, dict) or stored.get("settings") != _fingerprint(settings):
            return None
        row = stored.get("row")
        if not isinstance(row, dict) or stored.get("digest") != _fingerprint(row):
            return None
        return row if row.get("policy") == policy else None

    def write(self, spec: str, row: Mapping[str, Any], settings: Mapping[str, Any]) -> None:
        """Store a row; its key ``policy`` says which.

        Raises:
            OSError: it cannot be written.
        """
        path = self._path(spec, row["policy"])
        path.parent.mkdir(parents=True, exist_ok=True)
        with replacing(path) as file:
            stored = {"settings": _fingerprint(settings), "digest": _fingerprint(row), "row": row}
            json.dump(stored, file, allow_nan=False, indent=1)

    def _path(self, spec: str, policy: str) -> Path:
        return self._folder / _name(spec) / f"{_name(policy)}.json"


def _fingerprint(settings: Mapping[str, Any]) -> str:
    return hashlib.sha256(json.dumps(settings, sort_keys=True).encode()).hexdigest()


def _name(text: str) -> str:
    return re.sub(r"[^\w.@+-]+", "_", text)
