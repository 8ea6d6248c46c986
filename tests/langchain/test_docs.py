"""The recipes of docs/langchain.md run as they stand, one after another."""

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import chromadb
import pytest
from langchain_chroma import Chroma
from langchain_classic.retrievers import ParentDocumentRetriever
from langchain_classic.storage import InMemoryStore
from langchain_core.documents import Document
from langchain_core.embeddings import Embeddings
from langchain_core.indexing import InMemoryRecordManager
from langchain_text_splitters import RecursiveCharacterTextSplitter

from chunkfilter.demo import questions_file

DOCS = (Path(__file__).parents[2] / "docs" / "langchain.md").read_text(encoding="utf-8")
RECIPES = re.findall(r"```python\n(.*?)```", DOCS, re.DOTALL)


@pytest.fixture
def in_memory() -> Iterator[Any]:
    client = chromadb.EphemeralClient()
    yield client
    for collection in client.list_collections():
        client.delete_collection(collection.name)


@pytest.fixture
def names(
    load: Callable[[object], list[Document]], identified: list[Document], minilm: Embeddings, in_memory: Any
) -> dict[str, Any]:
    """What a reader of the recipes has already: a loader, split documents, a model, stores."""
    few = load(None)[:8]
    records = InMemoryRecordManager(namespace="docs")
    records.create_schema()
    children = RecursiveCharacterTextSplitter(chunk_size=300, chunk_overlap=0)
    return {
        "load": lambda _=None: few,
        "documents": identified[:60],
        "embeddings": minilm,
        "record_manager": records,
        "store": Chroma("docs", minilm, client=in_memory),
        "client": in_memory,
        "child_splitter": children,
        "retriever": ParentDocumentRetriever(
            vectorstore=Chroma("children", minilm, client=in_memory),
            docstore=InMemoryStore(),
            child_splitter=children,
        ),
    }


def test_the_recipes_run_as_they_stand(
    names: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with questions_file() as path:
        Path("questions.jsonl").write_text(path.read_text(encoding="utf-8"), encoding="utf-8")
    assert len(RECIPES) >= 7
    for number, recipe in enumerate(RECIPES, 1):
        exec(compile(recipe, f"recipe {number} of docs/langchain", "exec"), names)
    assert names["chain"].invoke(None)
    assert names["store"].similarity_search("How cold does it get?")
    assert names["client"].get_collection("handbook").count() == len(names["kept"])
