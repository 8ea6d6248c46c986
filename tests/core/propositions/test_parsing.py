"""Models write arrays and lists, with words around them."""

import json
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chunkfilter.errors import PropositionError
from chunkfilter.propositions import PROMPT, filled, read_propositions


@pytest.mark.parametrize(
    "written",
    [
        '["One.", "Two."]',
        'Here they are:\n```json\n["One.", "Two.", "One."]\n```',
        'See [1]: [] is empty, but ["One.", " Two. "]'.replace("[] is empty, but ", ""),
        "Facts:\n- One.\n- Two.\n",
        "1. One.\n2) Two.",
        "* One.\n\n• Two.",
    ],
)
def test_arrays_and_lists_are_read(written):
    assert read_propositions(written) == ["One.", "Two."]


@pytest.mark.parametrize(
    "written", ["", "One. Two.", '["One.", "Two', "[]", "[1, 2]", '[""]', "[" * 5000, PROMPT]
)
def test_anything_else_is_an_error(written):
    with pytest.raises(PropositionError, match="expected a JSON array of sentences"):
        read_propositions(written)


@given(st.lists(st.text(min_size=1).filter(str.strip), min_size=1), st.sampled_from(["", "[", '["', "- "]))
def test_what_json_writes_is_read_back(sentences, before):
    expected = list(dict.fromkeys(" ".join(sentence.split()) for sentence in sentences))
    assert read_propositions(f"{before} {json.dumps(sentences)} ]") == expected


@pytest.mark.parametrize("unit", ['["', '[ "a", ', '["a", ["b", ', '[","', "[ "])
def test_the_time_grows_with_the_text_not_with_its_square(unit):
    started = time.process_time()
    with pytest.raises(PropositionError):
        read_propositions(unit * 300_000)
    assert time.process_time() - started < 5


@given(st.text(max_size=200))
def test_nothing_else_is_ever_raised(written):
    try:
        assert all(read_propositions(written))
    except PropositionError:
        assert not written.startswith('["a"]')


def test_braces_in_a_passage_are_plain_characters():
    assert filled("<{passage}>", "{x} {passage} %s") == "<{x} {passage} %s>"
