"""The corpora of the studies, where they are at hand."""

import pytest

from chunkfilter import load_dataset, load_questions

pytestmark = pytest.mark.data


@pytest.mark.parametrize(
    ("path", "documents", "questions", "problems", "evidence"),
    [
        ("chroma", 5, 472, 0, True),
        ("squad_dev11", 48, 10_570, 0, True),
        *((f"xquad/xquad.{code}.json", 48, 1190, 0, True) for code in ("de", "es", "zh", "ru", "th", "ar")),
        ("rag_eurlex_eval", 5, 42, 28, True),
        ("eurlex_versions/versions.en.jsonl", 415, 0, 0, False),
        ("eurlex_docs/docs.fr.jsonl", 400, 0, 0, False),
        ("covid_faq", 34, 896, 0, True),
        ("scifact", 5183, 693, 1, True),
        ("clapnq_dev", 597, 299, 1, True),
        ("hotpotqa_500", 4941, 134, 3, True),
        ("hotpotqa_train100/hotpotqa_train.json", 994, 100, 0, True),
        ("hotpotqa_train100/musique_train.json", 1890, 100, 0, False),
        ("musique_500", 5966, 498, 0, False),
    ],
)
def test_counts_are_the_published_ones(data, path, documents, questions, problems, evidence):
    dataset = load_dataset(data / path)
    counts = (len(dataset.documents), len(dataset.questions), len(dataset.problems))
    assert counts == (documents, questions, problems)
    assert dataset.has_evidence is evidence
    for question in dataset.questions:
        for part in question.references:
            assert dataset.documents[part.source][part.start : part.end] == part.text


def test_squad_has_9788_questions_with_exact_offsets(data):
    dataset = load_dataset(data / "squad_dev11", exact_offsets=True)
    assert (len(dataset.questions), len(dataset.problems)) == (9788, 782)


def test_chroma_is_five_corpora_and_its_questions_load_alone(data):
    dataset = load_dataset(data / "chroma")
    assert len(set(dataset.groups.values())) == 5
    assert load_questions(data / "chroma" / "questions_df.csv") == dataset.questions


def test_faqs_are_in_five_languages(data):
    assert set(load_dataset(data / "covid_faq").groups.values()) == {"de", "en", "it", "pl", "sv"}
