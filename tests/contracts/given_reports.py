"""Cases about what is printed and written: hostile names and texts through every command and every file."""

import csv
import io
import json
import re
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import chunkfilter as cf
from chunkfilter.cli.main import main
from chunkfilter.evaluate.report import comparison_csv, comparison_markdown
from chunkfilter.stores import make_plan, open_store
from chunkfilter.stores.open import Store
from chunkfilter.text.inert import inert_cell, inert_html

Case = dict[str, Any]
Capture = pytest.CaptureFixture[str]

_CONTROLS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")


def _lines(case: Case) -> list[Case]:
    """The chunks of a case, then each of them twice more: a copy, and one that differs in a number."""
    chunks: list[Case] = case["input"]["chunks"]
    copies = [{**chunk, "id": f"{chunk['id']} again"} for chunk in chunks]
    others = [{**chunk, "text": f"{chunk['text']} {place}"} for place, chunk in enumerate(chunks)]
    return [{**line, "source": line["id"]} for line in [*chunks, *copies, *others]]


def _commands(case: Case, folder: Path, name: str = "result") -> None:
    """Filter, explain, show conflicts and verify the chunks of a case."""
    texts, result = folder / "chunks.jsonl", str(folder / f"{name}.jsonl")
    texts.write_text("".join(json.dumps(line) + "\n" for line in _lines(case)), encoding="utf-8")
    kept = str(folder / "kept.jsonl")
    for policy in ("exact", "minhash@0.1", "coverage"):
        assert main(["filter", str(texts), "-o", kept, "--result", result, "--policy", policy]) == 0
        assert main(["explain", result, str(texts), "--limit", "0"]) == 0
        assert main(["explain", result, str(texts), "--conflicts"]) == 0
        assert main(["verify", result, str(texts)]) == 0
    assert main(["analyse", str(texts)]) == 0
    assert main(["filter", str(texts), "-o", kept, "--policy", case["input"]["chunks"][0]["text"]]) == 2


def terminal_output_is_inert(case: Case, folder: Path, capsys: Capture) -> None:
    """No control or direction mark reaches a terminal, in results or in messages."""
    _commands(case, folder)
    shown = capsys.readouterr()
    for stream in (shown.out, shown.err):
        assert not _CONTROLS.search(stream)
        assert not any(raw in stream for raw in case["expect"]["no_raw_controls_in_stdout"])
    assert "\\x1b[1A" in shown.out
    assert main(["explain", str(folder / "result.jsonl"), str(folder / "chunks.jsonl"), "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert not any(one["text"] not in {line["text"] for line in _lines(case)} for one in told["removals"])


def names_stay_in_the_folder(case: Case, folder: Path, capsys: Capture) -> None:
    """Whatever ids, sources, documents and collections are called, files are written where one said."""
    del capsys
    inside = folder / "inside"
    inside.mkdir()
    outside = [folder / "one.txt", folder / "two.txt"]
    for path in outside:
        path.write_text("not ours")
    names = case["input"]["run_names"]
    texts = [chunk["text"] for chunk in case["input"]["chunks"]]
    lines = [{"id": name, "source": name, "text": f"{text} {name}"} for name in names for text in texts]
    chunks = inside / "chunks.jsonl"
    chunks.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    (inside / "kept.jsonl").symlink_to(outside[0])
    (inside / "result.jsonl").symlink_to(outside[1])
    kept, result = str(inside / "kept.jsonl"), str(inside / "result.jsonl")
    assert main(["filter", str(chunks), "-o", kept, "--result", result]) == 0
    plan = make_plan(_store(names, folder / "db"), "exact", inside / "plan")
    assert plan.removed == len(names)
    assert [path.read_text() for path in outside] == ["not ours"] * 2
    assert {path.name for path in folder.iterdir()} == {"inside", "one.txt", "two.txt", "db"}
    assert {path.name for path in inside.iterdir()} == {"chunks.jsonl", "kept.jsonl", "result.jsonl", "plan"}


def _store(names: list[str], folder: Path) -> Store:
    """A collection with two equal rows a name."""
    import chromadb
    from chromadb.config import Settings

    client = chromadb.PersistentClient(str(folder), Settings(anonymized_telemetry=False))
    collection = client.create_collection("names", embedding_function=None)
    collection.add(
        ids=[f"{name}{half}" for name in names for half in ("", " again")],
        documents=[f"Text of {place}." for place in range(len(names)) for _ in range(2)],
        metadatas=[{"source": name} for name in names for _ in range(2)],
        embeddings=np.ones((2 * len(names), 4), dtype=np.float32),
    )
    return open_store(collection)


class _Seen(HTMLParser):
    """The elements, attributes and text of a page."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.elements: list[str] = []
        self.values: list[str] = []
        self.text = ""
        self.feed(page)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append(tag)
        self.values += [f"{name}={value}" for name, value in attrs]

    def handle_data(self, data: str) -> None:
        self.text += data


def pages_hold_no_foreign_element(case: Case, folder: Path, capsys: Capture) -> None:
    """Texts, ids and metadata are only text, in an element as in a quoted attribute."""
    _commands(case, folder)
    capsys.readouterr()
    for chunk in case["input"]["chunks"]:
        for value in (
            chunk["id"],
            chunk["text"],
            *(part for pair in chunk["metadata"].items() for part in pair),
        ):
            page = _Seen(f'<p title="{inert_html(value)}">{inert_html(value)}</p>')
            assert page.elements == ["p"]
            assert len(page.values) == 1
            visible = value.replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")
            assert page.text == visible
            assert page.values == [f"title={visible}"]


def cells_are_no_formulas(case: Case, folder: Path, capsys: Capture) -> None:
    """A spreadsheet reads texts as text and numbers as numbers; everything comes back through a reader."""
    _commands(case, folder)
    capsys.readouterr()
    rows = [[chunk["id"], chunk["text"], chunk["metadata"]["k"]] for chunk in case["input"]["chunks"]]
    file = io.StringIO()
    csv.writer(file).writerows([[inert_cell(cell) for cell in row] for row in rows])
    back = list(csv.reader(io.StringIO(file.getvalue(), newline="")))
    for given, read in zip(rows, back, strict=True):
        for cell, text in zip(given, read, strict=True):
            assert text.removeprefix("'") == str(cell)
            assert isinstance(cell, float) or not text.startswith(("=", "+", "@", "-", "\t", "\r"))
    _tables_are_no_formulas([row[0] for row in rows])


def _tables_are_no_formulas(names: list[str]) -> None:
    """The same for the figures of a comparison whose corpora bear such names."""
    chunks = [cf.Chunk(f"Text number {place} of a corpus.", source=name) for place, name in enumerate(names)]
    questions = [
        cf.Question(
            chunk.source or "", "Which?", (cf.Reference(chunk.text, chunk.source, 0, len(chunk.text)),)
        )
        for chunk in chunks
    ]
    compared = cf.compare(
        chunks,
        questions,
        ["exact"],
        embedder=cf.load_embedder("package:all-MiniLM-L6-v2"),
        tokens=("word",),
        seeds=2,
        groups={name: name for name in names},
    )
    written = csv.reader(io.StringIO(comparison_csv(compared, by_corpus=True), newline=""))
    numbers = re.compile(r"[-+]?[\d.e+-]+|-?(?:inf|nan)")
    for line in written:
        assert all(not cell.startswith(("=", "+", "@", "-")) or numbers.fullmatch(cell) for cell in line)
    assert comparison_markdown(compared, by_corpus=True)
