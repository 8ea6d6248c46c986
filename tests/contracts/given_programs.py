"""Cases that are small programs: each builds its inputs and says what is expected of them."""

import asyncio
import itertools
import json
import pickle
import subprocess
import sys
import threading
import time
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

import chromadb
import numpy as np
import pytest
from chromadb.config import Settings
from langchain_core.documents import Document
from langchain_core.embeddings import Embeddings
from llama_index.core import schema
from llama_index.core.ingestion import IngestionPipeline
from llama_index.core.ingestion.pipeline import get_transformation_hash

import chunkfilter as cf
from chunkfilter.errors import ChunkFilterError, StoreError
from chunkfilter.stores import apply_plan, make_plan, open_store, undo_plan
from chunkfilter.stores.row import full_digest
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
result = cf.filter_chunks(built["texts"], "similarity@0.9", embeddings=built["vectors"])
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


def shared_between_threads(case: ModuleType, folder: Path) -> None:
    """Each thread gets what it would get alone; of two runs that prune one store the second is refused."""
    built = case.build()
    documents = [[Document(row["text"], id=row["id"]) for row in rows] for rows in built["inputs"]]
    step = ChunkFilter("coverage")
    alone = [[one.id for one in step.transform_documents(rows)] for rows in documents]
    wrong: list[int] = []

    def run(number: int) -> None:
        found = [step.transform_documents(documents[number]) for _ in range(built["rounds"])]
        wrong.extend(number for kept in found if [one.id for one in kept] != alone[number])

    threads = [threading.Thread(target=run, args=(number,)) for number in range(built["threads"])]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong
    rows = [{**row, "id": row["id"]} for rows in built["inputs"] for row in rows]
    store = open_store(_chroma(folder / "db", rows))
    plans = [make_plan(store, "exact", folder / f"plan {number}") for number in range(2)]
    apply_plan(store, plans[0])
    with pytest.raises(StoreError, match="changed"):
        apply_plan(store, plans[1])
    left = {row.text for page in store.pages(vectors=False) for row in page}
    assert left == {row["text"] for row in rows}


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
    with cf.KeptIndex(policy) as index:
        expected = [index.add(batch, embedder=_Encoding(clean)).kept for batch in batches]
    for kind in built["exceptions"]:
        path, flaky, found = folder / f"{kind.__name__}.index", case.Flaky(kind), []
        with cf.KeptIndex(policy, path) as index:
            found += [index.add(batch, embedder=_Encoding(flaky)).kept for batch in batches[:2]]
            before = len(index)
            with pytest.raises(kind, match="interrupted"):
                index.add(batches[2], embedder=_Encoding(flaky))
            assert len(index) == before
        flaky.armed = False
        with cf.KeptIndex.load(path) as index:
            assert len(index) == before
            found += [index.add(batch, embedder=_Encoding(flaky)).kept for batch in batches[2:]]
        assert found == expected
        model = case.Flaky(kind)
        model.calls = 2
        step = ChunkFilter("similarity@0.999", embeddings=_as_langchain(model))
        documents = [Document(chunk.text, id=chunk.id) for chunk in chunks]
        with pytest.raises(kind, match="interrupted"):
            step.transform_documents(documents)


def damaged_files(case: ModuleType, folder: Path) -> None:
    """A file that is not what was written is refused by name and left as it is."""
    texts = [row["text"] for row in case.build()["chunks"]]
    result = cf.filter_chunks([*texts, *texts], "exact")
    saved = folder / "result.jsonl"
    result.save(saved)
    _refuses_variants(case, saved, cf.FilterResult.load, lambda loaded: loaded == result)
    kept = folder / "kept.index"
    with cf.KeptIndex("exact", kept) as index:
        index.add(texts)

    def match(path: Path) -> Any:
        with cf.KeptIndex.load(path) as loaded:
            return loaded.match(texts).kept

    _refuses_variants(case, kept, match, lambda found: found == ())
    _refuses_damaged_plans(case, folder, texts)


def _refuses_damaged_plans(case: ModuleType, folder: Path, texts: list[str]) -> None:
    rows = [{"id": f"{place}", "text": text} for place, text in enumerate([*texts, *texts])]
    store = open_store(_chroma(folder / "db", rows))
    plan = make_plan(store, "exact", folder / "plan")
    apply_plan(store, plan)
    gone = len(texts)
    for file in sorted(plan.folder.iterdir()):
        if file.suffix in (".jsonl", ".json", ".undo", ".journal") or file.name.startswith("undo"):

            def undo(_path: Path) -> Any:
                undone = undo_plan(store, plan)
                if undone.restored:
                    apply_plan(store, make_plan(store, "exact", folder / f"plan {time.monotonic_ns()}"))
                return undone.restored + undone.present

            _refuses_variants(case, file, undo, lambda count: count in (0, gone), names=plan.folder)


