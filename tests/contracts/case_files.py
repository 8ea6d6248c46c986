"""Cases as files: chunks, or pairs, groups and copies of texts, and what must become of them.

``expect`` of chunks: ``stay`` (ids that are kept), ``kept`` (all of them, in order), ``count``, ``max_kept``,
``one_of`` (of each group exactly one is kept), ``some_of`` (at least one), ``rules`` and ``keepers`` by id of
a removed chunk, ``warns``, ``error``.
"""

import datetime
import decimal
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import chunkfilter as cf
from chunkfilter.text.normalise import normalise

POLICIES = [
    "exact",
    "coverage",
    "minhash@0.8",
    "minhash@0.3",
    "simhash@8",
    "similarity@0.9",
    "similarity@0.5",
    "similarity@0.5 keep=longest",
    "similarity@0.5+topics",
    "similarity@0.5+ner",
    "ner-exact",
    "ner-half@0.5",
    "exact|similarity@0.8",
    "coverage|minhash@0.8",
]
#: Policies that remove every copy but the first.
COPIES_GO = [policy for policy in POLICIES if not {"ner", "topics", "keep"} & {*re.split(r"\W", policy)}]
#: Metadata values that JSON cannot hold.
VALUES: dict[str, Callable[[], Any]] = {
    "$datetime": lambda: datetime.datetime(2030, 5, 6, tzinfo=datetime.UTC),
    "$set": lambda: {3, 4},
    "$bytes": lambda: b"\x00\xff",
    "$decimal": lambda: decimal.Decimal("2.50"),
    "$nan": lambda: float("nan"),
    "$float32": lambda: np.float32(0.25),
    "$object": object,
    "$generator": lambda: (letter for letter in "ab"),
}


class ChunkCase:
    """Chunks with their signals, and what is expected of them."""

    def __init__(self, read: dict[str, Any]) -> None:
        rows = read["chunks"]
        self.expect: dict[str, Any] = read["expect"]
        self.policies: list[str] = read.get("policies", POLICIES)
        self.scope: str = f" scope={read['scope']}" if "scope" in read else ""
        self.chunks = [_chunk(row) for row in rows]
        self.vectors = [_vector(row["vector"]) for row in rows] if rows and "vector" in rows[0] else None
        self.entities = [row["entities"] for row in rows] if rows and "entities" in rows[0] else None


def _chunk(row: dict[str, Any]) -> cf.Chunk:
    text, times = row.get("repeat", ("", 0))
    metadata = row.get("metadata") and {key: _value(value) for key, value in row["metadata"].items()}
    spans = (tuple(row["span"]),) if "span" in row else ()
    return cf.Chunk(
        text * times + row["text"], id=row["id"], metadata=metadata, source=row.get("source"), spans=spans
    )


def _value(value: Any) -> Any:
    return VALUES[value]() if isinstance(value, str) and value in VALUES else value


def _vector(values: list[Any] | None) -> list[float] | None:
    return None if values is None else [float(value) for value in values]


def read_cases(path: Path) -> list[tuple[str, Any]]:
    """The cases of a file: (kind, case). Files of another form, with an ``input``, are translated."""
    read = json.loads(path.read_text(encoding="utf-8"))
    kind = read.get("kind", "chunks")
    given = read.get("input", read)
    if kind == "chunks":
        return [(kind, ChunkCase(_translated(read) if "input" in read else read))]
    if kind == "batches":
        pairs = zip(given["batches"], read["expect"]["kept"], strict=True)
        return [("chunks", ChunkCase({"chunks": rows, "expect": {"kept": kept}})) for rows, kept in pairs]
    if kind == "copies":
        return [(kind, row[1:]) for row in given.get("pairs", given.get("copies"))]
    if kind == "pairs":
        return [("groups", row[1:]) for row in given["pairs"]]
    if kind == "groups":
        return [(kind, row[1]) for row in given["groups"]]
    return []


def _translated(read: dict[str, Any]) -> dict[str, Any]:
    given, expect = read["input"], read["expect"]
    template = given.get("template", {"prefix": "", "repeat": 0})
    rows = []
    for row in given["chunks"]:
        if row["text"] is None:
            continue
        renamed = {**row, "text": row["text"].replace("{prefix*repeat}", "")}
        renamed["repeat"] = (template["prefix"], template["repeat"])
        if "embedding" in row:
            renamed["vector"] = row["embedding"]
        values = row.get("metadata", {}).items()
        renamed["metadata"] = {
            key: value.replace("__py__", "$") if isinstance(value, str) else value for key, value in values
        }
        rows.append(renamed)
    texts = {row["id"]: normalise(row["text"]) for row in rows}
    of_one_text, of_more = [], []
    for group in expect.get("exactly_one_of", ()):
        (of_one_text if len({texts[name] for name in group}) == 1 else of_more).append(group)
    wanted = {
        "stay": expect.get("must_keep", []),
        "one_of": of_one_text,
        "some_of": of_more,
        "rules": expect.get("reported_reason", {}),
        "warns": expect.get("warns_about", []),
    }
    wanted |= {name: expect[name] for name in ("kept", "kept_texts") if name in expect}
    if "keep_count" in expect:
        wanted["count"] = expect["keep_count"]
    for outcome in expect.get("any_of", ()):
        if "raises" in outcome:
            wanted["error"] = outcome["raises"].removeprefix("message contains ").split(" and ")
    scope = given.get("config", {}).get("scope")
    return {"chunks": rows, "expect": wanted, **({"scope": ",".join(scope)} if scope else {})}
