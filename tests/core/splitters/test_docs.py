"""The recipes of docs/splitters.md run as they stand, one after another."""

import re
from pathlib import Path

from chunkfilter.splitters import SPLITTERS
from chunkfilter.splitters.sentences import SENTENCES
from chunkfilter.studies import splitters as studies
from chunkfilter.studies.splitters.breakpoint import RULES

PAGE = (Path(__file__).parents[3] / "docs" / "splitters.md").read_text(encoding="utf-8")
RECIPES = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)


def test_the_recipes_run_as_they_stand(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    names = {}
    assert len(RECIPES) >= 6
    for number, recipe in enumerate(RECIPES, 1):
        exec(compile(recipe, f"recipe {number} of docs/splitters", "exec"), names)
    printed = capsys.readouterr().out
    assert "The tower stands in Paris. The tower is 330 m high." in printed
    assert "Failure(passage='Cats sleep" in printed
    assert "dbscan:eps=0.3 " in printed


def test_the_tables_name_what_there_is():
    specs = re.findall(r"^\| `([a-z-]+)[:`]", PAGE, re.MULTILINE)
    assert set(specs) == {*SPLITTERS, *studies.SPLITTERS}
    assert set(re.findall(r"^\| `([a-z-]+)=[A-Z]`", PAGE, re.MULTILINE)) == set(RULES)
    assert set(re.findall(r"^- `([a-z_]+)`", PAGE, re.MULTILINE)) == set(SENTENCES.names)
