"""``chunkfilter plan show DIR | purge DIR``: read a plan again, or delete it with the texts it holds."""

import argparse
from pathlib import Path

from chunkfilter.cli.output import DONE, add_json_argument, say, say_json
from chunkfilter.stores.plan import SUMMARY, purge_plan, read_plan


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("action", choices=("show", "purge"), help="print its summary, or delete it")
    parser.add_argument("plan", metavar="DIR", type=Path, help="folder of the plan")
    parser.add_argument(
        "--yes", action="store_true", help="purge also if the plan was applied and can then not be undone"
    )
    add_json_argument(parser)


def run(arguments: argparse.Namespace) -> int:
    """Show or delete."""
    if arguments.action == "purge":
        files = purge_plan(arguments.plan, give_up_undo=arguments.yes)
        if arguments.json:
            say_json({"plan": str(arguments.plan), "deleted": files})
        else:
            say(f"{arguments.plan}: {len(files)} files deleted")
        return DONE
    plan = read_plan(arguments.plan)
    state = plan.journal.state
    event = "planned" if state is None else state["event"]
    if arguments.json:
        say_json({"plan": str(plan.folder), "store": plan.store, "policy": plan.policy, "state": event})
    else:
        say(f"state    {event}")
        say((plan.folder / SUMMARY).read_text(encoding="utf-8"))
    return DONE
