"""Stores that cannot be read or changed: a clear error, exit code 2, and nothing lost."""

import contextlib
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import psycopg
import pytest

from chunkfilter.cli.main import main
from chunkfilter.errors import InputError, StoreError
from chunkfilter.stores import Row, apply_plan, make_plan, open_store, read_plan, undo_plan
from chunkfilter.stores.address import parse_address


def pairs(count=6):
    """Each text twice."""
    vectors = np.random.default_rng(4).normal(size=(2 * count, 8)).astype(np.float32)
    return [
        Row(f"p{place}", f"Sentence number {place % count} stands here.", {"n": place}, vectors[place])
        for place in range(2 * count)
    ]


def fails(capsys, *words) -> str:
    """What a command that must exit with 2 says."""
    assert main([str(word) for word in words]) == 2
    return capsys.readouterr().err


# what does not exist


def test_a_collection_that_does_not_exist_is_named_beside_those_that_do(make, capsys, tmp_path):
    given = make(pairs())
    if not isinstance(given, str):
        pytest.skip("an object has no name that could be wrong")
    place, name = given.split("#")
    missing = f"{name}_missing"
    said = fails(capsys, "prune", f"{place}#{missing}", "--plan", tmp_path / "plan")
    assert missing.rpartition("/")[2] in said
    assert name in said.replace(missing, "")
    assert not (tmp_path / "plan").exists()


@pytest.mark.parametrize("scheme", ["chroma", "qdrant"])
def test_a_folder_that_holds_no_store_is_not_made_into_one(capsys, tmp_path, scheme):
    said = fails(capsys, "prune", f"{scheme}:{tmp_path / 'nowhere'}#rows", "--plan", tmp_path / "plan")
    assert "nowhere" in said
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "url", ["", "rows", "ftp://host#rows", "chroma:#rows", "//host#rows", "chroma+http://#rows"]
)
def test_a_url_of_no_known_form_is_refused_with_the_forms_there_are(url):
    with pytest.raises((InputError, StoreError), match=r"chroma"):
        open_store(url)


def test_a_folder_without_a_plan_is_refused(capsys, tmp_path):
    assert "holds no plan" in fails(capsys, "undo", tmp_path)


# secrets


@pytest.mark.parametrize(
    ("url", "secret"),
    [
        ("postgresql:///db?host=/tmp&user=me&password=no-host-in-it#t", "no-host-in-it"),
        ("postgresql://me:pa%73s-word@host/db?sslmode=require#t", "pass-word"),
        ("postgresql://me@host/db?password=hidden-one#t", "hidden-one"),
        ("qdrant+http://:api-key-1@host:6333#c", "api-key-1"),
        ("chroma+http://user:p%40ss@host#c", "p@ss"),
    ],
)
def test_what_is_shown_of_a_url_holds_no_secret(url, secret):
    address = parse_address(url)
    assert secret in address.secrets
    for shown in (address.public, repr(address), address.scrubbed(f"cannot open {url}: {secret}")):
        assert secret not in shown
        assert "pa%73s" not in shown
        assert "p%40ss" not in shown
    assert "host" in address.public


@pytest.mark.parametrize("character", "/?#:@")
@pytest.mark.parametrize("table", ["#rows", ""])
def test_a_password_with_special_characters_is_never_shown(character, table):
    url = f"postgresql://me:se{character}cret77@host:5432/db{table}"
    try:
        shown = parse_address(url).public
    except InputError as error:
        shown = str(error)
        assert "% form" in shown
    assert "cret77" not in shown
    assert "me:se" not in shown


@pytest.mark.parametrize(
    "place",
    ["//h1:1,h2/db", "//[::1]:5432/db", "//me@host/db", "///db?host=/tmp&user=me", "//me:p@h1,h2:9/d"],
)
def test_hosts_of_every_form_are_understood(place):
    assert parse_address(f"postgresql:{place}#rows").place == place


def test_a_wrong_password_is_said_without_the_password(postgres_login, capsys, tmp_path):
    url = postgres_login("wr0ng-password")
    said = fails(capsys, "prune", f"{url}#rows", "--plan", tmp_path / "plan")
    assert "password authentication failed" in said
    assert "wr0ng" not in said


