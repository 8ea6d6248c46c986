"""chunkfilter's splitters as a LangChain ``TextSplitter``."""

import copy
from importlib.util import find_spec
from typing import Any

from langchain_core.documents import Document
from langchain_core.embeddings import Embeddings

from chunkfilter import Chunk, split
from chunkfilter.errors import InputError, MissingExtraError
from chunkfilter.signals.embedders import as_embedder

if find_spec("langchain_text_splitters") is None:
    raise MissingExtraError("langchain-text-splitters", "splitters", "ChunkFilterSplitter")

from langchain_text_splitters import TextSplitter


class ChunkFilterSplitter(TextSplitter):
    """Cuts as ``chunkfilter.split`` does; each document knows where it was cut.

    ``metadata["start_index"]`` comes from the cut itself, so it is right where a text repeats itself, too.

    Args:
        spec: for example ``recursive:400:200``; see :func:`chunkfilter.split`.
        embeddings: for splitters that cut by meaning.
        add_start_index: write ``start_index`` into the metadata.

    Raises:
        SplitterError: an unknown splitter, or a size out of bounds.
        MissingSignalError: the splitter cuts by meaning and ``embeddings`` is missing.
    """

    def __init__(
        self, spec: str, embeddings: Embeddings | None = None, *, add_start_index: bool = True
    ) -> None:
        super().__init__(add_start_index=add_start_index)
        self._spec = spec
        self._embeddings = embeddings
        self._cut("")  # fails now rather than at the first document

    def split_text(self, text: str) -> list[str]:
        """The texts of the chunks, in reading order."""
        return [chunk.text for chunk in self._cut(text)]

    def create_documents(
        self, texts: list[str], metadatas: list[dict[Any, Any]] | None = None
    ) -> list[Document]:
        """One document a chunk, with a copy of its text's metadata.

        Raises:
            InputError: not one mapping of metadata a text, or a text that is no ``str``.
        """
        if metadatas and len(metadatas) != len(texts):
            raise InputError(f"metadatas: {len(metadatas)} for {len(texts)} texts; expected one each")
        documents = []
        for position, text in enumerate(texts):
            for chunk in self._cut(text):
                metadata = copy.deepcopy(metadatas[position]) if metadatas else {}
                if self._add_start_index:
                    metadata["start_index"] = chunk.start
                documents.append(Document(page_content=chunk.text, metadata=metadata))
        return documents

    def _cut(self, text: str) -> list[Chunk]:
        embedder = None if self._embeddings is None else as_embedder(self._embeddings)
        return split(text, self._spec, embedder=embedder)
