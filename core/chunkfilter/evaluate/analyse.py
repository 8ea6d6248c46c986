"""What a set of chunks repeats, and why: each chunk in exactly one class.

A chunk belongs to the first class that fits. Verbatim is what the policies ``exact`` and ``coverage`` remove.
Of equal chunks all but one are copies, as many as ``exact`` removes, even if that one is covered by passages:

1. ``blank``: no visible text.
2. ``boilerplate``: it is verbatim, and at least half of its words lie in runs of five that stand in at least
   ``many`` sources; a shorter text has to stand, as a chunk, in that many. Sources that are copies of each
   other, chunk by chunk, count as one: a document that stands in many files is no boilerplate.
3. ``copy within``: its words are those of an earlier chunk of its own source.
4. ``copy across``: its words are those of a chunk of another source.
5. ``overlap``: it is verbatim, and every chunk that covers it shares a part of the source's text with it:
   the splitter made both.
6. ``passages``: it is verbatim, covered by passages elsewhere.
7. ``entities``: of what is left it has, as under ``ner-exact``, the set of named entities of an earlier
   chunk, in other words: likeness by entities alone. Only if entities are given.
8. ``distinct``: the rest.

Chunks without a source count as chunks of one source.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from chunkfilter.chunk import Chunk, as_chunks
from chunkfilter.errors import InputError
from chunkfilter.evaluate.arguments import is_count
from chunkfilter.evaluate.sets import BoolArray
from chunkfilter.evaluate.words import RUN, chunk_words, copy_numbers, run_starts
from chunkfilter.filtering.run import filter_chunks
from chunkfilter.result import Removal
from chunkfilter.signals.entities import entity_sets
from chunkfilter.text.ragged import IntArray, Ragged

CLASSES = (
    "blank",
    "boilerplate",
    "copy within",
    "copy across",
    "overlap",
    "passages",
    "entities",
    "distinct",
)
#: Sources in which a passage has to stand to be boilerplate.
MANY = 3
#: Share of a chunk's words that have to lie in such passages.
_MOST = 0.5


@dataclass(frozen=True, slots=True)
class Redundancy:
    """What was found.

    Args:
        classes: the class of each chunk.
        chunks: number of chunks by class, every class but ``entities`` where none were given.
        characters: number of characters by class.
        overlapping: share of all characters that an earlier chunk of the source holds already, by the
            chunks' spans: what the splitter repeats, whether or not a whole chunk could be removed for it.
        repeated: share of all words that lie in runs of five that stand in an earlier chunk.
        many: as passed.
    """

    classes: tuple[str, ...]
    chunks: dict[str, int]
    characters: dict[str, int]
    overlapping: float
    repeated: float
    many: int

    def as_dict(self) -> dict[str, Any]:
        """Counts and shares as plain JSON types."""
        total, length = sum(self.chunks.values()), sum(self.characters.values())
        return {
            "chunks": total,
            "characters": length,
            "classes": {
                name: {
                    "chunks": count,
                    "share": count / max(total, 1),
                    "characters": self.characters[name],
                    "share_of_characters": self.characters[name] / max(length, 1),
                }
                for name, count in self.chunks.items()
            },
            "overlapping": self.overlapping,
            "repeated": self.repeated,
            "many": self.many,
        }


def analyse(
    chunks: Iterable[Chunk | str], *, embedder: Any = None, entities: Any = None, many: int = MANY
) -> Redundancy:
    """Put each chunk into a class.

    Args:
        chunks: n chunks or strings, in reading order.
        embedder: tells how much of a text it reads, which ``coverage`` asks; what
            :func:`chunkfilter.filter_chunks` accepts.
        entities: likewise; ``None`` leaves out the class ``entities``.
        many: sources in which boilerplate stands, at least 2.

    Raises:
        InputError: ``many`` below 2, or from the entities.
        MissingExtraError: an optional package is needed and missing.
    """
    if not is_count(many) or many < 2:
        raise InputError(f"many: got {many!r}; expected a whole number of at least 2")
    items = as_chunks(chunks)
    texts = [chunk.text for chunk in items]
    words = chunk_words(texts)
    copies = copy_numbers(texts)
    repeats = _Repeats(words, _document_numbers(items, copies))
    classes = ["distinct"] * len(items)
    for removal in filter_chunks(items, "coverage blank=drop", embedder=embedder).removed:
        classes[removal.index] = "blank" if removal.rule == "blank" else _passage_class(items, removal)
    for position, name in _copy_classes(items, copies, classes).items():
        classes[position] = name
    for position in np.flatnonzero(repeats.share_in(many) >= _MOST).tolist():
        if classes[position] not in ("blank", "distinct"):
            classes[position] = "boilerplate"
    if entities is not None:
        sets = entity_sets(entities, texts)
        rest = [position for position, name in enumerate(classes) if name == "distinct"]
        kept, found = [items[position] for position in rest], [sets[position] for position in rest]
        for removal in filter_chunks(kept, "ner-exact guards=none max_removed=1", entities=found).removed:
            classes[rest[removal.index]] = "entities"
    return _counted(items, classes, repeats.repeated, many, entities is not None)


class _Repeats:
    """Runs of five words, each with the chunks it stands in; a shorter text is one run.

    Args:
        words: words of each chunk, n rows.
        sources: number of each chunk's source, shape (n,).
    """

    def __init__(self, words: Ragged, sources: IntArray) -> None:
        self._words = words
        self._starts, self._lengths, chunks, numbers = _runs(words)
        firsts = np.full(int(numbers.max(initial=-1)) + 1, len(words), dtype=np.int64)
        np.minimum.at(firsts, numbers, chunks)
        width = int(sources.max(initial=0)) + 1
        pairs = np.unique(numbers * width + sources[chunks])
        self._sources = np.bincount(pairs // width, minlength=len(firsts))[numbers]
        self._earlier = firsts[numbers] < chunks

    def share_in(self, many: int) -> np.ndarray[Any, np.dtype[np.float64]]:
        """Share of each chunk's words that lie in runs that stand in so many sources, shape (n,)."""
        marked = self._marked(self._sources >= many)
        counts = np.bincount(self._words.rows[marked], minlength=len(self._words))
        return counts / np.maximum(self._words.lengths, 1)

    @property
    def repeated(self) -> float:
        """Share of all words that lie in runs that stand in an earlier chunk."""
        return float(self._marked(self._earlier).mean()) if len(self._words.values) else 0.0

    def _marked(self, chosen: BoolArray) -> BoolArray:
        """Whether each word lies in a chosen run, shape (total,)."""
        edges = np.zeros(len(self._words.values) + 1, dtype=np.int64)
        np.add.at(edges, self._starts[chosen], 1)
        np.add.at(edges, (self._starts + self._lengths)[chosen], -1)
        marked: BoolArray = np.cumsum(edges)[:-1] > 0
        return marked


