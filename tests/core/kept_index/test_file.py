"""The file of an index: whole or not at all, one writer, and clear words about what is no index."""

import signal
import sqlite3
import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pytest

import chunkfilter as cf
from chunkfilter.errors import InputError, KeptIndexError, MissingSignalError, PolicyError, VectorError

TEXTS = ["Pumps start at six.", "Valves open at nine.", "pumps start at six"]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    with cf.KeptIndex("exact", tmp_path / "kept.index") as index:
        index.add([cf.Chunk(text, id=str(place), source=f"s{place}") for place, text in enumerate(TEXTS)])
    return tmp_path / "kept.index"


def test_a_loaded_index_goes_on_where_it_was(path: Path) -> None:
    with cf.KeptIndex.load(path) as index:
        assert str(index.policy) == "exact"
        assert len(index) == 2
        assert index.add(["PUMPS start, at six!", "Salt."]).kept == (1,)
    with cf.KeptIndex.load(path) as index:
        assert len(index) == 3


def test_matching_stores_nothing_and_its_result_can_be_verified(path: Path) -> None:
    chunks = [cf.Chunk("valves open at nine"), cf.Chunk("Salt.")]
    with cf.KeptIndex.load(path) as index:
        match = index.match(chunks)
        assert match.kept == (1,)
        assert [match.existing[place].id for place in match.result.removed[0].kept_by_existing] == ["1"]
        match.result.verify(chunks, existing=match.existing)
        assert len(index) == 2


def test_an_index_in_memory_can_be_saved_and_replaces_a_file_whole(path: Path, tmp_path: Path) -> None:
    with cf.KeptIndex("coverage") as index:
        index.add(["One text of five words."])
        index.save(path)
        with pytest.raises(KeptIndexError, match="not a regular file"):
            index.save(tmp_path)
    with cf.KeptIndex.load(path) as index:
        assert str(index.policy) == "coverage"
        assert index.match(["one text of five words"]).kept == ()
    assert sorted(file.name for file in tmp_path.iterdir()) == ["kept.index"]


def test_a_file_that_is_there_is_not_made_again(path: Path) -> None:
    with pytest.raises(KeptIndexError, match=r"kept.index: exists already; KeptIndex.load"):
        cf.KeptIndex("exact", path)


