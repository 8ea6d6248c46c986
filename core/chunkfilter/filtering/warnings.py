"""What a user should hear about a run: one sentence for each kind of trouble, however many chunks it touches.

A warning looks at the facts of a run and gives a sentence or nothing. No sentence holds text of a chunk:
chunks are named by position and id, so that logs stay free of what they say.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np

from chunkfilter.chunk import Chunk
from chunkfilter.policy import Policy
from chunkfilter.result import Removal
from chunkfilter.rules.batch import Batch
from chunkfilter.text.inert import inert_line

#: Examples named in a sentence.
SAMPLES = 3


@dataclass(frozen=True, slots=True, eq=False)
class Facts:
    """A run and its outcome.

    Args:
        new: the filtered chunks, in the caller's order.
        existing: the chunks they were compared with.
        batch: the same chunks in keep order, with the signals that the rules read.
        removed: what is removed.
        alone: number of chunks that lack a scope key.
    """

    new: Sequence[Chunk]
    existing: Sequence[Chunk]
    batch: Batch
    removed: Sequence[Removal]
    alone: int

    @property
    def policy(self) -> Policy:
        """The policy of the run."""
        return self.batch.policy

    @property
    def lossy(self) -> list[Removal]:
        """Removals by rules that are not verbatim."""
        names = {str(stage) for stage in self.policy.stages if all(term.lossy for term in stage.terms)}
        return [removal for removal in self.removed if removal.rule in names]

    def representatives(self, removal: Removal) -> list[Chunk]:
        """The chunks that cover a removed one."""
        own = [self.new[place] for place in removal.kept_by]
        return own + [self.existing[place] for place in removal.kept_by_existing]

    @property
    def described(self) -> Sequence[Removal]:
        """Removals, or none where no chunk has metadata that could tell them apart."""
        described = any(chunk.metadata for chunks in (self.new, self.existing) for chunk in chunks)
        return self.removed if described else ()

    def without_key(self, keys: Iterable[str]) -> str:
        """What to add where no chunk at all has one of these keys, as with a misspelt one; else nothing."""
        lacked = [
            key for key in keys if not any(_has(chunk, key) for chunk in chain(self.new, self.existing))
        ]
        if not lacked:
            return ""
        there = dict.fromkeys(
            str(key) for chunk in chain(self.new, self.existing) for key in chunk.metadata or {}
        )
        return f"; none has {listed(lacked)}, their keys are: {listed(there) or 'none'}"

    def named(self, position: int) -> str:
        """What a chunk is called in a sentence: ``-1 - position`` for existing ones."""
        chunk = self.new[position] if position >= 0 else self.existing[-1 - position]
        place = f"chunk {position}" if position >= 0 else f"existing chunk {-1 - position}"
        return place if chunk.id is None else f"{place} (id {chunk.id!r:.80})"

    def pair(self, removal: Removal) -> str:
        """A removed chunk and its first representative."""
        first = removal.kept_by[0] if removal.kept_by else -1 - removal.kept_by_existing[0]
        return f"{self.named(removal.index)} for {self.named(first)}"

    def positions(self, rows: Iterable[int]) -> list[int]:
        """The caller's positions of rows of the batch: ``-1 - position`` for existing ones."""
        existing, order = self.batch.existing, self.batch.order
        return [-1 - row if row < existing else int(order[row - existing]) for row in rows]


def _has(chunk: Chunk, key: str) -> bool:
    return (chunk.metadata or {}).get(key) is not None or (key == "source" and chunk.source is not None)


def listed(names: Iterable[str]) -> str:
    """The first few names, harmless to print."""
    return inert_line(", ".join(list(names)[:SAMPLES]))


def without_scope_key(facts: Facts) -> str | None:
    """How many chunks were compared with none."""
    if not facts.alone:
        return None
    keys = ", ".join(facts.policy.scope)
    misspelt = facts.without_key(facts.policy.scope)
    return f"{facts.alone} chunks lack a scope key ({keys}) and were compared with none{misspelt}"


def without_keep_key(facts: Facts) -> str | None:
    """How many chunks have nothing under the key of ``keep=``: they are removed first."""
    name, _, key = facts.policy.keep.partition(":")
    if name not in ("newest", "best-score"):
        return None
    key = key or "score"
    bare = [place for place, chunk in enumerate(facts.new) if (chunk.metadata or {}).get(key) is None]
    if not bare:
        return None
    return (
        f"{len(bare)} of {len(facts.new)} chunks lack {listed([key])}, the key of keep={name}, and are "
        f"removed first, for example {listed(map(facts.named, bare))}{facts.without_key([key])}"
    )


def ids_shared(facts: Facts) -> str | None:
    """The ids that several kept chunks of different texts bear."""
    gone = {removal.index for removal in facts.removed}
    texts: dict[str, str] = {}
    shared: dict[str, None] = {}
    for position, chunk in enumerate(facts.new):
        if (
            chunk.id is not None
            and position not in gone
            and texts.setdefault(chunk.id, chunk.text) != chunk.text
        ):
            shared[chunk.id] = None
    if not shared:
        return None
    return (
        f"{len(shared)} ids are borne by kept chunks of different texts, of which a store would keep one: "
        + listed(f"{name!r:.80}" for name in shared)
    )


#: Smaller batches, results of a query for one, are one group often enough.
_FEW = 10


