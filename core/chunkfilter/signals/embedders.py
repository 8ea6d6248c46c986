"""What turns texts into vectors: any object with one method."""

from collections.abc import Callable, Sequence
from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from chunkfilter.errors import InputError

FloatArray = NDArray[np.float32]


@runtime_checkable
class Embedder(Protocol):
    """Turns texts into vectors."""

    def encode(self, texts: Sequence[str], /) -> Any:
        """Vectors of the texts, anything ``numpy.asarray`` makes an (n, d) array of, row by row."""
        ...


@runtime_checkable
class QueryEmbedder(Protocol):
    """An embedder that treats questions in another way than the texts they are asked about."""

    def encode_queries(self, texts: Sequence[str], /) -> Any:
        """Vectors of the questions, as :meth:`Embedder.encode`."""
        ...


@runtime_checkable
class Windowed(Protocol):
    """An embedder that knows how much of a text it reads."""

    def visible_ends(self, texts: Sequence[str], /) -> NDArray[np.int64]:
        """For each text, one past the last character that the model reads, shape (n,)."""
        ...


@runtime_checkable
class Named(Protocol):
    """An embedder with a name that changes whenever its vectors would: its vectors may be stored."""

    @property
    def name(self) -> str:
        """The name, for reports and as key of stored vectors."""
        ...


@runtime_checkable
class Labelled(Protocol):
    """An embedder that stands for something else of the caller's, and is called as that is."""

    @property
    def label(self) -> str:
        """What reports and errors call it."""
        ...


def load_embedder(name: str, *, query_prefix: str = "", passage_prefix: str = "") -> Embedder:
    """A sentence-transformers model.

    Args:
        name: a folder on this machine, ``package:all-MiniLM-L6-v2`` for the weights that the extra
            ``models`` installs, or a model's name on the hub, which the library then downloads unless it has
            it already. The first two never use the network.
        query_prefix: put before every question, for example ``query: `` for E5 models; if empty, the prompt
            that the model itself declares for questions, if any.
        passage_prefix: likewise for texts.

    Returns:
        An embedder that also is :class:`QueryEmbedder`, :class:`Named` and, where the model's tokenizer tells
        positions, :class:`Windowed`.

    Raises:
        MissingExtraError: sentence-transformers or the package with the weights is not installed.
        InputError: no such model, or weights that are not the published ones.
    """
    from chunkfilter.signals.sentence_transformer import load_sentence_transformer  # imports this module

    if not isinstance(name, str):
        raise InputError(f"embedder: got {name!r:.80}; expected the name of a model")
    return load_sentence_transformer(name, query_prefix, passage_prefix)


def as_embedder(given: Any) -> Embedder:
    """Make an embedder of what callers have at hand.

    Args:
        given: a model's name (see :func:`load_embedder`), a sentence-transformers model, an object with
            ``encode``, with ``embed_documents`` and ``embed_query`` (LangChain), with
            ``get_text_embedding_batch`` and ``get_query_embedding`` (LlamaIndex), or a function from a list
            of texts to vectors.

    Raises:
        InputError: none of these.
        MissingExtraError: a name was given and its package is not installed.
    """
    if isinstance(given, str):
        return load_embedder(given)
    if not isinstance(given, type):
        for methods, adapt in _SHAPES:
            if all(callable(getattr(given, method, None)) for method in methods):
                return adapt(given)
    raise InputError(
        f"embedder: got {given!r:.200}; expected a model's name, an object with encode, embed_documents or "
        "get_text_embedding_batch, or a function from a list of texts to vectors"
    )


def encode_queries(embedder: Embedder, texts: Sequence[str]) -> Any:
    """Vectors of questions: by the embedder's own way for them if it has one."""
    return embedder.encode_queries(texts) if isinstance(embedder, QueryEmbedder) else embedder.encode(texts)


def embedder_label(embedder: Embedder) -> str:
    """What reports and errors call the embedder: its name, else its label, else its type."""
    if isinstance(embedder, Named):
        return embedder.name
    return embedder.label if isinstance(embedder, Labelled) else type(embedder).__name__


class _Called:
    """A function, or two methods of a framework's object, as an embedder."""

    def __init__(
        self,
        label: str,
        encode: Callable[[list[str]], Any],
        encode_query: Callable[[str], Any] | None = None,
    ) -> None:
        self.label = label
        self._encode = encode
        self._encode_query = encode_query

    def encode(self, texts: Sequence[str], /) -> Any:
        return self._encode(list(texts))

    def encode_queries(self, texts: Sequence[str], /) -> Any:
        if self._encode_query is None:
            return self.encode(texts)
        return [self._encode_query(text) for text in texts]


def _label(given: Any) -> str:
    """The name of a function, without that of the one it stands in; of anything else that of its type."""
    return str(getattr(given, "__qualname__", type(given).__name__)).rpartition("<locals>.")[2]


def _wrap_sentence_transformer(model: Any) -> Embedder:
    from chunkfilter.signals.sentence_transformer import wrap_sentence_transformer  # imports this module

    return wrap_sentence_transformer(model)


#: Methods that tell what an object is, and how it becomes an embedder; the first that fits is taken.
_SHAPES: tuple[tuple[tuple[str, ...], Callable[[Any], Embedder]], ...] = (
    (("encode_query", "encode_document", "tokenize"), _wrap_sentence_transformer),
    (("encode",), lambda given: given),
    (
        ("embed_documents", "embed_query"),
        lambda given: _Called(_label(given), given.embed_documents, given.embed_query),
    ),
    (
        ("get_text_embedding_batch", "get_query_embedding"),
        lambda given: _Called(_label(given), given.get_text_embedding_batch, given.get_query_embedding),
    ),
    (("__call__",), lambda given: _Called(_label(given), given)),
)
