"""From texts to chunks with spans, by splitters that are named in plain text: ``recursive:400:200``."""

from collections.abc import Mapping

from chunkfilter.chunk import Chunk
from chunkfilter.errors import InputError, SplitterError
from chunkfilter.signals.embedders import Embedder
from chunkfilter.splitters.breakpoint import BREAKPOINT
from chunkfilter.splitters.characters import CHARACTERS
from chunkfilter.splitters.cluster import CLUSTER
from chunkfilter.splitters.dbscan import DBSCAN
from chunkfilter.splitters.fixed import FIXED
from chunkfilter.splitters.linkage import LINKAGE
from chunkfilter.splitters.paragraphs import PARAGRAPHS
from chunkfilter.splitters.recursive import RECURSIVE, RECURSIVE_TOKENS
from chunkfilter.splitters.sentences import SENTENCE_RUNS
from chunkfilter.splitters.shared_sentences import SharedSentences
from chunkfilter.splitters.spec import Spec, Splitter, SplitterKind

__all__ = ["SPLITTERS", "SharedSentences", "Splitter", "read_splitter", "split", "split_documents"]

#: What stands between the pieces of a chunk that was gathered from several places.
GAP = "\n"

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


def split(
    text: str, spec: str, *, source: str | None = None, embedder: Embedder | None = None
) -> list[Chunk]:
    """Cut a text into chunks.

    Args:
        text: any text.
        spec: ``fixed:SIZE:OVERLAP`` (cl100k tokens), ``recursive:SIZE:OVERLAP`` (characters),
            ``recursive-tokens:SIZE:OVERLAP`` or ``cluster:SIZE`` (cl100k tokens, needs an embedder).
        source: name of the document, set on every chunk.
        embedder: for splitters that cut by meaning.

    Returns:
        Chunks in reading order, each with its spans: ``text[start:end] == chunk.text`` for one span.

    Raises:
        SplitterError: an unknown splitter, or a size out of bounds.
        InputError: the text is not a ``str``.
        MissingSignalError: the splitter needs an embedder and none was given.
        MissingExtraError: an optional dependency is not installed.
    """
    return _cut(text, read_splitter(spec, embedder), source)


def split_documents(documents: Mapping[str, str], spec: str, embedder: Embedder | None = None) -> list[Chunk]:
    """Cut documents into chunks that know their source.

    Args:
        documents: text by name; chunks come in this order.
        spec: as for :func:`split`.
        embedder: as for :func:`split`.

    Raises:
        SplitterError, InputError, MissingSignalError, MissingExtraError: as :func:`split`.
    """
    splitter = read_splitter(spec, embedder)
    return [chunk for name, text in documents.items() for chunk in _cut(text, splitter, name)]


def read_splitter(spec: str, embedder: Embedder | None = None) -> Splitter:
    """The splitter that a spec names; fails before any text is read.

    Raises:
        SplitterError, MissingSignalError, MissingExtraError: as :func:`split`.
    """
    if not isinstance(spec, str):
        raise SplitterError(f"splitter: got {spec!r}; expected a text such as 'recursive:400:200'")
    name, *values = spec.split(":")
    kind = SPLITTERS.get(name)
    if kind is None:
        forms = ", ".join(known.form for known in SPLITTERS.values())
        raise SplitterError(f"splitter {spec!r:.80}: unknown name {name!r:.40}; known: {forms}")
    return kind.read(Spec(spec, kind.form, tuple(values)), embedder)


def _cut(text: str, splitter: Splitter, source: str | None) -> list[Chunk]:
    if not isinstance(text, str):
        raise InputError(f"text of source {source!r}: got {type(text).__name__}; expected a str")
    return [
        Chunk(GAP.join(text[start:end] for start, end in spans), source=source, spans=spans)
        for spans in splitter(text)
    ]
