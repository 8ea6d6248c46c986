"""Real parts: files on disk, LangChain's own loaders and splitter, MiniLM."""

import asyncio
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from langchain_core.callbacks import BaseCallbackHandler
from langchain_core.documents import Document
from langchain_core.embeddings import Embeddings
from langchain_text_splitters import RecursiveCharacterTextSplitter

from chunkfilter.demo.corpus import load_documents
from chunkfilter.signals.embedders import Embedder, load_embedder


class RecordingMiniLM(Embeddings):
    """MiniLM that notes what it was asked for, and how.

    The model sees each text of the whole run of tests once.
    """

    def __init__(self, model: Embedder, known: dict[str, list[float]]) -> None:
        self._model = model
        self._known = known
        self.texts: list[str] = []
        self.awaited = 0

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        self.texts.extend(texts)
        return self._vectors(texts)

    def embed_query(self, text: str) -> list[float]:
        return self._vectors([text])[0]

    def _vectors(self, texts: list[str]) -> list[list[float]]:
        new = [text for text in dict.fromkeys(texts) if text not in self._known]
        self._known.update(zip(new, self._model.encode(new).tolist(), strict=True))
        return [self._known[text] for text in texts]

    async def aembed_documents(self, texts: list[str]) -> list[list[float]]:
        self.awaited += 1
        return await asyncio.to_thread(self.embed_documents, texts)


class CustomEvents(BaseCallbackHandler):
    """Notes the custom events it is told."""

    def __init__(self) -> None:
        self.received: list[tuple[str, Any]] = []

    def on_custom_event(self, name: str, data: Any, **kwargs: Any) -> None:
        self.received.append((name, data))


@pytest.fixture(scope="session")
def _minilm() -> Embedder:
    return load_embedder("package:all-MiniLM-L6-v2")


@pytest.fixture(scope="session")
def _known() -> dict[str, list[float]]:
    return {}


@pytest.fixture
def minilm(_minilm: Embedder, _known: dict[str, list[float]]) -> RecordingMiniLM:
    return RecordingMiniLM(_minilm, _known)


@pytest.fixture
def events() -> CustomEvents:
    return CustomEvents()


@pytest.fixture(scope="session")
def handbook(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The embedded corpus as files in a folder."""
    folder = tmp_path_factory.mktemp("handbook")
    for name, text in load_documents().items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8", newline="\n")
    return folder


@pytest.fixture(scope="session")
def load(handbook: Path) -> Callable[[object], list[Document]]:
    """Loads the files, in the order of their names; takes any argument, as the first step of a chain."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # langchain-community is being sunset
        from langchain_community.document_loaders import DirectoryLoader, TextLoader
    loader = DirectoryLoader(
        str(handbook), glob="**/*.md", loader_cls=TextLoader, loader_kwargs={"encoding": "utf-8"}
    )
    return lambda _: sorted(loader.load(), key=lambda document: document.metadata["source"])


@pytest.fixture(scope="session")
def splitter() -> RecursiveCharacterTextSplitter:
    return RecursiveCharacterTextSplitter(chunk_size=400, chunk_overlap=200, add_start_index=True)


@pytest.fixture
def chunks(
    load: Callable[[object], list[Document]], splitter: RecursiveCharacterTextSplitter
) -> list[Document]:
    return splitter.split_documents(load(None))


@pytest.fixture
def identified(chunks: list[Document]) -> list[Document]:
    """The chunks with ids, so that what was kept can be compared."""
    for position, chunk in enumerate(chunks):
        chunk.id = f"chunk-{position}"
    return chunks


@pytest.fixture
def repeated() -> list[Document]:
    """Two identical texts and another one."""
    return [
        Document("Keep the freezer at -80 degrees.", id="first", metadata={"source": "a.md", "page": 1}),
        Document("Keep the freezer at -80 degrees.", id="second", metadata={"source": "b.md"}),
        Document("Defrost it once a year.", id="third"),
    ]
