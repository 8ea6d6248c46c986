"""``chunkfilter prune STORE``: plan what to remove from a vector store; ``--apply`` does it."""

import argparse
import sys
from dataclasses import asdict
from pathlib import Path
from typing import Any

from chunkfilter.cli.output import DONE, add_json_argument, say, say_json, shows_progress
from chunkfilter.errors import InputError
from chunkfilter.evaluate.comparison import Row
from chunkfilter.evaluate.datasets import load_questions
from chunkfilter.evaluate.stored import evaluate_store
from chunkfilter.policy import Policy
from chunkfilter.signals.embedders import Embedder, load_embedder
from chunkfilter.stores import Applied, Plan, Store, apply_plan, make_plan, open_store, read_plan
from chunkfilter.stores.plan import PLAN, SUMMARY

DEFAULT_POLICY = "coverage"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("store", metavar="STORE", help="URL of the store, for example chroma:PATH#COLLECTION")
    parser.add_argument("--policy", help=f"the rule and its options (default: {DEFAULT_POLICY})")
    parser.add_argument(
        "--plan",
        metavar="DIR",
        type=Path,
        default=Path("chunkfilter-plan"),
        help="folder of the plan, private, with the removed texts (default: %(default)s)",
    )
    parser.add_argument(
        "--apply",
        action="store_true",
        help="apply the plan in DIR; with --policy, make it first if there is none",
    )
    parser.add_argument(
        "--soft", action="store_true", help="mark duplicates in their metadata, delete nothing"
    )
    parser.add_argument(
        "--max-removed",
        metavar="SHARE",
        type=float,
        default=0.5,
        help="share of the rows past which --apply asks for a yes (default: %(default)s)",
    )
    parser.add_argument("--yes", action="store_true", help="apply also past --max-removed")
    parser.add_argument("--embedder", metavar="NAME", help="model of the stored vectors: tells its window")
    parser.add_argument("--entities", metavar="NAME", help="spaCy model for policies that need entities")
    parser.add_argument(
        "--source-key",
        metavar="KEY",
        help="metadata key that names a row's document (default: the usual ones)",
    )
    parser.add_argument(
        "--questions",
        metavar="FILE",
        type=Path,
        help="measure the retrieval before and after --apply",
    )
    add_json_argument(parser)


def run(arguments: argparse.Namespace) -> int:
    """Plan, apply if asked to, and say what was done."""
    if not 0 <= arguments.max_removed <= 1:
        raise InputError(f"--max-removed: got {arguments.max_removed:g}; expected a share from 0 to 1")
    model = load_embedder(arguments.embedder) if arguments.embedder else None
    existing = arguments.apply and (arguments.plan / PLAN).exists()
    if arguments.apply and not existing and arguments.policy is None:
        raise InputError(
            f"--apply: there is no plan in {arguments.plan}; make one by the same command without --apply "
            "and read it, or name a --policy to make and apply one at once"
        )
    store = open_store(arguments.store)
    try:
        plan = _existing(arguments) if existing else _new(store, arguments, model)
        applied, measured = None, dict[str, Row]()
        if arguments.questions is not None:
            now, expected = _measured(store, arguments, model, ["none", plan.policy])
            measured = {"now": now, "expected": expected}
        if arguments.apply:
            _ask(plan, arguments)
            applied = apply_plan(store, plan)
            if arguments.questions is not None:
                measured["after"] = _measured(store, arguments, model, ["none"])[0]
    finally:
        store.close()
    if arguments.json:
        rates = {when: dict(row.rates) for when, row in measured.items()}
        say_json({**_as_dict(plan, applied), "retrieval": rates})
    else:
        if not existing:
            say((plan.folder / SUMMARY).read_text(encoding="utf-8"))
        _report(plan, applied)
        for when, row in measured.items():
            say(_rates(when, row))
    return DONE


def _measured(
    store: Store, arguments: argparse.Namespace, model: Embedder | None, policies: list[str]
) -> tuple[Row, ...]:
    """By the store's own index."""
    questions = load_questions(arguments.questions)
    return evaluate_store(
        store, questions, policies, embedder=model, source_key=arguments.source_key
    ).own.rows


def _rates(when: str, row: Row) -> str:
    budgets = ", ".join(f"R@{budget} {rate:.3f}" for budget, rate in row.budget_recall.items())
    return f"retrieval {when}: recall {row.recall:.3f}, {budgets}, precision {row.precision:.3f}"


def _new(store: Store, arguments: argparse.Namespace, model: Embedder | None) -> Plan:
    return make_plan(
        store,
        arguments.policy or DEFAULT_POLICY,
        arguments.plan,
        soft=arguments.soft,
        embedder=model,
        entities=arguments.entities,
        source_key=arguments.source_key,
        show_progress=shows_progress(),
    )


def _existing(arguments: argparse.Namespace) -> Plan:
    plan = read_plan(arguments.plan)
    if arguments.policy is not None and str(Policy.parse(arguments.policy)) != plan.policy:
        raise InputError(
            f"--policy {arguments.policy}: the plan in {plan.folder} was made with {plan.policy!r}; leave "
            "--policy out to apply it, or name another folder with --plan"
        )
    if arguments.soft and not plan.soft:
        raise InputError(f"--soft: the plan in {plan.folder} deletes; name another folder with --plan")
    return plan


def _ask(plan: Plan, arguments: argparse.Namespace) -> None:
    """Get a yes for a plan that removes more than expected."""
    if arguments.yes or plan.removed <= arguments.max_removed * plan.total:
        return
    share = f"{plan.removed} of {plan.total} rows ({plan.removed / plan.total:.1%})"
    if sys.stdin is not None and sys.stdin.isatty():
        sys.stderr.write(
            f"{share} would be removed, more than --max-removed {arguments.max_removed:g}. Type yes: "
        )
        sys.stderr.flush()
        if sys.stdin.readline().strip() == "yes":
            return
    raise InputError(
        f"{share} would be removed, more than --max-removed {arguments.max_removed:g}; nothing was changed. "
        f"Read {plan.folder / SUMMARY}, then use --yes or a larger --max-removed"
    )


def _as_dict(plan: Plan, applied: Applied | None) -> dict[str, Any]:
    return {
        "plan": str(plan.folder),
        "store": plan.store,
        "policy": plan.policy,
        "soft": plan.soft,
        "rows": plan.total,
        "removed": plan.removed,
        "applied": None if applied is None else asdict(applied),
    }


def _report(plan: Plan, applied: Applied | None) -> None:
    if applied is None:
        say(f"Nothing was changed. The plan is in {plan.folder}; apply it with --apply.")
        return
    if not plan.removed:
        say(f"The plan removes no row; all {applied.rows} are kept.")
        return
    verb = "marked" if plan.soft else "deleted"
    if applied.already:
        say(f"The plan had been applied before; {applied.rows} rows are in the store now.")
        return
    resumed = ", going on where an earlier run stopped" if applied.resumed else ""
    say(f"{applied.removed} rows {verb}{resumed}; {applied.rows} are in the store now.")
    say(f"Undo it with: chunkfilter undo {plan.folder}")
    for note in (applied.left_behind, applied.how_to_query):
        if note:
            say(note)
