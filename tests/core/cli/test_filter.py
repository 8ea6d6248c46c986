"""``filter``, and ``explain`` and ``verify`` of what it saved."""

import json
import os
import signal
import subprocess
import sys

import pytest

from chunkfilter.cli.main import main

CHUNKS = [
    {"id": "a", "text": "Pumps start at six.", "source": "one", "page": 3},
    {"id": "b", "text": "Pumps start  at six.", "source": "two", "metadata": {"tenant": "x"}},
    {"id": "c", "text": " \n"},
    {"id": 4, "text": "Valves open at \x1b[2Jnine.\n3 removals hold", "spans": [[0, 20]]},
    {"id": "e", "text": "Valves open at \x1b[2Jnine. 3 removals hold"},
]


@pytest.fixture
def chunks(tmp_path):
    path = tmp_path / "chunks.jsonl"
    path.write_text("".join(json.dumps(chunk) + "\n" for chunk in CHUNKS))
    return path


@pytest.fixture
def saved(chunks, tmp_path, capsys):
    command = [
        "filter",
        chunks,
        "-o",
        tmp_path / "kept.jsonl",
        "--policy",
        "exact",
        "--result",
        tmp_path / "r.jsonl",
    ]
    assert main([str(word) for word in command]) == 0
    capsys.readouterr()
    return tmp_path / "r.jsonl"


def call(*words):
    return main([str(word) for word in words])


def lines(path):
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def test_kept_lines_are_the_lines_that_were_read(chunks, tmp_path, capsys):
    assert call("filter", chunks, "-o", tmp_path / "kept.jsonl", "--policy", "exact") == 0
    assert lines(tmp_path / "kept.jsonl") == [CHUNKS[0], CHUNKS[3]]
    shown = capsys.readouterr()
    removed = "60.0 % removed (exact 2, blank 1; 1 for chunks of other sources)"
    assert shown.out == f"2 of 5 chunks kept, {removed}, policy exact\n"
    assert shown.err.count("\n") == 1
    assert "1 removals are covered across different values of tenant" in shown.err


def test_the_summary_is_one_json_object(chunks, tmp_path, capsys):
    assert call("filter", chunks, "-o", tmp_path / "kept.jsonl", "--policy", "exact", "--json") == 0
    shown = json.loads(capsys.readouterr().out)
    assert (shown["chunks"], shown["kept"], shown["removed"]) == (5, 2, 3)
    assert shown["removed_by_rule"] == {"exact": 2, "blank": 1}
    assert shown["policy"] == "exact"


def test_other_fields_and_metadata_can_be_the_scope(chunks, tmp_path):
    chunks.write_text(
        "".join(
            json.dumps({"text": "same", **more}) + "\n"
            for more in ({"tenant": "x"}, {"metadata": {"tenant": "y"}}, {"metadata": {"tenant": "x"}})
        )
    )
    assert call("filter", chunks, "-o", tmp_path / "kept.jsonl", "--policy", "exact scope=tenant") == 0
    assert len(lines(tmp_path / "kept.jsonl")) == 2


def test_chunks_stored_earlier_stand_for_new_ones(chunks, tmp_path):
    stored = tmp_path / "stored.jsonl"
    stored.write_text(json.dumps({"text": "Pumps start\nat six."}) + "\n")
    assert (
        call("filter", chunks, "-o", tmp_path / "kept.jsonl", "--policy", "exact", "--existing", stored) == 0
    )
    assert [line["id"] for line in lines(tmp_path / "kept.jsonl")] == [4]


def test_texts_are_cut_and_chunks_know_their_place(tmp_path):
    (tmp_path / "texts").mkdir()
    text = "Pumps start at six. Valves open at nine."
    (tmp_path / "texts" / "a.md").write_text(text)
    (tmp_path / "texts" / "b.txt").write_text(text)
    out = tmp_path / "kept.jsonl"
    assert (
        call("filter", tmp_path / "texts", "-o", out, "--policy", "exact", "--chunker", "recursive:25:0") == 0
    )
    kept = lines(out)
    assert {line["source"] for line in kept} == {"a.md"}
    for line in kept:
        ((start, end),) = line["spans"]
        assert text[start:end] == line["text"]
    assert len({line["id"] for line in kept}) == len(kept)


def test_vectors_of_the_real_model_decide_where_the_policy_asks_for_them(chunks, tmp_path, capsys):
    out = tmp_path / "kept.jsonl"
    assert call("filter", chunks, "-o", out, "--policy", "similarity@0.95") == 2
    assert "--embedder" in capsys.readouterr().err
    assert (
        call(
            "filter",
            chunks,
            "-o",
            out,
            "--policy",
            "similarity@0.95",
            "--embedder",
            "package:all-MiniLM-L6-v2",
        )
        == 0
    )
    assert len(lines(out)) == 2


