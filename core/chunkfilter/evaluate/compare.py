"""``compare``: what each policy does to retrieval, on the same chunks and questions."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from chunkfilter.chunk import Chunk, as_chunks
from chunkfilter.errors import InputError
from chunkfilter.evaluate.arguments import (
    refuse_margin,
    refuse_no_count,
    refuse_two_lengths,
    several,
)
from chunkfilter.evaluate.arms import BESIDE, Arm, plain_arm, policy_arm, reference_arm
from chunkfilter.evaluate.bench import Bench, Settings
from chunkfilter.evaluate.cached_embedder import cached_embedder
from chunkfilter.evaluate.comparison import Comparison
from chunkfilter.evaluate.corpora import Corpora, corpus_rows
from chunkfilter.evaluate.filtering import Filtering
from chunkfilter.evaluate.measures import checked_measures
from chunkfilter.evaluate.questions import Question
from chunkfilter.evaluate.rivals import RIVALS, rival_arm
from chunkfilter.evaluate.rows import make_rows, measure_arm
from chunkfilter.evaluate.search import BuildIndex, search_named
from chunkfilter.evaluate.sweep import expanded
from chunkfilter.policy import Policy
from chunkfilter.signals.embedders import Embedder, as_embedder, embedder_label, encode_queries
from chunkfilter.signals.vectors import embed_distinct
from chunkfilter.text.characters import is_blank

DEFAULT_EMBEDDER = "package:all-MiniLM-L6-v2"


def compare(
    chunks: Iterable[Chunk | str],
    questions: Iterable[Question],
    policies: Sequence[str | Policy] = ("none", "exact", "coverage"),
    embedder: Any = None,
    k: int = 5,
    budgets: Sequence[int] = (500, 1000, 2000),
    tokens: Sequence[str] = ("word", "lemma"),
    seeds: int = 20,
    margin: float = 0.01,
    *,
    measures: Sequence[str] = (),
    depths: Sequence[int] = (1, 3, 5, 10),
    groups: Mapping[str, str] | None = None,
    beside: Sequence[str] = (),
    rivals: Sequence[str] = (),
    entities: Any = None,
    topics: Any = None,
    search: str = "exact",
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
        chunks: n chunks or strings. Blank ones stay unless a policy says ``blank=drop``.
        questions: q questions.
        policies: what is compared; a last stage ``random@p`` is the mean over ``seeds`` seeds. A text with a
            sweep, ``similarity@0.6..0.95/0.05``, stands for one policy at each threshold.
        embedder: what :func:`chunkfilter.signals.embedders.as_embedder` accepts; ``None`` for the MiniLM
            weights of the extra ``models``.
        k: chunks retrieved.
        budgets: numbers of paid tokens at which recall is measured.
        tokens: ``word``, ``lemma`` or both.
        seeds: draws of each random arm, at least 1.
        margin: the largest loss, in recall from 0 to 1, that verdicts accept.
        measures: groups of measures beyond the usual ones: ``document`` (precision, recall and F1 of
            retrieved documents, without and with credit for what a keeper replaced), ``evidence`` (the same
            of sentences), ``hit-rate`` (and MRR, in three readings), ``ndcg``.
        depths: numbers of chunks at which those are taken, beside ``k``.
        groups: source -> corpus, for rows per corpus and their macro mean.
        beside: what is put beside each policy at its own size: ``control``, random removal after exact.
        rivals: rules put beside each policy that removes something, at the threshold, found by bisection, at
            which they keep as many characters: ``minhash``, ``similarity``, without guards. Exploratory.
        entities: for policies that read entities; what :func:`chunkfilter.filter_chunks` accepts.
        topics: for ``+topics``, likewise.
        search: ``exact`` or ``chroma``.
        seed: of the bootstrap.
        show_progress: show a bar on stderr while texts are embedded.

    Raises:
        InputError: no chunks, no questions, a question without a reference, or a value out of bounds.
        PolicyError: a policy does not parse.
        MissingExtraError: an optional package is needed and missing; the message has the line that installs
            it.
    """
    settings = _settings(k, budgets, tokens, measures, depths)
    parsed = expanded(policies)
    _refuse_unknown("beside", beside, BESIDE)
    _refuse_unknown("rivals", rivals, RIVALS)
    refuse_no_count("seeds", seeds)
    refuse_no_count("seed", seed, least=0)
    refuse_margin(margin)
    build_index = search_named(search)
    items, asked = as_chunks(chunks), checked_questions(questions)
    if not items:
        raise InputError("chunks: got none; expected at least one")
    encoder = cached_embedder(DEFAULT_EMBEDDER if embedder is None else embedder, show_progress=show_progress)
    bench = make_bench(items, asked, encoder, build_index, settings)
    corpora = Corpora.of(bench, groups or {})
    filtering = Filtering(bench, encoder, entities, topics, show_progress)
    arms = [
        arm
        for policy in parsed
        for arm in _with_companions(
            policy_arm(bench, policy, filtering, seeds), corpora, beside, rivals, filtering, seeds
        )
    ]
    return compare_arms(bench, arms, corpora, margin, seed, embedder_label(encoder))


