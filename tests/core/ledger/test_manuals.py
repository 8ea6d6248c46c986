"""Twelve days of four versions of a manual: pages come, change, get other names and leave."""

import random
from pathlib import Path

import pytest

import chunkfilter as cf
from chunkfilter.text.sentences import sentences

VERSIONS = ("version-29.7", "version-30.0", "version-30.4", "version-next")


def _page(path: Path) -> list[cf.Chunk]:
    return cf.split(path.read_text(encoding="utf-8"), "recursive:800:400")


def _days(folder: Path):
    """What each day holds of the pages: which version of which, under which name."""
    draw = random.Random(7)
    names = sorted({path.name for version in VERSIONS for path in (folder / version).glob("*.md")})
    held: dict[str, Path] = {}
    for _ in range(12):
        for name in draw.sample(names, 8):
            places = [folder / version / name for version in VERSIONS if (folder / version / name).exists()]
            held[f"{draw.choice('abc')}/{name}"] = draw.choice(places)
        for source in draw.sample(sorted(held), 2):
            del held[source]
        source = draw.choice(sorted(held))
        held[f"renamed/{source}"] = held.pop(source)
        yield dict(held)


@pytest.mark.data
@pytest.mark.slow
def test_the_store_is_right_on_every_day(data, tmp_path):
    ledger, rows, before = cf.Ledger(tmp_path / "manual.ledger"), {}, {}
    for day in _days(data / "jest_docs"):
        changed = {source: _page(path) for source, path in day.items() if before.get(source) != path}
        change = ledger.update(changed, delete=before.keys() - day.keys())
        assert not {chunk.id for chunk in change.add} & rows.keys()  # nothing is embedded twice
        rows.update({chunk.id: chunk for chunk in (*change.add, *change.relabelled)})
        for row in change.delete:
            del rows[row]
        ledger.commit(change)
        before = day
        chunks = [
            cf.Chunk(chunk.text, source=source, spans=chunk.spans)
            for source, path in day.items()
            for chunk in _page(path)
        ]
        stored = list(rows.values())
        assert {chunk.text for chunk in stored} <= {chunk.text for chunk in chunks}  # nothing stale
        held = "\n".join(" ".join(sentences(chunk.text).texts) for chunk in stored)
        said = {sentence for chunk in chunks for sentence in sentences(chunk.text).texts}
        assert not {sentence for sentence in said if sentence not in held}  # nothing lost
        scratch = cf.filter_chunks(chunks)
        assert not cf.filter_chunks(stored).removed  # nothing redundant
        assert len(stored) <= len(scratch.kept) + 0.02 * len(chunks)
    assert ledger.check(rows) == ()
