"""What callback handlers are told about a run: counts, never texts."""

import asyncio
from typing import Any

from langchain_core.callbacks import Callbacks
from langchain_core.runnables import RunnableConfig
from langchain_core.runnables.config import (
    ensure_config,
    get_async_callback_manager_for_config,
    get_callback_manager_for_config,
)

from chunkfilter import FilterResult

#: Name of the custom event.
EVENT = "chunkfilter"


def report(result: FilterResult, callbacks: Callbacks) -> None:
    """Send the custom event ``chunkfilter`` to the given callbacks, else to those of the surrounding run."""
    manager = get_callback_manager_for_config(_config(callbacks))
    manager.on_custom_event(EVENT, _counts(result), run_id=manager.parent_run_id)


async def areport(result: FilterResult, callbacks: Callbacks) -> None:
    """The same, awaiting asynchronous handlers."""
    # in a thread: the first of these calls of a process imports LangChain's tracers, which takes a second
    manager = await asyncio.to_thread(get_async_callback_manager_for_config, _config(callbacks))
    await manager.on_custom_event(EVENT, _counts(result), run_id=manager.parent_run_id)


def _config(callbacks: Callbacks) -> RunnableConfig:
    return ensure_config(None if callbacks is None else {"callbacks": callbacks})


def _counts(result: FilterResult) -> dict[str, Any]:
    return {
        "policy": str(result.policy),
        "documents": len(result),
        "kept": len(result.kept),
        "removed_by_rule": result.removed_by_rule,
        "vetoed": len(result.conflicts),
        "across_sources": result.report.across_sources,
        "seconds": result.report.seconds,
    }
