"""Differences that might be no content: how many more copies each would make, before it is taken for harmless.

For each corpus: the share of chunks that are copies as the product defines them, then the points that each candidate
would add: emphasis (on the list of ``text/normalise.py``, so its row says what it adds to the rest), a full stop or
exclamation mark at the end (on the list of guards), and two that are not on any list: the case of the first letter of
a sentence, and bullets at the start of a line.

    CHUNKFILTER_DATA=FOLDER python benchmarks/harmless.py
"""

import os
import re
import sys
from collections.abc import Callable
from pathlib import Path
from unittest import mock

import chunkfilter as cf
from chunkfilter.text import normalise as module
from chunkfilter.text.normalise import normalise

SETS = {
    "Chroma 400/200": ("chroma", "recursive:400:200"),
    "SQuAD 400/200": ("squad_dev11", "recursive:400:200"),
    "EU acts in versions 800/400": ("eurlex_versions/versions.en.jsonl", "recursive:800:400"),
    "Jest manuals 800/400": ("jest_docs", "recursive:800:400"),
    "COVID FAQ 400/200": ("covid_faq", "recursive:400:200"),
}
_END = re.compile(r"(?<![.!])[.!。！．｡]$")
_FIRST_LETTER = re.compile(r"(^|[.!?]\s+)(\w)")
_BULLET = re.compile(r"^\s*[-*+•]\s+", re.MULTILINE)


def without_emphasis_clause(text: str) -> str:
    with mock.patch.object(module, "_plain", lambda mark: module._STRAIGHT.get(mark[0], mark[0])):
        return normalise(text)


CANDIDATES: dict[str, Callable[[str], str]] = {
    "full stop at the end": lambda text: _END.sub("", normalise(text)),
    "first letter of a sentence": lambda text: _FIRST_LETTER.sub(lambda m: m[0].lower(), normalise(text)),
    "bullets": lambda text: normalise(_BULLET.sub("", text)),
}


def copies(texts: list[str], key: Callable[[str], str]) -> float:
    return 100 * (1 - len({key(text) for text in texts}) / len(texts))


def main() -> None:
    if "CHUNKFILTER_DATA" not in os.environ:
        sys.exit("CHUNKFILTER_DATA is not set: it names the folder of the corpora; nothing was measured")
    print(f"{'':30} copies  {'emphasis':>10}", *(f"{name:>28}" for name in CANDIDATES))
    for name, (data, splitter) in SETS.items():
        documents = dict(cf.load_dataset(Path(os.environ["CHUNKFILTER_DATA"]) / data).documents)
        texts = [chunk.text for chunk in cf.split_documents(documents, splitter)]
        base = copies(texts, normalise)
        added = [copies(texts, key) - base for key in CANDIDATES.values()]
        emphasis = base - copies(texts, without_emphasis_clause)
        print(
            f"{name:30} {base:6.2f}  {emphasis:+10.2f}", *(f"{points:+28.2f}" for points in added), flush=True
        )


if __name__ == "__main__":
    main()
