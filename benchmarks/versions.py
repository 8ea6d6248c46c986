"""What ``coverage`` does to documents that exist in dated versions, and when ``scope=source`` is needed.

On the EU acts of ``eurlex_versions`` (English), split recursive:800:400, with MiniLM's window:

- how much ``exact`` and ``coverage`` remove, and whether the certificate holds;
- an independent count, by sets of word 5-grams, of the words that stand in no kept run;
- whether 1,000 sentences of removed chunks, and 300 that an amendment changed, are found whole in the top 5,
  against no filter and against no filter whose copies are merged at query time; the differences are
  bootstrapped over works;
- how often a sentence still stands in a chunk of its own source, without a scope and with ``scope=source``,
  here, on the pages of ``covid_faq`` and on the four versions of ``jest_docs``.

    CHUNKFILTER_DATA=FOLDER python benchmarks/versions.py [PART ...] [--works N]

The vectors of 17,000 chunks take a while; they are kept in the cache of ``CHUNKFILTER_CACHE``. ``--works``
searches a random sample of the 105 works only; everything else is about all of them.
"""

import argparse
import json
import os
import time
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

import chunkfilter as cf
from chunkfilter.evaluate.cached_embedder import cached_embedder
from chunkfilter.evaluate.collection import Collection, Settings
from chunkfilter.evaluate.found import Found
from chunkfilter.evaluate.halves import sampled_sentences
from chunkfilter.evaluate.metrics import measure
from chunkfilter.evaluate.statistics import paired_difference
from chunkfilter.evaluate.tokens import word_tokens
from chunkfilter.signals.embedders import Embedder, encode_queries, load_embedder
from chunkfilter.splitters import split_documents
from chunkfilter.text.normalise import normalise
from chunkfilter.text.sentences import sentences

POLICIES = ("exact", "coverage", "coverage scope=source")
SPLITTER = "recursive:800:400"
PARTS = ("removed", "retention", "search")
RUN = 5
TOP = 5
OF_REMOVED, AMENDED = 1000, 300
VERSIONS, OTHERS = "eurlex_versions/versions.en.jsonl", ("covid_faq", "jest_docs")
#: Two sentences with this share of words in common are one sentence before and after an amendment.
SAME_SENTENCE = 0.6
SHORTEST = 6


# --- the corpus and what goes --------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Corpus:
    """A data set, its chunks and its questions: its own, or sentences sampled from it."""

    name: str
    chunks: list[cf.Chunk]
    questions: tuple[cf.Question, ...]

    def results(self, embedder: Embedder) -> dict[str, cf.FilterResult]:
        return {policy: cf.filter_chunks(self.chunks, policy, embedder=embedder) for policy in POLICIES}


def kept_mask(result: cf.FilterResult) -> np.ndarray:
    kept = np.zeros(len(result), dtype=np.bool_)
    kept[list(result.kept)] = True
    return kept


def corpus_of(dataset: cf.Dataset) -> Corpus:
    questions = dataset.questions or sampled_sentences(dict(dataset.documents), OF_REMOVED, seed=0)
    return Corpus(dataset.name, split_documents(dataset.documents, SPLITTER), questions)


def words_outside(chunks: Sequence[cf.Chunk], kept: Iterable[int]) -> tuple[int, int, int]:
    """Words of all chunks, those in no 5-gram of a kept chunk, and those of them that no short line explains.

    A sentence of fewer than five words has no 5-gram of its own: it counts if its words stand one after
    another in a kept chunk.
    """
    texts = [tuple(word_tokens(normalise(chunk.text))) for chunk in chunks]
    stays = set(kept)
    runs = {run for place in stays for run in grams(texts[place], RUN)}
    short = {run for place in stays for size in range(1, RUN) for run in grams(texts[place], size)}
    total = outside = unexplained = 0
    for place, text in enumerate(texts):
        total += len(text)
        if place in stays:
            continue
        inside = {at + step for at, run in enumerate(grams(text, RUN)) if run in runs for step in range(RUN)}
        left = set(range(len(text))) - inside
        outside += len(left)
        if left:
            left -= set(_short_sentences(chunks[place].text, short))
        unexplained += len(left)
    return total, outside, unexplained


def _short_sentences(text: str, short: set[tuple[str, ...]]) -> Iterator[int]:
    end = 0
    for sentence in sentences(text).texts:
        found = tuple(word_tokens(sentence))
        start, end = end, end + len(found)
        if len(found) < RUN and found in short:
            yield from range(start, end)


def grams(text: tuple[str, ...], size: int) -> Iterator[tuple[str, ...]]:
    return (text[place : place + size] for place in range(len(text) - size + 1))


# --- the sentences that are asked for ------------------------------------------------------------------------


