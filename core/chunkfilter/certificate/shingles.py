"""``minhash`` and ``simhash`` from the texts alone, by sets and by the bits of one text after another."""

import math
from collections.abc import Sequence

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from chunkfilter.certificate.evidence import Evidence
from chunkfilter.policy import Term
from chunkfilter.signals.shingle_hashes import FACTORS, word_hashes
from chunkfilter.text.shingle_sets import SIZE, text_shingles
from chunkfilter.text.slices import mixed
from chunkfilter.text.words import words


def minhash_score(term: Term, evidence: Evidence) -> float:
    """Jaccard similarity of two sets of shingles, NaN below the threshold."""
    if len(evidence.keepers) != 1 or term.value is None:
        return math.nan
    removed, kept = set(text_shingles(evidence.removed.text)), set(text_shingles(evidence.keepers[0].text))
    similarity = len(removed & kept) / len(removed | kept)
    return similarity if similarity >= term.value else math.nan


def simhash_score(term: Term, evidence: Evidence) -> float:
    """Number of differing bits, NaN for too many; texts shorter than a shingle must be equal."""
    if len(evidence.keepers) != 1 or term.value is None:
        return math.nan
    texts = evidence.removed.text, evidence.keepers[0].text
    removed, kept = map(words, texts)
    if min(len(removed), len(kept)) < SIZE:
        return 0.0 if text_shingles(texts[0]) == text_shingles(texts[1]) else math.nan
    distance = (simhash_of_words(removed) ^ simhash_of_words(kept)).bit_count()
    return float(distance) if distance <= term.value else math.nan


def simhash_of_words(found: Sequence[str]) -> int:
    """SimHash of one text: bit b is set if more than half of its shingles' hashes have it.

    Args:
        found: the words of the text, at least ``SIZE``.
    """
    hashes = mixed(sliding_window_view(word_hashes(found), SIZE) @ FACTORS)
    bits = np.unpackbits(hashes.astype("<u8").view(np.uint8).reshape(-1, 8), axis=1, bitorder="little")
    majority = 2 * bits.sum(axis=0, dtype=np.int64) > len(hashes)
    return int.from_bytes(np.packbits(majority, bitorder="little").tobytes(), "little")
