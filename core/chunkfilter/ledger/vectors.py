"""Vectors of the rows of a ledger, for policies that compare vectors: each text is embedded once."""

from collections.abc import Sequence
from sqlite3 import Connection
from typing import Any

import numpy as np

from chunkfilter.errors import MissingSignalError, VectorError
from chunkfilter.ledger.tables import Entry
from chunkfilter.signals.embedders import Embedder, FloatArray, embedder_label

_AT_ONCE = 1_000


def row_vectors(connection: Connection, entries: Sequence[Entry], embedder: Embedder | None) -> FloatArray:
    """One vector an entry; those that the file lacks are computed and written to it.

    Vectors of an embedder of another name are forgotten.

    Raises:
        MissingSignalError: the file lacks some and there is no embedder.
        VectorError: the embedder gives something else than one vector a text, all of one length.
    """
    if embedder is not None:
        _forget_others(connection, embedder_label(embedder))
    known = {
        row: np.frombuffer(vector, dtype=np.float32)
        for row, vector in connection.execute("SELECT id, vector FROM vector")
    }
    missing = list({entry.id: entry.chunk.text for entry in entries if entry.id not in known}.items())
    if missing and embedder is None:
        raise MissingSignalError(
            f"{len(missing)} texts have no vectors yet and the policy needs them: pass embedder="
        )
    for start in range(0, len(missing), _AT_ONCE):
        part = missing[start : start + _AT_ONCE]
        for (row, _), vector in zip(part, _encoded(embedder, [text for _, text in part]), strict=True):
            known[row] = vector
            connection.execute("INSERT INTO vector VALUES (?, ?)", (row, vector.tobytes()))
    if len({len(vector) for vector in known.values()}) > 1:
        raise VectorError("embedder: vectors of another length than those in the ledger; expected one length")
    return np.array([known[entry.id] for entry in entries], dtype=np.float32)


def _encoded(embedder: Any, texts: list[str]) -> FloatArray:
    vectors = np.asarray(embedder.encode(texts), dtype=np.float32)
    if vectors.ndim != 2 or len(vectors) != len(texts):
        raise VectorError(
            f"embedder: shape {vectors.shape} for {len(texts)} texts; expected one vector a text"
        )
    return vectors


def _forget_others(connection: Connection, label: str) -> None:
    found = connection.execute("SELECT value FROM setting WHERE name = 'embedder'").fetchone()
    if found is None or found[0] != label:
        connection.execute("DELETE FROM vector")
        connection.execute("INSERT OR REPLACE INTO setting VALUES ('embedder', ?)", (label,))
