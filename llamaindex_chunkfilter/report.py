"""What a filtered batch of nodes means for the documents they came from."""

from collections.abc import Sequence
from dataclasses import dataclass

from llama_index.core.schema import BaseNode

from chunkfilter import FilterResult, Removal
from llamaindex_chunkfilter.nodes import document_of


@dataclass(frozen=True, slots=True)
class NodeRemoval:
    """One node that went, and the nodes that stand for it.

    Args:
        node_id: the node that went.
        document: ``ref_doc_id`` of that node.
        kept_by: ids of the kept nodes that hold its text.
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
        removals: one entry a node that went.
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
        """For each document whose nodes stand for text of others: the documents that need it.

        Whoever deletes or updates such a document takes that text from the others, which are not ingested
        again as long as they do not change. ``scope=source`` in the policy keeps each document whole.
        """
        needed: dict[str, dict[str, None]] = {}
        for removal in self.removals:
            for keeper in removal.keeper_documents:
                if keeper is not None and removal.document is not None and keeper != removal.document:
                    needed.setdefault(keeper, {})[removal.document] = None
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
    gone = {compared[removal.index] for removal in result.removed}
    left = {document_of(node) for position, node in enumerate(nodes) if position not in gone}
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
    node, keepers = filtered[removal.index], [filtered[keeper] for keeper in removal.kept_by]
    return NodeRemoval(
        node_id=node.node_id,
        document=document_of(node),
        kept_by=tuple(keeper.node_id for keeper in keepers),
        keeper_documents=tuple(document_of(keeper) for keeper in keepers),
        rule=removal.rule,
        score=removal.score,
    )


def _some(names: Sequence[str], shown: int = 3) -> str:
    more = f" and {len(names) - shown} more" if len(names) > shown else ""
    return ", ".join(repr(name) for name in names[:shown]) + more