def _settings(
    k: int, budgets: Sequence[int], tokens: Sequence[str], measures: Sequence[str], depths: Sequence[int]
) -> Settings:
    return Settings(
        k,
        several("budgets", budgets, "whole numbers"),
        several("tokens", tokens, "kinds of tokens"),
        checked_measures(measures),
        several("depths", depths, "whole numbers"),
    )


def _with_companions(
    arm: Arm,
    corpora: Corpora,
    beside: Sequence[str],
    rivals: Sequence[str],
    filtering: Filtering,
    seeds: int,
) -> Iterator[Arm]:
    """An arm, and what is put beside it at its size; a rival only where something was removed."""
    yield arm
    for name in beside:
        yield BESIDE[name](filtering.bench, arm, corpora.of_chunks, seeds)
    if not arm.draws[0].all():
        for name in rivals:
            yield rival_arm(filtering.bench, name, arm, filtering)


def compare_arms(
    bench: Bench, arms: Sequence[Arm], corpora: Corpora, margin: float, seed: int, embedder: str
) -> Comparison:
    """Measure arms on a bench, beside no filter and the reference.

    Args:
        bench: chunks, questions and how the nearest are found.
        arms: what is compared.
        corpora: to which corpus chunks and questions belong.
        margin: the largest loss that verdicts accept.
        seed: of the bootstrap.
        embedder: what reports call it.
    """
    trials = [measure_arm(bench, arm) for arm in arms]
    reference, plain = measure_arm(bench, reference_arm(bench)), measure_arm(bench, plain_arm(bench))
    sample = corpora.whole(margin, seed)
    rows, family = make_rows(bench, [*trials, reference], reference, plain, sample)
    holders = bench.holders
    return Comparison(
        chunks=len(bench.chunks),
        blank=sum(map(is_blank, bench.texts)),
        questions=len(bench.questions),
        rows=tuple(rows[:-1]),
        reference=rows[-1],
        corpora=corpus_rows(bench, trials, reference, corpora, margin, seed),
        family=family,
        whole=len(np.unique(holders.questions[holders.everywhere.lengths > 0])),
        k=bench.settings.k,
        margin=margin,
        intervals=sample.description,
        embedder=embedder,
    )


def make_bench(
    chunks: list[Chunk],
    questions: list[Question],
    embedder: Embedder,
    build_index: BuildIndex,
    settings: Settings,
) -> Bench:
    """Embed chunks and questions, and bring together what policies are measured on.

    Args:
        chunks: n chunks.
        questions: q questions, each with a reference.
        embedder: ranks the chunks.
        build_index: how the nearest are found.
        settings: what is measured.
    """
    vectors = embed_distinct([chunk.text for chunk in chunks], embedder)
    as_query = as_embedder(lambda texts: encode_queries(embedder, texts))
    queries = embed_distinct([question.text for question in questions], as_query)
    refuse_two_lengths(vectors, queries, embedder)
    return Bench(
        chunks,
        questions,
        vectors,
        queries,
        build_index,
        settings,
        lambda texts: embed_distinct(texts, embedder),
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


def _refuse_unknown(argument: str, names: Sequence[str], known: Iterable[str]) -> None:
    if not set(several(argument, names, f"some of {', '.join(known)}")) <= set(known):
        raise InputError(f"{argument}: got {names!r}; expected some of {', '.join(known)}")
