"""From texts to chunks with spans, by splitters that are named in plain text: ``recursive:400:200``."""

from collections.abc import Mapping
from pkgutil import resolve_name
from typing import Any

from chunkfilter.chunk import Chunk
from chunkfilter.errors import InputError, SplitterError
from chunkfilter.signals.embedders import Embedder, as_embedder
from chunkfilter.splitters.paragraphs import CHARACTERS, PARAGRAPHS
from chunkfilter.splitters.pieces import GAP, Cutter, RewriterKind, cut_by, regroup
from chunkfilter.splitters.recursive import RECURSIVE, RECURSIVE_TOKENS
from chunkfilter.splitters.sentences import SENTENCE_RUNS
from chunkfilter.splitters.spec import Spec, SplitterKind
from chunkfilter.splitters.tokens import FIXED

__all__ = ["GAP", "SPLITTERS", "read_stages", "split", "split_documents"]

#: Every splitter but those of the studies. A new one gets a line here.
SPLITTERS: dict[str, SplitterKind | RewriterKind] = {
    "fixed": FIXED,
    "recursive": RECURSIVE,
    "recursive-tokens": RECURSIVE_TOKENS,
    "characters": CHARACTERS,
    "paragraphs": PARAGRAPHS,
    "sentences": SENTENCE_RUNS,
}

#: The splitters of the studies, imported when a name is not in ``SPLITTERS``.
_OF_THE_STUDIES = "chunkfilter.studies.splitters:SPLITTERS"


def split(
    text: str,
    spec: str,
    *,
    source: str | None = None,
    embedder: Embedder | str | None = None,
    propositionizer: Any = None,
) -> list[Chunk]:
    """Cut a text into chunks.

    Args:
        text: any text.
        spec: one of

            - ``fixed:SIZE:OVERLAP``, ``recursive-tokens:SIZE:OVERLAP`` (cl100k tokens);
            - ``recursive:SIZE:OVERLAP``, ``characters:SIZE``, ``paragraphs:SIZE`` (characters);
            - ``sentences:SIZE:OVERLAP``, ``sentences:chunks=COUNT:overlap=OVERLAP`` (sentences);
            - ``cluster:SIZE``, ``breakpoint:RULE=AMOUNT``, ``linkage:clusters=COUNT:weight=WEIGHT``,
              ``dbscan:eps=EPS:min-samples=COUNT:weight=WEIGHT`` (need an embedder);
            - ``propositions:SIZE`` (needs a propositionizer);
            - ``A>B``: the chunks of A, joined by line breaks and cut again by B.
        source: name of the document, set on every chunk.
        embedder: for splitters that cut by meaning: what
            :func:`chunkfilter.signals.embedders.as_embedder` accepts, or a
            :class:`chunkfilter.studies.splitters.SharedSentences`, with which several calls share the
            sentences and their vectors.
        propositionizer: for ``propositions``: a :class:`chunkfilter.studies.propositions.Propositionizer`.

    Returns:
        Chunks in reading order, each with its spans: ``text[start:end]`` of its spans, joined by ``GAP``, is
        the chunk's text, unless it was rewritten.

    Raises:
        SplitterError: an unknown splitter, or a value out of bounds.
        InputError: the text is not a ``str``.
        MissingSignalError: the splitter needs an embedder or a propositionizer and none was given.
        MissingExtraError: an optional dependency is not installed.
        PropositionError: a propositionizer failed on many passages in a row.
    """
    return _chunks(text, read_stages(spec, embedder, propositionizer), source)


def split_documents(
    documents: Mapping[str, str],
    spec: str,
    embedder: Embedder | str | None = None,
    *,
    propositionizer: Any = None,
) -> list[Chunk]:
    """Cut documents into chunks that know their source.

    Args:
        documents: text by name; chunks come in this order.
        spec: as for :func:`split`.
        embedder: as for :func:`split`.
        propositionizer: as for :func:`split`.

    Raises:
        SplitterError, InputError, MissingSignalError, MissingExtraError, PropositionError: as :func:`split`.
    """
    cutter = read_stages(spec, embedder, propositionizer)
    if not isinstance(documents, Mapping):
        raise InputError(f"documents: got {documents!r:.80}; expected a mapping from names to texts")
    return [chunk for name, text in documents.items() for chunk in _chunks(text, cutter, name)]


def read_stages(spec: str, embedder: Any = None, propositionizer: Any = None) -> Cutter:
    """What a spec names, all its stages; fails before any text is read. Arguments as of :func:`split`.

    Raises:
        SplitterError, InputError, MissingSignalError, MissingExtraError: as :func:`split`.
    """
    if not isinstance(spec, str):
        raise SplitterError(f"splitter: got {spec!r}; expected a text such as 'recursive:400:200'")
    encoder = None if embedder is None else as_embedder(embedder)
    first, *later = spec.split(">")
    kind = _kind(first)
    if isinstance(kind, RewriterKind):
        cutter = kind.read(_spec(first, kind), propositionizer)
    else:
        cutter = cut_by(kind.read(_spec(first, kind), encoder))
    for stage in later:
        kind = _kind(stage)
        if isinstance(kind, RewriterKind):
            raise SplitterError(f"splitter {stage!r:.80}: expected only before the first '>'")
        cutter = regroup(cutter, kind.read(_spec(stage, kind), encoder))
    return cutter


def _kind(stage: str) -> SplitterKind | RewriterKind:
    name = stage.split(":", maxsplit=1)[0]
    if name in SPLITTERS:
        return SPLITTERS[name]
    known: dict[str, SplitterKind | RewriterKind] = {**SPLITTERS, **resolve_name(_OF_THE_STUDIES)}
    if name not in known:
        forms = ", ".join(kind.form for kind in known.values())
        raise SplitterError(f"splitter {stage!r:.80}: unknown name {name!r:.40}; expected one of {forms}")
    return known[name]


def _spec(stage: str, kind: SplitterKind | RewriterKind) -> Spec:
    return Spec(stage, kind.form, tuple(stage.split(":")[1:]))


def _chunks(text: str, cutter: Cutter, source: str | None) -> list[Chunk]:
    if not isinstance(text, str):
        raise InputError(f"text of source {source!r}: got {type(text).__name__}; expected a str")
    return [Chunk(piece.text, source=source, spans=piece.spans) for piece in cutter(text)]
