"""What a user should hear about a run: one sentence for each kind of trouble, however many chunks it touches.

A notice looks at the facts of a run and gives a sentence or nothing. No sentence holds text of a chunk:
chunks are named by position and id, so that logs stay free of what they say.
"""

from chunkfilter.filters.notices.access import access_mixed
from chunkfilter.filters.notices.dates import newer_removed
from chunkfilter.filters.notices.facts import Facts
from chunkfilter.filters.notices.guarded_share import share_guarded
from chunkfilter.filters.notices.ids import ids_shared
from chunkfilter.filters.notices.keep import without_keep_key
from chunkfilter.filters.notices.removals import most_removed, one_stands_for_most
from chunkfilter.filters.notices.scope import without_scope_key
from chunkfilter.filters.notices.signals import (
    nothing_recognised,
    one_topic,
    vectors_all_equal,
    vectors_not_comparable,
)

__all__ = ["Facts", "notices_of"]

#: Every notice. A new one gets a function and a line here.
_NOTICES = (
    share_guarded,
    without_scope_key,
    without_keep_key,
    ids_shared,
    vectors_not_comparable,
    vectors_all_equal,
    one_topic,
    nothing_recognised,
    most_removed,
    one_stands_for_most,
    access_mixed,
    newer_removed,
)


def notices_of(facts: Facts) -> tuple[str, ...]:
    """The sentences that apply to a run, in a fixed order."""
    return tuple(said for notice in _NOTICES if (said := notice(facts)) is not None)
