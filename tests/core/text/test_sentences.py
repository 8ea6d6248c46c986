"""Where sentences end, by the filter's arrays and by the certificate's reading of the same rules."""

import pytest
from chunkfilter.certificate.sentences import cut
from chunkfilter.text.words import Vocabulary
from hypothesis import given, settings
from hypothesis import strategies as st

from chunkfilter.text.sentences import find_sentences


def split(text: str) -> list[list[str]]:
    known = cut(text)
    return [list(known.words[start:end]) for start, end in known.sentences]


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        ("One two. Three four.", ["one two", "three four"]),
        ("He said: e.g. this. Not that!", ["he said e g this", "not that"]),
        ("See Art. 5 and Dr. J. R. Smith. Then go.", ["see art 5 and dr j r smith", "then go"]),
        ("3. Press the button. 4. Wait.", ["3 press the button", "4 wait"]),
        ("It was 9.1 percent. Up from 8.", ["it was 9.1 percent", "up from 8"]),
        ('"Why?" he asked. “Because.” She left.', ["why he asked", "because", "she left"]),
        ("a heading\na line, no stop\n\nAnother", ["a heading", "a line no stop", "another"]),
        (". Next one. And", ["next one", "and"]),
        ("今天开会。明天休息！好", ["今 天 开 会", "明 天 休 息", "好"]),
        ("यह एक है। वह दो है।", ["यह एक है", "वह दो है"]),
        ("In 2006. increased assets drove it.", ["in 2006 increased assets drove it"]),
        (
            "in 2006. increased assets, e.g. in the u.s. division. so",
            ["in 2006", "increased assets e g in the u s division", "so"],
        ),
        ("", []),
        ("... !!! —", []),
    ],
)
def test_sentences_end_where_a_reader_ends_them(text: str, sentences: list[str]) -> None:
    assert split(text) == [sentence.split() for sentence in sentences]


SENTENCE_LIKE = [
    "one",
    "one.",
    "Two",
    "e.g.",
    "J.",
    "3.",
    "end.",
    "what?",
    "(so!)",
    "x.”",
    "vi.",
    "Nr.",
    "_a_.",
    "1.5",
]
ODD = [
    "no。yes",
    "是。否！",
    "。",
    ".",
    "?!",
    "…",
    "ab。",
    "。cd",
    "é.",
    "e\u0301.",
    "\n",
    "\r\n",
    "\u2028",
    "\0",
]
TEXTS = st.lists(st.sampled_from([*SENTENCE_LIKE, *ODD]), max_size=14).map(" ".join) | st.text(max_size=40)


@settings(max_examples=300, deadline=None)
@given(st.lists(TEXTS, max_size=5))
def test_arrays_and_certificate_agree(texts: list[str]) -> None:
    vocabulary = Vocabulary()
    pieces = vocabulary.pieces(texts)
    words = vocabulary.words_of(pieces)
    found = find_sentences(pieces, vocabulary, words.offsets)
    for row, text in enumerate(texts):
        known, start = cut(text), int(words.offsets[row])
        numbers = range(int(found.first[row]), int(found.first[row + 1]))
        assert len(known.words) == len(words[row])
        bounds = [(int(found.starts[one]) - start, int(found.ends[one]) - start) for one in numbers]
        assert bounds == list(known.sentences)
        if known.words:
            flags = (found.opened[row], found.closed[row], found.lower[row])
            assert flags == (known.opened, known.closed, known.lower)
