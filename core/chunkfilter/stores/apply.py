"""Apply a plan: check that the store is unchanged, save the rows, delete them batch by batch."""

import logging
from collections.abc import Iterator
from contextlib import nullcontext
from dataclasses import dataclass

from chunkfilter.errors import StoreError
from chunkfilter.policy import Policy
from chunkfilter.stores.plan import Plan
from chunkfilter.stores.row import Row, RowId, batches, digest_of, same_content
from chunkfilter.stores.snapshot import watched_keys
from chunkfilter.stores.soft import mark_rows
from chunkfilter.stores.store import Store

logger = logging.getLogger("chunkfilter")


@dataclass(frozen=True, slots=True)
class Applied:
    """What was done.

    Args:
        removed: rows that were deleted, or marked, since the plan was made.
        rows: rows the store holds now.
        resumed: the run went on with one that had been interrupted.
        already: the plan had been applied before; nothing was done.
        left_behind: what the store still holds of deleted rows; empty if none were deleted.
        how_to_query: how marked rows are left out of a query; empty if none were marked.
    """

    removed: int
    rows: int
    resumed: bool = False
    already: bool = False
    left_behind: str = ""
    how_to_query: str = ""


def apply_plan(store: Store, plan: Plan) -> Applied:
    """Delete, or mark, what a plan names. Running it again after an interruption finishes it.

    Before the first change everything needed to restore is on disk; each batch is compared with it again
    right before it is deleted. A plan that removes nothing calls nothing that changes a store.

    Args:
        store: the store the plan was made for.
        plan: the plan.

    Raises:
        StoreError: the store changed since the plan was made, another run is changing it, a file of the plan
            is damaged, or the store refuses; what was deleted by then can be undone.
        OSError: the undo file cannot be written; nothing was deleted.
    """
    with store.lock():
        state = plan.journal.state
        if state is not None and state["event"] == "applied":
            return Applied(plan.removed, store.count(), already=True)
        resumed = state is not None and state["event"] == "changing"
        with store.index_left_alone(plan.journal) if plan.removed else nullcontext():
            outcome = _apply(store, plan, resumed=resumed)
    logger.info("%d of %d rows %s", plan.removed, plan.total, "marked" if plan.soft else "deleted")
    return outcome


def _apply(store: Store, plan: Plan, *, resumed: bool) -> Applied:
    _check_unchanged(store, plan, resumed=resumed)
    store.check_can_change(soft=plan.soft)
    if not plan.removed:
        return Applied(0, plan.total)
    if plan.soft:
        mark_rows(store, plan, resumed=resumed)
        outcome = Applied(plan.removed, store.count(), resumed, how_to_query=store.how_to_query())
    else:
        _delete_rows(store, plan, resumed=resumed)
        outcome = Applied(plan.removed, store.count(), resumed, left_behind=store.left_behind(plan.removed))
    plan.journal.append("applied", rows=outcome.rows)
    expected = plan.total - (0 if plan.soft else plan.removed)
    if outcome.rows != expected:
        raise StoreError(
            f"{store.address}: {outcome.rows} rows are left, expected {expected}: another program changed it "
            "while the plan was applied; `chunkfilter undo` restores what was deleted"
        )
    return outcome


def _check_unchanged(store: Store, plan: Plan, *, resumed: bool) -> None:
    """Compare every row with the plan; if ``resumed``, rows that the plan deletes may be missing.

    Raises:
        StoreError: rows were added, changed or deleted; their number and the first of each are named.
    """
    expected = plan.digests()
    keys = watched_keys([Policy.parse(plan.policy)], plan.source_key)
    added, changed = list[RowId](), list[RowId]()
    for page in store.pages(vectors=plan.with_vectors):
        for row in page:
            digest = expected.pop(row.id, None)
            if digest is None:
                added.append(row.id)
            elif digest != digest_of(row, keys, with_vector=plan.with_vectors):
                changed.append(row.id)
    if resumed and expected:
        for removal in plan.removals():
            expected.pop(removal["id"], None)
    found = [("added", added), ("changed", changed), ("deleted", list(expected))]
    if any(ids for _, ids in found):
        what = ", ".join(f"{len(ids)} {verb} (first: {ids[0]!r})" for verb, ids in found if ids)
        way_out = "`chunkfilter undo` restores what was deleted" if resumed else "make a new plan"
        raise StoreError(f"{store.address}: changed since the plan was made: {what}; {way_out}")


def _delete_rows(store: Store, plan: Plan, *, resumed: bool) -> None:
    if not resumed:
        digest = plan.save_rows(_planned_rows(store, plan))
        plan.journal.append("changing", store=store.address, rows=plan.removed, undo=digest)
    done = 0
    for part in batches(plan.saved_rows()):
        try:
            _delete_batch(store, {row.id: row for row in part})
        except StoreError as error:
            raise StoreError(
                f"{error}\n{done} of {plan.removed} rows were deleted by then, and maybe some of the next "
                f"{len(part)}: run it again to go on, or `chunkfilter undo {plan.folder}` to restore them"
            ) from error
        done += len(part)
        plan.journal.append("deleted", rows=len(part))


def _planned_rows(store: Store, plan: Plan) -> Iterator[Row]:
    for part in batches(removal["id"] for removal in plan.removals()):
        found = {row.id: row for row in store.rows(part)}
        if lost := [one for one in part if one not in found]:
            raise StoreError(f"{store.address}: row {lost[0]!r} no longer exists; make a new plan")
        yield from (found[one] for one in part)


def _delete_batch(store: Store, saved: dict[RowId, Row]) -> None:
    present = store.rows(list(saved))
    if changed := [row.id for row in present if not same_content(row, saved[row.id])]:
        raise StoreError(
            f"{store.address}: row {changed[0]!r} changed while the plan was applied; it was not deleted"
        )
    if present:
        store.delete([row.id for row in present])
        if left := store.rows(list(saved)):
            raise StoreError(f"{store.address}: row {left[0].id!r} is still there after its deletion")
