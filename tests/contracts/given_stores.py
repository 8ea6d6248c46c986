"""Cases that are small programs around stores and files: damage, threads, many rows, undo."""

import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

import chromadb
import numpy as np
import pytest
from chromadb.config import Settings
from langchain_core.documents import Document

import chunkfilter as cf
from chunkfilter.errors import ChunkFilterError, StoreError
from chunkfilter.stores import apply_plan, make_plan, open_store, undo_plan
from chunkfilter.stores.row import full_digest
from langchain_chunkfilter import ChunkFilter


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


def damaged_files(case: ModuleType, folder: Path) -> None:
    """A file that is not what was written is refused by name and left as it is."""
    texts = [row["text"] for row in case.build()["chunks"]]
    result = cf.filter_chunks([*texts, *texts], "exact")
    saved = folder / "result.jsonl"
    result.save(saved)
    _refuses_variants(case, saved, cf.FilterResult.load, lambda loaded: loaded == result)
    record = folder / "record.ledger"
    ledger = cf.Ledger(record, "exact")
    ledger.commit(ledger.update({"a": texts}))

    def same(path: Path) -> Any:
        found = cf.Ledger(path, "exact")
        return found.check(), [chunk.text for chunk in found.chunks("a")]

    _refuses_variants(case, record, same, lambda found: found == ((), texts))
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
