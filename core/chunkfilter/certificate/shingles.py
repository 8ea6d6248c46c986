"""``minhash`` and ``simhash`` from the texts alone, by sets and single bits."""

import math

from chunkfilter.certificate.evidence import Evidence
from chunkfilter.policy import Term
from chunkfilter.signals.shingle_hashes import shingle_hash
from chunkfilter.text.shingle_sets import SIZE, text_shingles
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
    removed, kept = evidence.removed.text, evidence.keepers[0].text
    if min(len(words(removed)), len(words(kept))) < SIZE:
        return 0.0 if text_shingles(removed) == text_shingles(kept) else math.nan
    distance = (_simhash(removed) ^ _simhash(kept)).bit_count()
    return float(distance) if distance <= term.value else math.nan


def _simhash(text: str) -> int:
    hashes = [shingle_hash(shingle) for shingle in text_shingles(text)]
    bits = (sum(number >> bit & 1 for number in hashes) for bit in range(64))
    return sum(1 << bit for bit, count in enumerate(bits) if 2 * count > len(hashes))
