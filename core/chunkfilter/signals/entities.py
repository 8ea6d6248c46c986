"""Named entities: what finds them, spaCy's models among it, and the sets of a batch as numbers."""

import multiprocessing
import re
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from itertools import chain
from numbers import Integral
from pathlib import Path
from typing import Any, ClassVar, cast

import numpy as np

from chunkfilter.errors import ChunkFilterError, InputError, MissingExtraError, MissingSignalError
from chunkfilter.signals.packages import ENTITY_MODELS, PREFIX, packaged_folder
from chunkfilter.text.ragged import IntArray, Ragged, offsets_of
from chunkfilter.text.row_sets import sorted_sets

#: Turns texts into sets of entities, one set a text; an entity is anything hashable.
EntityFinder = Callable[[Sequence[str]], Iterable[Iterable[Hashable]]]
#: An entity of spaCy: its text in lower case with white space folded, and its label.
Entity = tuple[str, str]

_BATCH = 64
#: Longer texts are read in pieces: recognisers refuse a million characters, and what they read at once, a
#: batch, takes about three gigabytes for a million.
_MOST_CHARACTERS = 10_000
_BATCH_CHARACTERS = 100_000
#: Languages for which spaCy publishes a pipeline with an entity recogniser (ISO 639-1), and those whose
#: pipeline was trained on texts of the web, which is part of its name; the others' on news.
_LANGUAGES = "ca da de el en es fi fr hr it ja ko lt mk nb nl pl pt ro ru sl sv uk zh"
_TRAINED_ON_WEB = ("en", "zh")
_SURROGATE = re.compile("[\ud800-\udfff]")


def as_entity_finder(given: Any) -> EntityFinder:
    """Make a finder of entities of what callers have at hand.

    Args:
        given: the name of a spaCy model (see :func:`load_entities`), or a function from texts to one
            collection of entities a text.

    Raises:
        InputError: neither, or no such model.
        MissingExtraError: a name was given and its package is not installed.
        MissingSignalError: the model has no entity recogniser.
    """
    if isinstance(given, str):
        return load_entities(given)
    if not callable(given):
        raise InputError(
            f"entities: got {given!r:.200}; expected a model's name or a function from texts to sets"
        )
    return cast("EntityFinder", given)


def entity_sets(given: Any, texts: Sequence[str]) -> list[frozenset[Hashable]]:
    """The entities of each text.

    Args:
        given: one collection of entities a text (``None`` for none), or what :func:`as_entity_finder`
            accepts.
        texts: n texts; a function is asked once for each distinct one.

    Raises:
        InputError: not one collection a text, or an entity that cannot be hashed.
        MissingExtraError: a name was given and its package is not installed.
    """
    if not callable(given) and not isinstance(given, str):
        return _checked(given, len(texts))
    places: dict[str, int] = {}
    rows = [places.setdefault(text, len(places)) for text in texts]
    found = _checked(as_entity_finder(given)(list(places)), len(places))
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
            f"entities: {len(rows)} sets for {count} chunks; expected one a chunk, existing ones last"
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


def load_entities(name: str, *, n_process: Any = 1) -> "SpacyEntities":
    """A spaCy model, with the parts that its entity recogniser needs and no others.

    Args:
        name: ``package:en_core_web_sm`` for the model that the extra ``models`` installs, the name of another
            installed model, or a folder. Nothing is downloaded.
        n_process: processes that read texts side by side; each has its own copy of the model. A daemonic
            process, which may start no others, reads alone.

    Raises:
        MissingExtraError: spaCy, or the package of ``package:``, is not installed.
        InputError: no such model, or ``n_process`` is no whole number of at least 1.
        MissingSignalError: the model has no entity recogniser.
    """
    if isinstance(n_process, bool) or not isinstance(n_process, Integral) or int(n_process) < 1:
        raise InputError(f"n_process: got {n_process!r:.80}; expected a whole number of at least 1")
    try:
        import spacy
    except ImportError as error:
        raise MissingExtraError("spacy", "ner", f"the entity model {name!r}") from error
    try:
        pipeline = spacy.load(model_location(name))
    except OSError as error:
        raise InputError(
            f"entities {name!r}: no such spaCy model here; expected '{PREFIX}en_core_web_sm', a folder, or a "
            "model installed with: python -m spacy download NAME"
        ) from error
    if "ner" not in pipeline.pipe_names:
        raise MissingSignalError(f"entities {name!r}: the model has no entity recogniser ('ner')")
    # the recogniser, rules that add entities, and the shared layers that the recogniser listens to
    needed = {"ner", "entity_ruler", "span_ruler"}
    needed |= {part for part, pipe in pipeline.pipeline if "ner" in getattr(pipe, "listening_components", ())}
    for part in pipeline.pipe_names:
        if part not in needed:
            pipeline.remove_pipe(part)
    return SpacyEntities(pipeline, name, int(n_process))