def test_entities_of_the_real_model_decide_and_are_verified(chunks, tmp_path, capsys):
    texts = ["Berlin beat Paris.", "Paris lost to Berlin.", "Rome drew."]
    chunks.write_text("".join(json.dumps({"text": text}) + "\n" for text in texts))
    out, result = tmp_path / "kept.jsonl", tmp_path / "r.jsonl"
    filter_it = ("filter", chunks, "-o", out, "--policy", "ner-exact guards=none", "--result", result)
    assert call(*filter_it) == 2
    assert "--entities" in capsys.readouterr().err
    assert call(*filter_it, "--entities", "package:en_core_web_sm") == 0
    assert [line["text"] for line in lines(out)] == [texts[0], texts[2]]
    assert call("verify", result, chunks, "--entities", "package:en_core_web_sm") == 0
    assert call("verify", result, chunks) == 2


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ('{"id": "x"}', "line 2: 'text' is None; expected a text"),
        ('{"text": "x", "metadata": 3}', "line 2: 'metadata' is 3; expected an object"),
        ('{"text": "x", "spans": [[3]]}', "line 2: 'spans' is [[3]]; expected a list of [start, end]"),
        ('{"text": "x", "spans": [[3, 1]]}', "line 2: chunk None: span (3, 1); expected 0 <= start <= end"),
        ("nonsense", "line 2: not JSON"),
    ],
)
def test_a_wrong_line_is_named_and_nothing_is_written(chunks, tmp_path, capsys, line, message):
    chunks.write_text('{"text": "x"}\n' + line + "\n")
    assert call("filter", chunks, "-o", tmp_path / "kept.jsonl") == 2
    assert message in capsys.readouterr().err
    assert not (tmp_path / "kept.jsonl").exists()


def test_a_folder_is_cut_by_the_default_splitter_which_is_said(tmp_path, capsys):
    texts = tmp_path / "texts"
    texts.mkdir()
    (texts / "a.md").write_text("Pumps start at six. " * 30)
    kept, result, cut = (tmp_path / name for name in ("kept.jsonl", "result.jsonl", "cut.jsonl"))
    assert call("filter", texts, "-o", kept, "--result", result) == 0
    assert "a folder; its texts are cut by --chunker recursive:400:200" in capsys.readouterr().err
    assert call("filter", texts, "-o", cut, "--chunker", "recursive:400:200") == 0
    assert capsys.readouterr().err == ""
    assert lines(kept) == lines(cut)
    assert call("verify", result, texts) == 0
    assert call("explain", result, texts) == 0
    assert call("filter", texts, "-o", cut, "--existing", texts) == 0
    assert lines(cut) == []


@pytest.mark.parametrize("policy", ["nonsense", "random@7"])
def test_a_wrong_policy_is_bad_input(chunks, tmp_path, capsys, policy):
    assert call("filter", chunks, "-o", tmp_path / "kept.jsonl", "--policy", policy) == 2
    assert f"policy '{policy}'" in capsys.readouterr().err


def test_inputs_are_never_overwritten(chunks, tmp_path, capsys):
    before = chunks.read_bytes()
    (tmp_path / "link.jsonl").symlink_to(chunks)
    for out in (chunks, tmp_path / "link.jsonl"):
        assert call("filter", chunks, "-o", out, "--policy", "exact") == 2
        assert "is the same file as IN" in capsys.readouterr().err
    assert call("filter", chunks, "-o", tmp_path / "a", "--result", tmp_path / "a") == 2
    assert chunks.read_bytes() == before


def test_a_link_is_replaced_and_its_target_stays(chunks, tmp_path):
    (tmp_path / "target").write_text("precious")
    (tmp_path / "link").symlink_to(tmp_path / "target")
    assert call("filter", chunks, "-o", tmp_path / "link", "--policy", "exact") == 0
    assert (tmp_path / "target").read_text() == "precious"
    assert len(lines(tmp_path / "link")) == 2


def test_a_folder_is_no_output(chunks, tmp_path, capsys):
    (tmp_path / "folder").mkdir()
    assert call("filter", chunks, "-o", tmp_path / "folder", "--policy", "exact") == 2
    assert "not a regular file" in capsys.readouterr().err


