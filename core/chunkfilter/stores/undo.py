"""Undo a plan: restore what it deleted, also if it was applied only in part."""

import logging
from dataclasses import dataclass
from itertools import islice
from typing import Any

from chunkfilter.errors import StoreError
from chunkfilter.stores.plan import Plan
from chunkfilter.stores.row import Row, RowId, batches, canonical, full_digest, same_content
from chunkfilter.stores.soft import held_keys, marks_of
from chunkfilter.stores.store import Store

logger = logging.getLogger("chunkfilter")

#: Kept rows that are looked for in a store of another address than the plan's.
_SAMPLE = 1000


@dataclass(frozen=True, slots=True)
class Undone:
    """What was done.

    Args:
        restored: rows put back, or whose marks were removed.
        present: rows that were there already, unchanged.
        conflicts: ids that exist again with other content, or marked rows that hold other marks by now, as
            those of a later plan; they were left as they are.
        inexact: ids whose vector the store gives back with other bits than it was given.
        rows: rows the store holds now.
        missing: marked rows that are not in the store now: their marks can be removed when they are back.
    """

    restored: int
    present: int
    conflicts: tuple[RowId, ...]
    inexact: tuple[RowId, ...]
    rows: int
    missing: int = 0


def undo_plan(store: Store, plan: Plan, *, force: bool = False) -> Undone:
    """Restore every row that a plan deleted, or remove its marks; doing it twice changes nothing.

    Args:
        store: the store.
        plan: the plan.
        force: restore missing rows even if the journal says that the plan deleted none, or into a store that
            does not look like the plan's.

    Raises:
        StoreError: a file of the plan is damaged (nothing is changed then), another run is changing the
            store, a restored row does not read back as it was, or the store has another address than the
            plan's and lacks the rows that cover the deleted ones.
        OSError: a file of the plan cannot be read.
    """
    with store.lock(), store.index_left_alone(plan.journal):
        if store.address != plan.store and not force:
            _refuse_another_store(store, plan)
        outcome = (_unmark if plan.soft else _restore)(store, plan, force=force)
        if outcome.restored and not plan.soft:
            plan.journal.append("undone", restored=outcome.restored)
    logger.info("%d rows restored, %d conflicts", outcome.restored, len(outcome.conflicts))
    return outcome


def _unmark(store: Store, plan: Plan, *, force: bool) -> Undone:
    """Give the two keys the values they had, where they still hold what the plan wrote.

    Rows that could not be given back are noted, and only those are looked at the next time: other rows may
    have equal marks of a later plan by then. With ``force`` every row is looked at.
    """
    state = None if force else plan.journal.state
    left = set(state.get("left", ())) if state is not None and state["event"] == "undone" else None
    if not force and (state is None or left == set()):
        return Undone(0, 0, (), (), store.count())
    written = marks_of(plan, every_row=store.marks_all)
    restored = present = 0
    conflicts, missing = list[RowId](), list[RowId]()
    for part in batches(line for line in plan.saved_marks() if left is None or line["id"] in left):
        now = {row.id: held_keys(row) for row in store.rows([line["id"] for line in part])}
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
    remaining = [*conflicts, *missing]
    if restored or not remaining:
        plan.journal.append("undone", restored=restored, left=remaining)
    return Undone(restored, present, tuple(conflicts), (), store.count(), len(missing))


def _refuse_another_store(store: Store, plan: Plan) -> None:
    """A store that moved still holds most of the rows that cover the deleted ones."""
    kept = (one for removal in plan.removals() for one in removal["kept_by"][:1])
    sample = list(dict.fromkeys(islice(kept, _SAMPLE)))
    if len(store.rows(sample) if sample else []) * 2 < len(sample):
        raise StoreError(
            f"{store.address}: holds hardly any of the rows that cover what the plan deleted from "
            f"{plan.store}; is it the same store? `chunkfilter undo --force` restores into it all the same"
        )


def _restore(store: Store, plan: Plan, *, force: bool) -> Undone:
    state = None if force else plan.journal.state
    if not plan.has_saved_rows:
        if state is not None:
            raise StoreError(f"{plan.folder}: the undo file is missing; put it back from a backup")
        return Undone(0, 0, (), (), store.count())
    restored, present = 0, 0
    conflicts, inexact = list[RowId](), list[RowId]()
    for part in batches(plan.saved_rows()):
        existing = {row.id: row for row in store.rows([row.id for row in part])}
        missing = [row for row in part if row.id not in existing]
        other = [row.id for row in part if row.id in existing and not same_content(row, existing[row.id])]
        conflicts += other
        present += len(existing) - len(other)
        if missing:
            if state is None and not force:
                raise StoreError(
                    f"{plan.folder}: its journal says that nothing was deleted, yet {missing[0].id!r} is "
                    "missing from the store; `chunkfilter undo --force` restores what is missing"
                )
            store.restore(missing)
            inexact += _read_back(store, missing)
            restored += len(missing)
    return Undone(restored, present, tuple(conflicts), tuple(inexact), store.count())


def _read_back(store: Store, rows: list[Row]) -> list[RowId]:
    """Check that rows read as they were written; returns those whose vector alone differs."""
    found = {row.id: row for row in store.rows([row.id for row in rows])}
    inexact = []
    for row in rows:
        now = found.get(row.id)
        if now is None or full_digest(_without_vector(now)) != full_digest(_without_vector(row)):
            raise StoreError(f"{store.address}: row {row.id!r} does not read back as it was written")
        if full_digest(now) != full_digest(row):
            inexact.append(row.id)
    return inexact


def _without_vector(row: Row) -> Row:
    return Row(row.id, row.text, row.metadata, None, row.rest)
