"""Stores that cannot be read or changed: a clear error, exit code 2, and nothing lost."""

import shutil
import subprocess
import sys

import psycopg
import pytest

from chunkfilter.cli.main import main
from chunkfilter.errors import InputError, StoreError
from chunkfilter.stores import Row, apply_plan, make_plan, open_store, undo_plan
from chunkfilter.stores.address import parse_address

# what does not exist


def test_a_collection_that_does_not_exist_is_named_beside_those_that_do(make, tmp_path, pairs, fails):
    given = make(pairs)
    if not isinstance(given, str):
        pytest.skip("an object has no name that could be wrong")
    place, name = given.split("#")
    missing = f"{name}_missing"
    said = fails("prune", f"{place}#{missing}", "--plan", tmp_path / "plan")
    assert missing.rpartition("/")[2] in said
    assert name in said.replace(missing, "")
    assert not (tmp_path / "plan").exists()


@pytest.mark.parametrize("scheme", ["chroma", "qdrant"])
def test_a_folder_that_holds_no_store_is_not_made_into_one(tmp_path, scheme, fails):
    said = fails("prune", f"{scheme}:{tmp_path / 'nowhere'}#rows", "--plan", tmp_path / "plan")
    assert "nowhere" in said
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "url", ["", "rows", "ftp://host#rows", "chroma:#rows", "//host#rows", "chroma+http://#rows"]
)
def test_a_url_of_no_known_form_is_refused_with_the_forms_there_are(url):
    with pytest.raises((InputError, StoreError), match=r"chroma"):
        open_store(url)


@pytest.mark.parametrize(
    ("url", "said"),
    [
        ("chroma://db#rows", "expected the path of a folder"),
        ("qdrant:db#rows?txt=body", "unknown option 'txt'.*known for qdrant: text, metadata, vector"),
        ("chroma:db#rows?tenant=a", "unknown option 'tenant'.*known for chroma: none"),
        ("postgresql:///db#rows?vec=", "unknown option 'vec'"),
    ],
)
def test_what_is_wrong_with_a_url_is_said_before_anything_is_opened(url, said):
    with pytest.raises(InputError, match=said):
        open_store(url)


def test_a_url_without_a_collection_is_told_those_there_are(chroma_folder, tmp_path, pairs, fails):
    url, _, name = chroma_folder(pairs).partition("#")
    said = fails("prune", url, "--plan", tmp_path / "plan")
    assert "a collection without a name (write #NAME at the end)" in said
    assert name in said


@pytest.mark.parametrize("share", ["7", "-1", "nan"])
def test_a_share_out_of_bounds_is_refused_before_a_plan_is_made(chroma_folder, tmp_path, pairs, fails, share):
    said = fails("prune", chroma_folder(pairs), "--plan", tmp_path / "plan", f"--max-removed={share}")
    assert "expected a share from 0 to 1" in said
    assert not (tmp_path / "plan").exists()


def test_a_folder_without_a_plan_is_refused(tmp_path, fails):
    assert "holds no plan" in fails("undo", tmp_path)


def test_a_plan_folder_that_was_mistyped_is_not_planned_and_applied_at_once(tmp_path, fails):
    said = fails("prune", f"chroma:{tmp_path}#rows", "--plan", tmp_path / "plna", "--apply")
    assert "there is no plan in" in said
    assert "plna" in said
    assert list(tmp_path.iterdir()) == []


# servers


def test_a_server_that_is_not_there_is_named(tmp_path, fails):
    for url in (
        "chroma+http://127.0.0.1:9#rows",
        "qdrant+http://127.0.0.1:9#rows",
        "postgresql://127.0.0.1:9/db#rows",
    ):
        said = fails("prune", url, "--plan", tmp_path / "plan")
        assert "127.0.0.1" in said


def test_a_server_that_stops_in_the_middle_loses_nothing(run_chroma_on, tmp_path, monkeypatch, pairs):
    with run_chroma_on(tmp_path / "db") as server:
        store = open_store(server.make(pairs))
        plan = make_plan(store, "exact", tmp_path / "plan")
        delete = type(store).delete

        def stop_then_delete(self, ids):
            server.process.kill()
            server.process.wait()
            delete(self, ids)

        monkeypatch.setattr(type(store), "delete", stop_then_delete)
        with pytest.raises(StoreError, match=r"127\.0\.0\.1"):
            apply_plan(store, plan)
        store.close()
        monkeypatch.undo()
    name = plan.store.partition("#")[2]
    store = open_store(f"chroma:{tmp_path / 'db'}#{name}")
    assert store.count() == 12
    assert apply_plan(store, plan).resumed
    assert undo_plan(store, plan).restored == 6
    store.close()


