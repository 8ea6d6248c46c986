"""Cases that are small programs: each builds its inputs and says what is expected of them."""

import asyncio
import itertools
import json
import pickle
import subprocess
import sys
import time
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from langchain_core.documents import Document
from langchain_core.embeddings import Embeddings
from llama_index.core import schema
from llama_index.core.ingestion import IngestionPipeline
from llama_index.core.ingestion.pipeline import get_transformation_hash

import chunkfilter as cf
from langchain_chunkfilter import ChunkFilter
from llamaindex_chunkfilter import ChunkFilterPostprocessor, ChunkFilterTransform, ChunkFilterWarning

_LARGE = """
import importlib.util, resource, sys, time
import chunkfilter as cf
spec = importlib.util.spec_from_file_location("case", sys.argv[1])
case = importlib.util.module_from_spec(spec)
spec.loader.exec_module(case)
built = case.build()
before, started = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, time.monotonic()
result = cf.filter_chunks(built["texts"], "similarity@0.9", vectors=built["vectors"])
grown = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024
assert sorted((line.kept_by[0], line.index) for line in result.removed) == sorted(built["planted"])
print(time.monotonic() - started, grown)
"""


def many_chunks(case: ModuleType, folder: Path) -> None:
    """A hundred thousand chunks with vectors: all planted twins go and nothing else, in bounded memory."""
    del folder
    done = subprocess.run(
        [sys.executable, "-c", _LARGE, str(case.__file__)], capture_output=True, text=True, check=True
    )
    seconds, grown = map(float, done.stdout.split())
    assert seconds < case.EXPECT["max_seconds"]
    assert grown < case.EXPECT["max_rss_growth_mib"]


class _Encoding:
    """A framework's embedder in the shape that the core asks for."""

    def __init__(self, embedder: Any) -> None:
        self._embedder = embedder

    def encode(self, texts: Sequence[str], /) -> Any:
        return np.array(self._embedder.embed_documents(list(texts)), dtype=np.float32)


def _as_langchain(embedder: Any) -> Embeddings:
    """The same under the base class that LangChain asks for."""

    class Model(Embeddings):
        def embed_documents(self, texts: list[str]) -> list[list[float]]:
            found: list[list[float]] = embedder.embed_documents(texts)
            return found

        def embed_query(self, text: str) -> list[float]:
            return self.embed_documents([text])[0]

    return Model()


def interrupted(case: ModuleType, folder: Path) -> None:
    """What an embedder raises comes through, the state is as before, and the run can be repeated."""
    built = case.build()
    chunks = [cf.Chunk(row["text"], id=row["id"]) for row in built["chunks"]]
    size = built["batch_size"]
    batches = [chunks[first : first + size] for first in range(0, len(chunks), size)]
    policy = "similarity@0.999 guards=none"
    clean = case.Flaky()
    clean.armed = False
    undisturbed = cf.Ledger(folder / "clean.ledger", policy, embedder=_Encoding(clean))
    for place, batch in enumerate(batches):
        undisturbed.commit(undisturbed.update({f"{place}": batch}))
    for kind in built["exceptions"]:
        path, flaky = folder / f"{kind.__name__}.ledger", case.Flaky(kind)
        ledger = cf.Ledger(path, policy, embedder=_Encoding(flaky))
        for place, batch in enumerate(batches[:2]):
            ledger.commit(ledger.update({f"{place}": batch}))
        before = ledger.stored()
        with pytest.raises(kind, match="interrupted"):
            ledger.update({"2": batches[2]})
        assert (ledger.stored(), ledger.pending()) == (before, None)
        flaky.armed = False
        for place, batch in enumerate(batches[2:], start=2):
            ledger.commit(ledger.update({f"{place}": batch}))
        assert ledger.stored() == undisturbed.stored()
        model = case.Flaky(kind)
        model.calls = 2
        step = ChunkFilter("similarity@0.999", embeddings=_as_langchain(model))
        documents = [Document(chunk.text, id=chunk.id) for chunk in chunks]
        with pytest.raises(kind, match="interrupted"):
            step.transform_documents(documents)


def long_runs(case: ModuleType, folder: Path) -> None:
    """Long texts without the expected ends: seconds, and twice the text takes about twice the time."""
    del folder
    texts, longer = case.build()["texts"], case.build(400_000)["texts"]
    for name, text in texts.items():
        for policy in ("exact", "coverage", "coverage@0.9", "minhash@0.8", "simhash@3"):
            once = _seconds(text, policy)
            assert once < case.EXPECT["max_seconds_each"], f"{name}, {policy}: {once:.1f} s"
            twice = _seconds(longer[name], policy)
            assert twice < 3.5 * once + 0.3, f"{name}, {policy}: {once:.1f} s, then {twice:.1f} s"


def _seconds(text: str, policy: str) -> float:
    started = time.process_time()
    cf.filter_chunks([text, f"{text} end"], policy)
    return time.process_time() - started


