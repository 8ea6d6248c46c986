"""What guards catch and miss on texts made for it, what they cost in reduction, and in time.

The texts are paragraphs of SQuAD 1.1 (dev), of acts of EUR-Lex in English, and of XQuAD (the same paragraphs
in twelve languages). Each is changed in one place, by a rule that knows nothing of the guards, and the guard
is asked whether the changed text may go for the original. A change that alters what the text says must be
vetoed; one that does not must be let through. ``coverage@t`` has no guard between two chunks: it is run on each
pair. Reduction and time are those of whole runs on the corpora of the Chroma study, SQuAD and versions of EU acts;
where embedding all would take an hour, on acts drawn by seed 0, with all their versions.

    CHUNKFILTER_DATA=FOLDER python benchmarks/guards.py [costs] [changes] [languages]
"""

import itertools
import json
import os
import random
import re
import sys
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import numpy as np

import chunkfilter as cf
from chunkfilter.evaluate.cached_embedder import cached_embedder
from chunkfilter.filters import stages
from chunkfilter.filters.batch import Batch, Given
from chunkfilter.filters.guards import guard_of
from chunkfilter.filters.relation import Guard
from chunkfilter.policy import Policy

TEXTS = 1000
#: Paragraphs of this many characters: within the window of a small embedder.
SIZES = range(150, 900)
#: Pairs are what ``similarity@0.9`` would find; the window is left out, so that words alone decide.
PAIRED_BY = "similarity@0.9 window=none"
#: What reduction and time are measured on; vectors are those of MiniLM, computed once (CHUNKFILTER_CACHE).
CORPORA = (
    ("chroma", "recursive:400:200"),
    ("chroma", "recursive:800:400"),
    ("squad", "recursive:400:200"),
    ("eurlex_versions", "recursive:800:400"),
)
POLICIES = ("minhash@0.8", "minhash@0.5", "simhash@3", "similarity@0.9", "similarity@0.8")
#: Rules whose guard is in the rule itself; what copies alone give is for them what ``coverage`` gives.
COVERING = ("coverage@0.9", "coverage@0.8")
#: What ``coverage@t`` is asked on pairs.
LEAST_SHARE = "coverage@0.5"
#: Above this number of chunks, rules that need vectors run on some documents only;
EMBEDDED = 12_000
#: on so many chunks.
SAMPLED = 2_000
_WORD = re.compile(r"[^\W\d_]{4,}")
_AUXILIARY = re.compile(r"\b(is|are|was|were|has|have|had|can|will|may|shall|must|should)\b")
_NUMBER = re.compile(r"\d+")

Change = Callable[[str, random.Random], str | None]


def replaced(text: str, match: re.Match[str], by: str) -> str:
    """The text with what was matched replaced."""
    return text[: match.start()] + by + text[match.end() :]


def word_changed(text: str, draw: random.Random) -> str | None:
    """One word replaced by another word of the text."""
    found = list(_WORD.finditer(text))
    one = draw.choice(found)
    others = [word[0] for word in found if word[0].lower() != one[0].lower()]
    return replaced(text, one, draw.choice(others)) if others else None


def word_dropped(text: str, draw: random.Random) -> str | None:
    """One word left out."""
    return replaced(text, draw.choice(list(_WORD.finditer(text))), "")


def number_changed(text: str, draw: random.Random) -> str | None:
    """One digit of one number replaced by another."""
    found = list(_NUMBER.finditer(text))
    if not found:
        return None
    number = draw.choice(found)
    place = draw.randrange(len(number[0]))
    digit = draw.choice([digit for digit in "0123456789" if digit != number[0][place]])
    return replaced(text, number, number[0][:place] + digit + number[0][place + 1 :])


def negated(text: str, draw: random.Random) -> str | None:
    """``not`` after an auxiliary."""
    found = list(_AUXILIARY.finditer(text))
    return replaced(text, one := draw.choice(found), f"{one[0]} not") if found else None


def reordered(text: str, draw: random.Random) -> str | None:
    """Two different words swapped."""
    found = list(_WORD.finditer(text))
    one, other = sorted(draw.sample(found, 2), key=lambda match: match.start())
    if one[0].lower() == other[0].lower():
        return None
    return replaced(replaced(text, other, one[0]), one, other[0])


def unit_changed(text: str, draw: random.Random) -> str | None:
    """The word after a number replaced."""
    found = list(re.finditer(r"(?<=\d )[^\W\d_]+", text))
    return replaced(text, draw.choice(found), "furlongs") if found else None


