"""Files of chunkfilter's own: whole or not there, refused by name where they are not what was written."""

import sqlite3
import stat
from concurrent.futures import ThreadPoolExecutor

import pytest

from chunkfilter.errors import DamagedFileError, InputError, StorageError
from chunkfilter.storage import COUNT, TEXT, Database, DatabaseKind, LinesFile, replacing

NOTES = DatabaseKind("notebook", 2, "CREATE TABLE IF NOT EXISTS notes (text TEXT NOT NULL)")
LINES = LinesFile("list", 1, StorageError, "write it again", private=True)


@pytest.fixture
def path(tmp_path):
    return tmp_path / "new" / "notes.sqlite"


def noted(path):
    with Database(path, NOTES) as database, database.reading() as connection:
        return [text for (text,) in connection.execute("SELECT text FROM notes")]


# files


@pytest.mark.parametrize("private", [True, False])
def test_a_replaced_file_keeps_its_earlier_content_until_the_new_one_is_complete(tmp_path, private):
    path = tmp_path / "file"
    path.write_text("earlier")
    with replacing(path, private=private) as file:
        file.write("later")
        assert path.read_text() == "earlier"
    assert path.read_text() == "later"
    assert (stat.S_IMODE(path.stat().st_mode) == 0o600) is private


def test_a_folder_is_not_replaced_by_a_file(tmp_path):
    with pytest.raises(InputError, match="not a regular file"), replacing(tmp_path):
        pass


# JSON lines


def test_lines_are_read_as_they_were_written_whatever_their_characters(tmp_path):
    entries = [{"text": "a\n\u2028\ud800", "n": [1, 2.5, None]}, {}]
    digest = LINES.write(tmp_path / "list", {"about": "b"}, entries)
    header, found = LINES.read(tmp_path / "list", digest)
    assert header["about"] == "b"
    assert list(found) == entries


def test_lines_of_another_kind_or_digest_are_refused_by_name(tmp_path):
    path = tmp_path / "list"
    LINES.write(path, {}, [{"n": 1}])
    with pytest.raises(StorageError, match=rf"{path}: complete, but not the file that was written here"):
        LINES.read(path, "0" * 64)
    other = LinesFile("other", 1, StorageError, "write it again")
    with pytest.raises(StorageError, match="expected the header of a chunkfilter-other file"):
        other.read(path)


@pytest.mark.parametrize(("line", "said"), [({}, "lacks 'n'"), ({"n": True}, "'n': expected .*, got True")])
def test_a_line_without_a_value_that_it_needs_is_refused_by_number(tmp_path, line, said):
    with pytest.raises(StorageError, match=f"line 7: {said}"):
        LINES.check(tmp_path, 7, line, {"n": COUNT})
    LINES.check(tmp_path, 7, {"n": None, "more": 1}, {"n": TEXT.or_null()})


# SQLite


def test_what_is_written_is_there_and_what_failed_is_not(path):
    with Database(path, NOTES) as database:
        with database.writing() as connection:
            connection.execute("INSERT INTO notes VALUES ('one')")
        with pytest.raises(sqlite3.IntegrityError), database.writing() as connection:
            connection.executemany("INSERT INTO notes VALUES (?)", [("two",), (None,)])
    assert noted(path) == ["one"]
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_a_reader_sees_one_state_while_another_connection_writes(path):
    with Database(path, NOTES) as first, Database(path, NOTES) as second:
        with first.reading() as reader:
            assert reader.execute("SELECT count(*) FROM notes").fetchone() == (0,)
            with second.writing() as writer:
                writer.execute("INSERT INTO notes VALUES ('one')")
            assert reader.execute("SELECT count(*) FROM notes").fetchone() == (0,)
        assert noted(path) == ["one"]


def test_a_new_file_can_be_made_by_several_at_once(path):
    def note(number):
        with Database(path, NOTES) as database, database.writing() as connection:
            connection.execute("INSERT INTO notes VALUES (?)", (str(number),))

    with ThreadPoolExecutor(8) as threads:
        list(threads.map(note, range(40)))
    assert sorted(noted(path), key=int) == [str(number) for number in range(40)]


def test_a_second_writer_is_refused_after_the_timeout(path):
    busy = pytest.raises(StorageError, match=rf"{path}: another process has been writing")
    with Database(path, NOTES) as first, Database(path, NOTES, timeout=0) as second:
        with first.writing(), busy, second.writing():
            pass
        with second.writing():
            pass


@pytest.mark.parametrize(
    ("name", "version", "said"),
    [("diary", 2, "no diary of chunkfilter"), ("notebook", 3, "a notebook of version 2; .* reads 3")],
)
def test_a_file_of_another_kind_or_version_is_refused_and_left_as_it_is(path, name, version, said):
    Database(path, NOTES).close()
    before = path.read_bytes()
    with pytest.raises(DamagedFileError, match=f"{path}: .*{said}"):
        Database(path, DatabaseKind(name, version, NOTES.tables))
    assert path.read_bytes() == before


def test_a_database_of_another_program_is_refused(tmp_path):
    path = tmp_path / "foreign.sqlite"
    foreign = sqlite3.connect(path)
    foreign.execute("CREATE TABLE things (one)")
    foreign.close()
    with pytest.raises(DamagedFileError, match="no notebook of chunkfilter"):
        Database(path, NOTES)


@pytest.mark.parametrize("content", [b"not a database" * 100, b"SQLite format 3\0" + bytes(4000)])
def test_a_damaged_file_is_refused_by_name(tmp_path, content):
    path = tmp_path / "damaged.sqlite"
    path.write_bytes(content)
    with pytest.raises(DamagedFileError, match=str(path)):
        Database(path, NOTES)
    assert path.read_bytes() == content


def test_a_place_that_cannot_be_written_is_named(tmp_path):
    (tmp_path / "taken").write_text("a file where the folder should be")
    with pytest.raises(StorageError, match="taken"):
        Database(tmp_path / "taken" / "notes.sqlite", NOTES)