def _refuses_variants(
    case: ModuleType,
    path: Path,
    read: Callable[[Path], Any],
    right: Callable[[Any], bool],
    names: Path | None = None,
) -> None:
    """Either the file is refused, by its name, or what is read is what was written."""
    valid = path.read_bytes()
    for name, content in case.variants(valid).items():
        path.unlink()
        if content is None:
            path.mkdir()
        else:
            path.write_bytes(content)
        found, said = None, None
        try:
            found = read(path)
        except (ChunkFilterError, OSError) as error:
            said = str(error)
        assert right(found) if said is None else str(names or path) in said, name
        if content is None:
            path.rmdir()
        elif said is not None:
            assert path.read_bytes() == content, name
        path.write_bytes(valid)


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
    """Who still needs a text whose only kept copy goes is told; adding it again makes it whole."""
    del folder
    documents = case.build()["documents"]

    def chunks(name: str, text: str) -> list[cf.Chunk]:
        return [cf.Chunk(part, source=name) for part in text.split("\n\n")]

    shared = documents["C"]
    with cf.KeptIndex("coverage") as index:
        for name, text in documents.items():
            index.add(chunks(name, text))
        assert {orphan.source for orphan in index.remove_source("A")} == {"B", "C"}
        for name in ("B", "C"):
            index.add(chunks(name, documents[name]))
        assert not index.match([shared]).kept
        orphans = index.remove_source("B")
        assert {orphan.source for orphan in orphans} <= {"C"}
        index.add(chunks("B", documents["B"].removeprefix(f"{shared}\n\n")))
        index.add(chunks("C", documents["C"]))
        assert not index.match([shared]).kept
        assert index.remove_source("C") == []
        assert index.match([shared]).kept == (0,)
    with cf.KeptIndex("coverage scope=source") as index:
        for name, text in documents.items():
            index.add(chunks(name, text))
        assert index.remove_source("A") == []


def more_rows_than_variables(case: ModuleType, folder: Path) -> None:
    """A collection beyond SQLite's limit is read, pruned and restored whole."""
    store = open_store(case.build(str(folder / "db")))
    rows = case.EXPECT["rows_read"]
    assert sum(len(page) for page in store.pages(vectors=False)) == rows
    plan = make_plan(store, "exact", folder / "plan")
    assert plan.total == rows
    apply_plan(store, plan)
    assert store.count() == rows - plan.removed < rows
    undo_plan(store, plan)
    assert store.count() == rows


def pruned_and_restored(case: ModuleType, folder: Path) -> None:
    """What was deleted comes back as it was, once, and over nothing that is there again."""
    built = case.build()
    collection = _chroma(folder / "db", built["rows"], built["dim"])
    store = open_store(collection)

    def contents() -> dict[Any, str]:
        ids = [row.id for page in store.pages(vectors=False) for row in page]
        return {row.id: full_digest(row) for row in store.rows(ids)}

    before = contents()
    plan = make_plan(store, "exact", folder / "plan")
    assert contents() == before
    copies = sum(row["text"] == "Kept text." for row in built["rows"]) - 1
    blank = sum(row["text"] == "" for row in built["rows"])
    assert plan.removed == copies + blank
    apply_plan(store, plan)
    assert len(contents()) == len(before) - plan.removed
    assert undo_plan(store, plan).restored == plan.removed
    assert contents() == before
    assert undo_plan(store, plan).restored == 0
    again = make_plan(store, "exact", folder / "again")
    apply_plan(store, again)
    gone = next(iter({*before} - {*contents()}))
    collection.add(ids=[gone], documents=["New text."], embeddings=[[1.0] * built["dim"]])
    new = contents()[gone]
    assert undo_plan(store, again).conflicts == (gone,)
    assert contents() == {**before, gone: new}


def _chroma(folder: Path, rows: Sequence[dict[str, Any]], dim: int = 4) -> Any:
    """A collection, row by row as not all of them have a text or metadata."""
    client = chromadb.PersistentClient(str(folder), Settings(anonymized_telemetry=False))
    collection = client.create_collection("rows", embedding_function=None)
    vectors = np.random.default_rng(2).normal(size=(len(rows), dim)).astype(np.float32)
    for row, vector in zip(rows, vectors, strict=True):
        text, metadata = row.get("text"), row.get("metadata")
        collection.add(
            ids=[row["id"]],
            embeddings=[vector],
            documents=None if text is None else [text],
            metadatas=None if metadata is None else [metadata],
        )
    return collection


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