def test_an_interrupted_run_exits_130_and_leaves_no_half_file(tmp_path):
    pipe, out = tmp_path / "pipe", tmp_path / "kept.jsonl"
    os.mkfifo(pipe)
    out.write_text("earlier\n")
    # a suite that runs in the background inherits that Ctrl-C is ignored
    code = (
        "import signal, sys; signal.signal(signal.SIGINT, signal.default_int_handler); "
        "from chunkfilter.cli.main import main; sys.exit(main(sys.argv[1:]))"
    )
    command = [sys.executable, "-c", code, "filter", pipe, "-o", out, "--policy", "exact"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        with pipe.open("w") as writer:  # opens when the command reads, and closes when it was interrupted
            writer.write('{"text": "never ends')
            writer.flush()
            process.send_signal(signal.SIGINT)
        _, shown = process.communicate(timeout=300)
    assert process.returncode == 130
    assert shown == "chunkfilter: interrupted\n"
    assert out.read_text() == "earlier\n"
    assert {path.name for path in tmp_path.iterdir()} == {"pipe", "kept.jsonl"}


def test_a_failing_write_leaves_the_earlier_file(tmp_path):
    from chunkfilter.storage import replacing

    out = tmp_path / "out"
    out.write_text("earlier")

    def interrupted():
        with replacing(out) as file:
            file.write("half")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert out.read_text() == "earlier"
    assert list(tmp_path.iterdir()) == [out]


def test_verify_proves_a_saved_result(saved, chunks, capsys):
    assert call("verify", saved, chunks) == 0
    assert capsys.readouterr().out == "all 3 removals hold, policy exact\n"


def test_verify_fails_with_1_when_a_text_has_changed(saved, chunks, capsys):
    chunks.write_text(chunks.read_text().replace("six", "seven"))
    assert call("verify", saved, chunks, "--json") == 1
    shown = json.loads(capsys.readouterr().out)
    assert shown["holds"] is False
    assert "chunk 0" in shown["problem"]


def test_verify_fails_with_1_when_the_result_was_cut_or_altered(saved, chunks, capsys):
    whole = saved.read_text()
    saved.write_text(whole[:-40])
    assert call("verify", saved, chunks) == 1
    assert "r.jsonl: line 7: expected a JSON object" in capsys.readouterr().out
    saved.write_text(whole.replace("exact", "blank", 1))
    assert call("verify", saved, chunks) == 1


def test_verify_without_a_result_is_bad_input(saved, chunks, capsys):
    saved.unlink()
    assert call("verify", saved, chunks) == 2
    assert "r.jsonl" in capsys.readouterr().err


def test_explain_shows_each_removal_beside_its_keeper(saved, chunks, capsys):
    assert call("explain", saved, chunks) == 0
    shown = capsys.readouterr().out
    first = shown.split("\n\n")[0].splitlines()
    assert first == [
        "removed by exact, score 1: chunk 1, id b, source two",
        "  | ⟦Pumps start  at six.⟧",
        "kept: chunk 0, id a, source one",
        "  | ⟦Pumps start at six.⟧",
    ]
    assert shown.endswith("3 of 3 removals shown, policy exact\n")


def test_explained_texts_are_inert_and_cannot_forge_a_line(saved, chunks, capsys):
    assert call("explain", saved, chunks, "--removal", 4) == 0
    shown = capsys.readouterr().out
    assert "\x1b" not in shown
    assert r"\x1b[2Jnine" in shown
    assert "  | 3 removals hold⟧" in shown.splitlines()


def test_explain_as_json_keeps_the_true_text(saved, chunks, capsys):
    assert call("explain", saved, chunks, "--removal", 4, "--json") == 0
    out = capsys.readouterr().out
    assert "\x1b" not in out
    (removal,) = json.loads(out)["removals"]
    assert removal["text"] == CHUNKS[4]["text"]
    assert removal["kept_by"][0]["id"] == "4"
    assert removal["rule"] == "exact"


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--removal", "0"], "chunk 0 was kept"),
        (["--removal", "99"], "chunk 99 does not exist"),
        (["--limit", "-1"], "expected a number from 0"),
    ],
)
def test_explain_says_what_cannot_be_shown(saved, chunks, capsys, words, message):
    assert call("explain", saved, chunks, *words) == 2
    assert message in capsys.readouterr().err


def test_explain_can_be_limited(saved, chunks, capsys):
    assert call("explain", saved, chunks, "--limit", 1) == 0
    assert "1 of 3 removals shown" in capsys.readouterr().out


def test_explain_refuses_other_texts(saved, chunks, capsys):
    chunks.write_text(chunks.read_text().replace("six", "seven"))
    assert call("explain", saved, chunks) == 2
    assert "chunk 0 (id 'a') is not the text that was filtered" in capsys.readouterr().err


def test_an_output_in_no_folder_is_told(chunks, tmp_path, capsys):
    assert call("filter", chunks, "-o", tmp_path / "none" / "kept.jsonl") == 2
    assert f"the folder {tmp_path / 'none'} does not exist" in capsys.readouterr().err


def test_a_line_without_a_text_names_the_keys_it_has(tmp_path, capsys):
    path = tmp_path / "chunks.jsonl"
    path.write_text('{"id": "a", "body": "Pumps start at six."}\n')
    assert call("filter", path, "-o", tmp_path / "kept.jsonl") == 2
    assert "line 1: 'text' is None; expected a text; the keys are 'id', 'body'" in capsys.readouterr().err
