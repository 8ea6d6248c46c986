"""Where the sentences of a text are, and ``sentences:SIZE:OVERLAP``, runs of them.

How sentences are found is a field of every splitter that is made of them. ``sentencizer`` is spaCy's
component of that name with its English tokenizer ("Mr." ends nothing) behind two rules it lacks: a blank line
ends a sentence, and so does a terminator of a script that puts no space behind it. ``en_core_web_sm`` is the
parser of spaCy's model from the extra ``models``. ``marks`` cuts after ``.``, ``!`` or ``?`` and white space.

The splitter cuts SIZE sentences a chunk, each chunk begins with the last OVERLAP of the one before;
``sentences:chunks=COUNT:overlap=OVERLAP`` cuts COUNT chunks a document. It is the fixed-size chunker of Qu,
Tu and Bao, "Is Semantic Chunking Worth the Computational Cost?" (2024).
"""

import functools
import re
from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import Any, Protocol, runtime_checkable

import numpy as np

from chunkfilter.chunk import Span
from chunkfilter.errors import MissingExtraError
from chunkfilter.signals.embedders import Embedder
from chunkfilter.signals.entities import model_location
from chunkfilter.splitters.spec import Choice, Fields, Number, Spec, Splitter, SplitterKind
from chunkfilter.text.sentences import CLOSERS, TERMINATORS_WITHOUT_SPACE
from chunkfilter.text.trim import trimmed

#: Finds the sentences of a text: spans in order, without white space at their edges, only that between them.
SentenceFinder = Callable[[str], list[Span]]

#: spaCy reads at most so many characters at once; a sentence that is longer is cut.
LONGEST = 10_000
#: Blocks read side by side, which bounds what the parser holds in memory.
_BATCH = 32

_MARKED = re.compile(r"(?<=[.!?])\s+")
_MARK, _CLOSER = f"[{TERMINATORS_WITHOUT_SPACE}]", f"[{re.escape(CLOSERS)}]"
#: A blank line; a mark that no other mark and no closer follows; a mark and its closer.
_BORDER = re.compile(rf"\n\s*\n|(?<={_MARK})(?!{_MARK}|{_CLOSER})|(?<={_MARK}{_CLOSER})(?!{_MARK}|{_CLOSER})")
_SURROGATE = re.compile("[\ud800-\udfff]")


def between(text: str, border: re.Pattern[str], start: int, end: int) -> Iterator[Span]:
    """Spans of what stands between borders, blank ones left out, without white space at their edges."""
    for match in border.finditer(text, start, end):
        first, last = trimmed(text, start, match.start())
        if first < last:
            yield first, last
        start = match.end()
    first, last = trimmed(text, start, end)
    if first < last:
        yield first, last


def marked_spans(text: str, start: int, end: int) -> list[Span]:
    """Spans that end after ``.``, ``!`` or ``?`` and white space."""
    return list(between(text, _MARKED, start, end))


def _find_by_marks() -> SentenceFinder:
    return lambda text: marked_spans(text, 0, len(text))


def _find_by_sentencizer() -> SentenceFinder:
    pipeline = _spacy().blank("en")
    pipeline.add_pipe("sentencizer")
    return functools.partial(_spacy_spans, pipeline)


def _find_by_parser() -> SentenceFinder:
    spacy = _spacy()
    unused = ["tagger", "attribute_ruler", "lemmatizer", "ner"]
    pipeline = spacy.load(model_location("package:en_core_web_sm"), exclude=unused)
    return functools.partial(_spacy_spans, pipeline)


def _spacy() -> Any:
    try:
        import spacy
    except ImportError as error:
        raise MissingExtraError("spacy", "ner", "finding sentences") from error
    return spacy


