"""Topics by clusters of vectors, by words, or as given."""

import sys

import numpy as np
import pytest
from threadpoolctl import threadpool_limits

import chunkfilter as cf
from chunkfilter.errors import InputError, MissingExtraError
from chunkfilter.signals.topics import METHODS, topic_count, topic_numbers

TEXTS = ["pump valve", "pump valve", "crane hall", "crane hall"] * 5
VECTORS = np.array([(1.0, 0.0), (0.99, 0.1), (0.0, 1.0), (0.1, 0.99)] * 5, dtype=np.float32)


@pytest.mark.parametrize("method", ["kmeans", "lda"])
def test_like_chunks_share_a_topic_and_threads_change_nothing(method: str) -> None:
    found = [topic_numbers(method, TEXTS, lambda: VECTORS)]
    with threadpool_limits(2):
        found.append(topic_numbers(method, TEXTS, lambda: VECTORS))
    assert np.array_equal(*found)
    assert (found[0].reshape(-1, 4) == found[0][:4]).all()
    assert len(set(found[0].tolist())) > 1


def test_chunks_without_vector_or_words_have_no_topic() -> None:
    vectors = VECTORS.copy()
    vectors[3] = np.nan
    assert topic_numbers(None, TEXTS, lambda: vectors)[3] == -1
    assert topic_numbers("lda", [*TEXTS[:-1], "!"], lambda: vectors)[-1] == -1
    assert topic_numbers("lda", ["!", "?"], lambda: vectors[:2]).tolist() == [-1, -1]
    assert topic_numbers(None, [], lambda: vectors[:0]).tolist() == []


def test_given_labels_decide_and_none_is_like_no_other() -> None:
    result = cf.filter_chunks(
        ["a", "b", "c", "d", "e"],
        "similarity@0.5+topics guards=none",
        vectors=[(1.0, 0.0)] * 5,
        topics=["x", "y", "x", None, None],
    )
    assert [(removal.index, removal.kept_by) for removal in result.removed] == [(2, (0,))]
    result.verify(["a", "b", "c", "d", "e"], vectors=[(1.0, 0.0)] * 5, topics=["x", "y", "x", None, None])


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ("words", "got 'words'; expected labels or"),
        ([1], "1 labels for 2"),
        (3, "got 3"),
        ([[1], [2]], "hashable"),
    ],
)
def test_what_are_no_topics_is_named(given: object, said: str) -> None:
    with pytest.raises(InputError, match=said):
        topic_numbers(given, ["a", "b"], lambda: VECTORS[:2])


def test_keep_does_not_change_the_topics() -> None:
    texts = [f"{text} {'x' * (number % 3)}" for number, text in enumerate(TEXTS)]
    policy = "similarity@0.9+topics guards=none"
    first = cf.filter_chunks(texts, policy, vectors=VECTORS)
    longest = cf.filter_chunks(texts, f"{policy} keep=longest", vectors=VECTORS)
    assert len(first.removed) == len(longest.removed)
    longest.verify(texts, vectors=VECTORS)


@pytest.mark.parametrize(("method", "module"), [("kmeans", "sklearn.cluster"), ("bertopic", "bertopic")])
def test_a_missing_library_names_its_extra(method: str, module: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(MissingExtraError, match=r"pip install .chunkfilter\["):
        METHODS[method](TEXTS, lambda: VECTORS)


def test_the_number_of_topics_grows_with_the_chunks() -> None:
    assert [topic_count(count) for count in (1, 2, 200, 10**6)] == [1, 1, 10, 100]
