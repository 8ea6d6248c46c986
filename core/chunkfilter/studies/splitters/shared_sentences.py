"""Sentences found and embedded once a document, however many splitters ask for them."""

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from chunkfilter.chunk import Span
from chunkfilter.errors import MissingSignalError
from chunkfilter.signals.embedders import Embedder, FloatArray, embedder_label
from chunkfilter.signals.vectors import embed_distinct
from chunkfilter.splitters.sentences import SENTENCES, load_finder
from chunkfilter.splitters.spec import Spec


class SharedSentences:
    """An embedder that remembers the sentences of each document and their vectors.

    Given to several splitters in place of the embedder it wraps, it lets them share both: a grid of settings
    costs one pass of the embedder. What it remembers lives as long as it does: a vector a sentence.

    Args:
        embedder: computes the vectors.
    """

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        self._spans: dict[tuple[str, str], list[Span]] = {}
        self._vectors: dict[tuple[str, str, int], FloatArray] = {}

    @property
    def label(self) -> str:
        """That of the embedder it wraps."""
        return embedder_label(self._embedder)

    def encode(self, texts: Sequence[str], /) -> Any:
        """Vectors of any texts, as the wrapped embedder computes them; nothing of them is remembered."""
        return self._embedder.encode(texts)

    def prepare(self, texts: Iterable[str], finder: str = SENTENCES.default, buffer: int = 0) -> None:
        """Find and embed the sentences of many documents in one call of the embedder.

        Optional: what was not prepared is found and embedded when a splitter asks for it.

        Args:
            texts: whole documents.
            finder: how sentences are found, one of ``SENTENCES.names``.
            buffer: neighbours embedded with each sentence, see :meth:`vectors`.
        """
        new = [text for text in dict.fromkeys(texts) if (text, finder, buffer) not in self._vectors]
        windows = [_windows(text, self.spans(text, finder), buffer) for text in new]
        rows = embed_distinct([window for group in windows for window in group], self)
        ends = np.cumsum([len(group) for group in windows], dtype=np.int64)
        for text, group, end in zip(new, windows, ends.tolist(), strict=True):
            self._vectors[text, finder, buffer] = rows[end - len(group) : end]

    def spans(self, text: str, finder: str) -> list[Span]:
        """Spans of the sentences of a document, in order; not to be changed."""
        found = self._spans.get((text, finder))
        if found is None:
            found = self._spans[text, finder] = load_finder(finder)(text)
        return found

    def vectors(self, text: str, finder: str, buffer: int = 0) -> FloatArray:
        """Unit vectors of the sentences of a document.

        Args:
            text: the whole document.
            finder: how sentences are found.
            buffer: so many sentences before and behind each are embedded with it, joined by a space.

        Returns:
            Shape (n, d); a row is NaN where the embedder gave no vector.
        """
        if (text, finder, buffer) not in self._vectors:
            self.prepare([text], finder, buffer)
        return self._vectors[text, finder, buffer]


def sentence_memory(spec: Spec, embedder: Embedder | None) -> Callable[[], SharedSentences]:
    """What a splitter asks for the sentences of a text: the caller's memory, or else one a text.

    Raises:
        MissingSignalError: there is no embedder.
    """
    if embedder is None:
        raise MissingSignalError(
            f"splitter {spec.text!r} needs the vectors of its sentences: give an embedder, "
            "any object with a method encode(texts)"
        )
    given = embedder
    return lambda: given if isinstance(given, SharedSentences) else SharedSentences(given)


def _windows(text: str, spans: list[Span], buffer: int) -> list[str]:
    sentences = [text[start:end] for start, end in spans]
    if not buffer:
        return sentences
    return [
        " ".join(sentences[max(place - buffer, 0) : place + buffer + 1]) for place in range(len(sentences))
    ]
