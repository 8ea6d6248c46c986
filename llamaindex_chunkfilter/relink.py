"""Relationships of kept nodes, led past removed ones."""

from collections.abc import Mapping, Sequence

from llama_index.core.schema import BaseNode, NodeRelationship, RelatedNodeInfo

_NEIGHBOURS = (NodeRelationship.PREVIOUS, NodeRelationship.NEXT)


def relink(kept: Sequence[BaseNode], removed: Sequence[BaseNode]) -> None:
    """Lead PREVIOUS, NEXT and CHILD of kept nodes past removed ones, in place.

    PREVIOUS and NEXT go on to the nearest node that was not removed, or are removed at an end. Removed nodes
    leave the lists of CHILD; a list that becomes empty stays, else its owner would count as a leaf. A node
    with children among the filtered ones is never removed, so PARENT needs no care.

    Args:
        kept: the kept nodes; their ``relationships`` are changed.
        removed: the removed nodes; they are only read.
    """
    present = {node.node_id for node in kept}  # an id used twice still leads somewhere
    by_id = {node.node_id: node for node in removed if node.node_id not in present}
    if not by_id:
        return
    for direction in _NEIGHBOURS:
        beyond: dict[str, RelatedNodeInfo | None] = {}
        for node in kept:
            linked = node.relationships.get(direction)
            if isinstance(linked, RelatedNodeInfo) and linked.node_id in by_id:
                further = _beyond(linked.node_id, direction, by_id, beyond)
                if further is None:
                    del node.relationships[direction]
                else:
                    node.relationships[direction] = further
    for node in kept:
        _relink_children(node, by_id)


def _beyond(
    first: str,
    direction: NodeRelationship,
    by_id: Mapping[str, BaseNode],
    known: dict[str, RelatedNodeInfo | None],
) -> RelatedNodeInfo | None:
    """The nearest node beyond a removed one that was not removed, ``None`` if there is none.

    Args:
        first: id of the removed node.
        direction: where to look.
        by_id: the removed nodes by id.
        known: what was found before, by id of a removed node; what is passed on the way is added.
    """
    passed: list[str] = []
    at = first
    found: RelatedNodeInfo | None = None
    while at not in known:
        known[at] = None  # so that a circle ends
        passed.append(at)
        linked = by_id[at].relationships.get(direction)
        if not isinstance(linked, RelatedNodeInfo):
            break
        if linked.node_id not in by_id:
            found = linked
            break
        at = linked.node_id
    else:
        found = known[at]
    for one in passed:
        known[one] = found
    return found


def _relink_children(node: BaseNode, by_id: Mapping[str, BaseNode]) -> None:
    children = node.relationships.get(NodeRelationship.CHILD)
    if isinstance(children, list) and any(child.node_id in by_id for child in children):
        node.relationships[NodeRelationship.CHILD] = [
            child for child in children if child.node_id not in by_id
        ]
