"""The keys by which each rule finds a stored chunk again: the same in every run and process.

For each term that finds pairs, a kind of keys. Two chunks between which the rule may hold share a key; under
``coverage``, whatever a chunk asks of its keepers has a key that they share.
"""

import json
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from chunkfilter.errors import InputError, PolicyError
from chunkfilter.filters.batch import Batch, BoolArray
from chunkfilter.filters.kept_index.postings import Keys, cut
from chunkfilter.filters.stages import RULES
from chunkfilter.policy import Policy, Stage, Term
from chunkfilter.signals.minhash import band_keys, bands_for, signatures
from chunkfilter.signals.shingle_hashes import word_hashes
from chunkfilter.signals.simhash import blocks, simhashes
from chunkfilter.text.keys import folded, paper_key
from chunkfilter.text.ragged import IntArray, ranges
from chunkfilter.text.slices import HashArray, mixed, shingle_hashes, slice_hashes

#: Words of a run, as in ``filters.coverage``.
_RUN = 5


@dataclass(frozen=True, slots=True, eq=False)
class KeyRows:
    """Keys of one kind.

    Args:
        kind: the name under which they are stored.
        keys: shape (e,).
        rows: shape (e,), the chunk of each.
        asked: shape (e,): whether a new chunk looks for it; all are stored.
        starts: shape (e,): where in the flat words of the batch that begins which a key is of, if it is of
            words in a row.
        ends: shape (e,): one past its last word.
    """

    kind: str
    keys: Keys
    rows: IntArray
    asked: BoolArray
    starts: IntArray | None = None
    ends: IntArray | None = None


def proposing(policy: Policy) -> list[Term]:
    """The terms that find pairs or cover chunks: one a stage, as in ``filters.stages``.

    Raises:
        PolicyError: a rule that looks at a whole corpus at once.
    """
    terms = [term for stage in policy.stages for term in stage.terms]
    for term in terms:
        if term.name in ("topics", "random"):
            raise PolicyError(
                f"policy '{policy}': {term.name!r} looks at a whole corpus at once; an index of kept chunks "
                "can go on with any other rule"
            )
    if isinstance(policy.window, int) and policy.window < _RUN:
        raise PolicyError(
            f"policy '{policy}': an index of kept chunks needs a window of {_RUN} words or more"
        )
    return [found for stage in policy.stages if (found := _proposing(stage)) is not None]


def _proposing(stage: Stage) -> Term | None:
    if stage.terms[0].name == "none":
        return None
    if stage.terms[0].name == "coverage":
        return stage.terms[0]
    ranked = sorted(stage.terms, key=lambda term: getattr(RULES[term.name], "cost", 0))
    return next(term for term in ranked if getattr(RULES[term.name], "index", None) is not None)


def keys_of(batch: Batch, term: Term, entities: Sequence[frozenset[Hashable]] | None) -> list[KeyRows]:
    """The keys of each chunk of a batch under a term; none for ``similarity``, which scans vectors."""
    found = _KEYS.get(term.name)
    return found(batch, term, entities or ()) if found else []


def _word_values(batch: Batch) -> IntArray:
    """A number of each word in the flat words that depends on nothing but the word."""
    places = batch.words.values
    values: IntArray = word_hashes(batch.vocabulary.words()).view(np.int64)[places]
    return values


def _hashed(kind: str, hashes: HashArray, rows: IntArray | None = None) -> KeyRows:
    rows = np.arange(len(hashes), dtype=np.int64) if rows is None else rows
    return KeyRows(kind, cut(mixed(hashes)), rows, np.ones(len(rows), dtype=np.bool_))


def _exact(batch: Batch, term: Term, _entities: Sequence[frozenset[Hashable]]) -> list[KeyRows]:
    if term.paper:
        return [_hashed("paper", word_hashes([paper_key(text) for text in batch.texts]))]
    return [_copies(batch, _word_values(batch))]


def _copies(batch: Batch, values: IntArray) -> KeyRows:
    starts, ends = batch.words.offsets[:-1], batch.words.offsets[1:]
    worded = starts < ends
    hashes = np.empty(len(batch), dtype=np.uint64)
    hashes[worded] = slice_hashes(values, starts[worded], ends[worded])
    bare = np.flatnonzero(~worded)
    hashes[bare] = word_hashes([folded(batch.texts[row]) for row in bare.tolist()])
    return replace(_hashed("copies", hashes), starts=starts, ends=ends)


