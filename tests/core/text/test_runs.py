"""Runs that two texts share, as characters of both."""

from chunkfilter.certificate.sentences import cut
from chunkfilter.text.words import words
from hypothesis import given, settings
from hypothesis import strategies as st

from chunkfilter.text.runs import WORDS, shared_runs


def sentences(text: str) -> list[list[str]]:
    found = cut(text)
    return [list(found.words[start:end]) for start, end in found.sentences]


TEXTS = st.lists(st.sampled_from(["a", "b", "c", "d.", "是", "9.1", "É"]), max_size=30).map(" ".join)


def test_a_run_is_named_in_both_texts() -> None:
    one, other = "Lamps are green. “Pumps start at SIX daily,” he said.", "So pumps start at six, daily! No."
    (run,) = shared_runs(one, other)
    assert one[slice(*run.removed)] == "Pumps start at SIX daily"
    assert other[slice(*run.keeper)] == "pumps start at six, daily"
    assert run.words == 5


def test_four_words_are_chance_unless_they_are_all_there_are() -> None:
    assert not shared_runs("they start at six today", "pumps start at six today")
    assert [run.words for run in shared_runs("start at six today", "pumps start at six today")] == [4]
    assert not shared_runs("", "text")
    assert not shared_runs("text", "")


def test_a_short_sentence_of_both_texts_is_a_run() -> None:
    one, other = "Doors are red. It rains in Oslo.", "Lamps are green. Doors are red. It snows."
    (run,) = shared_runs(one, other)
    assert one[slice(*run.removed)] == other[slice(*run.keeper)] == "Doors are red"
    assert not shared_runs(one, "It is said that doors are red here.")


@settings(max_examples=100, deadline=None)
@given(TEXTS, TEXTS)
def test_the_words_of_a_run_are_the_same_in_both_texts(one: str, other: str) -> None:
    runs = shared_runs(one, other)
    for run in runs:
        ours, theirs = words(one[slice(*run.removed)]), words(other[slice(*run.keeper)])
        assert ours == theirs
        assert len(ours) == run.words
        assert run.words >= WORDS or run.words == len(words(one)) or ours in sentences(one)
    assert [run.removed for run in runs] == sorted(run.removed for run in runs)
