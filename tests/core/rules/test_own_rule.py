"""A rule from outside the package: a ``Rule`` and one line in the table of rules."""

import importlib.util
import sys
from dataclasses import replace
from pathlib import Path

import pytest

import chunkfilter as cf
from chunkfilter.errors import CertificateError, PolicyError
from chunkfilter.policy import RULES

SOURCE = """
import numpy as np
from chunkfilter.policy import RuleSyntax
from chunkfilter.rules.groups import SameGroup, group_index, numbered
from chunkfilter.rules.rule import Rule, of_pair
from chunkfilter.text.normalise import tokens


def prefix(text, term):
    return tuple(tokens(text)[: int(term.value)])


def groups(batch, term):
    return numbered(prefix(text, term) for text in batch.texts)


def certify(run):
    def score(term, removed, kept):
        texts = run.texts
        return 1.0 if prefix(texts[removed], term) == prefix(texts[kept], term) else np.nan

    return of_pair(score)


PREFIX = Rule(
    RuleSyntax(default=4, low=1, high=99, integer=True),
    certify,
    check=lambda batch, term: SameGroup(groups(batch, term)),
    index=lambda batch, term: group_index(groups(batch, term), batch.scopes),
)
"""
TEXTS = ["one two three four", "one two three five", "one two", "six two three four", "one two three four."]


@pytest.fixture(autouse=True)
def prefix_rule(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "rule_of_prefixes.py"
    path.write_text(SOURCE)
    spec = importlib.util.spec_from_file_location("rule_of_prefixes", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, "rule_of_prefixes", module)
    spec.loader.exec_module(module)
    monkeypatch.setitem(RULES, "prefix", "rule_of_prefixes:PREFIX")


def test_it_decides_and_is_checked_saved_and_loaded(tmp_path: Path) -> None:
    result = cf.filter_chunks(TEXTS, "prefix@3 guards=none")
    assert [(line.index, line.kept_by, line.rule) for line in result.removed] == [
        (1, (0,), "prefix@3"),
        (4, (0,), "prefix@3"),
    ]
    result.verify(TEXTS)
    result.save(tmp_path / "result.jsonl")
    loaded = cf.FilterResult.load(tmp_path / "result.jsonl")
    assert loaded == result
    loaded.verify(TEXTS)
    forged = replace(result, removed=(replace(result.removed[0], kept_by=(3,)), result.removed[1]))
    with pytest.raises(CertificateError, match=r"removal of chunk 1 .*'prefix@3' does not hold"):
        forged.verify(TEXTS)


def test_guards_scopes_and_existing_chunks_apply_to_it() -> None:
    guarded = cf.filter_chunks(TEXTS, "prefix@3")
    assert [line.index for line in guarded.removed] == [4]
    assert [(one.index, one.other, one.guard) for one in guarded.conflicts] == [(1, 0, "words")]
    scoped = [cf.Chunk(text, metadata={"t": place}) for place, text in enumerate(TEXTS)]
    assert cf.filter_chunks(scoped, "prefix@3 guards=none scope=t").removed == ()
    old = cf.filter_chunks(TEXTS[1:], "prefix@3 guards=none", existing=TEXTS[:1])
    assert old.removed[0] == cf.Removal(0, (), (0,), "prefix@3", 1.0)


def test_it_joins_and_follows_other_rules() -> None:
    vectors = [[1.0, 0.0], [0.0, 1.0], [0.0, 1.0], [1.0, 0.0], [1.0, 0.0]]
    joined = cf.filter_chunks(TEXTS, "prefix@3+similarity@0.9 guards=none", vectors=vectors)
    assert [line.index for line in joined.removed] == [4]
    joined.verify(TEXTS, vectors=vectors)
    staged = cf.filter_chunks(TEXTS, "exact|prefix guards=none")
    staged.verify(TEXTS)
    assert str(staged.policy) == "exact|prefix@4 guards=none"


def test_its_values_are_checked_as_it_says() -> None:
    with pytest.raises(PolicyError, match="a whole number from 1 to 99"):
        cf.Policy.parse("prefix@0")
    with pytest.raises(PolicyError, match="no published variant"):
        cf.Policy.parse("prefix@paper")
