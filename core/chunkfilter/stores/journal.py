"""What has been done with a plan: one line an event, on disk before the next step begins."""

import json
import os
from pathlib import Path
from typing import Any

from chunkfilter.errors import StoreError
from chunkfilter.storage import sync_folder

#: The last of these in a journal tells where a plan is; a plan without one is untouched.
STATES = ("changing", "applied", "undone")


class Journal:
    """An append-only file that survives a kill at any moment.

    Args:
        path: the file; it need not exist.
    """

    def __init__(self, path: Path) -> None:
        self._path = path

    def append(self, event: str, **values: Any) -> None:
        """Add a line and wait until it is on disk."""
        line = (json.dumps({"event": event, **values}) + "\n").encode()
        handle = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o600)
        try:
            size = os.fstat(handle).st_size
            torn = size > 0 and os.pread(handle, 1, size - 1) != b"\n"
            os.write(handle, b"\n" + line if torn else line)
            os.fsync(handle)
        finally:
            os.close(handle)
        if not size:
            sync_folder(self._path.parent)

    def events(self) -> list[dict[str, Any]]:
        """Every complete line.

        Raises:
            OSError: the file cannot be read.
        """
        return _events(self._content())

    @property
    def state(self) -> dict[str, Any] | None:
        """The last event that is a state, ``None`` for a plan nothing was done with.

        Raises:
            StoreError: the file holds something, but no event at all.
            OSError: the file cannot be read.
        """
        content = self._content()  # read once: another process may begin the file at any moment
        events = _events(content)
        if content and not events:
            raise StoreError(
                f"{self._path}: not a journal of chunkfilter; whether the plan was applied is unknown. Put "
                "back the original; if it is lost, `chunkfilter undo --force` restores the missing rows"
            )
        return next((event for event in reversed(events) if event["event"] in STATES), None)

    @property
    def undo(self) -> str | None:
        """The digest of the file that the last change can be undone with, if it is known."""
        digests = [event.get("undo") for event in self.events() if event["event"] == "changing"]
        return next((digest for digest in reversed(digests) if isinstance(digest, str)), None)

    def _content(self) -> bytes:
        return self._path.read_bytes() if self._path.exists() else b""


def _events(content: bytes) -> list[dict[str, Any]]:
    return [event for line in content.splitlines() if (event := _event(line)) is not None]


def _event(line: bytes) -> dict[str, Any] | None:
    try:
        event = json.loads(line)
    except (ValueError, RecursionError):
        return None  # the line that a kill tore
    return event if isinstance(event, dict) and "event" in event else None
