"""Files -> splitter -> filter -> MiniLM -> Chroma, with a docstore; then the same split by two workers.

    python examples/llamaindex_pipeline.py [FOLDER_WITH_TEXTS]

Without a folder it reads the embedded handbook. Needs chunkfilter[llama-index,models,embeddings,chroma] and
llama-index-vector-stores-chroma.
"""

import os
import sys
import tempfile
from pathlib import Path

import chromadb
import llama_index.core
from llama_index.core import SimpleDirectoryReader
from llama_index.core.ingestion import DocstoreStrategy, IngestionPipeline
from llama_index.core.node_parser import SentenceSplitter
from llama_index.core.schema import Document
from llama_index.core.storage.docstore import SimpleDocumentStore
from llama_index.vector_stores.chroma import ChromaVectorStore
from llamaindex_minilm import MiniLM

import chunkfilter.demo
from llamaindex_chunkfilter import ChunkFilterTransform

HANDBOOK = Path(chunkfilter.demo.__file__).parent / "corpus"

#: Tokens of a chunk, metadata included.
CHUNK, OVERLAP = 256, 64


def load(folder: Path) -> list[Document]:
    """Every text file of a folder; its path is its id, which upserts need, and stands in its metadata."""
    reader = SimpleDirectoryReader(folder, recursive=True, required_exts=[".md", ".txt"], filename_as_id=True)
    return reader.load_data()


def ingest(documents: list[Document], policy: str, state: Path) -> None:
    """Ingest the same documents twice: the second run finds nothing to do."""
    client = chromadb.PersistentClient(str(state), chromadb.Settings(anonymized_telemetry=False))
    collection = client.get_or_create_collection("handbook")
    step = ChunkFilterTransform(policy)
    pipeline = IngestionPipeline(
        transformations=[SentenceSplitter(chunk_size=CHUNK, chunk_overlap=OVERLAP), step, MiniLM()],
        vector_store=ChromaVectorStore(chroma_collection=collection),
        docstore=SimpleDocumentStore(),
        docstore_strategy=DocstoreStrategy.UPSERTS,
    )
    for run in ("first", "second"):
        nodes = pipeline.run(documents=documents)
        print(f"{policy}, {run} run: {len(nodes)} nodes stored, {collection.count()} in the collection")
        if step.last_report and step.last_report.received:
            report = step.last_report
            print(f"  {report.kept} of {report.received} kept; removed by {report.result.removed_by_rule}")
            print(f"  {len(report.needed_by)} documents hold the only copy of text of others")


def with_workers(documents: list[Document]) -> None:
    """Workers split, one process filters: as many nodes as without workers."""
    # where there is no network, a splitter that is unpickled in a worker must be told where its tokens are
    table = Path(llama_index.core.__file__).parent / "_static" / "tiktoken_cache"
    os.environ.setdefault("TIKTOKEN_CACHE_DIR", str(table))
    splitter = SentenceSplitter(chunk_size=CHUNK, chunk_overlap=OVERLAP)
    step = ChunkFilterTransform()

    alone = IngestionPipeline(transformations=[splitter, step]).run(documents=documents)
    chunks = IngestionPipeline(transformations=[splitter]).run(documents=documents, num_workers=2)
    whole = step(chunks)
    print(f"one process: {len(alone)} nodes")
    print(f"two workers, then the filter: {len(whole)} nodes")


def main(folder: Path, state: Path) -> None:
    """Ingest a folder across documents, then each document by itself, then with workers."""
    documents = load(folder)
    ingest(documents, "coverage", state / "across")
    # a text that other documents hold too then stays in each: documents can be updated and deleted freely
    ingest(documents, "coverage scope=source", state / "within")
    with_workers(documents)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as scratch:
        main(Path(sys.argv[1]) if len(sys.argv) > 1 else HANDBOOK, Path(scratch))
