"""A plan at work writes no index files of a Chroma folder: a kill in the middle of that could damage them."""

import subprocess
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import chromadb
import numpy as np
import pytest
from chromadb.config import Settings

from chunkfilter.stores import Row, apply_plan, make_plan, open_store, read_plan, undo_plan

#: Twice the changes after which Chroma writes its index.
COPIES = 2000


@pytest.fixture
def url(chroma_folder) -> str:
    vectors = np.random.default_rng(3).normal(size=(2 * COPIES, 4)).astype(np.float32)
    return chroma_folder(
        [Row(f"r{place:04}", f"Item {place % COPIES}.", None, vectors[place]) for place in range(2 * COPIES)]
    )


def index_files(url: str) -> dict[str, int]:
    folder = Path(url.removeprefix("chroma:").partition("#")[0])
    return {str(path): path.stat().st_mtime_ns for path in folder.glob("*/*") if path.is_file()}


@contextmanager
def opened(url: str) -> Iterator[chromadb.Collection]:
    place, _, name = url.removeprefix("chroma:").partition("#")
    client = chromadb.PersistentClient(place, Settings(anonymized_telemetry=False))
    yield client.get_collection(name, embedding_function=None)
    client.close()


def interval(url: str) -> int:
    with opened(url) as collection:
        return collection.configuration_json["hnsw"]["sync_threshold"]


def set_interval(url: str, changes: int) -> None:
    with opened(url) as collection, warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        collection.modify(configuration={"hnsw": {"sync_threshold": changes}})


def test_neither_apply_nor_undo_writes_index_files(url, tmp_path):
    store = open_store(url)
    plan = make_plan(store, "exact", tmp_path / "plan")
    store.close()
    before = index_files(url)
    for change in (apply_plan, undo_plan):
        store = open_store(url)
        change(store, plan)
        store.close()
        assert index_files(url) == before != {}
        assert interval(url) == 1000


def test_the_next_use_writes_them_once_and_finds_what_is_left(url, tmp_path):
    store = open_store(url)
    vectors = np.array([row.vector for row in store.rows(["r0000", f"r{COPIES}"])])
    plan = make_plan(store, "exact", tmp_path / "plan")
    apply_plan(store, plan)
    store.close()
    before = index_files(url)
    store = open_store(url)
    assert store.query(vectors[:1], 1) == [["r0000"]]
    assert f"r{COPIES}" not in store.query(vectors[1:], 10)[0]
    store.close()
    assert index_files(url) != before


_DIE = """
import os, signal, sys
from pathlib import Path
from chunkfilter.stores import apply_plan, open_store, read_plan
from chunkfilter.stores.chroma import ChromaStore
ChromaStore.delete = lambda self, ids: os.kill(os.getpid(), signal.SIGKILL)
apply_plan(open_store(sys.argv[1]), read_plan(Path(sys.argv[2])))
"""


@pytest.mark.parametrize("repair", [apply_plan, undo_plan])
def test_after_a_kill_the_next_run_sets_the_interval_back(url, repair, tmp_path):
    set_interval(url, 700)
    store = open_store(url)
    plan = make_plan(store, "exact", tmp_path / "plan")
    store.close()
    killed = subprocess.run([sys.executable, "-c", _DIE, url, str(plan.folder)], check=False)
    assert killed.returncode == -9
    assert interval(url) > COPIES
    store = open_store(url)
    repair(store, read_plan(plan.folder))
    store.close()
    assert interval(url) == 700


def test_without_the_journal_the_interval_becomes_chromas_own(url, tmp_path):
    store = open_store(url)
    plan = make_plan(store, "exact", tmp_path / "plan")
    store.close()
    set_interval(url, 1_000_000_000)
    store = open_store(url)
    apply_plan(store, plan)
    store.close()
    assert interval(url) == 1000
