"""The corpora of the studies, where they are at hand."""

import pytest

from chunkfilter.evaluate.datasets import load_dataset, load_questions

pytestmark = pytest.mark.data


@pytest.mark.parametrize(
    ("path", "documents", "questions", "problems"),
    [
        ("chroma", 5, 472, 0),
        ("squad_dev11", 48, 10_570, 0),
        *((f"xquad/xquad.{language}.json", 48, 1190, 0) for language in ("de", "es", "zh", "ru", "th", "ar")),
        ("rag_eurlex_eval", 5, 42, 28),
        ("eurlex_versions/versions.en.jsonl", 415, 0, 0),
        ("eurlex_docs/docs.fr.jsonl", 400, 0, 0),
        ("covid_faq", 34, 896, 0),
    ],
)
def test_counts_are_the_published_ones(data, path, documents, questions, problems):
    dataset = load_dataset(data / path)
    counts = (len(dataset.documents), len(dataset.questions), len(dataset.problems))
    assert counts == (documents, questions, problems)
    for question in dataset.questions:
        for part in question.references:
            assert dataset.documents[part.source][part.start : part.end] == part.text


def test_squad_has_9788_questions_with_exact_offsets(data):
    dataset = load_dataset(data / "squad_dev11", exact_offsets=True)
    assert (len(dataset.questions), len(dataset.problems)) == (9788, 782)


def test_chroma_is_five_corpora_and_its_questions_load_alone(data):
    dataset = load_dataset(data / "chroma")
    assert sorted(set(dataset.groups.values())) == [
        "chatlogs",
        "finance",
        "pubmed",
        "state_of_the_union",
        "wikitexts",
    ]
    assert load_questions(data / "chroma" / "questions_df.csv") == dataset.questions


def test_faqs_are_in_five_languages(data):
    assert set(load_dataset(data / "covid_faq").groups.values()) == {"de", "en", "it", "pl", "sv"}