def test_connections_that_are_cut_in_the_middle_lose_nothing(
    postgres_table, postgres_url, tmp_path, monkeypatch, pairs
):
    url = postgres_table(pairs)
    store = open_store(url)
    plan = make_plan(store, "exact", tmp_path / "plan")
    delete = type(store).delete

    def cut_then_delete(self, ids):
        with psycopg.connect(postgres_url, autocommit=True) as connection:
            connection.execute(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
                "WHERE application_name = 'chunkfilter'"
            )
        delete(self, ids)

    monkeypatch.setattr(type(store), "delete", cut_then_delete)
    with pytest.raises(StoreError, match=r"(?s)terminating connection.*run it again to go on"):
        apply_plan(store, plan)
    store.close()
    monkeypatch.undo()
    store = open_store(url)
    assert store.count() == 12
    assert apply_plan(store, plan).resumed
    assert undo_plan(store, plan).restored == 6
    store.close()


# other programs


_HOLD = """
import sys
from chunkfilter.stores import open_store
with open_store(sys.argv[1]).lock():
    print("held", flush=True)
    sys.stdin.read()
"""


def test_the_second_of_two_runs_stops_and_the_lock_of_a_killed_run_is_gone(chroma_folder, tmp_path, pairs):
    url = chroma_folder(pairs)
    store = open_store(url)
    plan = make_plan(store, "exact", tmp_path / "plan")
    command = [sys.executable, "-c", _HOLD, url]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as other:
        assert other.stdout.readline() == b"held\n"
        with pytest.raises(StoreError, match="another run of chunkfilter is changing this store"):
            apply_plan(store, plan)
        assert store.count() == 12
        other.kill()
    assert apply_plan(store, plan).rows == 6
    store.close()


def test_the_next_run_is_not_refused_where_the_server_has_not_yet_ended_the_last_session(
    postgres_table, tmp_path, monkeypatch, pairs
):
    store = open_store(postgres_table(pairs))
    plan = make_plan(store, "exact", tmp_path / "plan")
    closing = []

    def close_later(self):
        closing.append(self)

    with monkeypatch.context() as patch:
        patch.setattr(psycopg.Connection, "close", close_later)
        for _ in range(3):
            assert apply_plan(store, plan).rows == 6
            assert undo_plan(store, plan).restored == 6
    for connection in closing:
        connection.close()
    store.close()


def test_rows_that_others_hang_on_are_not_deleted(postgres_table, postgres_url, tmp_path, pairs, fails):
    url = postgres_table(pairs)
    name = url.partition("#")[2]
    with psycopg.connect(postgres_url, autocommit=True) as connection:
        connection.execute(f"CREATE TABLE notes_{name} (row_id text REFERENCES {name} ON DELETE CASCADE)")
    said = fails("prune", url, "--plan", tmp_path / "plan")
    assert f"notes_{name}" in said


def test_what_is_shown_of_a_url_opens_the_same_store():
    url = "postgresql:///db?host=/tmp/socket%20dir&options=-c%20search_path%3Dmine#my%20table?id=key"
    again = parse_address(parse_address(url).public)
    assert again.place == "///db?host=%2Ftmp%2Fsocket%20dir&options=-c%20search_path%3Dmine"
    assert again.name == "my table"


def test_marks_need_a_place_in_the_table(postgres_url, tmp_path, fails):
    with psycopg.connect(postgres_url, autocommit=True) as connection:
        connection.execute("CREATE TABLE IF NOT EXISTS plain (id text PRIMARY KEY, body text, emb vector(3))")
    words = ["prune", f"{postgres_url}#plain", "--soft", "--plan", tmp_path / "plan"]
    assert "no metadata column" in fails(*words)


def test_a_table_without_a_unique_id_is_refused(postgres_url, tmp_path, fails):
    with psycopg.connect(postgres_url, autocommit=True) as connection:
        connection.execute("CREATE TABLE IF NOT EXISTS loose (id text, body text, emb vector(3))")
    url = f"{postgres_url}#loose?id=id"
    assert "not unique" in fails("prune", url, "--plan", tmp_path / "plan")
    url = f"{postgres_url}#loose"
    assert "which column is the id" in fails("prune", url, "--plan", tmp_path / "plan")


# the wrong store


def test_undo_does_not_restore_into_a_store_that_is_not_the_plans(chroma_folder, tmp_path, pairs, fails):
    url = chroma_folder(pairs)
    assert main(["prune", url, "--policy", "exact", "--plan", str(tmp_path / "plan"), "--apply"]) == 0
    strangers = [Row(f"other{place}", row.text, None, row.vector) for place, row in enumerate(pairs)]
    other = chroma_folder(strangers)
    said = fails("undo", tmp_path / "plan", "--store", other)
    assert "is it the same store?" in said
    store = open_store(other)
    assert store.count() == 12
    store.close()


def test_a_store_that_moved_is_undone_by_its_new_address(chroma_folder, tmp_path, pairs):
    url = chroma_folder(pairs)
    assert main(["prune", url, "--policy", "exact", "--plan", str(tmp_path / "plan"), "--apply"]) == 0
    shutil.move(tmp_path / "db", tmp_path / "moved")
    moved = url.replace(str(tmp_path / "db"), str(tmp_path / "moved"))
    assert main(["undo", str(tmp_path / "plan"), "--store", moved]) == 0
    store = open_store(moved)
    assert store.count() == 12
    store.close()
