"""An index that is full of copies: filter what it returns, and measure the difference.

    python examples/langchain_query_time.py

Needs chunkfilter[langchain,embeddings,splitters,models].
"""

from langchain_core.documents import Document
from langchain_core.vectorstores import InMemoryVectorStore
from langchain_minilm import MiniLM

import chunkfilter as cf
from chunkfilter.demo.corpus import load_documents, questions_file
from langchain_chunkfilter import ChunkFilterRetriever, ChunkFilterSplitter, evaluate

QUESTION = "What should be done first when a refrigerant circuit has been damaged?"


def show(title: str, documents: list[Document]) -> None:
    """Print where each document comes from, and how it begins."""
    print(title)
    for document in documents:
        print(f"  {document.metadata['source']:28} {document.page_content[:60]!r}")


def main() -> None:
    """Ask one question with and without a filter, then all of them."""
    store = InMemoryVectorStore(MiniLM())
    documents = [Document(text, metadata={"source": name}) for name, text in load_documents().items()]
    store.add_documents(ChunkFilterSplitter("recursive:400:0").split_documents(documents))

    show("plain:", store.as_retriever(search_kwargs={"k": 5}).invoke(QUESTION))
    show("filtered:", ChunkFilterRetriever(base=store, policy="coverage", k=5).invoke(QUESTION))

    with questions_file() as path:
        questions = cf.load_questions(path)
    for policy in (None, "exact", "coverage"):
        report = evaluate(store, questions, policy, k=5, budgets=[500])
        rates = ", ".join(
            f"{name} {report.rates[name]:.3f}" for name in ("recall", "evidence_recall", "budget_recall@500")
        )
        print(f"{policy or 'no filter':9}  {rates}   ({report.questions} questions, top {report.k})")


if __name__ == "__main__":
    main()
