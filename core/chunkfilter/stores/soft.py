"""Mark duplicates instead of deleting them: a ``duplicate_cluster_id`` in their metadata."""

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from chunkfilter.stores.batches import batches
from chunkfilter.stores.lines_file import read_lines, write_lines
from chunkfilter.stores.row import RowId
from chunkfilter.stores.store import Store

if TYPE_CHECKING:
    from chunkfilter.stores.plan import Plan

#: Equal for a row that stays and the rows it stands for: the id of the one that stays.
CLUSTER = "duplicate_cluster_id"
#: True for the rows that a plan without ``soft`` would delete.
DUPLICATE = "duplicate"

#: File of a plan: what the two keys held before.
BEFORE = "marks.jsonl"


def mark_rows(store: Store, plan: "Plan", *, resumed: bool) -> None:
    """Write the marks, after what the two keys held before is on disk.

    Args:
        store: the store.
        plan: a soft plan.
        resumed: that is on disk already.
    """
    marks = _marks(plan, every_row=store.marks_all)
    if not resumed:
        digest = write_lines(plan.folder / BEFORE, "marks", {}, _before(store, marks))
        plan.journal.append("changing", store=store.address, rows=plan.removed, undo=digest)
    for part in batches(marks.items()):
        store.mark(dict(part))


def unmark_rows(store: Store, plan: "Plan") -> tuple[int, int]:
    """Give the two keys the values they had.

    Returns:
        How many rows were written, and how many are not in the store now.

    Raises:
        StoreError: the file of the earlier values is damaged.
    """
    count = missing = 0
    for part in batches(read_lines(plan.folder / BEFORE, "marks", plan.journal.undo)[1]):
        existing = {row.id for row in store.rows([line["id"] for line in part])}
        values = {line["id"]: line["before"] for line in part if line["id"] in existing}
        if values:
            store.mark(values)
        count += len(values)
        missing += len(part) - len(values)
    return count, missing


def _marks(plan: "Plan", *, every_row: bool) -> dict[RowId, dict[str, Any]]:
    removals = {removal["id"]: keeper_of(removal) for removal in plan.removals()}
    standing = plan.digests() if every_row else removals.values()
    marks: dict[RowId, dict[str, Any]] = {one: {CLUSTER: one} for one in standing}
    return marks | {one: {CLUSTER: keeper, DUPLICATE: True} for one, keeper in removals.items()}


def keeper_of(removal: Mapping[str, Any]) -> RowId:
    """The row a removed one is grouped under: its first keeper, itself if it has none."""
    kept_by: list[RowId] = removal["kept_by"]
    own: RowId = removal["id"]
    return kept_by[0] if kept_by else own


def _before(store: Store, marks: Mapping[RowId, object]) -> Iterator[dict[str, Any]]:
    for part in batches(marks):
        for row in store.rows(part):
            metadata = row.metadata or {}
            yield {"id": row.id, "before": {key: metadata.get(key) for key in (CLUSTER, DUPLICATE)}}
