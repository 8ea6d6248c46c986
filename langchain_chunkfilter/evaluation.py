"""``evaluate``: how much of the references a retriever brings back, with and without a policy."""

import re
from collections import Counter
from collections.abc import Iterable, Sequence

from langchain_core.documents import Document
from langchain_core.embeddings import Embeddings
from langchain_core.runnables import Runnable
from langchain_core.vectorstores import VectorStore
from tqdm import tqdm

from chunkfilter import Policy, Question, RetrievalReport, evaluate_retrieved
from chunkfilter.errors import InputError
from chunkfilter.filtering.run import logged_as_detail
from langchain_chunkfilter.documents import to_chunks
from langchain_chunkfilter.retriever import ChunkFilterRetriever

_WORD = re.compile(r"\w+")
#: A guess at the words of a short document: where it holds, one search a question is deep enough.
_SHORT = 40


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
    if not isinstance(questions, Iterable):
        raise InputError(f"questions: got {questions!r:.80}; expected several Questions")
    asked = list(questions)
    chosen = "none blank=keep" if policy is None else policy
    filtered = ChunkFilterRetriever(base=retriever, policy=chosen, embeddings=embeddings, k=k)
    # a mistake is told before anything is asked
    evaluate_retrieved(asked, [()] * len(asked), k=k, budgets=budgets, tokens=tokens)
    with logged_as_detail():
        retrieved = [
            to_chunks(_deep_enough(filtered, question.text, max(budgets, default=0)))
            for question in tqdm(asked, desc="asking", disable=not show_progress)
        ]
    return evaluate_retrieved(asked, retrieved, k=k, budgets=budgets, tokens=tokens)


def _deep_enough(retriever: ChunkFilterRetriever, text: str, budget: int) -> list[Document]:
    """What the retriever returns, then more until all hold as many words as the budget or nothing is left."""
    found = retriever.invoke(text)
    reached, wanted = found, max(2 * retriever.k, budget // _SHORT)
    while _words(reached) < budget and len(reached) >= retriever.k:
        deeper = retriever.invoke(text, k=wanted)
        # fetching more may change what stands for what: the first k stay those that a user gets
        reached = [*found, *_others(deeper, found)]
        if len(deeper) < wanted:
            break
        wanted *= 2
    return reached


def _words(documents: list[Document]) -> int:
    return sum(len(_WORD.findall(document.page_content)) for document in documents)


def _others(documents: list[Document], found: list[Document]) -> list[Document]:
    """Documents beyond those already found, copies counted."""
    left = Counter(document.page_content for document in found)
    others = []
    for document in documents:
        if left[document.page_content]:
            left[document.page_content] -= 1
        else:
            others.append(document)
    return others
