"""A small corpus with copies, and its comparison, embedded once."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

import chunkfilter as cf
from chunkfilter.signals.embedders import Embedder

TOPICS = ("pump", "valve", "door", "filter", "probe", "battery")
TOPICS += ("alarm", "shelf", "fan", "hinge", "cable", "plug")
FOOTER = "Spare parts and service are available from the maker on weekdays."


@pytest.fixture(scope="session")
def corpus() -> tuple[list[cf.Chunk], list[cf.Question]]:
    """24 documents in two groups; every chunk of the first group stands in the second again."""
    chunks, questions = [], []
    for edition in ("old", "new"):
        for number, topic in enumerate(TOPICS):
            source = f"{edition}/{topic}"
            answer = f"The {topic} needs {number + 2} checks a month by trained staff only."
            chunks.append(cf.Chunk(answer, source=source))
            chunks.append(cf.Chunk(f"A note on the {topic} of the {edition} edition.", source=source))
            chunks.append(cf.Chunk(FOOTER, source=source))
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
        minilm,
        k=3,
        budgets=(10, 30, 60),
        seeds=5,
        groups={chunk.source or "": (chunk.source or "").partition("/")[0] for chunk in chunks},
        beside=["control"],
    )


@pytest.fixture
def data_file(tmp_path: Path, corpus: tuple[list[cf.Chunk], list[cf.Question]]) -> Path:
    """The same as a folder of texts with questions beside them."""
    chunks, questions = corpus
    texts: dict[str, list[str]] = {}
    for chunk in chunks:
        texts.setdefault((chunk.source or "").replace("/", "-"), []).append(chunk.text)
    folder = tmp_path / "data"
    folder.mkdir()
    for name, parts in texts.items():
        (folder / f"{name}.txt").write_text("\n\n".join(parts), encoding="utf-8")
    lines = [
        json.dumps(
            {
                "id": one.id,
                "question": one.text,
                "references": [
                    {"text": ref.text, "source": f"{(ref.source or '').replace('/', '-')}.txt"}
                    for ref in one.references
                ],
            }
        )
        for one in questions
    ]
    (folder / "questions.jsonl").write_text("\n".join(lines), encoding="utf-8")
    return folder
