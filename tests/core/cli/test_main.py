"""The command itself: how fast it starts, how it fails, and what it never prints."""

import json
import os
import subprocess
import sys

import pytest

from chunkfilter.cli.arguments import listed, names, numbers
from chunkfilter.cli.main import COMMANDS, main
from chunkfilter.cli.output import ProgressLines

HEAVY = (
    "torch",
    "sentence_transformers",
    "transformers",
    "spacy",
    "chromadb",
    "sklearn",
    "datasketch",
    "numpy",
)


def run(*words, **more):
    return subprocess.run(
        [sys.executable, "-m", "chunkfilter", *map(str, words)],
        capture_output=True,
        text=True,
        check=False,
        **more,
    )


def test_help_imports_nothing_heavy():
    script = (
        "import sys\nfrom chunkfilter.cli.main import main\n"
        "try:\n    main(['--help'])\nexcept SystemExit:\n    pass\n"
        f"print('loaded', [name for name in {HEAVY!r} if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.endswith("loaded []\n")


@pytest.mark.parametrize("command", ["filter", "explain", "verify", "cache"])
def test_the_help_of_a_command_imports_no_model_library(command):
    script = (
        "import sys\nfrom chunkfilter.cli.main import main\n"
        f"try:\n    main([{command!r}, '--help'])\nexcept SystemExit:\n    pass\n"
        f"print('loaded', [name for name in {HEAVY[:6]!r} if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert "--json" in done.stdout
    assert done.stdout.endswith("loaded []\n")


def test_help_lists_every_command_with_its_line(capsys):
    with pytest.raises(SystemExit, match="0"):
        main(["--help"])
    shown = capsys.readouterr().out
    for name, command in COMMANDS.items():
        assert name in shown
        assert command.help.split()[0] in shown


@pytest.mark.parametrize("words", [[], ["unknown"], ["filter"], ["cache", "burn"]])
def test_wrong_arguments_are_bad_input(words, capsys):
    with pytest.raises(SystemExit) as raised:
        main(words)
    assert raised.value.code == 2
    assert "usage: chunkfilter" in capsys.readouterr().err


def test_an_error_is_one_line_on_stderr_without_a_traceback(tmp_path):
    done = run("filter", tmp_path / "missing.jsonl", "-o", tmp_path / "out.jsonl")
    assert done.returncode == 2
    assert done.stdout == ""
    assert (
        done.stderr
        == f"chunkfilter: {tmp_path / 'missing.jsonl'}: cannot be read: No such file or directory\n"
    )


def test_messages_are_inert(tmp_path, capsys):
    assert main(["filter", str(tmp_path / "\x1b[2Jx.jsonl"), "-o", str(tmp_path / "out")]) == 2
    shown = capsys.readouterr().err
    assert "\x1b" not in shown
    assert r"\x1b[2Jx.jsonl" in shown


def test_a_reader_that_leaves_early_is_no_error(tmp_path):
    (tmp_path / "in.jsonl").write_text(json.dumps({"text": "a " * 50}) * 1 + "\n" + '{"text": "b"}\n')
    script = f"{sys.executable} -m chunkfilter cache info --cache {tmp_path} | true; echo ${{PIPESTATUS[0]}}"
    done = subprocess.run(["bash", "-c", script], capture_output=True, text=True, check=True)
    assert done.stderr == ""
    assert done.stdout.strip() in ("0", "141")


def test_a_terminal_without_unicode_still_shows_the_rest(tmp_path):
    done = run(
        "cache", "info", "--cache", tmp_path / "grüße", env={**os.environ, "PYTHONIOENCODING": "ascii:strict"}
    )
    assert done.returncode == 0
    assert r"gr\xfc\xdfe" in done.stdout


def test_the_cache_is_shown_and_cleared(tmp_path, capsys):
    from chunkfilter.evaluate.cached_embedder import cached_embedder

    class Named:
        name = "model"

        def encode(self, texts):
            return [[len(text), 1.0] for text in texts]

    cached_embedder(Named(), tmp_path).encode(["a", "bc"])
    assert main(["cache", "info", "--cache", str(tmp_path), "--json"]) == 0
    shown = json.loads(capsys.readouterr().out)
    assert shown["vectors"] == {"model": 3}
    assert shown["bytes"] > 0
    assert main(["cache", "clear", "--cache", str(tmp_path)]) == 0
    assert "deleted" in capsys.readouterr().out
    assert main(["cache", "info", "--cache", str(tmp_path), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["vectors"] == {}


def test_a_bar_is_a_line_every_ten_seconds_where_nobody_looks(capsys):
    now = iter([0.0, 4.0, 11.0, 11.0, 12.0, 22.0, 22.0])
    stream = ProgressLines(sys.stderr, lambda: next(now))
    for text in ("\r10%", "\r60%", "\r70%", "\r100%", "\n", "chunkfilter: done\n"):
        stream.write(text)
    assert capsys.readouterr().err == "60%\n100%\nchunkfilter: done\n"


def test_a_list_is_separated_by_semicolons_and_where_none_is_needed_by_commas():
    assert listed(" exact scope=a,b; none;") == ["exact scope=a,b", "none"]
    assert names("word; lemma") == names("word,lemma") == ("word", "lemma")
    assert numbers("500;1000") == numbers("500, 1000") == (500, 1000)
