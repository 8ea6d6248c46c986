"""No rewriting of index files while a plan is at work: a kill in the middle of that can damage the store."""

from collections.abc import Iterator
from contextlib import contextmanager

from chunkfilter.stores.journal import Journal
from chunkfilter.stores.store import Store

#: More changes than any plan makes.
NEVER = 1_000_000_000
#: Chroma's own, for a store on which an interrupted plan that is lost left :data:`NEVER`.
USUAL = 1000
_EVENT = "sync interval"


@contextmanager
def index_left_alone(store: Store, journal: Journal) -> Iterator[None]:
    """Put the writing of index files off: changes stay in the store's log, which is safe at any moment.

    The interval is in the journal before it is changed, so that the next run with the plan sets it back if
    this one is killed. What is in the log is written to the index when the store is next opened and used.

    Args:
        store: a locked store; one without a sync interval is left as it is.
        journal: of the plan at work.

    Raises:
        StoreError: the interval cannot be set.
    """
    sync = store.index_sync
    if sync is None:
        yield
        return
    interval = sync.interval
    if interval >= NEVER:
        before = [event["changes"] for event in journal.events() if event["event"] == _EVENT]
        interval = before[-1] if before else USUAL
    else:
        journal.append(_EVENT, changes=interval)
    sync.set(NEVER)
    try:
        yield
    finally:
        sync.set(interval)
