"""A pair of sentences that differ in one character of punctuation or one symbol is never a copy."""

import sys
import unicodedata

import pytest

import chunkfilter as cf
from chunkfilter.text.normalise import normalise

MARKS = [
    character
    for character in map(chr, range(sys.maxunicode + 1))
    if unicodedata.category(character)[0] in "PS" and normalise(f"a {character}5") != normalise("a 5")
]
POLICIES = ["exact", "coverage", "minhash@0.8", "similarity@0.9"]
#: Characters that texts are joined with in one run; each pair has words of its own.
SAMPLES = [
    pytest.param(MARKS[::37], id="every 37th"),
    pytest.param(MARKS, id="all", marks=pytest.mark.slow),
]


@pytest.mark.parametrize("marks", SAMPLES)
@pytest.mark.parametrize("policy", POLICIES)
def test_both_sentences_of_each_pair_are_kept(marks: list[str], policy: str) -> None:
    texts, vectors = list[str](), list[list[float]]()
    for place, mark in enumerate(marks):
        own = f"Entry {place} of hall {place * 7919 % 10007}"
        texts += [f"{own} holds 5 parts today.", f"{own} holds {mark}5 parts today."]
        texts += [f"{own} is a b now.", f"{own} is a {mark} b now."]
        angle = place / max(len(marks), 1)
        vectors += [[1.0, angle]] * 4
    result = cf.filter_chunks(texts, policy, vectors=vectors)
    assert [texts[line.index] for line in result.removed] == []


def test_no_mark_is_lost_by_the_normal_form() -> None:
    signs = "+-−–—±%‰$€£()[]{}<>=≠|/\\*#@&^~!?.,;:·•✓✗"
    assert set(signs) <= set(MARKS)
    assert len(MARKS) > 8000