def _runs(words: Ragged) -> tuple[IntArray, IntArray, IntArray, IntArray]:
    """Start in the flat words, length, chunk and number of each run; equal numbers are equal words."""
    starts, chunks = run_starts(words, np.arange(len(words)), RUN)
    numbers, width = np.zeros(len(starts), dtype=np.int64), int(words.values.max(initial=0)) + 1
    for word in range(RUN):
        numbers = np.unique(numbers * width + words.values[starts + word], return_inverse=True)[1]
    short = np.flatnonzero((words.lengths > 0) & (words.lengths < RUN))
    known: dict[bytes, int] = {}
    others = [known.setdefault(words[row].tobytes(), len(known)) for row in short.tolist()]
    return (
        np.concatenate([starts, words.offsets[:-1][short]]),
        np.concatenate([np.full(len(starts), RUN), words.lengths[short]]),
        np.concatenate([chunks, short]),
        np.concatenate([numbers, np.array(others, dtype=np.int64) + int(numbers.max(initial=-1)) + 1]),
    )


def _passage_class(chunks: Sequence[Chunk], removal: Removal) -> str:
    overlapping = all(_overlap(chunks[removal.index], chunks[other]) for other in removal.kept_by)
    return "overlap" if overlapping else "passages"


def _overlap(one: Chunk, other: Chunk) -> bool:
    """Whether two chunks hold a part of the same source's text."""
    return one.source == other.source and any(
        start < other_end and other_start < end
        for start, end in one.spans
        for other_start, other_end in other.spans
    )


def _copy_classes(chunks: Sequence[Chunk], copies: IntArray, classes: Sequence[str]) -> dict[int, str]:
    """The class of every chunk but one of each text; that one is the first that is kept, if any is."""
    alike: dict[int, list[int]] = {}
    for position, (number, name) in enumerate(zip(copies.tolist(), classes, strict=True)):
        if name != "blank":
            alike.setdefault(number, []).append(position)
    found: dict[int, str] = {}
    for positions in alike.values():
        original = next((place for place in positions if classes[place] == "distinct"), positions[0])
        seen = {chunks[original].source}
        for place in positions:
            if place != original:
                found[place] = "copy within" if chunks[place].source in seen else "copy across"
                seen.add(chunks[place].source)
    return found


def _document_numbers(chunks: Sequence[Chunk], copies: IntArray) -> IntArray:
    """Equal numbers for chunks of one source, and of sources whose chunks have the same words."""
    contents: dict[str | None, list[int]] = {}
    for chunk, number in zip(chunks, copies.tolist(), strict=True):
        contents.setdefault(chunk.source, []).append(number)
    by_content: dict[tuple[int, ...], int] = {}
    numbers = {
        source: by_content.setdefault(tuple(content), len(by_content)) for source, content in contents.items()
    }
    return np.array([numbers[chunk.source] for chunk in chunks], dtype=np.int64)


def _overlapping_characters(chunks: Sequence[Chunk]) -> int:
    """Characters that an earlier chunk of the source holds already."""
    by_source: dict[str | None, list[tuple[int, int]]] = {}
    for chunk in chunks:
        by_source.setdefault(chunk.source, []).extend(chunk.spans)
    total = 0
    for spans in by_source.values():
        reached = 0
        for start, end in sorted(spans):
            total += max(min(end, reached) - start, 0)
            reached = max(reached, end)
    return total


def _counted(
    chunks: Sequence[Chunk], classes: list[str], repeated: float, many: int, with_entities: bool
) -> Redundancy:
    names = [name for name in CLASSES if with_entities or name != "entities"]
    characters = dict.fromkeys(names, 0)
    for chunk, name in zip(chunks, classes, strict=True):
        characters[name] += len(chunk.text)
    length = sum(characters.values())
    return Redundancy(
        tuple(classes),
        {name: classes.count(name) for name in names},
        characters,
        _overlapping_characters(chunks) / max(length, 1),
        repeated,
        many,
    )
