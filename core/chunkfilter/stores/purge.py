"""Delete a plan, with the texts it holds."""

from pathlib import Path

from chunkfilter.errors import StoreError
from chunkfilter.stores import soft, undo_file
from chunkfilter.stores.plan import JOURNAL, PLAN, REMOVED, RESULT, ROWS, SUMMARY, read_plan

_FILES = (
    RESULT,
    ROWS,
    REMOVED,
    SUMMARY,
    undo_file.ROWS,
    *undo_file.VECTORS.values(),
    soft.BEFORE,
    soft.LEFT,
    JOURNAL,
    PLAN,
)


def purge_plan(folder: Path, *, give_up_undo: bool = False) -> list[str]:
    """Delete the files of a plan, and its folder if nothing else is in it.

    Args:
        folder: the plan's folder.
        give_up_undo: delete also a plan that was applied: what it deleted can then not be restored.

    Returns:
        Names of the deleted files.

    Raises:
        StoreError: the folder holds no plan, or one that was applied and not undone.
    """
    plan = read_plan(folder)
    state = plan.journal.state
    if state is not None and state["event"] != "undone" and not give_up_undo:
        held = (
            f"what the marks of {plan.removed} rows took the place of"
            if plan.soft
            else f"the only copy of {plan.removed} rows"
        )
        raise StoreError(f"{folder}: was applied; it holds {held}. Undo it first, or purge it with --yes")
    partial = [path for path in folder.iterdir() if path.name.startswith(".") and path.name.endswith(".part")]
    found = [folder / name for name in _FILES if (folder / name).exists()] + partial
    for path in found:
        path.unlink()
    if not any(folder.iterdir()):
        folder.resolve().rmdir()
        if folder.is_symlink():
            folder.unlink()
    return [path.name for path in found]
