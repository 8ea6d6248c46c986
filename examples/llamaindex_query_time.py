"""An index that is full of copies: filter what it returns, and measure the difference.

    python examples/llamaindex_query_time.py

Needs chunkfilter[llama-index,models,embeddings].
"""

from llama_index.core import VectorStoreIndex
from llama_index.core.llms.mock import MockLLM
from llama_index.core.node_parser import SentenceSplitter
from llama_index.core.schema import Document, NodeWithScore
from llamaindex_minilm import MiniLM

import chunkfilter as cf
from chunkfilter.demo.corpus import load_documents, questions_file
from llamaindex_chunkfilter import ChunkFilterPostprocessor, ChunkFilterRetriever, evaluate

QUESTION = "What should be done first when a refrigerant circuit has been damaged?"


def show(title: str, nodes: list[NodeWithScore]) -> None:
    """Print where each node comes from, and how it begins."""
    print(title)
    for scored in nodes:
        print(f"  {scored.score:.3f} {scored.node.ref_doc_id:28} {scored.get_content()[:60]!r}")


def main() -> None:
    """Ask one question with and without a filter, then all of them."""
    index = VectorStoreIndex.from_documents(
        [Document(text=text, id_=name) for name, text in load_documents().items()],
        transformations=[SentenceSplitter(chunk_size=100, chunk_overlap=40)],
        embed_model=MiniLM(),
    )
    plain = index.as_retriever(similarity_top_k=5)
    show("plain:", plain.retrieve(QUESTION))

    # a postprocessor drops copies from what was retrieved; no language model is asked here
    engine = index.as_query_engine(
        llm=MockLLM(), similarity_top_k=5, node_postprocessors=[ChunkFilterPostprocessor(policy="coverage")]
    )
    show("postprocessed:", engine.query(QUESTION).source_nodes)

    # a retriever fills up to five again
    show("refilled:", ChunkFilterRetriever(plain, policy="coverage", k=5).retrieve(QUESTION))

    with questions_file() as path:
        questions = cf.load_questions(path)
    for policy in (None, "exact", "coverage"):
        report = evaluate(index, questions, policy, k=5, budgets=(500,))
        rates = ", ".join(
            f"{name} {report.rates[name]:.3f}" for name in ("recall", "evidence_recall", "budget_recall@500")
        )
        print(f"{policy or 'no filter':9}  {rates}   ({report.questions} questions, top {report.k})")


if __name__ == "__main__":
    main()
