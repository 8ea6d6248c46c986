"""``evaluate``: how much of the references a retriever brings back, with and without a policy."""

from collections.abc import Iterable, Sequence
from typing import Any

from llama_index.core.base.base_retriever import BaseRetriever
from llama_index.core.embeddings.utils import EmbedType
from llama_index.core.indices.base import BaseIndex
from llama_index.core.schema import QueryBundle
from llama_index.core.utils import get_tqdm_iterable

from chunkfilter import Chunk, Policy, Question, RetrievalReport
from chunkfilter.errors import InputError
from chunkfilter.retrieval import evaluate_retriever
from llamaindex_chunkfilter.nodes import to_chunks
from llamaindex_chunkfilter.retriever import ChunkFilterRetriever


def evaluate(
    retriever: BaseRetriever | BaseIndex[Any],
    questions: Iterable[Question],
    policy: str | Policy | None = None,
    *,
    embed_model: EmbedType | None = None,
    k: int = 5,
    budgets: Sequence[int] = (500, 1000, 2000),
    tokens: Sequence[str] = ("word",),
    show_progress: bool = False,
) -> RetrievalReport:
    """Ask every question and measure what comes back against its references.

    A policy filters what was retrieved, as :class:`ChunkFilterRetriever` does. What a policy does while
    documents are ingested is measured by evaluating an index over the kept nodes, or by
    ``chunkfilter.compare(to_chunks(nodes), questions, policies)``.

    Args:
        retriever: any retriever, or an index, whose default retriever is then asked.
        questions: q questions, for example from ``chunkfilter.load_questions``.
        policy: applied to what is retrieved; ``None`` for nothing.
        embed_model: for policies that need vectors.
        k: nodes that count.
        budgets: numbers of paid tokens at which recall is measured; more than ``k`` nodes are fetched until
            they hold as many, where the retriever has a ``similarity_top_k``.
        tokens: ``word``, ``lemma`` or both.
        show_progress: show a bar on stderr.

    Returns:
        The measures, one value a question; ``.rates`` has their means.

    Raises:
        InputError: neither a retriever nor an index, no questions, or a value out of bounds.
        PolicyError: the policy does not parse.
    """
    base = retriever.as_retriever() if isinstance(retriever, BaseIndex) else retriever
    if not isinstance(base, BaseRetriever):
        raise InputError(f"retriever: got {retriever!r:.200}; expected a LlamaIndex retriever or index")
    chosen = Policy.parse("none blank=keep" if policy is None else policy)
    queries: dict[str, QueryBundle] = {}  # a retriever leaves the question's vector on it, for the next round

    def ask(text: str, count: int) -> list[Chunk]:
        query = queries.setdefault(text, QueryBundle(text))
        return to_chunks(ChunkFilterRetriever(base, chosen, count, count, embed_model).retrieve(query))

    return evaluate_retriever(
        ask,
        questions,
        k=k,
        budgets=budgets,
        tokens=tokens,
        progress=lambda asked: get_tqdm_iterable(asked, show_progress, "asking"),
    )