def test_no_file_of_a_plan_holds_the_password(postgres_login, tmp_path, monkeypatch, caplog):
    url = postgres_login("r1ght-password")
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute("CREATE TABLE secret_rows (id text PRIMARY KEY, body text, emb vector)")
        rows = [[row.id, row.text, str(row.vector.tolist())] for row in pairs()]
        connection.cursor().executemany("INSERT INTO secret_rows VALUES (%s, %s, %s)", rows)
    caplog.set_level("DEBUG", "chunkfilter")
    assert main(["prune", f"{url}#secret_rows", "--plan", str(tmp_path / "plan"), "--apply"]) == 0
    written = b"".join(path.read_bytes() for path in (tmp_path / "plan").iterdir())
    assert b"r1ght" not in written
    assert "r1ght" not in caplog.text
    monkeypatch.setenv("PGPASSWORD", "r1ght-password")
    assert main(["undo", str(tmp_path / "plan")]) == 0


@pytest.fixture
def postgres_login(postgres_url):
    """URLs of a user who must give a password; theirs is r1ght-password."""
    with psycopg.connect(postgres_url, autocommit=True) as connection:
        connection.execute("DROP TABLE IF EXISTS secret_rows")
        connection.execute("DROP ROLE IF EXISTS visitor")
        connection.execute("CREATE ROLE visitor LOGIN PASSWORD 'r1ght-password'")
        connection.execute("GRANT ALL ON SCHEMA public TO visitor")
        rules = Path(connection.execute("SHOW hba_file").fetchone()[0])
        before = rules.read_text()
        rules.write_text(f"local all visitor scram-sha-256\n{before}")
        connection.execute("SELECT pg_reload_conf()")
        host = postgres_url.partition("host=")[2]
        yield lambda password: f"postgresql://visitor:{password}@/postgres?host={host}"
        rules.write_text(before)
        connection.execute("SELECT pg_reload_conf()")
        connection.execute("DROP OWNED BY visitor")
        connection.execute("DROP ROLE visitor")


# servers


def test_a_server_that_is_not_there_is_named(capsys, tmp_path):
    for url in (
        "chroma+http://127.0.0.1:9#rows",
        "qdrant+http://127.0.0.1:9#rows",
        "postgresql://127.0.0.1:9/db#rows",
    ):
        said = fails(capsys, "prune", url, "--plan", tmp_path / "plan")
        assert "127.0.0.1" in said


def test_a_server_that_stops_in_the_middle_loses_nothing(run_chroma_on, tmp_path, monkeypatch):
    with run_chroma_on(tmp_path / "db") as server:
        store = open_store(server.make(pairs()))
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


# disks


@pytest.fixture
def tiny_disk(tmp_path):
    """A file system of 128 kB."""
    yield from mounted(tmp_path / "tiny", "128k")


@pytest.fixture
def small_disk(tmp_path):
    """A file system of 16 MB."""
    yield from mounted(tmp_path / "small", "16m")


def mounted(place, size):
    place.mkdir()
    mount = shutil.which("mount")
    if os.geteuid() != 0 or mount is None:
        pytest.skip("only root can mount a small file system")
    if subprocess.run([mount, "-t", "tmpfs", "-o", f"size={size}", "tmpfs", place], check=False).returncode:
        pytest.skip("this system lets nobody mount a file system")
    yield place
    subprocess.run(["umount", place], check=True)


def test_a_full_disk_stops_before_anything_is_deleted(tiny_disk, chroma_object):
    store = open_store(chroma_object(pairs()))
    plan = make_plan(store, "exact", tiny_disk / "plan")
    filler = tiny_disk / "filler"
    free = os.statvfs(tiny_disk).f_bavail * os.statvfs(tiny_disk).f_bsize
    filler.write_bytes(b"x" * free)
    with pytest.raises(OSError, match="space"):
        apply_plan(store, plan)
    assert store.count() == 12
    filler.unlink()
    assert apply_plan(store, plan).rows == 6


@pytest.fixture
def read_only(tmp_path):
    """Makes a folder read-only, for root too."""
    mount = shutil.which("mount")
    if os.geteuid() != 0 or mount is None:
        pytest.skip("root can write to every folder, and only root can mount one read-only")
    mounted = []

    def protect(folder):
        if subprocess.run([mount, "--bind", folder, folder], check=False).returncode:
            pytest.skip("this system lets nobody mount a file system")
        mounted.append(folder)
        subprocess.run([mount, "-o", "remount,ro,bind", folder], check=True)

    yield protect
    for folder in mounted:
        subprocess.run(["umount", folder], check=True)


def test_a_read_only_chroma_folder_is_a_clear_error(chroma_folder, read_only, capsys, tmp_path):
    url = chroma_folder(pairs())
    read_only(tmp_path / "db")
    said = fails(capsys, "prune", url, "--plan", tmp_path / "plan")
    assert "readonly" in said.replace("-", "").replace(" ", "")
    assert str(tmp_path / "db") in said