def _minhash(batch: Batch, term: Term, _entities: Sequence[frozenset[Hashable]]) -> list[KeyRows]:
    bands = bands_for(float(term.value or 0.0))
    keys = band_keys(signatures(batch.shingle_hashes), *bands)
    rows = np.repeat(np.arange(len(keys)), keys.shape[1])
    return [_hashed("bands", keys.reshape(-1).view(np.uint64), rows)]


def _simhash(batch: Batch, term: Term, _entities: Sequence[frozenset[Hashable]]) -> list[KeyRows]:
    count = int(term.value or 0) + 1
    keys = blocks(simhashes(batch.shingle_hashes), count)
    return [_hashed("blocks", keys.reshape(-1).view(np.uint64), np.repeat(np.arange(len(keys)), count))]


def _ner_exact(batch: Batch, term: Term, entities: Sequence[frozenset[Hashable]]) -> list[KeyRows]:
    del batch
    rows = [row for row, found in enumerate(entities) if found or term.paper]
    hashes = word_hashes([entities_text(entities[row]) for row in rows])
    return [_hashed("entity sets", hashes, np.array(rows, np.int64))]


def _ner_half(batch: Batch, term: Term, entities: Sequence[frozenset[Hashable]]) -> list[KeyRows]:
    del batch, term
    rows = np.repeat(np.arange(len(entities)), [len(found) for found in entities])
    names = [entities_text(frozenset((one,))) for found in entities for one in found]
    return [_hashed("entities", word_hashes(names), rows)]


def _coverage(batch: Batch, term: Term, _entities: Sequence[frozenset[Hashable]]) -> list[KeyRows]:
    values, words = _word_values(batch), batch.words
    counts = np.maximum(words.lengths - _RUN + 1, 0)
    starts = ranges(words.offsets[:-1], counts)
    runs = _hashed("runs", shingle_hashes(values, _RUN)[starts], np.repeat(np.arange(len(batch)), counts))
    found = [_copies(batch, values), replace(runs, starts=starts, ends=starts + _RUN)]
    if not term.lossy or batch.policy.guarded:
        sentences = batch.sentences
        of_sentence = np.repeat(np.arange(len(batch)), np.diff(sentences.first))
        whole = _hashed("sentences", slice_hashes(values, sentences.starts, sentences.ends), of_sentence)
        found.append(replace(whole, starts=sentences.starts, ends=sentences.ends))
    return [*found, _words(batch, values)]


def _words(batch: Batch, values: IntArray) -> KeyRows:
    """Each word: what is shorter than a run, a text or its visible head, is found by the words it has."""
    lengths = batch.words.lengths
    seen = np.minimum(batch.visible_words, lengths)
    places = np.arange(len(values))
    in_head = places - np.repeat(batch.words.offsets[:-1], lengths) < np.repeat(seen, lengths)
    asked = np.repeat(seen < _RUN, lengths) & in_head
    return KeyRows("words", cut(mixed(values)), batch.words.rows, asked, places, places + 1)


def entities_text(found: frozenset[Hashable]) -> str:
    """A set of entities as JSON: texts, or tuples of texts such as (name, label).

    Raises:
        InputError: an entity of another kind, which could not be told again tomorrow.
    """
    plain = [list(one) if isinstance(one, tuple) else one for one in found]
    for one in plain:
        parts = one if isinstance(one, list) else [one]
        if not all(isinstance(part, str) for part in parts):
            raise InputError(f"entity {one!r:.200}: an index of kept chunks stores texts and tuples of texts")
    return json.dumps(sorted(plain, key=json.dumps))


_KEYS: dict[str, Callable[[Batch, Term, Sequence[frozenset[Hashable]]], list[KeyRows]]] = {
    "exact": _exact,
    "minhash": _minhash,
    "simhash": _simhash,
    "ner-exact": _ner_exact,
    "ner-half": _ner_half,
    "coverage": _coverage,
}
