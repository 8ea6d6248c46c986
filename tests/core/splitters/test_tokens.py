"""The table of cl100k tokens is found on this machine, checked, and never downloaded."""

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from chunkfilter.errors import MissingExtraError
from chunkfilter.splitters import tokens

COUNT = "import os; from chunkfilter.splitters.tokens import count_tokens; "


def run(code: str, **variables: str) -> str:
    kept = {name: value for name, value in os.environ.items() if name not in tokens._FOLDER_VARIABLES}
    return subprocess.run(
        [sys.executable, "-c", COUNT + code], capture_output=True, text=True, check=True, env=kept | variables
    ).stdout.strip()


def shipped_table() -> Path:
    return (
        next(folder for folder in tokens._table_folders() if tokens._holds_table(folder)) / tokens._TABLE_NAME
    )


def test_tokens_are_counted_as_the_published_encoding_does():
    assert tokens.count_tokens("tiktoken is great!") == 6
    assert tokens.count_tokens("<|endoftext|>") == 7


def test_the_shipped_table_is_used_without_importing_its_package_or_changing_the_environment(tmp_path):
    code = (
        "print(count_tokens('tiktoken is great!'), os.environ.get('TIKTOKEN_CACHE_DIR'),"
        " 'llama_index.core' in __import__('sys').modules)"
    )
    assert run(code, TMPDIR=str(tmp_path)) == "6 None False"
    assert list(tmp_path.iterdir()) == []


def test_the_callers_folder_is_used_and_left_as_it_was(tmp_path):
    shutil.copy(shipped_table(), tmp_path)
    code = "print(count_tokens('tiktoken is great!'), os.environ['TIKTOKEN_CACHE_DIR'])"
    assert run(code, TIKTOKEN_CACHE_DIR=str(tmp_path)) == f"6 {tmp_path}"


def test_a_damaged_table_is_passed_over_and_not_deleted(tmp_path):
    damaged = tmp_path / tokens._TABLE_NAME
    damaged.write_bytes(b"not the table")
    code = "print(count_tokens('tiktoken is great!'), os.environ['TIKTOKEN_CACHE_DIR'])"
    assert run(code, TIKTOKEN_CACHE_DIR=str(tmp_path)) == f"6 {tmp_path}"
    assert damaged.read_bytes() == b"not the table"


def test_no_table_anywhere_is_an_error_and_no_download(monkeypatch, tmp_path):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setattr(tokens.importlib.util, "find_spec", lambda name: None)
    monkeypatch.delenv("DATA_GYM_CACHE_DIR", raising=False)
    monkeypatch.setenv("TIKTOKEN_CACHE_DIR", str(tmp_path))
    with pytest.raises(
        MissingExtraError, match=r"TIKTOKEN_CACHE_DIR, needs llama-index-core.*\[llama-index\]"
    ):
        tokens.cl100k.__wrapped__()


def test_a_missing_tiktoken_gives_the_pip_line(monkeypatch):
    monkeypatch.setitem(sys.modules, "tiktoken", None)
    with pytest.raises(
        MissingExtraError, match=r'tiktoken \(not installed\): pip install "chunkfilter\[splitters\]"'
    ):
        tokens.cl100k.__wrapped__()
