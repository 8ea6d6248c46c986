"""``compare``: what each policy does to retrieval, on the same chunks and questions."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from chunkfilter.chunk import Chunk, as_chunks
from chunkfilter.errors import InputError
from chunkfilter.evaluate.arguments import refuse_margin, refuse_no_count, several, several_of
from chunkfilter.evaluate.cached_embedder import cached_embedder
from chunkfilter.evaluate.collection import Collection, usual_settings
from chunkfilter.evaluate.comparison import Comparison
from chunkfilter.evaluate.metrics import checked_measures
from chunkfilter.evaluate.questions import Question
from chunkfilter.evaluate.rows import corpus_rows, family_tests, make_rows
from chunkfilter.evaluate.same_size import BESIDE
from chunkfilter.evaluate.sample import Corpora
from chunkfilter.evaluate.scores import score
from chunkfilter.evaluate.search import search_named
from chunkfilter.evaluate.sweep import expanded
from chunkfilter.evaluate.variants import Filters, Variant
from chunkfilter.policy import Policy
from chunkfilter.signals.embedders import embedder_label
from chunkfilter.text.normalise import is_blank

DEFAULT_EMBEDDER = "package:all-MiniLM-L6-v2"


def compare(
    chunks: Iterable[Chunk | str],
    questions: Iterable[Question],
    policies: Sequence[str | Policy] = ("none", "exact", "coverage"),
    *,
    embedder: Any = None,
    k: int = 5,
    budgets: Sequence[int] = (500, 1000, 2000),
    margin: float = 0.01,
    groups: Mapping[str, str] | None = None,
    beside: Sequence[str] = (),
    measures: Sequence[str] = (),
    depths: Sequence[int] = (1, 3, 5, 10),
    tokens: Sequence[str] = ("word", "lemma"),
    entities: Any = None,
    topics: Any = None,
    search: str = "exact",
    seeds: int = 20,
    seed: int = 0,
    show_progress: bool = False,
) -> Comparison:
    """Measure what policies do to retrieval.

    Chunks and questions are embedded once, from a cache on disk where the embedder has a name, and every
    question is ranked against every chunk once; a policy is a mask over that ranking.

    Differences and verdicts compare with no filter whose exact copies are merged at query time; they are
    about recall at the middle budget, and every row holds those of the other measures too. Intervals come
    from a paired bootstrap over documents if there are at least 20, else over questions.

    Args:
        chunks: n chunks or strings. Blank ones are kept unless a policy says ``blank=drop``.
        questions: q questions.
        policies: what is compared; a last stage ``random@p`` is the mean over ``seeds`` seeds. A text with a
            sweep, ``similarity@0.6..0.95/0.05``, means one policy at each threshold.
        embedder: what :func:`chunkfilter.signals.embedders.as_embedder` accepts; ``None`` for the MiniLM
            weights of the extra ``models``.
        k: chunks retrieved.
        budgets: numbers of paid tokens at which recall is measured.
        margin: the largest loss, in recall from 0 to 1, that verdicts accept.
        groups: source -> corpus, for rows per corpus and their macro mean.
        beside: what is put beside each policy at its own size: ``control``, random removal after exact;
            ``minhash`` or ``similarity``, without guards, at the threshold, found by bisection, at which they
            keep as many characters. Exploratory.
        measures: groups of measures beyond the usual ones: ``document`` (precision, recall and F1 of
            retrieved documents, without and with credit for what a representative replaced), ``evidence``
            (likewise of sentences), ``hit-rate`` (and MRR, in three readings), ``ndcg``.
        depths: numbers of chunks at which those are taken, beside ``k``.
        tokens: ``word``, ``lemma`` or both.
        entities: for policies that read entities; what :func:`chunkfilter.filter_chunks` accepts.
        topics: for ``+topics``, likewise.
        search: ``exact`` or ``chroma``.
        seeds: draws of each random variant, at least 1.
        seed: of the bootstrap.
        show_progress: show a bar on stderr while texts are embedded.

    Raises:
        InputError: no chunks, no questions, a question without a reference, or a value out of bounds.
        PolicyError: a policy does not parse.
        MissingExtraError: an optional package is needed and missing; the message has the line that installs
            it.
    """
    settings = replace(
        usual_settings(k, budgets, tokens),
        measures=checked_measures(measures),
        depths=several("depths", depths, "whole numbers"),
    )
    parsed, companions = expanded(policies), several_of("beside", beside, BESIDE)
    refuse_no_count("seeds", seeds)
    refuse_no_count("seed", seed, least=0)
    refuse_margin(margin)
    build_index = search_named(search)
    items, asked = as_chunks(chunks), checked_questions(questions)
    if not items:
        raise InputError("chunks: got none; expected at least one")
    encoder = cached_embedder(DEFAULT_EMBEDDER if embedder is None else embedder, show_progress=show_progress)
    data = Collection.embedded(items, asked, settings, encoder, build_index)
    corpora = Corpora.of(items, asked, groups)
    filters = Filters(data, encoder, entities, topics, show_progress=show_progress)
    variants: list[Variant] = []
    for policy in parsed:
        variants.append(filters.variant(policy, seeds))
        others = [BESIDE[name](variants[-1], filters, corpora.of_chunks, seeds) for name in companions]
        variants += [other for other in others if other is not None]
    return compared(data, variants, corpora, margin=margin, seed=seed, embedder=embedder_label(encoder))


def compared(
    data: Collection,
    variants: Sequence[Variant],
    corpora: Corpora,
    *,
    margin: float,
    seed: int,
    embedder: str,
) -> Comparison:
    """Measure variants beside no filter and the baseline.

    Args:
        data: chunks, questions and how the nearest are found.
        variants: what is compared.
        corpora: to which corpus chunks and questions belong.
        margin: the largest loss that verdicts accept.
        seed: of the bootstrap.
        embedder: what reports call it.
    """
    scores, sample = score(data, variants), corpora.whole(margin, seed)
    rows = make_rows(data, scores, sample)
    holders = data.holders
    return Comparison(
        chunks=len(data.chunks),
        blank=sum(map(is_blank, data.texts)),
        questions=len(data.questions),
        rows=tuple(rows[:-1]),
        baseline=rows[-1],
        corpora=corpus_rows(data, scores, corpora, margin, seed),
        family=family_tests(data, rows),
        with_evidence=len(np.unique(holders.questions[holders.anywhere.lengths > 0])),
        k=data.settings.k,
        margin=margin,
        intervals=sample.description,
        embedder=embedder,
    )


def checked_questions(questions: Iterable[Question]) -> list[Question]:
    """The questions, at least one, each with a reference.

    Raises:
        InputError: naming the question that has none, or is none.
    """
    if not isinstance(questions, Iterable):
        raise InputError(f"questions: got {questions!r:.80}; expected several Questions")
    asked = list(questions)
    if not asked:
        raise InputError("questions: got none; expected at least one question")
    for position, question in enumerate(asked):
        if not isinstance(question, Question):
            raise InputError(f"question {position}: got {question!r:.200}; expected a Question")
        if not question.references:
            raise InputError(
                f"question {position} (id {question.id!r}): has no reference; expected at least one"
            )
    return asked
