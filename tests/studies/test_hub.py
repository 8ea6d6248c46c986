"""Data sets through the hub's own library, tried on a folder that it reads without the network."""

import importlib.util
import json

import pytest

from chunkfilter.errors import DatasetError, MissingExtraError
from chunkfilter.evaluate.datasets import load_dataset

INSTALLED = importlib.util.find_spec("datasets") is not None
installed = pytest.mark.skipif(not INSTALLED, reason="the library datasets is not installed")
TEXT = "We met in May. The fee is 40 euros."


def write_rows(folder, **more):
    row = {"id": "1", "title": "T", "context": TEXT, "question": "What is the fee?", **more}
    (folder / "validation.jsonl").write_text(json.dumps(row) + "\n")


@installed
@pytest.mark.filterwarnings("default")  # the library's own warnings are not ours
def test_rows_of_the_squad_form_become_articles(tmp_path):
    write_rows(tmp_path, answers={"text": ["40 euros"], "answer_start": [26]})
    dataset = load_dataset(f"hub:{tmp_path}:validation")
    assert dict(dataset.documents) == {"T": TEXT}
    assert dataset.questions[0].references[0].text == "The fee is 40 euros."


@installed
@pytest.mark.filterwarnings("default")  # the library's own warnings are not ours
def test_other_columns_and_unknown_splits_are_named(tmp_path):
    write_rows(tmp_path)
    with pytest.raises(DatasetError, match="expected those of SQuAD: id, context, question, answers"):
        load_dataset(f"hub:{tmp_path}:validation")
    with pytest.raises(DatasetError, match="nosplit"):
        load_dataset(f"hub:{tmp_path}:nosplit")


@pytest.mark.skipif(INSTALLED, reason="the library datasets is installed")
def test_without_the_library_the_pip_line_is_named():
    with pytest.raises(MissingExtraError, match=r'pip install "chunkfilter\[datasets\]"'):
        load_dataset("hub:rajpurkar/squad:validation")


@pytest.mark.parametrize("spec", ["hub:", "hub:name", "hub:a:b:c:d", "hub::validation"])
def test_a_spec_of_another_form_says_what_was_expected(spec):
    with pytest.raises(DatasetError, match="expected hub:NAME:SPLIT or hub:NAME:CONFIG:SPLIT"):
        load_dataset(spec)
