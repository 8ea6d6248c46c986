"""The recipes of docs/llamaindex.md run as they stand, one after another."""

import re
from pathlib import Path
from typing import Any

import pytest
from llama_index.core import Document, MockEmbedding, Settings, VectorStoreIndex
from llama_index.core.ingestion import IngestionPipeline
from llama_index.core.llms import MockLLM

from chunkfilter.demo import questions_file
from chunkfilter.demo.corpus import load_documents
from llamaindex_chunkfilter import ChunkFilterTransform

DOCS = (Path(__file__).parents[2] / "docs" / "llamaindex.md").read_text(encoding="utf-8")
RECIPES = re.findall(r"```python\n(.*?)```", DOCS, re.DOTALL)
# two worker processes load what one does at once; tests/llamaindex/test_workers.py runs them
ONE_PROCESS = ("num_workers=4", "num_workers=1")


@pytest.fixture
def names(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """What a reader of the recipes has already: documents, models, an index."""
    monkeypatch.setattr(Settings, "_llm", MockLLM())
    monkeypatch.setattr(Settings, "_embed_model", MockEmbedding(embed_dim=8))
    documents = [Document(text=text, doc_id=name) for name, text in list(load_documents().items())[:30]]
    documents.append(Document(text=documents[0].text, doc_id="a copy"))
    return {
        "documents": documents,
        "embed_model": Settings.embed_model,
        "index": VectorStoreIndex.from_documents(documents[:6]),
    }


def test_the_recipes_run_as_they_stand(
    names: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with questions_file() as path:
        Path("questions.jsonl").write_text(path.read_text(encoding="utf-8"), encoding="utf-8")
    assert len(RECIPES) >= 4
    for number, recipe in enumerate(RECIPES, 1):
        code = recipe.replace(*ONE_PROCESS)
        exec(compile(code, f"recipe {number} of docs/llamaindex", "exec"), names)
        if number == 1:
            assert names["step"].last_report.removals
    assert names["retriever"].retrieve("How cold does it get?")
    assert names["engine"].query("How cold does it get?").source_nodes
    unfiltered = IngestionPipeline(transformations=names["pipeline"].transformations[:1])
    assert len(names["nodes"]) == len(
        ChunkFilterTransform("coverage")(unfiltered.run(documents=names["documents"]))
    )
