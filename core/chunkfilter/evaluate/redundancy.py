"""What a set of chunks repeats, and why: each chunk in exactly one class.

A chunk belongs to the first class that fits. What goes verbatim is what the policies ``exact`` and
``coverage`` remove. Of equal chunks all but one are copies, as many as ``exact`` removes, even if that one
goes by its passages:

1. ``blank``: no visible text.
2. ``boilerplate``: it goes verbatim, and at least half of its words lie in runs of five that stand in at
   least ``many`` sources; a shorter text has to stand, as a chunk, in that many. Sources that are copies of
   each other, chunk by chunk, count as one: a document that stands in many files is no boilerplate.
3. ``copy within``: its words are those of an earlier chunk of its own source.
4. ``copy across``: its words are those of a chunk of another source.
5. ``overlap``: it goes verbatim, and every chunk that stands for it shares a part of the source's text with
   it: the splitter made both.
6. ``passages``: it goes verbatim, pieced together from passages elsewhere.
7. ``entities``: of what is left it has, as under ``ner-exact``, the same set of named entities as an earlier
   chunk, in other words: likeness by entities alone. Only if entities are given.
8. ``distinct``: the rest.

Chunks without a source count as chunks of one source.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from chunkfilter.chunk import Chunk, as_chunks
from chunkfilter.errors import InputError
from chunkfilter.evaluate.repeats import Repeats, repeats_of
from chunkfilter.filtering.run import filter_chunks
from chunkfilter.result import Removal
from chunkfilter.signals.embedders import Embedder
from chunkfilter.signals.entities import entity_sets
from chunkfilter.text.keys import exact_keys
from chunkfilter.text.words import Vocabulary

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
            chunks' spans: what the splitter repeats, whether or not a whole chunk could go for it.
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
    chunks: Iterable[Chunk | str],
    embedder: Embedder | None = None,
    entities: Any = None,
    many: int = MANY,
) -> Redundancy:
    """Put each chunk into a class.

    Args:
        chunks: n chunks or strings, in reading order.
        embedder: tells how much of a text it reads, which ``coverage`` asks.
        entities: what :func:`chunkfilter.filter_chunks` accepts; ``None`` leaves out the class ``entities``.
        many: sources in which boilerplate stands, at least 2.

    Raises:
        InputError: ``many`` below 2, or from the entities.
        MissingExtraError: an optional package is needed and missing.
    """
    if many < 2:
        raise InputError(f"many: got {many!r}; expected a whole number of at least 2")
    items = as_chunks(chunks)
    vocabulary = Vocabulary()
    words = vocabulary.encode([chunk.text for chunk in items])
    keys = exact_keys([chunk.text for chunk in items], words)
    repeats = repeats_of(words, _document_numbers(items, keys))
    classes = ["distinct"] * len(items)
    result = filter_chunks(items, "coverage blank=drop", embedder=embedder)
    widespread = repeats.share_in(many) >= _MOST
    for removal in result.removed:
        classes[removal.index] = "blank" if removal.rule == "blank" else _passage_class(items, removal)
    for position, name in _copies(items, keys, classes).items():
        classes[position] = name
    for position in np.flatnonzero(widespread).tolist():
        if classes[position] not in ("blank", "distinct"):
            classes[position] = "boilerplate"
    if entities is not None:
        sets = entity_sets(entities, [chunk.text for chunk in items])
        rest = [position for position, name in enumerate(classes) if name == "distinct"]
        kept, found = [items[position] for position in rest], [sets[position] for position in rest]
        for removal in filter_chunks(kept, "ner-exact guards=none max_removed=1", entities=found).removed:
            classes[rest[removal.index]] = "entities"
    return _counted(items, classes, repeats, many, entities is not None)


def _passage_class(chunks: Sequence[Chunk], removal: Removal) -> str:
    overlapping = all(_overlap(chunks[removal.index], chunks[keeper]) for keeper in removal.kept_by)
    return "overlap" if overlapping else "passages"


def _overlap(one: Chunk, other: Chunk) -> bool:
    """Whether two chunks hold a part of the same source's text."""
    return one.source == other.source and any(
        start < other_end and other_start < end
        for start, end in one.spans
        for other_start, other_end in other.spans
    )


def _copies(chunks: Sequence[Chunk], keys: Sequence[bytes | str], classes: Sequence[str]) -> dict[int, str]:
    """The class of every chunk but one of each text; that one is the first that stays, if any does."""
    alike: dict[bytes | str, list[int]] = {}
    for position, (key, name) in enumerate(zip(keys, classes, strict=True)):
        if name != "blank":
            alike.setdefault(key, []).append(position)
    copies: dict[int, str] = {}
    for positions in alike.values():
        original = next((place for place in positions if classes[place] == "distinct"), positions[0])
        seen = {chunks[original].source}
        for place in positions:
            if place != original:
                copies[place] = "copy within" if chunks[place].source in seen else "copy across"
                seen.add(chunks[place].source)
    return copies


def _document_numbers(chunks: Sequence[Chunk], keys: Sequence[bytes | str]) -> NDArray[np.int64]:
    """Equal numbers for chunks of one source, and of sources whose chunks have the same words."""
    contents: dict[str | None, list[bytes | str]] = {}
    for chunk, key in zip(chunks, keys, strict=True):
        contents.setdefault(chunk.source, []).append(key)
    by_content: dict[tuple[bytes | str, ...], int] = {}
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
    chunks: Sequence[Chunk], classes: list[str], repeats: Repeats, many: int, with_entities: bool
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
        repeats.repeated,
        many,
    )
