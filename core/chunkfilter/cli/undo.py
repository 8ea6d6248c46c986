"""``chunkfilter undo DIR``: restore what a plan deleted, or remove its marks."""

import argparse
from dataclasses import asdict
from pathlib import Path

from chunkfilter.cli.output import CHECK_FAILED, DONE, add_json_argument, say, say_json
from chunkfilter.stores import Undone, open_store, read_plan, undo_plan

#: Ids named one by one.
_NAMED = 5


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("plan", metavar="DIR", type=Path, help="folder of the plan")
    parser.add_argument(
        "--store", metavar="STORE", help="URL of the store, if it needs a password or has moved"
    )
    parser.add_argument(
        "--force",
        action="store_true",
        help="restore missing rows even if the journal says none were deleted, or into another store",
    )
    add_json_argument(parser)


def run(arguments: argparse.Namespace) -> int:
    """Restore, and say what could not be; exit code 1 if a row was not touched because it changed."""
    plan = read_plan(arguments.plan)
    store = open_store(arguments.store or plan.store)
    try:
        undone = undo_plan(store, plan, force=arguments.force)
    finally:
        store.close()
    if arguments.json:
        say_json({"plan": str(plan.folder), "store": store.address, "soft": plan.soft, **asdict(undone)})
    else:
        _report(undone, soft=plan.soft)
    return CHECK_FAILED if undone.conflicts else DONE


def _report(undone: Undone, *, soft: bool) -> None:
    verb = "unmarked" if soft else "restored"
    say(f"{undone.restored} rows {verb}; {undone.rows} are in the store now.")
    if undone.present:
        say(f"{undone.present} were there already, as before.")
    if undone.conflicts:
        why = (
            "rows hold other marks by now, as of a later plan,"
            if soft
            else "ids exist again with other content"
        )
        named = ", ".join(map(repr, undone.conflicts[:_NAMED]))
        say(f"{len(undone.conflicts)} {why} and were not touched: {named}")
        if soft:
            say("Undo the later plan first, then run this again.")
    if undone.missing:
        say(f"{undone.missing} marked rows are not in the store now; if they come back, run this again.")
    if undone.inexact:
        say(
            f"{len(undone.inexact)} vectors are back with other last bits: the store rounds what it is given."
        )
