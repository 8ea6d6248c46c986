"""What turns texts into vectors: any object with one method, made of what callers have at hand."""

import contextlib
import os
import re
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from chunkfilter.errors import InputError, MissingExtraError
from chunkfilter.signals.packages import PREFIX, packaged_folder

FloatArray = NDArray[np.float32]

_SURROGATE = re.compile("[\ud800-\udfff]")
#: Texts encoded at once. On a processor, batches of 16 took two thirds of the time of batches of 64.
_BATCH, _BATCH_ON_CPU = 64, 16
#: The names under which models declare a prompt for texts, as sentence-transformers looks for them.
_PASSAGE_PROMPTS = ("document", "passage", "corpus")


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


def as_embedder(given: Any) -> Embedder:
    """Make an embedder of what callers have at hand.

    Args:
        given: a model's name (see :func:`load_embedder`), a sentence-transformers model, an object with
            ``encode``, with ``embed_documents`` and ``embed_query`` (LangChain), with
            ``get_text_embedding_batch`` and ``get_query_embedding`` (LlamaIndex), or a function from a list
            of texts to vectors. One with a method ``visible_ends`` becomes a :class:`Windowed` embedder.

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
    """What reports and errors call the embedder: its name, else its ``label``, else its type."""
    if isinstance(embedder, Named):
        return embedder.name
    return str(getattr(embedder, "label", type(embedder).__name__))


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
    if not isinstance(name, str) or not name.strip():
        raise InputError(f"embedder: got {name!r:.80}; expected a model's name, a folder or '{PREFIX}NAME'")
    local = packaged_folder(name.removeprefix(PREFIX)) if name.startswith(PREFIX) else Path(name)
    try:
        from sentence_transformers import SentenceTransformer
    except ImportError as error:
        raise MissingExtraError("sentence-transformers", "embeddings", f"the embedder {name!r}") from error
    try:
        if local.is_dir():
            with _silent_loading():
                model = SentenceTransformer(os.fspath(local), local_files_only=True)
        else:
            model = SentenceTransformer(name)
    except (OSError, ValueError) as error:  # what the library raises for unknown names and foreign folders
        reason = str(error).partition("\n")[0]
        raise InputError(f"embedder {name!r}: no sentence-transformers model there: {reason}") from error
    return _of_model(model, name, query_prefix, passage_prefix)


class SentenceTransformerEmbedder:
    """Encodes with a sentence-transformers model; made by ``load_embedder`` and ``as_embedder``.

    Args:
        model: a ``sentence_transformers.SentenceTransformer``.
        name: what the model is called.
        query_prefix: put before questions; if empty, the model's own prompt for them.
        passage_prefix: put before texts; if empty, the model's own prompt for them.
    """

    def __init__(self, model: Any, name: str, query_prefix: str = "", passage_prefix: str = "") -> None:
        prompts: dict[str, str] = model.prompts
        declared = next((prompts[key] for key in _PASSAGE_PROMPTS if prompts.get(key)), "")
        self._model = model
        self._query_prefix = query_prefix or prompts.get("query") or ""
        self._passage_prefix = passage_prefix or declared
        prefixes = (("query", self._query_prefix), ("passage", self._passage_prefix))
        shown = ", ".join(f"{role} {prefix!r}" for role, prefix in prefixes if prefix)
        self.name = f"{name} ({shown})" if shown else name

    def encode(self, texts: Sequence[str], /) -> FloatArray:
        """Vectors of the texts, shape (n, d), float32."""
        return self._encoded(self._model.encode_document, texts, self._passage_prefix)

    def encode_queries(self, texts: Sequence[str], /) -> FloatArray:
        """Vectors of questions, shape (n, d), float32."""
        return self._encoded(self._model.encode_query, texts, self._query_prefix)

    def _encoded(self, encode: Any, texts: Sequence[str], prefix: str) -> FloatArray:
        if not len(texts):
            return np.empty((0, self._model.get_embedding_dimension() or 0), dtype=np.float32)
        vectors = encode(
            _encodable(texts),
            prompt=prefix,
            batch_size=_BATCH_ON_CPU if self._model.device.type == "cpu" else _BATCH,
            show_progress_bar=False,
            convert_to_numpy=True,
        )
        return np.asarray(vectors, dtype=np.float32)


class WindowedSentenceTransformerEmbedder(SentenceTransformerEmbedder):
    """One whose tokenizer tells where each token stands in the text."""

    def visible_ends(self, texts: Sequence[str], /) -> NDArray[np.int64]:
        """For each text, one past the last character that the model reads, shape (n,).

        The whole text where it is not cut, else the end of its last token before the cut. The prefix takes
        its share of the window.
        """
        limit = self._model.max_seq_length
        if limit is None or not len(texts):
            return np.array([len(text) for text in texts], dtype=np.int64)
        prefix = len(self._passage_prefix)
        encoded = self._model.tokenizer(
            [self._passage_prefix + text for text in _encodable(texts)],
            truncation=True,
            max_length=limit,
            return_offsets_mapping=True,
            return_attention_mask=False,
        )["offset_mapping"]
        ends = [
            len(text)
            if len(offsets) < limit
            else min(max(max(end for _, end in offsets) - prefix, 0), len(text))
            for text, offsets in zip(texts, encoded, strict=True)
        ]
        return np.array(ends, dtype=np.int64)


def _of_model(model: Any, name: str, query_prefix: str = "", passage_prefix: str = "") -> Embedder:
    tells_positions = getattr(model.tokenizer, "is_fast", False)
    kind = WindowedSentenceTransformerEmbedder if tells_positions else SentenceTransformerEmbedder
    return kind(model, name, query_prefix, passage_prefix)


def _of_loaded_model(model: Any) -> Embedder:
    """A model that the caller loaded; it is named by what the caller loaded it from."""
    config = getattr(getattr(model, "transformers_model", None), "config", None)
    return _of_model(model, getattr(config, "name_or_path", None) or type(model).__name__)


def _encodable(texts: Sequence[str]) -> list[str]:
    # tokenizers refuse lone surrogates; U+FFFD has the same length, so positions stay
    return [_SURROGATE.sub("\ufffd", text) for text in texts]


@contextlib.contextmanager
def _silent_loading() -> Iterator[None]:
    """Without the bar that transformers draws even for files that are already here."""
    import transformers.utils.logging

    logging: Any = transformers.utils.logging  # its switches carry no types
    shown = logging.is_progress_bar_enabled()
    logging.disable_progress_bar()
    try:
        yield
    finally:
        if shown:
            logging.enable_progress_bar()


class _Adapted:
    """A function, or methods of a framework's object, as an embedder."""

    def __init__(self, given: Any, encode: str = "__call__", encode_query: str = "") -> None:
        # a function's name, without that of the one it is defined in; of anything else that of its type
        self.label = str(getattr(given, "__qualname__", type(given).__name__)).rpartition("<locals>.")[2]
        self._given = given
        self._encode, self._encode_query = encode, encode_query

    def encode(self, texts: Sequence[str], /) -> Any:
        return getattr(self._given, self._encode)(list(texts))

    def encode_queries(self, texts: Sequence[str], /) -> Any:
        if not self._encode_query:
            return self.encode(texts)
        encode_query: Callable[[str], Any] = getattr(self._given, self._encode_query)
        return [encode_query(text) for text in texts]


class _WindowedAdapted(_Adapted):
    """One of an object that tells how much of a text it reads."""

    def visible_ends(self, texts: Sequence[str], /) -> Any:
        return self._given.visible_ends(texts)


def _adapted(given: Any, *methods: str) -> Embedder:
    windowed = callable(getattr(given, "visible_ends", None))
    return (_WindowedAdapted if windowed else _Adapted)(given, *methods)


#: Methods that tell what an object is, and how it becomes an embedder; the first that fits is taken.
_SHAPES: tuple[tuple[tuple[str, ...], Callable[..., Embedder]], ...] = (
    (("encode_query", "encode_document", "tokenize"), _of_loaded_model),
    (("encode",), lambda given: given),
    (
        ("embed_documents", "embed_query"),
        lambda given: _adapted(given, "embed_documents", "embed_query"),
    ),
    (
        ("get_text_embedding_batch", "get_query_embedding"),
        lambda given: _adapted(given, "get_text_embedding_batch", "get_query_embedding"),
    ),
    (("__call__",), _adapted),
)
