"""Splitters of single studies: by meaning, and into propositions.

:mod:`chunkfilter.splitters` finds them by name in ``SPLITTERS``.
"""

from chunkfilter.splitters.pieces import RewriterKind
from chunkfilter.splitters.spec import SplitterKind
from chunkfilter.studies.splitters.breakpoint import BREAKPOINT
from chunkfilter.studies.splitters.cluster import CLUSTER
from chunkfilter.studies.splitters.dbscan import DBSCAN
from chunkfilter.studies.splitters.linkage import LINKAGE
from chunkfilter.studies.splitters.propositions import PROPOSITIONS
from chunkfilter.studies.splitters.shared_sentences import SharedSentences

__all__ = ["SPLITTERS", "SharedSentences"]

SPLITTERS: dict[str, SplitterKind | RewriterKind] = {
    "cluster": CLUSTER,
    "breakpoint": BREAKPOINT,
    "linkage": LINKAGE,
    "dbscan": DBSCAN,
    "propositions": PROPOSITIONS,
}
