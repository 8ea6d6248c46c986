"""The versions that are tested are those that are promised."""

import re
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_the_lowest_frameworks_tested_are_the_lowest_declared() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    declared = dict(
        found.groups()
        for group in (
            *project["project"]["optional-dependencies"].values(),
            project["dependency-groups"]["dev"],
        )
        for requirement in group
        if (found := re.match(r"((?:langchain|llama-index)-[a-z-]+)>=([0-9.]+)", requirement))
    )
    lines = (ROOT / "lowest.txt").read_text(encoding="utf-8").splitlines()
    tested = dict(line.split("==") for line in lines if not line.startswith("#"))
    assert set(tested) == set(declared) - {
        "llama-index-vector-stores-chroma"
    }  # its lowest follows the core's
    for name, version in tested.items():
        assert numbers(version) == numbers(declared[name]), name


def numbers(version: str) -> list[int]:
    """``1.0`` and ``1.0.0`` are one version."""
    parts = [int(part) for part in version.split(".")]
    return parts + [0] * (3 - len(parts))