def rewrapped(text: str, draw: random.Random) -> str | None:
    """Every space a run of white space."""
    return re.sub(" ", lambda _: draw.choice([" ", "\n", "  ", "\u00a0"]), text)


def repunctuated(text: str, draw: random.Random) -> str | None:
    """Commas, semicolons and full stops between words replaced, the whole quoted."""
    return (
        "“" + re.sub(r"(?<=[a-z])[,;.](?=\s|$)", lambda _: draw.choice([",", ";", ".", " –", ""]), text) + "”"
    )


def recased(text: str, draw: random.Random) -> str | None:
    """All in capitals, or each word with one."""
    return draw.choice([text.upper(), text.title()])


MUST_STAY: dict[str, Change] = {
    "one word changed": word_changed,
    "one word left out": word_dropped,
    "one digit changed": number_changed,
    "negation put in": negated,
    "two words swapped": reordered,
    "unit changed": unit_changed,
}
MAY_GO: dict[str, Change] = {"re-wrapped": rewrapped, "re-punctuated": repunctuated, "re-cased": recased}


def paragraphs(data: Path) -> dict[str, list[str]]:
    """Some paragraphs of each corpus, drawn by seed 0."""
    squad = json.loads((data / "squad_dev11" / "dev-v1.1.rebuilt.json").read_text(encoding="utf-8"))
    found = {"SQuAD": [one["context"] for article in squad["data"] for one in article["paragraphs"]]}
    with (data / "eurlex_docs" / "docs.en.jsonl").open(encoding="utf-8") as lines:
        provisions = [one["text"] for line in lines for one in json.loads(line)["provisions"]]
    found["EUR-Lex"] = [part.strip() for text in provisions for part in re.split(r"\n+", text)]
    draw = random.Random(0)
    fitting = {name: [text for text in texts if len(text) in SIZES] for name, texts in found.items()}
    return {name: draw.sample(texts, min(TEXTS, len(texts))) for name, texts in fitting.items()}


def names(removed: list[str], kept: list[str]) -> list[str]:
    """The guard's answer for each pair."""
    policy, count = Policy.parse(PAIRED_BY), len(kept)
    chunks = [cf.Chunk(text) for text in [*kept, *removed]]
    batch = Batch(chunks, [], np.arange(2 * count), np.zeros(2 * count, np.int64), policy, Given())
    guard = guard_of(batch, policy.stages[0])
    assert guard is not None
    return guard(np.arange(count, 2 * count), np.arange(count)).tolist()


def table_of_changes(corpora: dict[str, list[str]]) -> None:
    """Print caught and missed for each change."""
    print(f"{'corpus':8} {'change':20} {'pairs':>6} {'vetoed':>7} {'passed':>7} {'coverage@t':>10}  named")
    for corpus, texts in corpora.items():
        for changes, must_stay in ((MUST_STAY, True), (MAY_GO, False)):
            for name, change in changes.items():
                draw = random.Random(name)
                pairs = [
                    (changed, text) for text in texts if (changed := change(text, draw)) not in (None, text)
                ]
                answers = Counter(names(*map(list, zip(*pairs, strict=True))))
                passed = answers.pop("", 0)
                covered = sum(
                    1 not in cf.filter_chunks([text, changed], LEAST_SHARE).kept for changed, text in pairs
                )
                wrong = passed if must_stay else len(pairs) - passed
                print(
                    f"{corpus:8} {name:20} {len(pairs):>6} {len(pairs) - passed:>7} {passed:>7} {covered:>10}  "
                    f"{dict(answers.most_common())} {'missed' if must_stay else 'held back'}: {wrong}"
                )


def table_of_languages(data: Path) -> None:
    """Print how many translations are missed, between languages of one script and of two."""
    texts = {}
    for file in sorted((data / "xquad").glob("xquad.*.json")):
        articles = json.loads(file.read_text(encoding="utf-8"))["data"]
        texts[file.suffixes[-2][1:]] = [
            one["context"] for article in articles for one in article["paragraphs"]
        ]
    latin = [name for name in ("de", "en", "es", "ro", "tr", "vi") if name in texts]
    missed, pairs = Counter[bool](), Counter[bool]()
    for one, other in itertools.combinations(texts, 2):
        answers = names(texts[one], texts[other])
        same_script = one in latin and other in latin
        missed[same_script] += answers.count("")
        pairs[same_script] += len(answers)
    for same_script, count in pairs.items():
        scripts = "one script" if same_script else "two scripts"
        print(f"translations, {scripts}: {missed[same_script]} of {count} missed")