def model_location(name: str) -> str | Path:
    """Where ``spacy.load`` finds a model: the folder of a packaged one, else the name as it is.

    Raises:
        MissingExtraError: the package of ``package:`` is not installed.
        InputError: there is no such packaged model.
    """
    if not name.startswith(PREFIX):
        return name
    return packaged_folder(name.removeprefix(PREFIX), ENTITY_MODELS, "entity model")


def language_model(language: str) -> str:
    """Name of spaCy's smallest entity model for a language.

    Args:
        language: code of ISO 639-1, for example ``fr``.

    Raises:
        MissingSignalError: there is none; a model of another language is never taken instead.
    """
    if language not in _LANGUAGES.split():
        raise MissingSignalError(f"no entity model for language {language!r}; there is one for {_LANGUAGES}")
    return f"{language}_core_{'web' if language in _TRAINED_ON_WEB else 'news'}_sm"


class SpacyEntities:
    """Finds the entities of texts; made by :func:`load_entities`.

    Args:
        pipeline: a ``spacy.Language`` with an entity recogniser.
        name: what the model is called.
        n_process: processes that read texts side by side.
    """

    _in_process: ClassVar["SpacyEntities"]  # what a process of the pool reads with: sent once, not by part

    def __init__(self, pipeline: Any, name: str, n_process: int = 1) -> None:
        self.name = name
        self._pipeline = pipeline
        self._n_process = n_process

    @property
    def version(self) -> str:
        """Version of the model, as its maker counts."""
        return str(self._pipeline.meta.get("version", ""))

    def __reduce__(self) -> tuple[Any, ...]:
        return load_entities, (self.name,)  # processes that are not forked load the model themselves

    def __call__(self, texts: Sequence[str]) -> list[frozenset[Entity]]:
        """For each text its entities as (text in lower case, white space folded; label).

        Raises:
            ChunkFilterError: one of several processes ended before its texts were read.
        """
        if self._n_process == 1 or len(texts) < 2 or multiprocessing.current_process().daemon:
            return self._read(texts)
        parts = [texts[first : first + _BATCH] for first in range(0, len(texts), _BATCH)]
        # not Language.pipe(n_process=): it waits for ever where one of its processes is killed
        pool = ProcessPoolExecutor(min(self._n_process, len(parts)), initializer=_hold, initargs=(self,))
        with pool:
            try:
                return list(chain.from_iterable(pool.map(_read_part, parts)))
            except BrokenProcessPool as error:
                raise ChunkFilterError(
                    f"entities {self.name!r}: a process ended before its texts were read (killed, out of "
                    "memory, or run by a script without 'if __name__ == \"__main__\":'); n_process=1 reads "
                    "them in the process that asks"
                ) from error

    def _read(self, texts: Sequence[str]) -> list[frozenset[Entity]]:
        longest = min(max(map(len, texts), default=1), _MOST_CHARACTERS)
        documents = self._pipeline.pipe(
            ((piece, row) for row, text in enumerate(texts) for piece in readable_pieces(text)),
            as_tuples=True,
            batch_size=min(_BATCH_CHARACTERS // max(longest, 1), _BATCH),
        )
        found: list[set[Entity]] = [set() for _ in texts]
        for document, row in documents:
            found[row].update((" ".join(one.text.lower().split()), one.label_) for one in document.ents)
        return [frozenset(entities) for entities in found]


def _hold(finder: SpacyEntities) -> None:
    SpacyEntities._in_process = finder  # noqa: SLF001  # of this module


def _read_part(texts: Sequence[str]) -> list[frozenset[Entity]]:
    return SpacyEntities._in_process._read(texts)  # noqa: SLF001  # likewise


def readable_pieces(text: str) -> Iterator[str]:
    """The text in pieces that a pipeline reads in bounded memory, cut at white space where there is some.

    Lone surrogates, which spaCy cannot encode, become U+FFFD.
    """
    readable = _SURROGATE.sub("\ufffd", text)
    start = 0
    while len(readable) - start > _MOST_CHARACTERS:
        cut = readable.rfind(" ", start + 1, start + _MOST_CHARACTERS)
        end = cut if cut > start else start + _MOST_CHARACTERS
        yield readable[start:end]
        start = end
    yield readable[start:]
