"""What every adapter of a retrieval framework needs: rank what is kept, fetch until enough is left, measure.

An adapter turns the framework's objects into chunks and asks the framework's retriever; these functions
decide. None of them knows a framework.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Sized
from typing import TYPE_CHECKING, Any

from chunkfilter.chunk import Chunk
from chunkfilter.errors import InputError, VectorError
from chunkfilter.result import FilterResult

if TYPE_CHECKING:
    from chunkfilter.evaluate.questions import Question
    from chunkfilter.evaluate.retrieved import RetrievalReport

#: Items fetched for each one wanted, where nothing else is said.
FETCHED_PER_RESULT = 4

_WORD = re.compile(r"\w+")
#: A guess at the words of a short chunk: where it holds, one more search a question fills a budget.
_SHORT = 40


def best_ranks(result: FilterResult) -> dict[int, int]:
    """The best rank among each kept chunk and all the chunks that it covers.

    Args:
        result: what was decided about chunks in the order of their rank, best first.

    Returns:
        Kept position -> the smallest position among it and those that it covers.
    """
    ranks = {position: position for position in result.kept}
    for removal in result.removed:
        for kept in removal.kept_by:
            ranks[kept] = min(ranks[kept], removal.index)
    return ranks


def kept_by_rank(result: FilterResult) -> list[int]:
    """The kept positions of ranked chunks, each at the best rank of all the chunks that it covers.

    A chunk may be covered by a longer one of a lower rank. That one then takes its place, so that a cut after
    the first k never loses what was ranked among them.

    Args:
        result: what was decided about chunks in the order of their rank, best first.

    Returns:
        All of ``result.kept``, best first.
    """
    ranks = best_ranks(result)
    return sorted(result.kept, key=lambda position: (ranks[position], position))


def provenance(result: FilterResult, names: Sequence[str | None]) -> dict[int, list[str]]:
    """What each kept chunk also represents.

    Args:
        result: the decisions about n chunks.
        names: what each chunk is called, shape (n,): its id or its source; ``None`` becomes ``#position``.

    Returns:
        Kept position -> names of the removed chunks that it covers, in their order; only kept chunks that
        cover any.
    """
    covered: dict[int, list[str]] = {}
    for removal in result.removed:
        for kept in removal.kept_by:
            covered.setdefault(kept, []).append(names[removal.index] or f"#{removal.index}")
    return covered


class Refill:
    """How many items to fetch, again and again, until k are left after filtering.

    Ask for :attr:`size` items, filter them, and tell :meth:`enough`; until it says yes, ask again. Each time
    twice as many are asked for. Where items are never enough, the source is exhausted at last: it returns
    fewer than asked for and no more than before. (Fewer alone proves nothing: some sources drop copies.)

    Args:
        k: items wanted, at least 1.
        fetch_k: items fetched at first, at least k; ``None`` for four times k.
        resizable: whether the source can be asked for a number of items; else it is asked once.

    Raises:
        InputError: a number that is none, or out of bounds.
    """

    def __init__(self, k: int, fetch_k: int | None = None, *, resizable: bool = True) -> None:
        for name, number in (("k", k), ("fetch_k", k if fetch_k is None else fetch_k)):
            if not isinstance(number, int) or isinstance(number, bool) or number < 1:
                raise InputError(f"{name}: got {number!r:.80}; expected at least 1, a whole number")
        if fetch_k is not None and fetch_k < k:
            raise InputError(f"fetch_k: got {fetch_k}; expected at least k, which is {k}")
        self.k = k
        self.size = FETCHED_PER_RESULT * k if fetch_k is None else fetch_k
        self._resizable = resizable
        self._before = -1

    def enough(self, found: int, kept: int) -> bool:
        """Whether to stop; else :attr:`size` is what to ask for next.

        Args:
            found: items that came back.
            kept: items left of them.
        """
        exhausted = found < self.size and found == self._before
        if kept >= self.k or exhausted or not self._resizable:
            return True
        self._before = found
        self.size *= 2
        return False


def texts_to_embed(texts: Iterable[str]) -> list[str]:
    """The distinct texts that are not blank; some services refuse blank ones."""
    return [text for text in dict.fromkeys(texts) if text.strip()]


def embedded(texts: Sequence[str], vectors: Any, embedder: str) -> dict[str, Any]:
    """What an embedder returned for :func:`texts_to_embed`, by text.

    Args:
        texts: n texts.
        vectors: n rows.
        embedder: what an error calls the embedder.

    Raises:
        VectorError: not one row a text.
    """
    if not isinstance(vectors, Sized) or isinstance(vectors, str) or len(vectors) != len(texts):
        raise VectorError(
            f"embeddings {embedder}: returned {vectors!r:.80} for {len(texts)} texts; "
            "expected one vector a text"
        )
    return dict(zip(texts, vectors, strict=True))  # type: ignore[call-overload]  # rows of any kind


def vector_rows(
    texts: Sequence[str], embedded: Mapping[str, Any], own: Sequence[Any] | None = None
) -> list[Any]:
    """One vector a text, as ``filter_chunks(vectors=...)`` takes them.

    Args:
        texts: n texts.
        embedded: vectors by text; a text that is not in it, such as a blank one, gets ``None``.
        own: n vectors that the items carry themselves and that win; ``None`` where one carries none.
    """
    carried = own or [None] * len(texts)
    return [
        embedded.get(text) if vector is None else vector for text, vector in zip(texts, carried, strict=True)
    ]


def evaluate_retriever(
    ask: Callable[[str, int], Sequence[Chunk]],
    questions: Iterable["Question"],
    *,
    k: int = 5,
    budgets: Sequence[int] = (500, 1000, 2000),
    tokens: Sequence[str] = ("word",),
    progress: Callable[[list["Question"]], Iterable["Question"]] = iter,
) -> "RetrievalReport":
    """Ask every question and measure what comes back against its references.

    Args:
        ask: from a question's text and a number to at most as many chunks, best first. Asked for k first;
            where these hold fewer words than a budget, for more.
        questions: q questions, for example from ``chunkfilter.load_questions``.
        k: chunks that count.
        budgets: numbers of paid tokens at which recall is measured.
        tokens: ``word``, ``lemma`` or both.
        progress: goes through the questions, for example with a bar.

    Returns:
        The measures, one value a question; ``.rates`` has their means.

    Raises:
        InputError: no questions, or a value out of bounds; told before anything is asked.
    """
    from chunkfilter.evaluate.retrieved import evaluate_retrieved  # only who evaluates waits for it
    from chunkfilter.filtering.run import logged_as_detail

    if not isinstance(questions, Iterable):
        raise InputError(f"questions: got {questions!r:.80}; expected several Questions")
    asked = list(questions)
    evaluate_retrieved(asked, [()] * len(asked), k=k, budgets=budgets, tokens=tokens)
    with logged_as_detail():
        retrieved = [
            _until_budget(ask, question.text, k, max(budgets, default=0)) for question in progress(asked)
        ]
    return evaluate_retrieved(asked, retrieved, k=k, budgets=budgets, tokens=tokens)


def _until_budget(ask: Callable[[str, int], Sequence[Chunk]], text: str, k: int, budget: int) -> list[Chunk]:
    """The k chunks that a user gets, then more until they hold the words of the budget or none are left."""
    found = ask(text, k)
    reached, wanted = list(found), max(2 * k, budget // _SHORT)
    while sum(len(_WORD.findall(chunk.text)) for chunk in reached) < budget and len(reached) >= k:
        deeper = ask(text, wanted)
        # fetching more may change what covers what: the first k are those that a user gets
        reached = [*found, *_others(deeper, found)]
        if len(deeper) < wanted:
            break
        wanted *= 2
    return reached


def _others(chunks: Sequence[Chunk], found: Sequence[Chunk]) -> Iterator[Chunk]:
    """Chunks beyond those already found, copies counted."""
    left = Counter(chunk.text for chunk in found)
    for chunk in chunks:
        if left[chunk.text]:
            left[chunk.text] -= 1
        else:
            yield chunk
