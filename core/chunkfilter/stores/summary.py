"""A plan for people: what would be removed, from where, and samples beside the rows that cover them."""

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from chunkfilter.result import FilterResult, Removal
from chunkfilter.storage import replacing
from chunkfilter.stores.row import batches
from chunkfilter.stores.snapshot import Snapshot
from chunkfilter.stores.store import Store
from chunkfilter.text.inert import inert_line

if TYPE_CHECKING:
    from chunkfilter.stores.plan import Plan

#: Removals shown for each rule, and the width a text is cut to.
_SAMPLES, _WIDTH = 3, 200
#: Sources listed, those with most removals first.
_SOURCES = 20
#: Removals whose metadata is compared with that of the row that covers them.
_COMPARED = 1000


def differing_keys(store: Store, snapshot: Snapshot, result: FilterResult) -> dict[str, int]:
    """Metadata keys in which removed rows differ from the row that covers them: a tenant, a right ...

    Args:
        store: is asked for the metadata of the first removals only.
        snapshot: what was filtered.
        result: what is removed.

    Returns:
        Key -> number of removals, of the first ``_COMPARED``, the most frequent first.
    """
    ids = snapshot.ids
    pairs = [(ids[one.index], ids[one.kept_by[0]]) for one in result.removed[:_COMPARED] if one.kept_by]
    wanted = list(dict.fromkeys(one for pair in pairs for one in pair))
    known = {row.id: row.known for part in batches(wanted) for row in store.rows(part)}
    counts: Counter[str] = Counter()
    for removed, kept in pairs:
        ours, theirs = known.get(removed, {}), known.get(kept, {})
        counts.update(key for key in {*ours, *theirs} if ours.get(key) != theirs.get(key))
    return dict(sorted(counts.items(), key=lambda item: (-item[1], item[0])))


def write_summary(
    plan: "Plan", snapshot: Snapshot, result: FilterResult, differing: dict[str, int], path: Path
) -> None:
    """Write the summary as plain text; what a terminal might act on is escaped."""
    with replacing(path, private=True) as file:
        file.writelines(f"{line}\n" for line in _lines(plan, snapshot, result, differing))


def _lines(
    plan: "Plan", snapshot: Snapshot, result: FilterResult, differing: dict[str, int]
) -> Iterator[str]:
    verb = "marked as duplicates" if plan.soft else "deleted"
    share = plan.removed / plan.total if plan.total else 0.0
    yield f"store    {inert_line(plan.store)}"
    yield f"policy   {plan.policy}"
    yield f"rows     {plan.total}; {plan.removed} would be {verb} ({share:.1%})"
    for rule, count in sorted(result.removed_by_rule.items()):
        yield f"  {rule}: {count}"
    if without := plan.total - len(snapshot.ids):
        yield f"{without} rows hold no text and are kept"
    if across := result.report.across_sources:
        yield (
            f"{across} of them are covered by another source (document): if those sources have other readers "
            "or may be deleted on their own, use scope=source"
        )
    if differing:
        named = ", ".join(f"{_shown(key)} ({count})" for key, count in differing.items())
        yield f"metadata in which removed and kept rows differ (first {_COMPARED} rows): {named}."
        yield "If one of them tells who may read a row, plan again with scope=KEY"
    for warning in result.report.warnings:
        yield f"warning: {warning}"
    yield from _sources(snapshot, result)
    yield from _samples(snapshot, result)


def _sources(snapshot: Snapshot, result: FilterResult) -> Iterator[str]:
    all_rows = Counter(chunk.source for chunk in snapshot.chunks)
    removed = Counter(snapshot.chunks[removal.index].source for removal in result.removed)
    if len(all_rows) > 1 and removed:
        yield ""
        yield "by source (removed / rows)"
        for source, count in removed.most_common(_SOURCES):
            yield f"  {count} / {all_rows[source]}  {_shown(source or '(none)')}"
        if len(removed) > _SOURCES:
            yield f"  ... and {len(removed) - _SOURCES} more sources"


def _samples(snapshot: Snapshot, result: FilterResult) -> Iterator[str]:
    seen: Counter[str] = Counter()
    for removal in result.removed:
        seen[removal.rule] += 1
        if seen[removal.rule] <= _SAMPLES:
            yield ""
            yield from _sample(snapshot, removal)


def _sample(snapshot: Snapshot, removal: Removal) -> Iterator[str]:
    yield f"removed  {_shown(snapshot.ids[removal.index])}  ({removal.rule})"
    yield f"  {_shown(snapshot.chunks[removal.index].text)}"
    for place in removal.kept_by:
        yield f"kept     {_shown(snapshot.ids[place])}"
        yield f"  {_shown(snapshot.chunks[place].text)}"


def _shown(value: object) -> str:
    """One line without control characters, cut to a width."""
    text = " ".join(str(value).split())
    text = text if len(text) <= _WIDTH else f"{text[:_WIDTH]}..."
    return inert_line(text)
