"""Models write arrays and lists, with words around them."""

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


@given(st.text(max_size=200))
def test_nothing_else_is_ever_raised(written):
    try:
        assert all(read_propositions(written))
    except PropositionError:
        assert not written.startswith('["a"]')


def test_braces_in_a_passage_are_plain_characters():
    assert filled("<{passage}>", "{x} {passage} %s") == "<{x} {passage} %s>"
