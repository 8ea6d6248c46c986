"""Is semantic chunking worth its cost, with and without the default filter?

    python benchmarks/chunking_study.py FOLDER [--scale X] [--json FILE]

FOLDER holds ``scifact``, ``clapnq_dev`` and ``hotpotqa_500``. Seeded samples of them, plain and (scifact)
stitched to about 100 sentences a document; the splitters of Qu, Tu and Bao, "Is Semantic Chunking Worth the
Computational Cost?" (2024), a few settings each; policies ``none`` and ``coverage``. One table a data set,
as ``chunkfilter study grid`` prints it, once among all settings and once among those that put several
sentences into a chunk, then what is found. Times are CPU seconds of one process. Vectors come from the cache
(``CHUNKFILTER_CACHE``), so that a run that was stopped goes on where it was.
"""

import argparse
import json
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np

import chunkfilter as cf
from chunkfilter.evaluate.cached_embedder import cached_embedder
from chunkfilter.evaluate.stitching import sentence_counts, stitched
from chunkfilter.studies.grid import chosen_grid, measure_grid
from chunkfilter.studies.grid.outcome import Grid, GridRow
from chunkfilter.studies.grid.run import GridValues
from chunkfilter.studies.splitters import SharedSentences

MODEL = "package:all-MiniLM-L6-v2"
CHUNKERS = (
    "sentences:1:0",
    "sentences:2:0",
    "sentences:3:1",
    "sentences:5:0",
    "sentences:10:0",
    "breakpoint:percentile=10",
    "breakpoint:percentile=50",
    "breakpoint:percentile=90",
    "linkage:clusters=2:weight=0.5",
    "linkage:clusters=4:weight=0.5",
    "linkage:clusters=10:weight=0.5",
    "linkage:clusters=50:weight=0.5",
    "dbscan:eps=0.1:min-samples=2:weight=0.5",
    "dbscan:eps=0.2:min-samples=2:weight=0.5",
    "dbscan:eps=0.3:min-samples=2:weight=0.25",
    "dbscan:eps=0.5:min-samples=2:weight=0.25",
)
POLICIES = ("none", "coverage")
STITCHED = 100
#: Chunks, by number of sentences, that a coarse setting may have at most.
MOST_CHUNKS = 0.6
#: Questions, and documents that nobody asks about, of each sample.
SIZES = {"scifact": (60, 20), "clapnq_dev": (90, 0), "hotpotqa_500": (60, 20)}


def sampled(dataset: cf.Dataset, questions: int, others: int) -> cf.Dataset:
    """Some questions, their documents, and some other documents, drawn with seed 0."""
    generator = np.random.default_rng(0)
    asked = [dataset.questions[place] for place in generator.permutation(len(dataset.questions))[:questions]]
    needed = {name for question in asked for name in question.graded}
    rest = [name for name in dataset.documents if name not in needed]
    taken = needed | {rest[place] for place in generator.permutation(len(rest))[:others]}
    documents = {name: text for name, text in dataset.documents.items() if name in taken}
    return replace(dataset, documents=documents, questions=tuple(asked), problems=())


def studies(folder: Path, scale: float) -> Iterator[tuple[cf.Dataset, tuple[str, ...]]]:
    """The data sets, and what they are measured by."""
    samples = {
        name: sampled(cf.load_dataset(folder / name), *(round(scale * count) for count in size))
        for name, size in SIZES.items()
    }
    yield samples["hotpotqa_500"], ("evidence", "document")
    yield samples["clapnq_dev"], ("evidence",)
    yield samples["scifact"], ("evidence", "document")
    yield stitched(samples["scifact"], STITCHED), ("evidence", "document")


def coarse(found: GridValues) -> GridValues:
    """Without the settings that cut nearly every sentence apart, where all splitters are the same."""
    ((_, table),) = found.tables.items()

    def chunks(spec: str) -> int:
        return sum(part.chunks for part in table[spec, POLICIES[0]])

    most = MOST_CHUNKS * chunks(CHUNKERS[0])
    left = {name: [spec for spec in specs if chunks(spec) <= most] for name, specs in found.settings.items()}
    dataset = replace(found.dataset, name=f"{found.dataset.name}, several sentences a chunk")
    return replace(found, dataset=dataset, settings={name: specs for name, specs in left.items() if specs})


def say(text: str) -> None:
    print(text, flush=True)


def run(folder: Path, scale: float) -> list[Grid]:
    embedder = cf.load_embedder(MODEL)
    grids = []
    for dataset, measures in studies(folder, scale):
        texts = list(dataset.documents.values())
        say(
            f"# {dataset.name}: {len(texts)} documents, {sum(sentence_counts(texts))} sentences, "
            f"{sum(map(len, texts)) / 1e6:.2f} MB, {len(dataset.questions)} questions\n"
        )
        SharedSentences(cached_embedder(embedder)).prepare(texts)  # many at once are embedded faster
        began = time.process_time()
        found = measure_grid(dataset, CHUNKERS, POLICIES, {MODEL: embedder}, clock=time.process_time)
        for measure in measures:
            grids += [chosen_grid(found, measure), chosen_grid(coarse(found), measure)]
            say(f"{grids[-2]}\n\nAmong settings that put several sentences into a chunk:\n\n{grids[-1]}\n")
        say(f"measured in {time.process_time() - began:.0f} CPU s\n")
    return grids


def outcome(row: GridRow) -> str:
    found = row.to_first
    if found is None:
        return "is what others compare with"
    word = "better" if found.low > 0 else "worse" if found.high < 0 else "not told apart"
    return f"{word} ({found.mean:+.3f} [{found.low:+.3f}, {found.high:+.3f}])"


def conclude(grids: list[Grid]) -> None:
    """Every splitter against fixed numbers of sentences, then the filter against no filter."""
    for policy in POLICIES:
        say(f"## mean F1 against fixed numbers of sentences, policy {policy}\n")
        for grid in grids:
            rows = [row for row in grid.rows if row.policy == policy]
            base = rows[0].cost.seconds
            for row in rows[1:]:
                say(
                    f"{grid.data}, {grid.measure}: {row.splitter} {outcome(row)}; "
                    f"{row.cost.seconds / base:.1f} times the compute"
                )
        say("")
    say("## mean F1 with the filter against the same splitter without\n")
    for grid in grids:
        for row in grid.rows:
            if row.to_unfiltered is not None:
                one = row.to_unfiltered
                say(
                    f"{grid.data}, {grid.measure}: {row.splitter}: {row.chunks - row.kept} of {row.chunks} "
                    f"chunks go, {one.mean:+.3f} [{one.low:+.3f}, {one.high:+.3f}]"
                )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--json", type=Path)
    parser.add_argument("--scale", type=float, default=1.0, help="of the samples")
    arguments = parser.parse_args()
    grids = run(arguments.folder, arguments.scale)
    conclude(grids)
    if arguments.json:
        arguments.json.write_text(json.dumps([grid.as_dict() for grid in grids]), encoding="utf-8")


if __name__ == "__main__":
    main()
