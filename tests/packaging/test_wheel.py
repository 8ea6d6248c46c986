"""The wheel carries its three packages and nothing else, and works away from the sources."""

import subprocess
import sys
import sysconfig
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
NAMES = ("chunkfilter", "langchain_chunkfilter", "llamaindex_chunkfilter")


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("dist")
    subprocess.run(
        [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", folder, ROOT],
        check=True,
        capture_output=True,
    )
    (built,) = folder.glob("*.whl")
    return built


@pytest.fixture(scope="module")
def clean_python(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A new environment with the wheel; dependencies come from the running one, after its own."""
    folder = tmp_path_factory.mktemp("clean")
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", folder], check=True)
    python = folder / "bin" / "python"
    own = subprocess.run(
        [python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))"],
        check=True,
        capture_output=True,
        text=True,
    ).stdout.strip()
    subprocess.run(
        [sys.executable, "-m", "pip", "install", "--no-deps", "--no-index", "--target", own, wheel],
        check=True,
        capture_output=True,
    )
    # a .pth line that is a folder is appended to the path; .pth files in that folder are not followed,
    # so the editable install of the running environment stays out of sight
    Path(own, "dependencies.pth").write_text(sysconfig.get_path("purelib") + "\n")
    return python


def test_the_wheel_holds_three_typed_packages_and_no_package_named_core(wheel: Path) -> None:
    names = zipfile.ZipFile(wheel).namelist()
    tops = {name.split("/")[0] for name in names}
    assert {top for top in tops if not top.endswith(".dist-info")} == set(NAMES)
    assert {f"{name}/py.typed" for name in NAMES} <= set(names)


def test_the_wheel_holds_the_demo_corpus(wheel: Path) -> None:
    names = zipfile.ZipFile(wheel).namelist()
    assert "chunkfilter/demo/questions.jsonl" in names
    assert sum(name.startswith("chunkfilter/demo/corpus/") for name in names) >= 40


@pytest.mark.parametrize("name", NAMES)
def test_each_name_is_imported_from_the_wheel(clean_python: Path, name: str, tmp_path: Path) -> None:
    code = f"import {name}; print({name}.__file__)"
    done = subprocess.run(
        [clean_python, "-E", "-W", "error", "-c", code],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert Path(done.stdout.strip()).is_relative_to(clean_python.parents[1])


def test_the_command_runs_from_the_wheel(clean_python: Path, tmp_path: Path) -> None:
    (tmp_path / "in.jsonl").write_text('{"text":"one"}\n{"text":"one "}\n')
    done = subprocess.run(
        [
            clean_python,
            "-E",
            "-m",
            "chunkfilter",
            "filter",
            "in.jsonl",
            "-o",
            "out.jsonl",
            "--policy",
            "exact",
        ],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "out.jsonl").read_text().count("\n") == 1