def _spacy_spans(pipeline: Any, text: str) -> list[Span]:
    readable = _SURROGATE.sub("\ufffd", text)
    blocks = [part for block in between(readable, _BORDER, 0, len(text)) for part in _parts(readable, *block)]
    spans: list[Span] = []
    documents = pipeline.pipe((readable[start:end] for start, end in blocks), batch_size=_BATCH)
    for (first, _), document in zip(blocks, documents, strict=True):
        for sentence in document.sents:
            start, end = trimmed(text, first + sentence.start_char, first + sentence.end_char)
            if start < end:
                spans.append((start, end))
    return spans


def _parts(text: str, start: int, end: int) -> Iterator[Span]:
    """A block in parts that are read at once, cut after a sentence mark, else at a space, else anywhere."""
    while end - start > LONGEST:
        stop = start + LONGEST
        cuts = (text.rfind(mark, start + 1, stop) + len(mark) - 1 for mark in (". ", "? ", "! ", " "))
        cut = next((cut for cut in cuts if cut > start + 1), stop)
        yield start, cut
        start = cut
    yield start, end


_LOADERS: dict[str, Callable[[], SentenceFinder]] = {
    "sentencizer": _find_by_sentencizer,
    "marks": _find_by_marks,
    "en_core_web_sm": _find_by_parser,
}

#: The field of a spec that names how sentences are found.
SENTENCES = Choice(tuple(_LOADERS), "sentencizer")


@functools.cache
def load_finder(name: str) -> SentenceFinder:
    """A finder of sentences, loaded on first use.

    Args:
        name: one of ``SENTENCES.names``.

    Raises:
        MissingExtraError: spaCy or its model is not installed.
    """
    return _LOADERS[name]()


@runtime_checkable
class KnowsSentences(Protocol):
    """An embedder that remembers where the sentences of a document are, for several splitters."""

    def spans(self, text: str, finder: str) -> list[Span]:
        """Spans of the sentences, found once by ``load_finder(finder)``."""
        ...


_MOST_SENTENCES = 100_000
_FIELDS: Fields = {
    "size": Number(1, _MOST_SENTENCES, whole=True),
    "overlap": Number(0, _MOST_SENTENCES, default=0, whole=True),
    "chunks": Number(1, _MOST_SENTENCES, whole=True),
    "sentences": SENTENCES,
}


def runs_of_size(count: int, size: int, overlap: int) -> list[tuple[int, int]]:
    """Runs of ``size`` of ``count`` sentences, each ``overlap`` into the one before."""
    return [
        (first, min(first + size, count))
        for first in range(0, max(count - overlap, min(count, 1)), size - overlap)
    ]


def runs_in_number(count: int, chunks: int, overlap: int) -> list[tuple[int, int]]:
    """``count`` sentences in ``chunks`` runs, sizes differing by at most one before the overlap is added."""
    bounds = np.linspace(0, count, min(chunks, count) + 1).astype(np.int64).tolist() if count else [0]
    return [(max(first - overlap, 0), end) for first, end in pairwise(bounds)]


def run_spans(sentences: list[Span], runs: list[tuple[int, int]]) -> list[tuple[Span, ...]]:
    """One chunk for each run ``(first, end)`` of sentences, end exclusive."""
    return [((sentences[first][0], sentences[end - 1][1]),) for first, end in runs]


def _read(spec: Spec, embedder: Embedder | None) -> Splitter:
    options = spec.options(_FIELDS, positional=("size", "overlap"))
    kind = spec.only_one(options, ("size", "chunks"))
    amount, overlap = options[kind], options["overlap"]
    if kind == "size":
        spec.refuse_overlap(overlap, amount)
    find = load_finder(options["sentences"])
    runs = {"size": runs_of_size, "chunks": runs_in_number}[kind]

    def split_sentences(text: str, /) -> list[tuple[Span, ...]]:
        shared = embedder if isinstance(embedder, KnowsSentences) else None
        sentences = shared.spans(text, options["sentences"]) if shared else find(text)
        return run_spans(sentences, runs(len(sentences), amount, overlap))

    return split_sentences


SENTENCE_RUNS = SplitterKind("sentences:SIZE[:OVERLAP] or sentences:chunks=COUNT[:overlap=OVERLAP]", _read)
