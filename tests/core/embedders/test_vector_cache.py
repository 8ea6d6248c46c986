"""Vectors on disk: found again, private, whole or absent, and rebuilt where they are damaged."""

import logging
import sqlite3
import stat
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from chunkfilter.evaluate.cached_embedder import cached_embedder
from chunkfilter.evaluate.vector_cache import CacheInfo, VectorCache, cache_folder
from chunkfilter.signals.embedders import Named, QueryEmbedder, Windowed, encode_queries

TEXTS = ["The fee is 40 euros.", "Snow fell on the pass.", "", "broken \ud800", "The fee is 40 euros."]


class Counting:
    """Embeds by character counts and notes every text it is asked for."""

    def __init__(self, name="counting", factor=1.0):
        self.name = name
        self.asked = []
        self._factor = factor

    def encode(self, texts):
        self.asked.extend(texts)
        return [[len(text) + 1.0, self._factor * text.count("e"), 1.0] for text in texts]


def vectors(count, width=384):
    return np.random.default_rng(0).standard_normal((count, width)).astype(np.float32)


def damage(path: Path, statement: str) -> None:
    database = sqlite3.connect(path)
    with database:
        database.execute(statement)
    database.close()


def test_vectors_are_found_again_by_model_and_text(tmp_path):
    stored = vectors(2)
    VectorCache(tmp_path).write("one", ["a", "b"], stored)
    found = VectorCache(tmp_path).read("one", ["b", "c", "a"])
    assert sorted(found) == ["a", "b"]
    np.testing.assert_array_equal(found["b"], stored[1])
    assert VectorCache(tmp_path).read("another", ["a"]) == {}


def test_the_folder_and_the_file_are_the_users_alone(tmp_path):
    cache = VectorCache(tmp_path / "new" / "cache")
    cache.write("one", ["a"], vectors(1))
    assert stat.S_IMODE(cache.path.stat().st_mode) == 0o600
    assert stat.S_IMODE(cache.path.parent.stat().st_mode) == 0o700


def test_the_second_run_embeds_nothing_but_the_probe(tmp_path):
    first, second = Counting(), Counting()
    before = cached_embedder(first, tmp_path).encode(TEXTS)
    after = cached_embedder(second, tmp_path).encode(TEXTS)
    np.testing.assert_array_equal(before, after)
    assert len(first.asked) == 1 + len(set(TEXTS))
    assert len(second.asked) == 1


def test_rows_come_in_the_order_of_the_texts_and_have_unit_length(tmp_path):
    rows = cached_embedder(Counting(), tmp_path).encode(TEXTS)
    np.testing.assert_array_equal(rows[0], rows[4])
    np.testing.assert_allclose(np.linalg.norm(rows, axis=1), 1, atol=1e-6)
    assert cached_embedder(Counting(), tmp_path).encode([]).shape[0] == 0


def test_an_embedder_without_a_name_is_never_cached(tmp_path):
    def lengths(texts):
        return [[len(text), 1.0] for text in texts]

    assert not isinstance(cached_embedder(lengths, tmp_path), Named)
    assert VectorCache(tmp_path).info().vectors == {}


def test_the_real_model_keeps_its_window_and_questions(minilm, tmp_path):
    cached = cached_embedder(minilm, tmp_path)
    assert isinstance(cached, Named)
    assert isinstance(cached, QueryEmbedder)
    assert isinstance(cached, Windowed)
    assert cached.visible_ends(TEXTS).tolist() == minilm.visible_ends(TEXTS).tolist()
    np.testing.assert_allclose(cached.encode(TEXTS), minilm.encode(TEXTS), atol=1e-5)
    np.testing.assert_allclose(encode_queries(cached, TEXTS), minilm.encode_queries(TEXTS), atol=1e-5)


def test_a_name_that_means_another_model_drops_what_is_stored(tmp_path, caplog):
    cached_embedder(Counting(), tmp_path).encode(["sleeves", "b"])
    changed = Counting(factor=-3.0)
    rows = cached_embedder(changed, tmp_path).encode(["sleeves", "b"])
    assert "its vectors have changed" in caplog.text
    assert rows[0, 1] < 0
    assert set(changed.asked) >= {"sleeves", "b"}


