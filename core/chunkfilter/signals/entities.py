"""Named entities: what finds them, and the sets of a batch as numbers."""

from collections.abc import Callable, Hashable, Iterable, Sequence
from typing import Any

import numpy as np

from chunkfilter.errors import InputError
from chunkfilter.text.ragged import IntArray, Ragged, offsets_of
from chunkfilter.text.row_sets import sorted_sets

#: Turns texts into sets of entities, one set a text; an entity is anything hashable.
EntityFinder = Callable[[Sequence[str]], Iterable[Iterable[Hashable]]]


def entity_sets(given: Any, texts: Sequence[str]) -> list[frozenset[Hashable]]:
    """The entities of each text.

    Args:
        given: one collection of entities a text (``None`` for none), a function from texts to such
            collections, or the name of a model for ``chunkfilter.signals.spacy_entities.load_entities``.
        texts: n texts; a function is asked once for each distinct one.

    Raises:
        InputError: not one collection a text, or an entity that cannot be hashed.
        MissingExtraError: a name was given and its package is not installed.
    """
    if isinstance(given, str):
        from chunkfilter.signals.spacy_entities import load_entities  # imports spaCy when called

        given = load_entities(given)
    if not callable(given):
        return _checked(given, len(texts))
    places: dict[str, int] = {}
    rows = [places.setdefault(text, len(places)) for text in texts]
    found = _checked(given(list(places)), len(places))
    return [found[row] for row in rows]


def _checked(given: Any, count: int) -> list[frozenset[Hashable]]:
    try:
        rows = list(given)
    except TypeError:
        raise InputError(
            f"entities: got {given!r:.200}; expected a set a chunk, a function from texts to sets, or a name"
        ) from None
    if len(rows) != count:
        raise InputError(
            f"entities: {len(rows)} sets for {count} chunks; expected one a chunk, stored ones last"
        )
    return [_as_set(row, position) for position, row in enumerate(rows)]


def _as_set(row: Any, position: int) -> frozenset[Hashable]:
    if row is None:
        return frozenset()
    try:
        if not isinstance(row, str):
            return frozenset(row)
    except TypeError:
        pass
    raise InputError(f"entities of chunk {position}: got {row!r:.200}; expected a set of entities")


def entity_rows(sets: Sequence[frozenset[Hashable]]) -> Ragged:
    """The sets as sorted rows of numbers: equal numbers for equal entities."""
    numbers: dict[Hashable, int] = {}
    flat = [numbers.setdefault(entity, len(numbers)) for row in sets for entity in row]
    sizes: IntArray = np.array([len(row) for row in sets], dtype=np.int64)
    return sorted_sets(Ragged(np.array(flat, dtype=np.int64), offsets_of(sizes)))
