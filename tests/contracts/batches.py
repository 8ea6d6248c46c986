"""Every rule, and batches in which it finds something: the inputs of the contract suite."""

import random
from dataclasses import dataclass
from typing import Any

from hypothesis import strategies as st

import chunkfilter as cf

#: At least one policy for every rule; a new rule gets a line here.
POLICIES = [
    "none",
    "exact",
    "exact@paper",
    "minhash@0.5",
    "simhash@8",
    "similarity@0.8",
    "similarity@0.8+topics",
    "similarity@0.8+ner",
    "similarity@0.8+topics+ner",
    "exact+ner",
    "ner-exact",
    "ner-exact@paper",
    "ner-half@0.5",
    "coverage",
    "random@0.4",
    "exact|similarity@0.8",
    "minhash@0.6|ner-half@0.6|similarity@0.9",
    "coverage|ner-exact",
]
#: Filtering what these kept removes nothing. Not here: ``random``, which draws again, and several stages,
#: where a chunk may be kept only because one that was removed needs it.
ALONE = [policy for policy in POLICIES if "|" not in policy and policy != "random@0.4"]

_SENTENCES = [
    "The pump starts at six in the morning.",
    "The pump starts at seven in the morning.",
    "Valve B4 opens when pressure reaches 12 bar.",
    "Valve B5 opens when pressure reaches 12 bar.",
    "No one may enter the hall while the crane moves.",
    "Salt.",
    "Salt and",
    "...",
]
_TEXTS = st.lists(st.sampled_from(_SENTENCES), min_size=0, max_size=4).map(" ".join)
_VECTORS = st.sampled_from(
    [
        (1.0, 0.0, 0.0),
        (0.9, 0.1, 0.0),
        (0.8, 0.6, 0.0),
        (0.0, 1.0, 0.0),
        (0.0, 0.9, 0.4),
        (0.0, 0.0, 0.0),
        (float("nan"), 1.0, 0.0),
        (float("inf"), 1.0, 0.0),
        None,
    ]
)
_ENTITIES = st.frozensets(st.sampled_from(["Acme", "Bern", "2024", ("Acme", "ORG")]), max_size=4)
_TENANTS = st.sampled_from([None, "a", "b", ["a", "b"], ["b", "a"]])


@dataclass(frozen=True)
class Case:
    """Chunks, existing chunks, and every signal for both, the existing ones last."""

    chunks: list[cf.Chunk]
    existing: list[cf.Chunk]
    vectors: list[Any]
    entities: list[Any]
    topics: list[Any]

    @property
    def signals(self) -> dict[str, Any]:
        return {"vectors": self.vectors, "entities": self.entities, "topics": self.topics}

    def run(self, policy: str) -> cf.FilterResult:
        return cf.filter_chunks(self.chunks, policy, existing=self.existing, **self.signals)

    def only(self, positions: tuple[int, ...]) -> "Case":
        """The case with these chunks alone, and all existing ones."""
        rows = [*positions, *range(len(self.chunks), len(self.vectors))]
        return Case(
            [self.chunks[position] for position in positions],
            self.existing,
            [self.vectors[row] for row in rows],
            [self.entities[row] for row in rows],
            [self.topics[row] for row in rows],
        )

    def pair(self, kept: int, removed: int) -> "Case":
        """Two of its chunks, the kept one first."""
        pair = (kept, removed)
        return Case(
            [self.chunks[position] for position in pair],
            [],
            [self.vectors[position] for position in pair],
            [self.entities[position] for position in pair],
            [self.topics[position] for position in pair],
        )


def mixed_case() -> Case:
    """Sixty chunks among which every rule finds pairs, and pairs that it does not hold between."""
    draw = random.Random(1)
    texts = [" ".join(draw.choices(_SENTENCES[:5], k=draw.randint(1, 4))) for _ in range(60)]
    return Case(
        [cf.Chunk(text) for text in texts],
        [],
        [draw.choice([(1.0, 0.0, 0.0), (0.8, 0.6, 0.0), (0.0, 1.0, 0.0)]) for _ in texts],
        [frozenset(draw.choices(["Acme", "Bern", "2024", "Rome"], k=draw.randint(0, 3))) for _ in texts],
        [draw.choice([0, 1]) for _ in texts],
    )


@st.composite
def cases(draw: st.DrawFn, most: int = 14) -> Case:
    rows = draw(
        st.lists(
            st.tuples(_TEXTS, _VECTORS, _ENTITIES, st.sampled_from([0, 1, None]), _TENANTS),
            max_size=most,
        )
    )
    existing = draw(st.integers(0, min(3, len(rows))))
    chunks = [
        cf.Chunk(text, id=f"c{place}", metadata={"tenant": tenant, "acl": "x"}, source=f"s{place % 3}")
        for place, (text, _, _, _, tenant) in enumerate(rows)
    ]
    return Case(
        chunks[: len(rows) - existing],
        chunks[len(rows) - existing :],
        [row[1] for row in rows],
        [row[2] for row in rows],
        [row[3] for row in rows],
    )
