"""A sentence-transformers model as an embedder; the library is imported when a model is loaded."""

import contextlib
import os
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from chunkfilter.errors import InputError, MissingExtraError
from chunkfilter.signals.embedders import Embedder, FloatArray
from chunkfilter.signals.packages import PREFIX, packaged_folder

_SURROGATE = re.compile("[\ud800-\udfff]")
#: Texts encoded at once. On a processor, batches of 16 took two thirds of the time of batches of 64.
_BATCH, _BATCH_ON_CPU = 64, 16
#: The names under which models declare a prompt for texts, as sentence-transformers looks for them.
_PASSAGE_PROMPTS = ("document", "passage", "corpus")


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


def load_sentence_transformer(name: str, query_prefix: str, passage_prefix: str) -> Embedder:
    """Load a model; see :func:`chunkfilter.signals.embedders.load_embedder`."""
    if not name.strip():
        raise InputError(f"embedder: got {name!r}; expected a model's name, a folder or '{PREFIX}NAME'")
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
    return _embedder(model, name, query_prefix, passage_prefix)


def wrap_sentence_transformer(model: Any) -> Embedder:
    """A model that the caller loaded; it is named by what the caller loaded it from."""
    config = getattr(getattr(model, "transformers_model", None), "config", None)
    return _embedder(model, getattr(config, "name_or_path", None) or type(model).__name__, "", "")


def _embedder(model: Any, name: str, query_prefix: str, passage_prefix: str) -> Embedder:
    tells_positions = getattr(model.tokenizer, "is_fast", False)
    kind = WindowedSentenceTransformerEmbedder if tells_positions else SentenceTransformerEmbedder
    return kind(model, name, query_prefix, passage_prefix)


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
