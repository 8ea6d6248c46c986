"""Files -> splitter -> filter -> Chroma, twice: the second run finds nothing to embed.

    python examples/langchain_ingest.py [FOLDER_WITH_TEXTS]

Without a folder it reads the embedded handbook. Needs chunkfilter[langchain,embeddings,models],
langchain-chroma, langchain-classic and langchain-text-splitters.
"""

import sys
import tempfile
from pathlib import Path

from langchain_chroma import Chroma
from langchain_classic.embeddings import CacheBackedEmbeddings
from langchain_classic.storage import LocalFileStore
from langchain_core.documents import Document
from langchain_core.indexing import InMemoryRecordManager, index
from langchain_core.runnables import RunnableLambda
from langchain_minilm import MiniLM
from langchain_text_splitters import RecursiveCharacterTextSplitter

import chunkfilter.demo
from langchain_chunkfilter import ChunkFilter

HANDBOOK = Path(chunkfilter.demo.__file__).parent / "corpus"


def load(folder: Path) -> list[Document]:
    """Every text file of a folder, by name: the first of two copies is the one that stays."""
    paths = sorted(path for path in folder.rglob("*") if path.suffix in {".md", ".txt"})
    return [
        Document(path.read_text(encoding="utf-8"), metadata={"source": path.relative_to(folder).as_posix()})
        for path in paths
    ]


def main(folder: Path, state: Path) -> None:
    """Ingest a folder twice."""
    model = MiniLM()
    # the cache stands in front of every use, so a text is embedded once, whoever asks for it
    embeddings = CacheBackedEmbeddings.from_bytes_store(
        model, LocalFileStore(state / "vectors"), namespace="all-MiniLM-L6-v2", key_encoder="sha256"
    )
    splitter = RecursiveCharacterTextSplitter(chunk_size=400, chunk_overlap=200, add_start_index=True)
    # coverage needs no vectors; the model only tells how much of a chunk it reads
    chunk_filter = ChunkFilter(policy="coverage", embeddings=model)
    chain = RunnableLambda(load) | splitter.split_documents | chunk_filter.transform_documents

    store = Chroma("handbook", embeddings, persist_directory=str(state / "chroma"))
    # the indexing API needs a record of what is stored; a real pipeline keeps it in a database
    records = InMemoryRecordManager("handbook")
    records.create_schema()
    for run in ("first", "second"):
        # "full": a text whose only indexed copy changes comes back from another source
        done = index(
            chain.invoke(folder), records, store, cleanup="full", source_id_key="source", key_encoder="sha256"
        )
        print(f"{run} run: {done['num_added']} added, {done['num_skipped']} unchanged")

    chunks = splitter.split_documents(load(folder))
    kept, result = chunk_filter.filter_with_result(chunks)
    print(f"{len(kept)} of {len(chunks)} chunks kept, {result.reduction:.1f} % removed")
    print(f"removed by: {result.removed_by_rule}")
    removal = result.removed[0]
    print(f"for example, from {chunks[removal.index].metadata['source']}:")
    print(f"  {chunks[removal.index].page_content[:90]!r}")
    for place in removal.kept_by:
        print(f"  is in a chunk of {chunks[place].metadata['source']}")


if __name__ == "__main__":
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as scratch:
        main(Path(sys.argv[1]) if len(sys.argv) > 1 else HANDBOOK, Path(scratch))
