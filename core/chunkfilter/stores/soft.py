"""Mark duplicates instead of deleting them: a ``duplicate_cluster_id`` in their metadata."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from chunkfilter.stores.batches import batches
from chunkfilter.stores.lines_file import read_lines, write_lines
from chunkfilter.stores.row import Row, RowId, canonical
from chunkfilter.stores.store import Store

if TYPE_CHECKING:
    from chunkfilter.stores.plan import Plan

#: Equal for a row that stays and the rows it stands for: the id of the one that stays.
CLUSTER = "duplicate_cluster_id"
#: True for the rows that a plan without ``soft`` would delete.
DUPLICATE = "duplicate"

#: File of a plan: what the two keys held before.
BEFORE = "marks.jsonl"
#: File of a plan: ids of the marked rows that an undo could not give back what they held.
LEFT = "left.jsonl"


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


@dataclass(frozen=True, slots=True)
class Unmarked:
    """What became of the rows that a soft plan marked.

    Args:
        restored: rows given back the values they had.
        present: rows that held those values already.
        conflicts: ids whose two keys hold neither what the plan wrote nor what they held before.
        missing: ids that are not in the store now.
    """

    restored: int
    present: int
    conflicts: tuple[RowId, ...]
    missing: tuple[RowId, ...]


def unmark_rows(store: Store, plan: "Plan", *, every_row: bool = False) -> Unmarked:
    """Give the two keys the values they had, where they still hold what the plan wrote.

    What could not be given back is noted, and only that is looked at the next time: other rows may have
    equal marks of a later plan by then.

    Args:
        store: the store.
        plan: a soft plan.
        every_row: look at rows that were given back before, too.

    Raises:
        StoreError: a file of the plan is damaged.
    """
    left = None if every_row else _left(plan)
    written = _marks(plan, every_row=store.marks_all)
    lines = read_lines(plan.folder / BEFORE, "marks", plan.journal.undo)[1]
    restored = present = 0
    conflicts, missing = list[RowId](), list[RowId]()
    for part in batches(line for line in lines if left is None or line["id"] in left):
        now = {row.id: _held(row) for row in store.rows([line["id"] for line in part])}
        values = dict[RowId, dict[str, Any]]()
        for line in part:
            one, before = line["id"], line["before"]
            if one not in now:
                missing.append(one)
            elif canonical(now[one]) == canonical(before):
                present += 1
            elif canonical(now[one]) == canonical(before | written.get(one, {})):
                values[one] = before
            else:
                conflicts.append(one)
        if values:
            store.mark(values)
        restored += len(values)
    _note(plan, restored, conflicts, missing)
    return Unmarked(restored, present, tuple(conflicts), tuple(missing))


def _left(plan: "Plan") -> set[RowId] | None:
    """The rows that an earlier undo left, ``None`` if there was none that noted them."""
    state = plan.journal.state
    if state is None or state["event"] != "undone" or "left" not in state:
        return None
    return set(read_lines(plan.folder / LEFT, "left")[1]) if state["left"] else set()


def _note(plan: "Plan", restored: int, conflicts: list[RowId], missing: list[RowId]) -> None:
    left = [*conflicts, *missing]
    if restored or not left:
        if left:
            write_lines(plan.folder / LEFT, "left", {}, left)
        plan.journal.append("undone", restored=restored, missing=len(missing), left=len(left))


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
            yield {"id": row.id, "before": _held(row)}


def _held(row: Row) -> dict[str, Any]:
    metadata = row.metadata or {}
    return {key: metadata.get(key) for key in (CLUSTER, DUPLICATE)}