def _damaged(valid: bytes) -> dict[str, bytes]:
    newer = bytearray(valid)
    newer[60:64] = (99).to_bytes(4, "big")
    return {
        "empty": b"",
        "cut off": valid[: len(valid) // 2],
        "zeros": bytes(512),
        "another format": b"\x89PNG\r\n\x1a\n",
        "another list": b"[1, 2]",
        "newer": bytes(newer),
        "marked": b"\xef\xbb\xbf" + valid,
        "twice": valid + valid,
    }


@pytest.mark.parametrize("kind", sorted(_damaged(b"")))
def test_what_is_no_whole_index_is_named_and_left_alone(path: Path, kind: str) -> None:
    content = _damaged(path.read_bytes())[kind]
    path.write_bytes(content)
    with pytest.raises(KeptIndexError, match=r"kept\.index"):
        cf.KeptIndex.load(path)
    assert path.read_bytes() == content


def test_a_missing_file_and_a_folder_are_named(tmp_path: Path) -> None:
    for place in (tmp_path, tmp_path / "none"):
        with pytest.raises(KeptIndexError, match="no such file"):
            cf.KeptIndex.load(place)


def test_a_database_of_others_is_left_alone(tmp_path: Path) -> None:
    place = tmp_path / "others.db"
    other = sqlite3.connect(place)
    other.execute("CREATE TABLE t (x)")
    other.commit()
    other.close()
    with pytest.raises(KeptIndexError, match="not an index of kept chunks"):
        cf.KeptIndex.load(place)


def test_one_writer_at_a_time_and_readers_beside_it(path: Path) -> None:
    inside, leave = threading.Event(), threading.Event()

    class Slow:
        def encode(self, texts, /):
            return np.tile([1.0, 0.0], (len(texts), 1))

        def visible_ends(self, texts, /):
            inside.set()
            leave.wait(20)
            return np.array([len(text) for text in texts])

    place = path.with_name("similar.index")
    with cf.KeptIndex("similarity@0.9", place) as first, cf.KeptIndex.load(place) as second:
        first.add(["Salt is dry."], vectors=[[1, 0]])
        writer = threading.Thread(target=lambda: first.add(["Rice. " * 300], embedder=Slow()))
        writer.start()
        assert inside.wait(20)
        assert second.match(["Salt is dry."], vectors=[[1, 0]]).kept == ()
        with pytest.raises(KeptIndexError, match="another run is adding to this index"):
            second.add(["Rye."], vectors=[[1, 0]])
        leave.set()
        writer.join()
        assert second.add(["Rye."], vectors=[[0, 1]]).kept == (0,)


_ADDING = """
import sys
import chunkfilter as cf
index = cf.KeptIndex.load(sys.argv[1])
number = len(index)
while True:
    index.add([f"Chunk {number + step} says {number * 7919 + step}." for step in range(50)])
    number += 50
    print(number, flush=True)
"""


def test_killing_the_writer_loses_nothing_that_was_confirmed(tmp_path: Path) -> None:
    path = tmp_path / "killed.index"
    cf.KeptIndex("coverage", path).close()
    for rounds in range(1, 4):
        process = subprocess.Popen(
            [sys.executable, "-c", _ADDING, str(path)], stdout=subprocess.PIPE, text=True
        )
        assert process.stdout is not None
        confirmed = [int(process.stdout.readline()) for _ in range(2 * rounds)][-1]
        process.send_signal(signal.SIGKILL)
        confirmed = max([confirmed, *map(int, process.stdout.read().split())])
        process.wait()
        process.stdout.close()
        with cf.KeptIndex.load(path) as index:
            assert confirmed <= len(index) <= confirmed + 50
            assert len(index) % 50 == 0
            last = f"Chunk {confirmed - 1} says {(confirmed - 50) * 7919 + 49}."
            assert index.match([last]).kept == ()


class InterruptedRunError(Exception):
    """Raised in the middle of a batch."""


def test_an_interruption_leaves_the_index_as_it_was(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(*_: object) -> None:
        raise InterruptedRunError

    with cf.KeptIndex.load(path) as index:
        with monkeypatch.context() as patch:
            patch.setattr("chunkfilter.filters.kept_index.index.add_removals", fails)
            with pytest.raises(InterruptedRunError):
                index.add(["Rice.", "Valves open at nine."])
        assert len(index) == 2
        assert index.add(["Rice.", "Valves open at nine."]).kept == (0,)


class TestSources:
    """What a source takes along when it goes."""

    def test_removed_chunks_that_lose_their_keeper_are_named(self) -> None:
        with cf.KeptIndex("coverage") as index:
            index.add([cf.Chunk(text, source="A") for text in ("Shared notice of safety.", "Only in A.")])
            for source in "BC":
                index.add([cf.Chunk("Shared notice of safety.", id=f"{source}0", source=source)])
            assert [(one.source, one.id, one.rule) for one in index.remove_source("A")] == [
                ("B", "B0", "exact"),
                ("C", "C0", "exact"),
            ]
            assert len(index) == 0
            assert index.add([cf.Chunk("Shared notice of safety.", id="B0", source="B")]).kept == (0,)
            assert index.remove_source("C") == []
            assert index.remove_source("B") == []

    def test_a_source_that_nobody_relies_on_takes_nothing_along(self) -> None:
        with cf.KeptIndex("exact") as index:
            index.add(
                [cf.Chunk("Salt.", source="A"), cf.Chunk("Salt.", source="A"), cf.Chunk("Rye.", source="B")]
            )
            assert index.remove_source("A") == []
            assert index.remove_source("unknown") == []
            assert index.match(["Salt.", "Rye."]).kept == (0,)


class TestWhatIsRefused:
    """Bad input is an error before anything is stored."""

    @pytest.mark.parametrize(
        "policy", ["similarity@0.8+topics", "random@0.1", "exact|random@0.5", "coverage window=3"]
    )
    def test_rules_that_look_at_a_whole_corpus(self, policy: str) -> None:
        with pytest.raises(PolicyError, match="index of kept chunks"):
            cf.KeptIndex(policy)

    def test_vectors_of_another_length_or_model(self) -> None:
        class Model:
            name = "other"

            def encode(self, texts, /):
                return np.ones((len(texts), 2))

        with cf.KeptIndex("similarity@0.9") as index:
            index.add(["a"], vectors=[None])
            index.add(["a b"], vectors=[[1, 0]])
            with pytest.raises(VectorError, match="2 in the index, 3 at chunk 0"):
                index.add(["b"], vectors=[[1, 0, 0]])
            with pytest.raises(VectorError, match="expected 1 rows of one length"):
                index.add(["b"], vectors=[[1, 0], [0, 1]])
            with pytest.raises(MissingSignalError, match="needs vectors"):
                index.add(["b"])
            assert index.add(["a b c d"], embedder=Model()).kept == (0,)
            Model.name = "yet another"
            with pytest.raises(VectorError, match="holds vectors of 'other'"):
                index.add(["e"], embedder=Model())

    def test_values_that_cannot_be_stored(self) -> None:
        with cf.KeptIndex("exact scope=tenant") as index, pytest.raises(InputError, match="chunk 'x'"):
            index.add([cf.Chunk("a", id="x", metadata={"tenant": object()})])
        with cf.KeptIndex("ner-exact") as index, pytest.raises(InputError, match="entity 3"):
            index.add(["a"], entities=[{3}])

    def test_odd_texts_ids_and_sources_come_back_as_they_were(self) -> None:
        odd = [cf.Chunk("half \udc80 a pair \0", id="\ud800", source="\udfff"), cf.Chunk("☃", id=None)]
        with cf.KeptIndex("exact") as index:
            index.add(odd)
            match = index.match(odd)
            assert [(one.text, one.id, one.source) for one in match.existing] == [
                (one.text, one.id, one.source) for one in odd
            ]
            assert match.kept == ()


def test_a_text_that_is_stored_is_held_against_its_copy_not_against_all_that_share_a_notice() -> None:
    notice = "This notice applies to every page of the manual."
    pages = [f"{notice} Pump number {number} stands in hall {number * 7}." for number in range(50)]
    with cf.KeptIndex("coverage") as index:
        index.add(pages)
        match = index.match([pages[20]])
        assert match.kept == ()
        assert len(match.existing) <= 5
        assert pages[20] in [chunk.text for chunk in match.existing]
