"""What a store holds that it need not, or should not, without any question being asked."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from chunkfilter.errors import InputError
from chunkfilter.filtering.run import filter_chunks
from chunkfilter.policy import Policy
from chunkfilter.signals.window import visible_tokens, window_name
from chunkfilter.stores.row import Row, RowId, Vector, batches
from chunkfilter.stores.snapshot import Snapshot, read_snapshot
from chunkfilter.stores.store import ReadableStore
from chunkfilter.text.normalise import is_blank, token_weight
from chunkfilter.text.ragged import offsets_of
from chunkfilter.text.vocabulary import Vocabulary

#: What finds copies, rows that other rows cover, and near copies.
_COPIED, _COVERED, _NEAR = (
    Policy.parse(f"{rule} blank=keep") for rule in ("exact", "coverage", "minhash@0.8")
)
#: Conflicts that are named unless a number is given.
CONFLICTS = 20
#: Texts segmented at once to find those past the window.
_WINDOW_PAGE = 10_000
#: Largest difference of a squared length from 1 that counts as unit length.
_UNIT = 1e-3


@dataclass(frozen=True, slots=True)
class Conflict:
    """Two rows that are near copies but differ in something that matters.

    Args:
        ids: the two rows.
        guard: what differs, for example ``number``.
        texts: their texts.
    """

    ids: tuple[RowId, RowId]
    guard: str
    texts: tuple[str, str]


@dataclass(frozen=True, slots=True)
class VectorHealth:
    """What the stored vectors are like.

    Args:
        lengths: number of values of a vector -> rows; more than one is a store of two models.
        missing: rows without a vector.
        broken: rows whose vector is zero, or holds NaN or infinity.
        not_unit: rows whose vector is not of length 1; matters where the distance is ``ip`` or ``l2``.
        shared: vectors that rows with different texts have in common.
    """

    lengths: dict[int, int]
    missing: int
    broken: int
    not_unit: int
    shared: int


@dataclass(frozen=True, slots=True)
class SourceHealth:
    """One document's rows.

    Args:
        source: its name, ``None`` for rows whose metadata do not say.
        rows: its rows.
        copies: those that are exact copies of a kept row.
        covered: those, beside the copies, that other rows cover.
    """

    source: str | None
    rows: int
    copies: int
    covered: int


@dataclass(frozen=True, slots=True)
class Health:
    """The report.

    Args:
        store: the store's address.
        index: how it finds neighbours.
        rows: its rows.
        without_text: rows that hold no text.
        blank: rows whose text shows nothing.
        copies: exact copies.
        covered: rows beside the copies that other rows cover.
        near_copies: rows that are near copies of another one (MinHash, Jaccard of at least 0.8), exact ones
            not counted, that no guard finds to differ.
        conflicts: number of near copies that a guard finds to differ.
        examples: the first of them.
        past_window: rows longer than what an embedder reads.
        window: how much that is: ``embedder`` or ``N words``.
        vectors: what the vectors are like.
        sources: by document, those with most redundant rows first.
    """

    store: str
    index: str
    rows: int
    without_text: int
    blank: int
    copies: int
    covered: int
    near_copies: int
    conflicts: int
    examples: tuple[Conflict, ...]
    past_window: int
    window: str
    vectors: VectorHealth
    sources: tuple[SourceHealth, ...]


def check_health(
    store: ReadableStore,
    embedder: Any = None,
    source_key: str | None = None,
    *,
    conflicts: int = CONFLICTS,
    show_progress: bool = False,
) -> Health:
    """Read a store and report what is wrong with it; nothing is written.

    Args:
        store: the store.
        embedder: tells how much of a text it reads; ``None`` for 190 words.
        source_key: the metadata key that names a row's document; ``None`` for the usual ones.
        conflicts: how many of them are named.
        show_progress: show a bar on stderr for long steps.

    Raises:
        InputError: a negative number of conflicts.
        StoreError: the store cannot be read.
    """
    if conflicts < 0:
        raise InputError(f"conflicts: got {conflicts}; expected a number from 0")
    vectors = _vector_health(row for page in store.pages(vectors=True) for row in page)
    snapshot = read_snapshot(store, (), source_key, vectors=False)
    texts = [chunk.text for chunk in snapshot.chunks]
    covered = filter_chunks(snapshot.chunks, _COVERED, embedder=embedder, show_progress=show_progress)
    near = filter_chunks(snapshot.chunks, _NEAR, embedder=embedder, show_progress=show_progress)
    copied = filter_chunks(snapshot.chunks, _COPIED, show_progress=show_progress)
    copies = {removal.index for removal in copied.removed}
    only_covered = {removal.index for removal in covered.removed} - copies
    return Health(
        store=store.address,
        index=str(store.index),
        rows=len(snapshot.digests),
        without_text=len(snapshot.digests) - len(texts),
        blank=sum(map(is_blank, texts)),
        copies=len(copies),
        covered=len(only_covered),
        near_copies=sum(removal.index not in copies for removal in near.removed),
        conflicts=len(near.conflicts),
        examples=tuple(
            _example(snapshot, one.index, one.other, one.guard) for one in near.conflicts[:conflicts]
        ),
        past_window=_past_window(texts, embedder),
        window=window_name("auto", embedder),
        vectors=vectors,
        sources=tuple(_sources(snapshot, copies, only_covered)),
    )


def _example(snapshot: Snapshot, index: int, other: int, guard: str) -> Conflict:
    ids, chunks = snapshot.ids, snapshot.chunks
    return Conflict((ids[index], ids[other]), guard, (chunks[index].text, chunks[other].text))


def _vector_health(rows: Iterator[Row]) -> VectorHealth:
    lengths: Counter[int] = Counter()
    texts: dict[int, int] = {}
    shared: set[int] = set()
    missing = broken = not_unit = 0
    for row in rows:
        if row.vector is None:
            missing += 1
            continue
        lengths[len(row.vector)] += 1
        squared = _squared_length(row.vector)
        broken += not np.isfinite(squared) or squared == 0
        not_unit += bool(np.isfinite(squared) and abs(squared - 1) > _UNIT)
        vector, text = hash(row.vector.tobytes()), hash(row.text)
        if texts.setdefault(vector, text) != text:
            shared.add(vector)
    return VectorHealth(dict(lengths), missing, broken, not_unit, len(shared))


def _squared_length(vector: Vector) -> float:
    with np.errstate(over="ignore", invalid="ignore"):
        return float(np.square(vector.astype(np.float64)).sum())


def _past_window(texts: list[str], embedder: Any) -> int:
    count = 0
    for part in batches(texts, _WINDOW_PAGE):
        vocabulary = Vocabulary()
        tokens = vocabulary.encode(part)
        weights = np.fromiter(map(token_weight, vocabulary.tokens()), np.int64, len(vocabulary))
        seen = visible_tokens(part, tokens.offsets, offsets_of(weights[tokens.values]), "auto", embedder)
        count += 0 if seen is None else int((seen < tokens.lengths).sum())
    return count


def _sources(snapshot: Snapshot, copies: set[int], covered: set[int]) -> Iterator[SourceHealth]:
    rows = Counter(chunk.source for chunk in snapshot.chunks)
    copied = Counter(snapshot.chunks[place].source for place in copies)
    other = Counter(snapshot.chunks[place].source for place in covered)
    for source, count in sorted(rows.items(), key=lambda item: -copied[item[0]] - other[item[0]]):
        yield SourceHealth(source, count, copied[source], other[source])