class _Timed:
    """A guard that adds up the time spent in it."""

    def __init__(self, guard: Guard) -> None:
        self._guard, self.seconds, self.pairs = guard, 0.0, 0

    def __call__(self, rows: np.ndarray, columns: np.ndarray) -> np.ndarray:
        started = time.process_time()
        answers = self._guard(rows, columns)
        self.seconds += time.process_time() - started
        self.pairs += len(rows)
        return answers


def run_timed(chunks: list[cf.Chunk], policy: str, vectors: object) -> tuple[cf.FilterResult, float, float]:
    """The result of a policy, processor seconds of the run, and of its guards."""
    timed: list[_Timed] = []

    def timed_guard(*arguments: object) -> _Timed | None:
        guard = guard_of(*arguments)  # type: ignore[arg-type]  # passed on as they come
        if guard is not None:
            timed.append(_Timed(guard))
        return timed[-1] if guard is not None else None

    original, stages.guard_of = stages.guard_of, timed_guard  # type: ignore[assignment]  # for this run only
    started = time.process_time()
    try:
        result = cf.filter_chunks(chunks, policy, vectors=vectors)
        return result, time.process_time() - started, sum(one.seconds for one in timed)
    finally:
        stages.guard_of = original


def chunks_of(data: Path, corpus: str, splitter: str) -> list[list[cf.Chunk]]:
    """The chunks of a corpus, a list a document; the versions of an act are one."""
    folders = {"chroma": "chroma", "squad": "squad_dev11/dev-v1.1.rebuilt.json"}
    place = data / folders.get(corpus, "eurlex_versions/versions.en.jsonl")
    found: dict[str, list[cf.Chunk]] = {}
    for name, text in cf.load_dataset(place).documents.items():
        found.setdefault(name.partition("@")[0], []).extend(cf.split(text, splitter))
    return list(found.values())


def some_of(documents: list[list[cf.Chunk]]) -> list[cf.Chunk]:
    """Whole documents, drawn by seed 0, until they have ``SAMPLED`` chunks; larger ones are passed over."""
    chosen: list[cf.Chunk] = []
    for document in random.Random(0).sample(documents, len(documents)):
        if len(chosen) + len(document) <= SAMPLED:
            chosen += document
    return chosen


def table_of_costs(data: Path) -> None:
    """Print reduction with and without guards, and the share of the time that they take."""
    embedder = cached_embedder("package:all-MiniLM-L6-v2")
    print("corpus          splitter           rule           chunks   base guarded unguarded  time of guards")
    for corpus, splitter in CORPORA:
        documents = chunks_of(data, corpus, splitter)
        everything = [chunk for document in documents for chunk in document]
        embedded = everything if len(everything) <= EMBEDDED else some_of(documents)
        vectors = embedder.encode([one.text for one in embedded])
        for policy in (*POLICIES, *COVERING):
            reads_vectors = policy.startswith("similarity")
            chunks, given = (embedded, vectors) if reads_vectors else (everything, None)
            base = cf.filter_chunks(chunks, "coverage" if policy in COVERING else "exact")
            without = cf.filter_chunks(chunks, f"{policy} guards=none", vectors=given)
            result, seconds, spent = min(
                (run_timed(chunks, policy, given) for _ in range(3)), key=lambda run: run[1]
            )
            share = "  in the rule" if policy in COVERING else f"{spent / seconds:>4.0%} of {seconds:.2f} s"
            print(
                f"{corpus:15} {splitter:18} {policy:14} {len(chunks):>6} {base.reduction:>5.1f}% "
                f"{result.reduction:>6.1f}% {without.reduction:>8.1f}%  {share}, "
                f"{len(result.conflicts):,} conflicts",
                flush=True,
            )


TABLES: dict[str, Callable[[Path], None]] = {
    "costs": table_of_costs,
    "changes": lambda data: table_of_changes(paragraphs(data)),
    "languages": table_of_languages,
}


def main() -> None:
    """Print the tables."""
    folder = os.environ.get("CHUNKFILTER_DATA")
    if not folder:
        sys.exit("set CHUNKFILTER_DATA to the folder with the corpora")
    for name in sys.argv[1:] or TABLES:
        TABLES[name](Path(folder))


if __name__ == "__main__":
    main()
