"""What is told of a run: a report for the caller, an event of counts for LlamaIndex's handlers."""

from collections.abc import Sequence
from dataclasses import dataclass

from llama_index.core.instrumentation.events import BaseEvent
from llama_index.core.schema import BaseNode
from llama_index_instrumentation import get_dispatcher

from chunkfilter import FilterResult, Removal
from llamaindex_chunkfilter.nodes import document_of

dispatcher = get_dispatcher(__name__)


@dataclass(frozen=True, slots=True)
class NodeRemoval:
    """One removed node, and the nodes that cover it.

    Args:
        node_id: the removed node.
        document: ``ref_doc_id`` of that node.
        kept_by: ids of the kept nodes that cover it.
        keeper_documents: ``ref_doc_id`` of each of these.
        rule: the rule that decided.
        score: the rule's score, ``None`` for ``blank`` and ``random``.
    """

    node_id: str
    document: str | None
    kept_by: tuple[str, ...]
    keeper_documents: tuple[str | None, ...]
    rule: str
    score: float | None


@dataclass(frozen=True, slots=True)
class NodeReport:
    """One run over a batch of nodes.

    Args:
        result: the decisions, in positions of the compared nodes.
        received: number of nodes that came in.
        passed: number of nodes that were not compared, because they hold more than text.
        removals: one entry a removed node.
        emptied_documents: documents none of whose nodes is left. A docstore counts them as ingested.
    """

    result: FilterResult
    received: int
    passed: int
    removals: tuple[NodeRemoval, ...]
    emptied_documents: tuple[str, ...]

    @property
    def kept(self) -> int:
        """Number of nodes that came out."""
        return self.received - len(self.removals)

    @property
    def needed_by(self) -> dict[str, tuple[str, ...]]:
        """For each document whose nodes cover text of others: the documents that need it.

        Whoever deletes or updates such a document takes that text from the others, which are not ingested
        again as long as they do not change. ``scope=source`` in the policy keeps each document whole.
        """
        needed: dict[str, dict[str, None]] = {}
        for removal in self.removals:
            for covering in removal.keeper_documents:
                if covering is not None and removal.document is not None and covering != removal.document:
                    needed.setdefault(covering, {})[removal.document] = None
        return {document: tuple(others) for document, others in needed.items()}

    @property
    def warnings(self) -> tuple[str, ...]:
        """What a user of upserts and deletes must know, one sentence each."""
        found = []
        if self.emptied_documents:
            found.append(
                f"{len(self.emptied_documents)} documents have no node left "
                f"({_some(self.emptied_documents)}): other documents hold their text, and a docstore "
                "counts them as ingested"
            )
        if needed := self.needed_by:
            found.append(
                f"{len(needed)} documents hold the only copy of text of others ({_some(list(needed))}): "
                "deleting or updating one takes it from the others; scope=source keeps each document whole"
            )
        return tuple(found)


def report_on(nodes: Sequence[BaseNode], compared: Sequence[int], result: FilterResult) -> NodeReport:
    """Put a result in terms of nodes and documents.

    Args:
        nodes: all nodes of the batch.
        compared: positions of ``nodes`` that were filtered; those of ``result`` count in it.
        result: what was decided.
    """
    filtered = [nodes[position] for position in compared]
    removed = {compared[removal.index] for removal in result.removed}
    left = {document_of(node) for position, node in enumerate(nodes) if position not in removed}
    touched = dict.fromkeys(document_of(filtered[removal.index]) for removal in result.removed)
    return NodeReport(
        result=result,
        received=len(nodes),
        passed=len(nodes) - len(compared),
        removals=tuple(_removal(filtered, removal) for removal in result.removed),
        emptied_documents=tuple(
            document for document in touched if document is not None and document not in left
        ),
    )


def _removal(filtered: Sequence[BaseNode], removal: Removal) -> NodeRemoval:
    node, covering = filtered[removal.index], [filtered[position] for position in removal.kept_by]
    return NodeRemoval(
        node_id=node.node_id,
        document=document_of(node),
        kept_by=tuple(one.node_id for one in covering),
        keeper_documents=tuple(document_of(one) for one in covering),
        rule=removal.rule,
        score=removal.score,
    )


def _some(names: Sequence[str], shown: int = 3) -> str:
    more = f" and {len(names) - shown} more" if len(names) > shown else ""
    return ", ".join(repr(name) for name in names[:shown]) + more


class ChunkFilterEvent(BaseEvent):
    """One run of a transform or postprocessor.

    Args:
        policy: the policy in its canonical form.
        received: number of nodes that came in.
        kept: number of nodes that came out, those that were not compared included.
        passed: number of nodes that were not compared.
        removed_by_rule: how many nodes each rule removed.
        emptied_documents: documents none of whose nodes is left.
        needed_documents: documents that hold the only copy of text of other documents.
        seconds: wall time of the decisions.
    """

    policy: str
    received: int
    kept: int
    passed: int
    removed_by_rule: dict[str, int]
    emptied_documents: tuple[str, ...] = ()
    needed_documents: tuple[str, ...] = ()
    seconds: float

    @classmethod
    def class_name(cls) -> str:
        """Name of the event's class in serialised form."""
        return "ChunkFilterEvent"


def publish(event: ChunkFilterEvent) -> None:
    """Hand an event to every handler that is registered with LlamaIndex."""
    dispatcher.event(event)
