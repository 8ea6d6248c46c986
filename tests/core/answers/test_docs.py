"""The recipe of docs/chunking.md runs as it stands."""

import re
from pathlib import Path

import pytest

pytest.importorskip("bert_score", reason="the extra 'answers' is not installed")

PAGE = (Path(__file__).parents[3] / "docs" / "chunking.md").read_text(encoding="utf-8")
RECIPES = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)


def test_the_recipe_runs_as_it_stands(capsys):
    (recipe,) = RECIPES
    exec(compile(recipe, "recipe of docs/chunking", "exec"), {})
    printed = capsys.readouterr().out
    assert "It gets as cold as -80 degrees." in printed
    assert "'bert_score': 0." in printed
    assert "'question_cosine': 0." in printed