def cached_steps(case: ModuleType, folder: Path) -> None:
    """Each setting is in the cache's key, and an answer that is another document's is told."""
    del folder
    built = case.build()
    steps = [_step(settings) for settings in built["configs"]]
    nodes = [schema.TextNode(text="one"), schema.TextNode(text="two")]
    keys = [get_transformation_hash(nodes, step) for step in steps]
    assert len({*keys}) == len(keys)
    assert [get_transformation_hash(nodes, _step(settings)) for settings in built["configs"]] == keys
    assert ChunkFilterTransform.class_name() != ChunkFilterPostprocessor.class_name()
    assert all(json.dumps(step.to_dict()) for step in steps)
    pairs = [
        [[schema.Document(text=text, id_=name) for name, text in run] for run in built["runs"]],
        [
            [schema.Document(text=text, id_=f"{number} {place}") for place, text in enumerate(parts)]
            for number, parts in enumerate(built["collide"])
        ],
    ]
    for first, second in pairs:
        pipeline = IngestionPipeline(transformations=[ChunkFilterTransform("exact")])
        pipeline.run(documents=first)
        with pytest.warns(ChunkFilterWarning):
            pipeline.run(documents=second)


def _step(settings: dict[str, Any]) -> ChunkFilterTransform:
    scope = f" scope={','.join(settings['scope'])}" if "scope" in settings else ""
    model = settings.get("model", "one")
    return ChunkFilterTransform(f"similarity@{settings['threshold']}{scope}", embed_model_id=model)


def shared_text_of_deleted_source(case: ModuleType, folder: Path) -> None:
    """A text whose only stored copy leaves with its source comes back from another source that holds it."""
    documents = case.build()["documents"]
    shared = documents["C"]
    ledger = cf.Ledger(folder / "shared.ledger")
    rows: dict[str | None, str] = {}

    def run(sources: dict[str, str], delete: tuple[str, ...] = ()) -> None:
        change = ledger.update({name: text.split("\n\n") for name, text in sources.items()}, delete)
        rows.update({chunk.id: chunk.text for chunk in change.add})
        for row in change.delete:
            del rows[row]
        ledger.commit(change)

    run(documents)
    for delete in ("A", "B"):
        run({}, (delete,))
        assert shared in rows.values()
    run({}, ("C",))
    assert not rows


def worker_processes(case: ModuleType, folder: Path) -> None:
    """Workers see a share and say so; a pass over what they gave equals one process."""
    del folder
    built = case.build()
    documents = [
        schema.Document(text=part, id_=f"{name} {place}")
        for name, text in built["documents"]
        for place, part in enumerate(text.split("\n\n"))
    ]
    step = ChunkFilterTransform("exact")
    assert pickle.loads(pickle.dumps(step)).to_dict() == step.to_dict()
    pipeline = IngestionPipeline(transformations=[step])
    with pytest.warns(ChunkFilterWarning, match="num_workers=2"):
        shares = pipeline.run(documents=documents, num_workers=2)
    assert [node.get_content() for node in step(shares)] == built["expected_one_worker"]


def event_loop(case: ModuleType, folder: Path) -> None:
    """Awaited, the work gives what it gives at once, and other tasks go on meanwhile."""
    del folder
    built = case.build()
    documents = [Document(row["text"], id=row["id"]) for row in built["chunks"]]
    nodes = [schema.TextNode(text=row["text"], id_=row["id"]) for row in built["chunks"]]
    ranked = [schema.NodeWithScore(node=node, score=1.0) for node in nodes]
    chain, transform, rerank = ChunkFilter(), ChunkFilterTransform(), ChunkFilterPostprocessor()
    for expected, work in (
        (chain.transform_documents(documents), lambda: chain.atransform_documents(documents)),
        (chain.compress_documents(documents, "q"), lambda: chain.acompress_documents(documents, "q")),
        (transform(nodes), lambda: transform.acall(nodes)),
        (rerank.postprocess_nodes(ranked), lambda: rerank.apostprocess_nodes(ranked)),
    ):
        gaps = []
        for _ in range(3):  # other processes may hold up one of the runs
            found, gap = asyncio.run(_longest_gap(work, built["tick_seconds"]))
            assert list(found) == list(expected)
            gaps.append(gap)
        assert min(gaps) < case.EXPECT["max_gap_between_ticks_seconds"]


async def _longest_gap(work: Callable[[], Awaitable[Any]], tick: float) -> tuple[Any, float]:
    """What the work gives, and the longest time between two ticks meanwhile."""
    ticks = [time.perf_counter()]

    async def ticking() -> None:
        while True:
            await asyncio.sleep(tick)
            ticks.append(time.perf_counter())

    ticker = asyncio.create_task(ticking())
    found = await work()
    ticks.append(time.perf_counter())
    ticker.cancel()
    return found, max(after - before for before, after in itertools.pairwise(ticks))
