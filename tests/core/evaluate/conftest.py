"""A corpus with copies and its comparison, embedded once; collections whose ranking a test chooses."""

from collections.abc import Callable, Iterator, Sequence

import numpy as np
import pytest

import chunkfilter as cf
from chunkfilter.evaluate.collection import Collection, Settings
from chunkfilter.signals.embedders import Embedder
from chunkfilter.signals.vectors import unit_rows

TOPICS = ("pump", "valve", "door", "filter", "probe", "battery")
TOPICS += ("alarm", "shelf", "fan", "hinge", "cable", "plug")
FOOTER = "Spare parts and service are available from the maker on weekdays."

MakeCollection = Callable[..., Collection]


@pytest.fixture(scope="session")
def corpus() -> tuple[list[cf.Chunk], list[cf.Question]]:
    """24 documents in two groups; two of three chunks of the first group stand in the second again."""
    chunks, questions = [], []
    for edition in ("old", "new"):
        for number, topic in enumerate(TOPICS):
            source = f"{edition}/{topic}"
            answer = f"The {topic} needs {number + 2} checks a month by trained staff only."
            note = f"A note on the {topic} of the {edition} edition."
            chunks += [cf.Chunk(text, source=source) for text in (answer, note, FOOTER)]
            question = f"How many checks does the {topic} need?"
            questions.append(cf.Question(source, question, (cf.Reference(answer, source),)))
    return chunks, questions


@pytest.fixture(scope="session", autouse=True)
def _own_cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("CHUNKFILTER_CACHE", str(tmp_path_factory.mktemp("cache")))
        yield


@pytest.fixture(scope="session")
def comparison(corpus: tuple[list[cf.Chunk], list[cf.Question]], minilm: Embedder) -> cf.Comparison:
    chunks, questions = corpus
    return cf.compare(
        chunks,
        questions,
        ["none", "exact", "coverage", "coverage scope=source", "random@0.5"],
        embedder=minilm,
        k=3,
        budgets=(10, 30, 60),
        seeds=5,
        groups={chunk.source or "": (chunk.source or "").partition("/")[0] for chunk in chunks},
        beside=["control"],
    )


@pytest.fixture(scope="session")
def make_collection() -> MakeCollection:
    """``make_collection(chunks, references, seed=0, **settings)``: chunks are ranked at random."""

    def make(
        chunks: Sequence[str | cf.Chunk],
        references: Sequence[Sequence[str | cf.Reference]],
        seed: int = 0,
        **settings: object,
    ) -> Collection:
        generator = np.random.default_rng(seed)
        items = [chunk if isinstance(chunk, cf.Chunk) else cf.Chunk(chunk) for chunk in chunks]
        questions = [
            cf.Question(
                str(number),
                "?",
                tuple(one if isinstance(one, cf.Reference) else cf.Reference(one) for one in row),
            )
            for number, row in enumerate(references)
        ]
        vectors, queries = (
            unit_rows(generator.normal(size=(count, 8)).astype(np.float32))
            for count in (len(items), len(questions))
        )
        options = Settings(**{"tokens": ("word",), **settings})  # type: ignore[arg-type]  # the test's own
        return Collection(items, questions, options, vectors, queries)

    return make