def most_removed(facts: Facts) -> str | None:
    """More than half of the chunks went by rules that may lose text, and the policy sets no limit."""
    lossy = facts.lossy
    if facts.policy.max_removed is not None or 2 * len(lossy) <= len(facts.new):
        return None
    paired = [removal for removal in lossy if removal.kept_by or removal.kept_by_existing][:SAMPLES]
    samples = f", for example {listed(map(facts.pair, paired))}" if paired else ""
    return (
        f"{len(lossy)} of {len(facts.new)} chunks were removed by rules that are not verbatim{samples}; "
        "max_removed= sets a limit"
    )


def one_represents_most(facts: Facts) -> str | None:
    """One kept chunk represents more than half of all, by rules that may lose text."""
    groups = Counter(
        removal.kept_by[0] if removal.kept_by else -1 - removal.kept_by_existing[0]
        for removal in facts.lossy
        if removal.kept_by or removal.kept_by_existing
    )
    if not groups or len(facts.new) < _FEW:
        return None
    ((most, count),) = groups.most_common(1)
    if 2 * count <= len(facts.new):
        return None
    removed = [
        removal.index
        for removal in facts.lossy
        if most in _representatives(removal.kept_by, removal.kept_by_existing)
    ]
    return (
        f"one group holds most of the corpus: {facts.named(most)} represents {count} of {len(facts.new)} "
        f"chunks, for example {listed(map(facts.named, removed[:SAMPLES]))}; is the signal broken?"
    )


def _representatives(kept: tuple[int, ...], existing: tuple[int, ...]) -> tuple[int, ...]:
    return kept + tuple(-1 - place for place in existing)


#: Unit vectors closer than this in every coordinate are one vector.
_EQUAL = 1e-6
#: Share of the chunks from which on a topic holds nearly all.
_NEARLY_ALL = 0.9


def vectors_not_comparable(facts: Facts) -> str | None:
    """Vectors that are missing, zero or not finite."""
    if not facts.batch.computed("vectors") or not len(facts.batch):
        return None
    odd = np.flatnonzero(np.isnan(facts.batch.vectors).any(axis=1))
    if not len(odd):
        return None
    return (
        f"{len(odd)} chunks are not comparable: their vectors are missing, zero or not finite; never "
        f"removed for their vectors: {_named(facts, odd)}"
    )


def vectors_all_equal(facts: Facts) -> str | None:
    """One vector for texts that differ."""
    if not facts.batch.computed("vectors"):
        return None
    vectors = facts.batch.vectors
    rows = np.flatnonzero(~np.isnan(vectors).any(axis=1)) if len(vectors) else np.empty(0, np.int64)
    if len(rows) < SAMPLES or not (np.abs(vectors[rows] - vectors[rows[0]]) <= _EQUAL).all():
        return None
    texts = len({facts.batch.texts[row] for row in rows.tolist()})
    if texts < SAMPLES:
        return None
    return (
        f"all {len(rows)} vectors are equal, of {texts} different texts: {_named(facts, rows)}; "
        "look whether the embedder is broken"
    )


def one_topic(facts: Facts) -> str | None:
    """A topic that holds nearly all chunks adds nothing to a rule."""
    if not facts.batch.computed("topics") or len(facts.batch) < _FEW:
        return None
    topics = facts.batch.topics
    labels, counts = np.unique(topics[topics >= 0], return_counts=True)
    if not len(labels) or counts.max() <= _NEARLY_ALL * len(topics):
        return None
    rows = np.flatnonzero(topics == labels[counts.argmax()])
    return (
        f"one topic holds {len(rows)} of {len(topics)} chunks and tells nothing apart: {_named(facts, rows)}"
    )


def nothing_recognised(facts: Facts) -> str | None:
    """No entity in any chunk."""
    if not facts.batch.computed("entities") or len(facts.batch.entities.values):
        return None
    if len(set(facts.batch.texts)) < SAMPLES:
        return None
    return (
        f"no entity was found in any of {len(facts.batch)} chunks, for example "
        f"{_named(facts, np.arange(SAMPLES))}; look whether the entity model is broken or of another language"
    )


def _named(facts: Facts, rows: np.ndarray) -> str:
    return listed(facts.named(position) for position in facts.positions(rows[:SAMPLES].tolist()))


def without_places(facts: Facts) -> str | None:
    """Chunks cut from a source that do not know their place in it, under a rule that looks at edges."""
    if not any(term.syntax.window for stage in facts.policy.stages for term in stage.terms):
        return None
    counts = Counter(chunk.source for chunk in facts.new if chunk.source is not None)
    bare = [
        place
        for place, chunk in enumerate(facts.new)
        if chunk.source is not None and not chunk.spans and counts[chunk.source] > 1
    ]
    if 2 * len(bare) <= len(facts.new):
        return None
    return (
        f"{len(bare)} of {len(facts.new)} chunks do not know their place in their source (spans), for "
        f"example "
        f"{listed(map(facts.named, bare))}: pieces of sentences at their edges are not recognised, and more "
        "is kept; LangChain's splitters write it with add_start_index=True"
    )


#: Every warning about texts, ids and signals. A new one is a function and a line here.
WARNINGS = (
    without_scope_key,
    without_keep_key,
    ids_shared,
    without_places,
    vectors_not_comparable,
    vectors_all_equal,
    one_topic,
    nothing_recognised,
    most_removed,
    one_represents_most,
)