def sentences_of_removed(
    documents: dict[str, str], chunks: Sequence[cf.Chunk], result: cf.FilterResult, count: int
) -> list[cf.Question]:
    """Sentences that stand whole in a chunk that goes."""
    gone = defaultdict(list)
    for removal in result.removed:
        chunk = chunks[removal.index]
        gone[chunk.source].append(chunk.spans[0])
    pool = [
        question
        for question in sampled_sentences(documents, 10 * count, seed=0)
        for reference in question.references
        if any(
            low <= place_of(reference)[0] and place_of(reference)[1] <= high
            for low, high in gone[reference.source]
        )
    ]
    drawn = np.random.default_rng(1).permutation(len(pool))[:count]
    return [pool[place] for place in sorted(drawn.tolist())]


def place_of(reference: cf.Reference) -> tuple[int, int]:
    if reference.start is None or reference.end is None:
        raise ValueError(f"{reference.text!r:.60}: has no place")
    return reference.start, reference.end


def amended_sentences(path: Path, works: set[str], count: int) -> list[cf.Question]:
    """Wordings, before and after, of sentences that differ between two versions of a provision."""
    versions: dict[str, list[dict[str, Any]]] = defaultdict(list)
    with path.open(encoding="utf-8") as lines:
        for line in map(json.loads, lines):
            if line["celex"] in works:
                versions[line["celex"]].append(line)
    found: dict[str, cf.Question] = {}
    for work, dated in sorted(versions.items()):
        for before, after in pairwise(sorted(dated, key=lambda one: one["version"])):
            old = {one["anchor"]: one["text"] for one in before["provisions"]}
            for provision in after["provisions"]:
                if provision["anchor"] not in old or old[provision["anchor"]] == provision["text"]:
                    continue
                for pair in amendments(old[provision["anchor"]], provision["text"]):
                    for version, text in zip((before, after), pair, strict=True):
                        source = f"{work}@{version['version']}"
                        found.setdefault(text, cf.Question(source, text, (cf.Reference(text, source),)))
    pool = list(found.values())
    return [pool[place] for place in sorted(np.random.default_rng(2).permutation(len(pool))[:count].tolist())]


def amendments(old: str, new: str) -> Iterator[tuple[str, str]]:
    """Sentences of the one text that are not in the other, with the likest of those."""
    ours, theirs = (
        {sentence: Counter(word_tokens(sentence)) for sentence in whole_sentences(text)}
        for text in (old, new)
    )
    gone = {sentence: bag for sentence, bag in ours.items() if sentence not in theirs}
    for sentence, bag in theirs.items():
        if sentence in ours or not gone:
            continue
        likest = max(gone, key=lambda one: (gone[one] & bag).total() / (gone[one] | bag).total())
        share = (gone[likest] & bag).total() / (gone[likest] | bag).total()
        if share >= SAME_SENTENCE and word_tokens(likest) != word_tokens(sentence):
            yield likest, sentence


def whole_sentences(text: str) -> list[str]:
    sampled = sampled_sentences({"text": text}, len(text), seed=0)
    return [question.text for question in sampled if len(word_tokens(question.text)) >= SHORTEST]


# --- found in the top 5, and source retention ---------------------------------------------------------------


def collection_of(corpus: Corpus, embedder: Embedder | None = None) -> Collection:
    """The collection of ``compare``; without an embedder for what needs no search."""
    settings = Settings(TOP, (1,), ("word",))
    if embedder is None:
        return Collection(corpus.chunks, list(corpus.questions), settings)
    vectors = embedder.encode([chunk.text for chunk in corpus.chunks])
    queries = encode_queries(embedder, [question.text for question in corpus.questions])
    return Collection(corpus.chunks, list(corpus.questions), settings, vectors, queries)


def found_whole(data: Collection, kept: np.ndarray, copies: np.ndarray | None = None) -> np.ndarray:
    """1 where a chunk of the top 5 holds the question's sentence whole, else 0; shape (q,)."""
    top = data.ranking.over(kept, copies)[:, :TOP]
    holders = data.holders
    held = [set(row.tolist()) for row in holders.anywhere]
    found = np.zeros(len(data.questions))
    for sentence, question in enumerate(holders.questions.tolist()):
        found[question] = float(any(place in held[sentence] for place in top[question].tolist()))
    return found


