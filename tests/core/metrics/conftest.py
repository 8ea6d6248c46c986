"""A bench over given texts, with vectors that rank the chunks as a test wants."""

from collections.abc import Callable, Sequence

import numpy as np
import pytest

from chunkfilter.chunk import Chunk
from chunkfilter.evaluate.bench import Bench, Settings
from chunkfilter.evaluate.questions import Question, Reference
from chunkfilter.evaluate.search import SEARCHES
from chunkfilter.signals.vectors import unit_rows

MakeBench = Callable[..., Bench]


def questions_of(references: Sequence[Sequence[str | Reference]]) -> list[Question]:
    return [
        Question(
            str(number), "?", tuple(one if isinstance(one, Reference) else Reference(one) for one in texts)
        )
        for number, texts in enumerate(references)
    ]


@pytest.fixture(scope="session")
def make_bench() -> MakeBench:
    """``make_bench(chunks, references, seed=0, **settings)``: chunks are ranked at random."""

    def make(
        chunks: Sequence[str | Chunk],
        references: Sequence[Sequence[str | Reference]],
        seed: int = 0,
        **settings: object,
    ) -> Bench:
        generator = np.random.default_rng(seed)
        items = [chunk if isinstance(chunk, Chunk) else Chunk(chunk) for chunk in chunks]
        return Bench(
            items,
            questions_of(references),
            unit_rows(generator.normal(size=(len(items), 8)).astype(np.float32)),
            unit_rows(generator.normal(size=(len(references), 8)).astype(np.float32)),
            SEARCHES["exact"],
            Settings(**{"tokens": ("word",), **settings}),  # type: ignore[arg-type]  # the test's own values
        )

    return make