def test_a_damaged_vector_is_computed_again_with_a_warning(tmp_path, caplog):
    before = cached_embedder(Counting(), tmp_path).encode(TEXTS)
    damage(VectorCache(tmp_path).path, "UPDATE vectors SET vector = zeroblob(12) WHERE rowid % 2 = 0")
    again = Counting()
    np.testing.assert_array_equal(cached_embedder(again, tmp_path).encode(TEXTS), before)
    assert "damaged entries are computed again" in caplog.text
    assert len(again.asked) > 1
    caplog.clear()
    cached_embedder(Counting(), tmp_path).encode(TEXTS)
    assert caplog.text == ""


@pytest.mark.parametrize("content", [b"no database at all, but long enough to be looked at" * 40, b""])
def test_a_file_that_is_no_database_is_replaced(tmp_path, content, caplog):
    VectorCache(tmp_path).path.write_bytes(content)
    cached_embedder(Counting(), tmp_path).encode(TEXTS)
    assert VectorCache(tmp_path).info().vectors == {"counting": 1 + len(set(TEXTS))}
    assert ("starts anew" in caplog.text) is bool(content)


def test_a_file_cut_short_is_replaced(tmp_path, caplog):
    cache = VectorCache(tmp_path)
    cache.write("one", [str(number) for number in range(500)], vectors(500))
    cache.path.write_bytes(cache.path.read_bytes()[: cache.path.stat().st_size // 2])
    assert len(cache.read("one", [str(number) for number in range(500)])) < 500
    cache.write("one", ["a"], vectors(1))
    assert list(cache.read("one", ["a"])) == ["a"]


def test_a_file_of_another_version_is_replaced(tmp_path):
    cache = VectorCache(tmp_path)
    cache.write("one", ["a"], vectors(1))
    damage(cache.path, "PRAGMA user_version = 99")
    assert cache.read("one", ["a"]) == {}


def test_a_folder_that_cannot_be_written_only_costs_time(tmp_path, caplog):
    (tmp_path / "taken").write_text("a file where the folder should be")
    embedder = cached_embedder(Counting(), tmp_path / "taken" / "cache")
    assert embedder.encode(TEXTS).shape == (5, 3)
    assert "the vector cache is not used" in caplog.text


def test_a_process_killed_in_mid_write_leaves_a_readable_cache(tmp_path):
    script = (
        "import sys, numpy as np\n"
        "from chunkfilter.evaluate.vector_cache import VectorCache\n"
        "cache, number = VectorCache(sys.argv[1]), 0\n"
        "print('writing', flush=True)\n"
        "while True:\n"
        "    texts = [f'{number} {place}' for place in range(2000)]\n"
        "    cache.write('one', texts, np.ones((2000, 384), np.float32)); number += 1\n"
    )
    with subprocess.Popen([sys.executable, "-c", script, tmp_path], stdout=subprocess.PIPE) as process:
        process.stdout.readline()
        time.sleep(0.7)
        process.kill()
    stored = VectorCache(tmp_path).info().vectors.get("one", 0)
    assert stored % 2000 == 0
    found = VectorCache(tmp_path).read("one", [f"0 {place}" for place in range(2000)])
    assert len(found) in (0, 2000)


def test_twenty_thousand_vectors_are_read_at_once(tmp_path):
    texts = [f"text {number}" for number in range(20_000)]
    cache = VectorCache(tmp_path)
    cache.write("one", texts, vectors(20_000))
    assert len(cache.read("one", texts)) == 20_000


def test_clearing_deletes_the_file_and_can_be_repeated(tmp_path):
    cache = VectorCache(tmp_path)
    cache.write("one", ["a"], vectors(1))
    assert cache.info().bytes > 0
    cache.clear()
    cache.clear()
    assert cache.info() == CacheInfo(cache.path, 0, {})


def test_the_folder_is_the_argument_then_the_environment_then_the_users(tmp_path, monkeypatch):
    monkeypatch.setenv("CHUNKFILTER_CACHE", str(tmp_path / "environment"))
    assert cache_folder(tmp_path / "argument") == tmp_path / "argument"
    assert cache_folder() == tmp_path / "environment"
    monkeypatch.delenv("CHUNKFILTER_CACHE")
    assert "chunkfilter" in str(cache_folder())


@pytest.fixture(autouse=True)
def _log_warnings(caplog):
    caplog.set_level(logging.WARNING, logger="chunkfilter")
