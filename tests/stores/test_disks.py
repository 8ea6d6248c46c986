"""Disks that are full, read-only or damaged: a clear error, and nothing lost."""

import contextlib
import os
import shutil
import subprocess

import pytest

from chunkfilter.cli.main import main
from chunkfilter.errors import StoreError
from chunkfilter.stores import apply_plan, make_plan, open_store


@pytest.fixture
def mount():
    """Mounts with the options given to ``mount(8)``; all of it is unmounted at the end."""
    if os.geteuid() != 0 or shutil.which("mount") is None:
        pytest.skip("only root can mount a file system")
    mounted = []

    def run(folder, *options):
        if subprocess.run(["mount", *options, folder], check=False).returncode:
            pytest.skip("this system lets nobody mount a file system")
        mounted.append(folder)
        return folder

    yield run
    for folder in mounted:
        subprocess.run(["umount", folder], check=True)


@pytest.fixture
def disk(mount, tmp_path):
    """A file system of 16 MB."""
    (tmp_path / "disk").mkdir()
    return mount(tmp_path / "disk", "-t", "tmpfs", "-o", "size=16m", "tmpfs")


@pytest.fixture
def read_only(mount):
    """Makes a folder read-only, for root too."""

    def protect(folder):
        mount(folder, "--bind", folder)
        subprocess.run(["mount", "-o", "remount,ro,bind", folder], check=True)

    return protect


def fill_up(path):
    with path.open("wb", buffering=0) as file, contextlib.suppress(OSError):
        while True:
            file.write(bytes(4096))


def test_a_full_disk_stops_before_anything_is_deleted(disk, chroma_object, pairs):
    store = open_store(chroma_object(pairs))
    plan = make_plan(store, "exact", disk / "plan")
    fill_up(disk / "filler")
    with pytest.raises(OSError, match="space"):
        apply_plan(store, plan)
    assert store.count() == 12
    (disk / "filler").unlink()
    assert apply_plan(store, plan).rows == 6


def test_a_read_only_chroma_folder_is_a_clear_error(chroma_folder, read_only, tmp_path, pairs, fails):
    url = chroma_folder(pairs)
    read_only(tmp_path / "db")
    said = fails("prune", url, "--plan", tmp_path / "plan")
    assert "readonly" in said.replace("-", "").replace(" ", "")
    assert str(tmp_path / "db") in said


@pytest.mark.parametrize("kind", ["chroma_folder", "qdrant_folder"])
@pytest.mark.parametrize("content", [b"not a database" * 40, b'{"a": 1}'])
def test_a_damaged_store_is_a_clear_error_and_can_be_opened_once_it_is_repaired(
    kind, content, request, tmp_path, pairs, fails
):
    url = request.getfixturevalue(kind)(pairs)
    names = {"chroma_folder": ["db/chroma.sqlite3"], "qdrant_folder": ["qdrant/meta.json"]}[kind]
    for path in [*map(tmp_path.joinpath, names), *tmp_path.rglob("storage.sqlite")]:
        valid = path.read_bytes()
        path.write_bytes(content)
        said = fails("prune", url, "--policy", "exact", "--plan", tmp_path / "plan")
        assert str(path.parents[0]).partition("/collection")[0] in said
        path.write_bytes(valid)
        shutil.rmtree(tmp_path / "plan", ignore_errors=True)
        store = open_store(url)
        assert store.count() == 12
        store.close()


@pytest.mark.parametrize("kind", ["chroma_folder", "qdrant_folder"])
def test_a_full_disk_under_the_store_loses_nothing(kind, disk, request, tmp_path, pairs, fails):
    url = request.getfixturevalue(kind)(pairs)
    home = tmp_path / ("db" if kind == "chroma_folder" else "qdrant")
    shutil.copytree(home, disk / "home")
    shutil.rmtree(home)
    home.symlink_to(disk / "home")
    assert main(["prune", url, "--policy", "exact", "--plan", str(tmp_path / "plan")]) == 0
    fill_up(disk / "filler")
    said = fails("prune", url, "--policy", "exact", "--plan", tmp_path / "plan", "--apply")
    assert "full" in said or "space" in said
    (disk / "filler").unlink()
    assert main(["prune", url, "--policy", "exact", "--plan", str(tmp_path / "plan"), "--apply"]) == 0
    fill_up(disk / "filler")
    fails("undo", tmp_path / "plan")
    (disk / "filler").unlink()
    assert main(["undo", str(tmp_path / "plan")]) == 0
    store = open_store(url)
    assert store.count() == 12
    store.close()


def test_a_read_only_plan_folder_is_a_clear_error(chroma_object, read_only, tmp_path, pairs):
    (tmp_path / "plans").mkdir()
    read_only(tmp_path / "plans")
    with pytest.raises(StoreError, match="cannot be used for a plan: Read-only file system"):
        make_plan(open_store(chroma_object(pairs)), "exact", tmp_path / "plans" / "one")
