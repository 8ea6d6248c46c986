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


def test_a_full_disk_stops_before_anything_is_deleted(tiny_disk, chroma_object, pairs):
    store = open_store(chroma_object(pairs))
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
def test_a_full_disk_under_the_store_loses_nothing(kind, small_disk, request, tmp_path, pairs, fails):
    url = request.getfixturevalue(kind)(pairs)
    home = tmp_path / ("db" if kind == "chroma_folder" else "qdrant")
    shutil.copytree(home, small_disk / "home")
    shutil.rmtree(home)
    home.symlink_to(small_disk / "home")
    assert main(["prune", url, "--policy", "exact", "--plan", str(tmp_path / "plan")]) == 0
    fill_up(small_disk / "filler")
    said = fails("prune", url, "--policy", "exact", "--plan", tmp_path / "plan", "--apply")
    assert "full" in said or "space" in said
    (small_disk / "filler").unlink()
    assert main(["prune", url, "--policy", "exact", "--plan", str(tmp_path / "plan"), "--apply"]) == 0
    fill_up(small_disk / "filler")
    fails("undo", tmp_path / "plan")
    (small_disk / "filler").unlink()
    assert main(["undo", str(tmp_path / "plan")]) == 0
    store = open_store(url)
    assert store.count() == 12
    store.close()


def fill_up(path):
    with path.open("wb", buffering=0) as file, contextlib.suppress(OSError):
        while True:
            file.write(bytes(4096))


def test_a_read_only_plan_folder_is_a_clear_error(chroma_object, read_only, tmp_path, pairs):
    (tmp_path / "plans").mkdir()
    read_only(tmp_path / "plans")
    with pytest.raises(StoreError, match="cannot be used for a plan: Read-only file system"):
        make_plan(open_store(chroma_object(pairs)), "exact", tmp_path / "plans" / "one")
