"""Short documents stitched to long ones carry everything that was relevant along."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chunkfilter.errors import InputError
from chunkfilter.evaluate.questions import Dataset, Question, Reference
from chunkfilter.evaluate.stitching import sentence_counts, stitched


def made(sizes: list[int], groups: dict[str, str] | None = None) -> Dataset:
    documents = {
        f"d{number}": " ".join(f"Thing {number} has part {part}." for part in range(size))
        for number, size in enumerate(sizes)
    }
    questions = tuple(
        Question(
            name,
            "?",
            (Reference(text, name, 0, len(text)),),
            relevance={name: 1.0 + place, "d0": 1.0} if place % 2 else {},
        )
        for place, (name, text) in enumerate(documents.items())
    )
    return Dataset("made", documents, questions, groups=groups or {})


@given(st.lists(st.integers(1, 12), min_size=1, max_size=15), st.integers(1, 40), st.integers(0, 3))
def test_nothing_is_lost(sizes: list[int], wanted: int, seed: int) -> None:
    before = made(sizes)
    after = stitched(before, wanted, seed)
    assert sum(map(len, after.documents.values())) == sum(map(len, before.documents.values())) + 2 * (
        len(before.documents) - len(after.documents)
    )
    for old, new in zip(before.questions, after.questions, strict=True):
        (reference,) = new.references
        assert reference.text == old.references[0].text
        assert after.documents[reference.source or ""][reference.start : reference.end] == reference.text
        assert max(new.graded.values()) == max(old.graded.values())
        assert new.graded.keys() <= after.documents.keys()


def test_documents_have_about_the_wanted_length() -> None:
    counts = sentence_counts(list(stitched(made([7] * 60), 100).documents.values()))
    assert counts[:-1] == [98] * (len(counts) - 1)


def test_the_order_is_that_of_the_seed() -> None:
    dataset = made([3] * 12)
    assert stitched(dataset, 9, 1).documents == stitched(dataset, 9, 1).documents
    assert stitched(dataset, 9, 1).documents != stitched(dataset, 9, 2).documents


def test_corpora_are_not_mixed() -> None:
    groups = {f"d{number}": "even" if number % 2 == 0 else "odd" for number in range(10)}
    after = stitched(made([2] * 10, groups), 4)
    assert set(after.groups.values()) == {"even", "odd"}
    for name, text in after.documents.items():
        parities = {int(word) % 2 for word in text.replace(".", "").split()[1::5]}
        assert parities == {0 if after.groups[name] == "even" else 1}


def test_at_least_one_sentence() -> None:
    with pytest.raises(InputError, match="sentences: got 0"):
        stitched(made([1]), 0)


def test_a_document_that_is_not_there_is_named() -> None:
    dataset = made([1])
    question = Question("q", "?", (Reference("x", "gone"),))
    with pytest.raises(InputError, match="source 'gone'"):
        stitched(Dataset("made", dataset.documents, (question,)))
