"""Two folds share no document, and questions go with all of theirs."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chunkfilter.errors import DatasetError
from chunkfilter.evaluate.grid.folds import make_folds
from chunkfilter.evaluate.questions import Dataset, Question, Reference


def dataset(needs: list[set[int]], documents: int = 12) -> Dataset:
    texts = {f"d{number}": f"Text {number}." for number in range(documents)}
    questions = [
        Question(str(place), "?", tuple(Reference(texts[f"d{one}"], f"d{one}") for one in sorted(need)))
        for place, need in enumerate(needs)
    ]
    return Dataset("made", texts, tuple(questions))


@given(
    st.lists(st.sets(st.integers(0, 11), min_size=1, max_size=3), min_size=2, max_size=20), st.integers(0, 4)
)
def test_no_document_is_in_both(needs: list[set[int]], seed: int) -> None:
    whole = dataset(needs)
    try:
        folds = make_folds(whole, seed)
    except DatasetError:
        return
    assert not folds.first.documents.keys() & folds.second.documents.keys()
    assert folds.first.documents.keys() | folds.second.documents.keys() == whole.documents.keys()
    for half in (folds.first, folds.second):
        for question in half.questions:
            assert question.graded.keys() <= half.documents.keys()
    assert len(folds.questions) + folds.left_out == len(needs)


def test_documents_of_one_question_stay_together() -> None:
    folds = make_folds(dataset([{0, 1}, {2, 3}, {4, 5}, {6, 7}, {8, 9}, {10, 11}]), 0)
    assert folds.left_out == 0
    assert len(folds.first.questions) == len(folds.second.questions) == 3


def test_where_questions_tie_everything_together_some_are_left_out() -> None:
    chain = [{number, number + 1} for number in range(11)]
    folds = make_folds(dataset([*chain, {0}, {5}, {9}, {11}]), 0)
    assert folds.left_out > 0
    assert folds.first.questions
    assert folds.second.questions


def test_what_cannot_be_parted_is_told() -> None:
    with pytest.raises(DatasetError, match="cannot be parted into two halves"):
        make_folds(dataset([{0}, {0}]), 0)
