"""``compare``: rows, what they compare with, and what they say."""

import json

import numpy as np
import pytest

import chunkfilter as cf
from chunkfilter.errors import InputError, PolicyError
from chunkfilter.evaluate.comparison import MACRO, Row
from chunkfilter.evaluate.variants import BASELINE
from chunkfilter.signals.embedders import Embedder

Corpus = tuple[list[cf.Chunk], list[cf.Question]]


def row(comparison: cf.Comparison, policy: str) -> Row:
    return next(one for one in comparison.rows if one.policy == policy)


def test_a_policy_a_row_each_followed_by_its_control(comparison: cf.Comparison) -> None:
    names = ["none", "exact", "coverage", "coverage scope=source", "random@0.5"]
    assert [one.policy for one in comparison.rows if one.kind == "policy"] == names
    assert [one.kind for one in comparison.rows] == ["policy", "control"] * 5
    assert comparison.baseline.policy == BASELINE
    assert (comparison.chunks, comparison.blank, comparison.questions) == (72, 0, 24)


def test_no_filter_keeps_everything(comparison: cf.Comparison) -> None:
    none = row(comparison, "none")
    assert (none.kept, none.reduction) == (72, 0.0)
    assert none.evidence_retention == none.source_retention == none.oracle_recall == 1.0
    assert all(difference.equal == 24 for difference in none.differences_to_no_filter.values())


def test_exact_copies_are_removed_and_only_own_sources_lose(comparison: cf.Comparison) -> None:
    exact = row(comparison, "exact")
    assert exact.kept == 72 - 12 - 23
    assert exact.evidence_retention == 1.0
    assert exact.source_retention == 0.5
    assert exact.oracle_recall == 1.0
    assert exact.differences["source_retention"].worse == 12
    assert exact.tokens_to_embed < row(comparison, "none").tokens_to_embed
    assert exact.index_bytes == exact.kept * 384 * 4


def test_a_scope_keeps_each_source_and_merging_copies_retrieves_what_exact_does(
    comparison: cf.Comparison,
) -> None:
    assert row(comparison, "coverage scope=source").source_retention == 1.0
    difference = row(comparison, "exact").differences["recall"]
    assert (difference.better, difference.worse) == (0, 0)


def test_dropping_half_of_it_at_random_loses(comparison: cf.Comparison) -> None:
    random = row(comparison, "random@0.5")
    assert random.kept == 36
    assert random.draws == 5
    assert random.seed_deviation is not None
    assert random.seed_deviation > 0
    assert random.oracle_recall < 1.0
    assert random.differences["evidence_retention"].verdict == "inferior"


def test_bounds_enclose_the_difference_and_belong_to_the_verdict(comparison: cf.Comparison) -> None:
    for one in comparison.rows:
        assert one.delta_low <= one.delta_recall <= one.delta_high
        for difference in one.differences.values():
            assert difference.better + difference.worse + difference.equal == 24
            assert difference.smallest_margin == max(0.0, -difference.low)
            assert (difference.verdict == "non-inferior") == (difference.low > -comparison.margin)


def test_verdicts_are_about_recall_at_the_middle_budget(comparison: cf.Comparison) -> None:
    one = row(comparison, "coverage")
    assert one.delta_measure == "budget_recall@30"
    expected = one.budget_recall[30] - comparison.baseline.budget_recall[30]
    assert one.delta_recall == pytest.approx(expected)


def test_the_control_is_as_large_as_what_it_stands_beside(comparison: cf.Comparison, corpus: Corpus) -> None:
    coverage, control = row(comparison, "coverage"), comparison.rows[5]
    assert control.policy == "random after exact, size of coverage"
    assert abs(control.kept - coverage.kept) <= 3


def test_documents_are_resampled_and_few_are_a_condition(
    comparison: cf.Comparison, corpus: Corpus, minilm: Embedder
) -> None:
    assert comparison.intervals == "bootstrap over 24 documents that questions ask about"
    chunks, questions = corpus
    found = cf.compare(chunks, questions[:6], ["none"], embedder=minilm, tokens=("word",))
    assert found.intervals == (
        "bootstrap over 6 questions, conditional on the 6 documents they ask about; "
        "fewer than 20, so no verdict"
    )
    assert found.intervals in str(found)
    assert found.rows[0].verdict == "inconclusive"


def test_rows_per_corpus_and_their_mean(comparison: cf.Comparison) -> None:
    rows = [one for one in comparison.corpora if one.policy == "exact"]
    assert [one.corpus for one in rows] == ["old", "new", MACRO]
    assert [one.questions for one in rows] == [12, 12, 24]
    assert [one.chunks for one in rows] == [36, 36, 72]
    assert rows[0].rates["source_retention"] == 1.0
    assert rows[1].rates["source_retention"] == 0.0
    assert rows[2].rates["source_retention"] == 0.5


