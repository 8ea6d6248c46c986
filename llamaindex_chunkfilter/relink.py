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
    for direction in _NEIGHBOURS:
        beyond: dict[str, RelatedNodeInfo | None] = {}
        for node in kept:
            linked = node.relationships.get(direction)
            if isinstance(linked, RelatedNodeInfo) and linked.node_id in gone:
                further = _beyond(linked.node_id, direction, gone, beyond)
                if further is None:
                    del node.relationships[direction]
                else:
                    node.relationships[direction] = further
    for node in kept:
        _relink_children(node, gone)


def _beyond(
    first: str,
    direction: NodeRelationship,
    gone: Mapping[str, BaseNode],
    known: dict[str, RelatedNodeInfo | None],
) -> RelatedNodeInfo | None:
    """The nearest node beyond a dropped one that was not dropped, ``None`` if there is none.

    Args:
        first: id of the dropped node.
        direction: where to look.
        gone: the dropped nodes by id.
        known: what was found before, by id of a dropped node; what is passed on the way is added.
    """
    passed: list[str] = []
    at = first
    found: RelatedNodeInfo | None = None
    while at not in known:
        known[at] = None  # so that a circle ends
        passed.append(at)
        linked = gone[at].relationships.get(direction)
        if not isinstance(linked, RelatedNodeInfo):
            break
        if linked.node_id not in gone:
            found = linked
            break
        at = linked.node_id
    else:
        found = known[at]
    for one in passed:
        known[one] = found
    return found


def _relink_children(node: BaseNode, gone: Mapping[str, BaseNode]) -> None:
    children = node.relationships.get(NodeRelationship.CHILD)
    if isinstance(children, list) and any(child.node_id in gone for child in children):
        node.relationships[NodeRelationship.CHILD] = [
            child for child in children if child.node_id not in gone
        ]
