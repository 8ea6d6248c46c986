"""From texts to chunks with spans, by splitters that are named in plain text: ``recursive:400:200``."""

import re
from collections.abc import Mapping

from chunkfilter.chunk import Chunk
from chunkfilter.errors import InputError, SplitterError
from chunkfilter.propositions.memory import PropositionMemory
from chunkfilter.propositions.propositionizer import Propositionizer
from chunkfilter.signals.embedders import Embedder, as_embedder
from chunkfilter.splitters.breakpoint import BREAKPOINT
from chunkfilter.splitters.characters import CHARACTERS
from chunkfilter.splitters.cluster import CLUSTER
from chunkfilter.splitters.dbscan import DBSCAN
from chunkfilter.splitters.fixed import FIXED
from chunkfilter.splitters.linkage import LINKAGE
from chunkfilter.splitters.paragraphs import PARAGRAPHS
from chunkfilter.splitters.pieces import GAP, Cutter, cut_by, regroup
from chunkfilter.splitters.propositions import PROPOSITIONS, RewriterKind
from chunkfilter.splitters.recursive import RECURSIVE, RECURSIVE_TOKENS
from chunkfilter.splitters.sentences import SENTENCE_RUNS
from chunkfilter.splitters.shared_sentences import SharedSentences
from chunkfilter.splitters.spec import Spec, Splitter, SplitterKind

__all__ = [
    "GAP",
    "REWRITERS",
    "SPLITTERS",
    "SharedSentences",
    "Splitter",
    "read_splitter",
    "read_stages",
    "split",
    "split_documents",
]

#: Every splitter. A new one gets a file of its own and a line here.
SPLITTERS: dict[str, SplitterKind] = {
    "fixed": FIXED,
    "recursive": RECURSIVE,
    "recursive-tokens": RECURSIVE_TOKENS,
    "cluster": CLUSTER,
    "characters": CHARACTERS,
    "paragraphs": PARAGRAPHS,
    "sentences": SENTENCE_RUNS,
    "breakpoint": BREAKPOINT,
    "linkage": LINKAGE,
    "dbscan": DBSCAN,
}


#: What may come before the first ``>`` and says the text in other words.
REWRITERS: dict[str, RewriterKind] = {"propositions": PROPOSITIONS}


def split(
    text: str,
    spec: str,
    *,
    source: str | None = None,
    embedder: Embedder | str | None = None,
    propositionizer: Propositionizer | PropositionMemory | None = None,
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
            :func:`chunkfilter.signals.embedders.as_embedder` accepts; a :class:`SharedSentences` lets several
            calls share the sentences and their vectors.
        propositionizer: for ``propositions``; a ``PropositionMemory`` keeps answers and tells failures.

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
    return _chunks(text, read_stages(spec, _encoder(embedder), propositionizer), source)


def split_documents(
    documents: Mapping[str, str],
    spec: str,
    embedder: Embedder | str | None = None,
    *,
    propositionizer: Propositionizer | PropositionMemory | None = None,
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
    cutter = read_stages(spec, _encoder(embedder), propositionizer)
    if not isinstance(documents, Mapping):
        raise InputError(f"documents: got {documents!r:.80}; expected a mapping from names to texts")
    return [chunk for name, text in documents.items() for chunk in _chunks(text, cutter, name)]


def read_splitter(spec: str, embedder: Embedder | None = None) -> Splitter:
    """The splitter that one stage of a spec names; fails before any text is read.

    Raises:
        SplitterError, MissingSignalError, MissingExtraError: as :func:`split`.
    """
    name = _name(spec)
    kind = SPLITTERS.get(name)
    if kind is None:
        kinds: tuple[SplitterKind | RewriterKind, ...] = (*SPLITTERS.values(), *REWRITERS.values())
        forms = ", ".join(known.form for known in kinds)
        reason = "only before the first '>' stands" if name in REWRITERS else "unknown name"
        raise SplitterError(f"splitter {spec!r:.80}: {reason} {name!r:.40}; known: {forms}")
    return kind.read(_spec(spec, kind.form), embedder)


def _encoder(embedder: Embedder | str | None) -> Embedder | None:
    return embedder if embedder is None or isinstance(embedder, SharedSentences) else as_embedder(embedder)


def read_stages(
    spec: str,
    embedder: Embedder | None = None,
    propositionizer: Propositionizer | PropositionMemory | None = None,
) -> Cutter:
    """What a whole spec names, all its stages; fails before any text is read.

    Raises:
        SplitterError, InputError, MissingSignalError, MissingExtraError: as :func:`split`.
    """
    name = _name(spec)
    first, *later = spec.split(">")
    rewriter = REWRITERS.get(name)
    if rewriter is None:
        cutter = cut_by(read_splitter(first, embedder))
    else:
        cutter = rewriter.read(_spec(first, rewriter.form), propositionizer)
    for stage in later:
        cutter = regroup(cutter, read_splitter(stage, embedder))
    return cutter


def _name(spec: str) -> str:
    if not isinstance(spec, str):
        raise SplitterError(f"splitter: got {spec!r}; expected a text such as 'recursive:400:200'")
    return re.split("[:>]", spec, maxsplit=1)[0]


def _spec(text: str, form: str) -> Spec:
    return Spec(text, form, tuple(text.split(":")[1:]))


def _chunks(text: str, cutter: Cutter, source: str | None) -> list[Chunk]:
    if not isinstance(text, str):
        raise InputError(f"text of source {source!r}: got {type(text).__name__}; expected a str")
    return [Chunk(piece.text, source=source, spans=piece.spans) for piece in cutter(text)]
