"""Relationships of kept nodes, led past the ones that went."""

from collections.abc import Mapping, Sequence

from llama_index.core.schema import BaseNode, NodeRelationship, RelatedNodeInfo

_NEIGHBOURS = (NodeRelationship.PREVIOUS, NodeRelationship.NEXT)


def relink(kept: Sequence[BaseNode], dropped: Sequence[BaseNode]) -> None:
    """Lead PREVIOUS, NEXT and CHILD of kept nodes past dropped ones, in place.

    PREVIOUS and NEXT go on to the nearest node that was not dropped, or are removed at an end. Dropped nodes
    leave the lists of CHILD; a list that becomes empty stays, else its owner would count as a leaf. A node
    with children among the filtered ones is never dropped, so PARENT needs no care.

    Args:
        kept: the nodes that stay; their ``relationships`` are changed.
        dropped: the nodes that went; they are only read.
    """
    present = {node.node_id for node in kept}  # an id used twice still leads somewhere
    gone = {node.node_id: node for node in dropped if node.node_id not in present}
    if not gone:
        return
    for node in kept:
        for direction in _NEIGHBOURS:
            _relink_neighbour(node, direction, gone)
        _relink_children(node, gone)


def _relink_neighbour(node: BaseNode, direction: NodeRelationship, gone: Mapping[str, BaseNode]) -> None:
    linked = node.relationships.get(direction)
    if not isinstance(linked, RelatedNodeInfo) or linked.node_id not in gone:
        return
    seen: set[str] = set()
    while isinstance(linked, RelatedNodeInfo) and linked.node_id in gone and linked.node_id not in seen:
        seen.add(linked.node_id)
        linked = gone[linked.node_id].relationships.get(direction)
    if isinstance(linked, RelatedNodeInfo) and linked.node_id not in seen:
        node.relationships[direction] = linked
    else:
        del node.relationships[direction]


def _relink_children(node: BaseNode, gone: Mapping[str, BaseNode]) -> None:
    children = node.relationships.get(NodeRelationship.CHILD)
    if isinstance(children, list) and any(child.node_id in gone for child in children):
        node.relationships[NodeRelationship.CHILD] = [
            child for child in children if child.node_id not in gone
        ]