def test_the_declared_family_is_the_default_policy_on_the_primary_measures(comparison: cf.Comparison) -> None:
    assert [(test.policy, test.measure) for test in comparison.family] == [
        ("coverage", "budget_recall@30"),
        ("coverage", "evidence_retention"),
    ]
    assert all(test.adjusted >= test.p_value for test in comparison.family)


def test_everything_is_plain_json_without_nan(comparison: cf.Comparison) -> None:
    text = json.dumps(comparison.as_dict(), allow_nan=False)
    assert json.loads(text)["rows"][0]["budget_recall"].keys() == {"10", "30", "60"}


def test_the_same_again_is_the_same(corpus: Corpus, minilm: Embedder) -> None:
    chunks, questions = corpus

    def once() -> object:
        found = cf.compare(chunks, questions, ["coverage"], embedder=minilm, tokens=("word",)).as_dict()
        found["rows"][0]["filter_seconds"] = 0
        return found

    assert once() == once()


def test_blank_chunks_are_kept_unless_the_policy_says_otherwise(minilm: Embedder) -> None:
    questions = [cf.Question("1", "When do pumps start?", (cf.Reference("Pumps start at six."),))]
    chunks = ["Pumps start at six.", " ", "\u00ad\n", "Doors close."]
    found = cf.compare(chunks, questions, ["exact", "exact blank=drop"], embedder=minilm, tokens=("word",))
    assert found.blank == 2
    assert [one.kept for one in found.rows] == [3, 2]


def test_chroma_finds_what_exact_search_finds(corpus: Corpus, minilm: Embedder) -> None:
    chunks, questions = corpus
    exact, chroma = (
        cf.compare(chunks, questions, ["exact"], embedder=minilm, k=2, tokens=("word",), search=search).rows[
            0
        ]
        for search in ("exact", "chroma")
    )
    assert chroma.recall == pytest.approx(exact.recall, abs=0.02)


def test_any_function_embeds(corpus: Corpus) -> None:
    chunks, questions = corpus

    def lengths(texts: list[str]) -> np.ndarray:
        return np.array([[len(text), text.count("e") + 1, ord(text[4])] for text in texts], dtype=float)

    assert cf.compare(chunks, questions, ["exact"], embedder=lengths, tokens=("word",)).embedder


def test_more_than_there_are_chunks_is_all_of_them(corpus: Corpus, minilm: Embedder) -> None:
    chunks, questions = corpus[0][:9], corpus[1][:3]
    measures = ("document", "evidence", "hit-rate", "ndcg")
    all_of_them, beyond = (
        cf.compare(
            chunks,
            questions,
            ["exact"],
            embedder=minilm,
            k=depth,
            depths=(depth,),
            tokens=("word",),
            measures=measures,
        ).rows[0]
        for depth in (len(chunks), 10**9)
    )
    assert beyond.rates[f"ndcg@{10**9}"] > 0
    assert list(beyond.rates.values()) == list(all_of_them.rates.values())


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"k": 0}, "k: got 0"),
        ({"budgets": ()}, "budgets: got"),
        ({"budgets": (0,)}, "budgets: got"),
        ({"tokens": ("stem",)}, "word, lemma"),
        ({"seeds": 0}, "seeds: got 0"),
        ({"margin": -0.1}, "margin: got -0.1"),
        ({"search": "faiss"}, "known: exact, chroma"),
        ({"beside": ("rule",)}, "control, minhash, similarity"),
        ({"measures": ("hits",)}, "document, evidence, hit-rate, ndcg"),
    ],
)
def test_values_out_of_bounds_are_named(corpus: Corpus, changed: dict[str, object], message: str) -> None:
    chunks, questions = corpus
    with pytest.raises(InputError, match=message):
        cf.compare(chunks, questions, ["none"], **changed)  # type: ignore[arg-type]  # the error is about it


def test_bad_input_fails_before_anything_is_embedded() -> None:
    def never(texts: list[str]) -> list[list[float]]:
        raise AssertionError(texts)

    question = cf.Question("1", "Why?", (cf.Reference("Because."),))
    with pytest.raises(PolicyError, match="unknown rule 'exat'"):
        cf.compare(["Because."], [question], ["exat"], embedder=never)
    with pytest.raises(InputError, match="chunks: got none"):
        cf.compare([], [question], ["none"], embedder=never)
    with pytest.raises(InputError, match="questions: got none"):
        cf.compare(["Because."], [], ["none"], embedder=never)
    with pytest.raises(InputError, match=r"id '1'.*no reference"):
        cf.compare(["Because."], [cf.Question("1", "Why?", ())], ["none"], embedder=never)