def print_found(name: str, corpus: Corpus, embedder: Embedder) -> None:
    data = collection_of(corpus, embedder)
    reachable = np.unique(data.holders.questions[data.holders.anywhere.lengths > 0])
    works = [str(question.references[0].source).partition("@")[0] for question in corpus.questions]
    units = np.unique(works, return_inverse=True)[1][reachable]
    everything = np.ones(len(corpus.chunks), dtype=np.bool_)
    before = {
        "no filter": found_whole(data, everything)[reachable],
        "no filter, copies merged": found_whole(data, everything, data.copies)[reachable],
    }
    print(f"\n{name}: {len(reachable)} of {len(works)} stand whole in a chunk, {units.max() + 1} works")
    for other, values in before.items():
        print(f"  {other:42} found {values.mean():.4f}")
    for policy, result in corpus.results(embedder).items():
        after = found_whole(data, kept_mask(result))[reachable]
        told = []
        for other, values in before.items():
            one = paired_difference(after, values, units)
            told.append(f"{one.mean:+.4f} [{one.low:+.4f}, {one.high:+.4f}] to {other}")
        print(f"  {policy:42} found {after.mean():.4f}  {'; '.join(told)}")


def print_retention(corpus: Corpus, results: dict[str, cf.FilterResult]) -> None:
    data = collection_of(corpus)
    nothing_ranked = np.full((len(corpus.questions), 0), -1)
    counted = len(np.unique(data.holders.questions[data.holders.in_source.lengths > 0]))
    for policy, result in results.items():
        values = measure(data, Found(kept_mask(result), nothing_ranked), ("index",))
        evidence, source = (values[name].mean() for name in ("evidence_retention", "source_retention"))
        print(
            f"  {corpus.name:22} {policy:22} removed {result.reduction:5.2f}%  "
            f"across sources {result.report.across_sources:6}  evidence {evidence:.4f}  source {source:.4f}  "
            f"({counted} questions)"
        )


# --- all of it -------------------------------------------------------------------------------------------------


def sampled_works(documents: Iterable[str], count: int | None) -> set[str]:
    works = sorted({source.partition("@")[0] for source in documents})
    order = np.random.default_rng(0).permutation(len(works))
    return {works[place] for place in order[:count].tolist()}


def print_removed(corpus: Corpus, results: dict[str, cf.FilterResult], embedder: Embedder) -> None:
    for policy, result in results.items():
        print(f"{policy}: {result.reduction:.2f}% removed, {result.report.seconds:.1f} s", flush=True)
    started = time.process_time()
    results["coverage"].verify(corpus.chunks, embedder=embedder)
    print(f"certificate: every removal holds ({time.process_time() - started:.0f} CPU seconds)", flush=True)
    total, outside, unexplained = words_outside(corpus.chunks, results["coverage"].kept)
    print(
        f"independent count: {total:,} words, {outside:,} in no kept 5-gram, "
        f"{unexplained:,} of those in no short sentence that a kept chunk holds either",
        flush=True,
    )


def print_search(path: Path, documents: dict[str, str], works: set[str], embedder: Embedder) -> None:
    some = {source: text for source, text in documents.items() if source.partition("@")[0] in works}
    chunks = split_documents(some, SPLITTER)
    print(f"\nsearched: {len(works)} works, {len(some)} versions, {len(chunks)} chunks")
    filtered = cf.filter_chunks(chunks, "coverage", embedder=embedder)
    asked = sentences_of_removed(some, chunks, filtered, OF_REMOVED)
    print_found("sentences of removed chunks", Corpus("removed", chunks, tuple(asked)), embedder)
    amended = amended_sentences(path, works, AMENDED)
    print_found("amended sentences", Corpus("amended", chunks, tuple(amended)), embedder)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("parts", nargs="*", metavar="PART", help=f"of {', '.join(PARTS)} (default: all)")
    parser.add_argument("--works", type=int, metavar="N", help="search a sample of N works only")
    arguments = parser.parse_args()
    folder = os.environ.get("CHUNKFILTER_DATA")
    if not folder:
        print("skipped: set CHUNKFILTER_DATA to the folder that holds eurlex_versions, covid_faq, jest_docs")
        return
    parts = arguments.parts or PARTS
    embedder = cached_embedder(load_embedder("package:all-MiniLM-L6-v2"))
    path = Path(folder) / VERSIONS
    dataset = cf.load_dataset(path)
    documents = dict(dataset.documents)
    if "removed" in parts or "retention" in parts:
        corpus = corpus_of(dataset)
        print(f"{len(documents)} versions, {len(corpus.chunks)} chunks by {SPLITTER}", flush=True)
        results = corpus.results(embedder)
    if "removed" in parts:
        print_removed(corpus, results, embedder)
    if "retention" in parts:
        print("\nevidence and source retention (share of questions):")
        print_retention(corpus, results)
        for part in OTHERS:
            other = corpus_of(cf.load_dataset(Path(folder) / part))
            print_retention(other, other.results(embedder))
    if "search" in parts:
        print_search(path, documents, sampled_works(documents, arguments.works), embedder)


if __name__ == "__main__":
    main()
