"""``evaluate``: how much of the references a retriever brings back, with and without a policy."""

from collections.abc import Iterable, Sequence

from langchain_core.documents import Document
from langchain_core.embeddings import Embeddings
from langchain_core.runnables import Runnable
from langchain_core.vectorstores import VectorStore
from tqdm import tqdm

from chunkfilter import Policy, Question, RetrievalReport
from chunkfilter.retrieval import evaluate_retriever
from langchain_chunkfilter.documents import to_chunks
from langchain_chunkfilter.retriever import ChunkFilterRetriever


def evaluate(
    retriever: Runnable[str, list[Document]] | VectorStore,
    questions: Iterable[Question],
    policy: str | Policy | None = None,
    *,
    embeddings: Embeddings | None = None,
    k: int = 5,
    budgets: Sequence[int] = (500, 1000, 2000),
    tokens: Sequence[str] = ("word",),
    show_progress: bool = False,
) -> RetrievalReport:
    """Ask every question and measure what comes back against its references.

    A policy filters what was retrieved, as :class:`ChunkFilterRetriever` does. What a policy does while
    documents are indexed is measured by evaluating the store that was filled with the kept ones, or by
    ``chunkfilter.compare(to_chunks(documents), questions, policies)``.

    Args:
        retriever: any retriever, or a vector store; also a ``ChunkFilterRetriever``, whose own policy then
            holds.
        questions: q questions, for example from ``chunkfilter.load_questions``.
        policy: applied to what is retrieved; ``None`` for nothing.
        embeddings: for policies that need vectors.
        k: documents that count.
        budgets: numbers of paid tokens at which recall is measured; more than ``k`` documents are fetched
            until they hold as many, where the retriever can be asked for them.
        tokens: ``word``, ``lemma`` or both.
        show_progress: show a bar on stderr.

    Returns:
        The measures, one value a question; ``.rates`` has their means.

    Raises:
        InputError: no questions, or a value out of bounds.
        pydantic.ValidationError: a policy that does not parse or lacks what it needs.
    """
    chosen = "none blank=keep" if policy is None else policy
    filtered = ChunkFilterRetriever(base=retriever, policy=chosen, embeddings=embeddings, k=k)
    return evaluate_retriever(
        lambda text, count: to_chunks(filtered.invoke(text, k=count)),
        questions,
        k=k,
        budgets=budgets,
        tokens=tokens,
        progress=lambda asked: tqdm(asked, desc="asking", disable=not show_progress),
    )