@pytest.mark.parametrize("kind", ["chroma_folder", "qdrant_folder"])
@pytest.mark.parametrize("content", [b"not a database" * 40, b'{"a": 1}'])
def test_a_damaged_store_is_a_clear_error_and_can_be_opened_once_it_is_repaired(
    kind, content, request, capsys, tmp_path
):
    url = request.getfixturevalue(kind)(pairs())
    names = {"chroma_folder": ["db/chroma.sqlite3"], "qdrant_folder": ["qdrant/meta.json"]}[kind]
    for path in [*map(tmp_path.joinpath, names), *tmp_path.rglob("storage.sqlite")]:
        valid = path.read_bytes()
        path.write_bytes(content)
        said = fails(capsys, "prune", url, "--policy", "exact", "--plan", tmp_path / "plan")
        assert str(path.parents[0]).partition("/collection")[0] in said
        path.write_bytes(valid)
        shutil.rmtree(tmp_path / "plan", ignore_errors=True)
        store = open_store(url)
        assert store.count() == 12
        store.close()


@pytest.mark.parametrize("kind", ["chroma_folder", "qdrant_folder"])
def test_a_full_disk_under_the_store_loses_nothing(kind, small_disk, request, capsys, tmp_path):
    url = request.getfixturevalue(kind)(pairs())
    home = tmp_path / ("db" if kind == "chroma_folder" else "qdrant")
    shutil.copytree(home, small_disk / "home")
    shutil.rmtree(home)
    home.symlink_to(small_disk / "home")
    assert main(["prune", url, "--policy", "exact", "--plan", str(tmp_path / "plan")]) == 0
    fill_up(small_disk / "filler")
    said = fails(capsys, "prune", url, "--plan", tmp_path / "plan", "--apply")
    assert "full" in said or "space" in said
    (small_disk / "filler").unlink()
    assert main(["prune", url, "--plan", str(tmp_path / "plan"), "--apply"]) == 0
    fill_up(small_disk / "filler")
    fails(capsys, "undo", tmp_path / "plan")
    (small_disk / "filler").unlink()
    assert main(["undo", str(tmp_path / "plan")]) == 0
    store = open_store(url)
    assert store.count() == 12
    store.close()


def fill_up(path):
    with path.open("wb", buffering=0) as file, contextlib.suppress(OSError):
        while True:
            file.write(bytes(4096))


def test_a_read_only_plan_folder_is_a_clear_error(chroma_object, read_only, tmp_path):
    (tmp_path / "plans").mkdir()
    read_only(tmp_path / "plans")
    with pytest.raises(StoreError, match="cannot be used for a plan: Read-only file system"):
        make_plan(open_store(chroma_object(pairs())), "exact", tmp_path / "plans" / "one")


# other programs


_HOLD = """
import sys
from chunkfilter.stores import open_store
with open_store(sys.argv[1]).lock():
    print("held", flush=True)
    sys.stdin.read()
"""


def test_the_second_of_two_runs_stops_and_the_lock_of_a_killed_run_is_gone(chroma_folder, tmp_path):
    url = chroma_folder(pairs())
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


def test_rows_that_others_hang_on_are_not_deleted(postgres_table, postgres_url, capsys, tmp_path):
    url = postgres_table(pairs())
    name = url.partition("#")[2]
    with psycopg.connect(postgres_url, autocommit=True) as connection:
        connection.execute(f"CREATE TABLE notes_{name} (row_id text REFERENCES {name} ON DELETE CASCADE)")
    said = fails(capsys, "prune", url, "--plan", tmp_path / "plan")
    assert f"notes_{name}" in said


def test_what_is_shown_of_a_url_opens_the_same_store():
    url = "postgresql:///db?host=/tmp/socket%20dir&options=-c%20search_path%3Dmine#my%20table?id=key"
    again = parse_address(parse_address(url).public)
    assert again.place == "///db?host=%2Ftmp%2Fsocket%20dir&options=-c%20search_path%3Dmine"
    assert again.name == "my table"


def test_marks_need_a_place_in_the_table(postgres_url, capsys, tmp_path):
    with psycopg.connect(postgres_url, autocommit=True) as connection:
        connection.execute("CREATE TABLE IF NOT EXISTS plain (id text PRIMARY KEY, body text, emb vector(3))")
    words = ["prune", f"{postgres_url}#plain", "--soft", "--plan", tmp_path / "plan"]
    assert "no metadata column" in fails(capsys, *words)


