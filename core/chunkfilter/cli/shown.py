"""How a chunk is shown: its place and names over its text."""

from typing import Any

from chunkfilter.chunk import Chunk
from chunkfilter.cli.output import quoted
from chunkfilter.text.inert import inert_line


def block(what: str, position: int, chunk: Chunk, text: str | None = None) -> str:
    """A line of names and the quoted text.

    Args:
        what: what happened to the chunk.
        position: where it stood in the input.
        chunk: the chunk.
        text: its text as it should appear, with marks for example; its own if ``None``.
    """
    named = (("id", chunk.id), ("source", chunk.source))
    names = [f"{key} {inert_line(value)}" for key, value in named if value]
    head = f"{what}: chunk {', '.join([str(position), *names])}"
    return f"{head}\n{quoted(chunk.text if text is None else text)}"


def chunk_json(position: int, chunk: Chunk) -> dict[str, Any]:
    """The same for machines."""
    return {"index": position, "id": chunk.id, "source": chunk.source, "text": chunk.text}
