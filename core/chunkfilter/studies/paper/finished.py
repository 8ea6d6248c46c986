"""Finished rows on disk, a file each, so that a run that was stopped resumes where it was."""

import hashlib
import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from chunkfilter.storage import replacing


class FinishedRows:
    """Rows by splitter and policy; one that was measured under other settings counts as missing.

    Settings are everything that decides a row beside its splitter and policy, as JSON types.

    Args:
        folder: where the rows are; made when the first one is written.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def read(self, spec: str, policy: str, settings: Mapping[str, Any]) -> dict[str, Any] | None:
        """The row, ``None`` if it is not there, not of these settings, or changed since."""
        try:
            row: dict[str, Any] = json.loads(self._path(spec, policy).read_text(encoding="utf-8"))
            whole = row.pop("digest") == _digest(row, settings) and row["policy"] == policy
        except (FileNotFoundError, ValueError, RecursionError, KeyError, AttributeError, TypeError):
            return None
        return row if whole else None

    def write(self, spec: str, row: Mapping[str, Any], settings: Mapping[str, Any]) -> None:
        """Store a row; its key ``policy`` says which.

        Raises:
            OSError: it cannot be written.
        """
        path = self._path(spec, row["policy"])
        path.parent.mkdir(parents=True, exist_ok=True)
        with replacing(path) as file:
            json.dump({**row, "digest": _digest(row, settings)}, file, allow_nan=False, indent=1)

    def _path(self, spec: str, policy: str) -> Path:
        return self._folder / _name(spec) / f"{_name(policy)}.json"


def _digest(row: Mapping[str, Any], settings: Mapping[str, Any]) -> str:
    return hashlib.sha256(json.dumps([row, settings], sort_keys=True).encode()).hexdigest()


def _name(text: str) -> str:
    return re.sub(r"[^\w.@+-]+", "_", text)
