"""The corpora of the study in a folder of data sets, and what stands in for the one that is not to be had."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from chunkfilter.errors import DatasetError, InputError, MissingSignalError
from chunkfilter.signals.entities import language_model, load_entities


@dataclass(frozen=True, slots=True)
class Study:
    """One corpus of the study, or what stands in for it.

    Args:
        pattern: where it lies in the folder of data sets; each file or folder that fits is a corpus.
        published: the corpus of the study's tables beside which it is shown.
        tables: numbers of the study's tables before the first of that corpus; ``None`` for stand-ins.
        language: its language, ``None`` for several; ``name`` if the end of its name says so.
    """

    pattern: str
    published: str
    tables: int | None
    language: str | None


STUDIES: dict[str, Study] = {
    "chroma": Study("chroma", "chroma", 0, "en"),
    "squad": Study("squad*", "squad", 10, "en"),
    "xquad": Study("xquad/xquad.*.json", "webfaq", None, "name"),
    "covid_faq": Study("covid_faq", "webfaq", None, None),
}


@dataclass(frozen=True, slots=True)
class Corpus:
    """A corpus that was found.

    Args:
        name: its name in our tables.
        path: its file or folder.
        study: what it is in the study.
        language: code of its language, ``None`` for several.
    """

    name: str
    path: Path
    study: Study
    language: str | None


def find_corpora(folder: Path, names: Sequence[str] = ()) -> list[Corpus]:
    """The corpora of a folder, in the order of ``STUDIES``.

    Args:
        folder: holds data sets.
        names: which of ``STUDIES``, or single corpora such as ``xquad.de``; by default all that are there.

    Raises:
        DatasetError: none is there, or one that was asked for is not.
    """
    found = [
        corpus
        for name, study in STUDIES.items()
        for path in sorted(folder.glob(study.pattern))
        for corpus in (_corpus(name, path, study),)
        if not names or name in names or corpus.name in names
    ]
    known = {corpus.name for corpus in found} | {corpus.name.partition(".")[0] for corpus in found}
    missing = [name for name in names if name not in known]
    if missing or not found:
        forms = ", ".join(f"{name} ({study.pattern})" for name, study in STUDIES.items())
        raise DatasetError(f"{folder}: holds no {', '.join(missing) or 'corpus'}; expected some of {forms}")
    return found


def _corpus(name: str, path: Path, study: Study) -> Corpus:
    if study.language != "name":
        return Corpus(name, path, study, study.language)
    language = path.stem.rpartition(".")[2]
    return Corpus(f"{name}.{language}", path, study, language)


def entity_model(corpus: Corpus, english: str) -> str:
    """The model that finds the entities of a corpus.

    Args:
        corpus: the corpus.
        english: the model for English.

    Raises:
        MissingSignalError: there is none for its language, or it is not installed; none of another language
            is taken instead.
    """
    if corpus.language == "en":
        return english
    if corpus.language is None:
        raise MissingSignalError(f"{corpus.name}: no entity model for a corpus of several languages")
    name = language_model(corpus.language)
    try:
        load_entities(name)
    except (InputError, OSError) as error:
        raise MissingSignalError(f"{corpus.name}: the entity model {name} is not installed") from error
    return name