def test_a_table_without_a_unique_id_is_refused(postgres_url, capsys, tmp_path):
    with psycopg.connect(postgres_url, autocommit=True) as connection:
        connection.execute("CREATE TABLE IF NOT EXISTS loose (id text, body text, emb vector(3))")
    url = f"{postgres_url}#loose?id=id"
    assert "not unique" in fails(capsys, "prune", url, "--plan", tmp_path / "plan")
    url = f"{postgres_url}#loose"
    assert "which column is the id" in fails(capsys, "prune", url, "--plan", tmp_path / "plan")


# the wrong store


def test_undo_does_not_restore_into_a_store_that_is_not_the_plans(chroma_folder, capsys, tmp_path):
    url = chroma_folder(pairs())
    assert main(["prune", url, "--policy", "exact", "--plan", str(tmp_path / "plan"), "--apply"]) == 0
    strangers = [Row(f"other{place}", row.text, None, row.vector) for place, row in enumerate(pairs())]
    other = chroma_folder(strangers)
    said = fails(capsys, "undo", tmp_path / "plan", "--store", other)
    assert "is it the same store?" in said
    store = open_store(other)
    assert store.count() == 12
    store.close()


def test_a_store_that_moved_is_undone_by_its_new_address(chroma_folder, tmp_path):
    url = chroma_folder(pairs())
    assert main(["prune", url, "--policy", "exact", "--plan", str(tmp_path / "plan"), "--apply"]) == 0
    shutil.move(tmp_path / "db", tmp_path / "moved")
    moved = url.replace(str(tmp_path / "db"), str(tmp_path / "moved"))
    assert main(["undo", str(tmp_path / "plan"), "--store", moved]) == 0
    store = open_store(moved)
    assert store.count() == 12
    store.close()


# damaged files


def spoiled(valid: bytes) -> dict[str, bytes]:
    return {
        "empty": b"",
        "truncated": valid[: len(valid) // 2],
        "zeros": b"\0" * 512,
        "not text": b"\x89PNG\r\n\x1a\n",
        "another root": b"[1, 2, 3]",
        "newer": valid.replace(b'"version": 1', b'"version": 999'),
        "byte order mark": b"\xef\xbb\xbf" + valid,
        "other line ends": valid.replace(b"\n", b"\r\n"),
        "twice": valid + valid,
        "deep": b'{"a":' * 3000 + b"1" + b"}" * 3000,
        "huge number": b'{"version": ' + b"9" * 6000 + b"}",
    }


@pytest.mark.parametrize("name", ["plan.jsonl", "rows.jsonl", "removed.jsonl"])
def test_a_damaged_plan_is_refused_by_name_before_anything_changes(chroma_object, tmp_path, name):
    store = open_store(chroma_object(pairs()))
    plan = make_plan(store, "exact", tmp_path / "plan")
    path = plan.folder / name
    for kind, content in spoiled(path.read_bytes()).items():
        path.write_bytes(content)
        with pytest.raises(StoreError) as raised:
            apply_plan(store, read_plan(plan.folder))
        assert name in str(raised.value), kind
        assert path.read_bytes() == content, "the file must stay as it was"
    assert store.count() == 12


@pytest.mark.parametrize("name", ["undo.jsonl", "undo.f4.npy"])
def test_a_damaged_undo_file_is_refused_by_name_and_never_overwritten(chroma_object, tmp_path, name):
    store = open_store(chroma_object(pairs()))
    plan = make_plan(store, "exact", tmp_path / "plan")
    apply_plan(store, plan)
    path = plan.folder / name
    valid = path.read_bytes()
    for kind, content in spoiled(valid).items():
        if content == valid:
            continue
        path.write_bytes(content)
        with pytest.raises(StoreError) as raised:
            undo_plan(store, plan)
        assert name in str(raised.value), kind
        assert path.read_bytes() == content
    assert store.count() == 6
    path.write_bytes(valid)
    assert undo_plan(store, plan).restored == 6


def test_without_its_journal_a_plan_is_only_undone_when_forced(chroma_object, tmp_path):
    store = open_store(chroma_object(pairs()))
    plan = make_plan(store, "exact", tmp_path / "plan")
    apply_plan(store, plan)
    (plan.folder / "journal.jsonl").unlink()
    with pytest.raises(StoreError, match="--force"):
        undo_plan(store, plan)
    assert undo_plan(store, plan, force=True).restored == 6


def test_an_unknown_key_in_a_file_is_tolerated(chroma_object, tmp_path):
    store = open_store(chroma_object(pairs()))
    plan = make_plan(store, "exact", tmp_path / "plan")
    (plan.folder / "journal.jsonl").write_text(json.dumps({"event": "note", "more": 1}) + "\n")
    assert apply_plan(store, read_plan(plan.folder)).rows == 6
