"""Nodes as chunks: what the filters read of a LlamaIndex node, and which nodes they leave alone."""

from collections.abc import Iterable, Sequence
from typing import Any

from llama_index.core.schema import (
    BaseNode,
    Document,
    ImageNode,
    IndexNode,
    MetadataMode,
    Node,
    NodeRelationship,
    NodeWithScore,
    RelatedNodeInfo,
    TextNode,
)

from chunkfilter import Chunk
from chunkfilter.errors import InputError

#: Classes whose text is all they hold; an empty one is a blank chunk, not a carrier of something else.
_TEXT_ONLY = (TextNode, Node, Document)


def text_of(node: BaseNode) -> str:
    """The text itself, without metadata."""
    return node.get_content(metadata_mode=MetadataMode.NONE)


def document_of(node: BaseNode) -> str | None:
    """Id of the document a node was cut from; a document is its own source."""
    source = node.relationships.get(NodeRelationship.SOURCE)
    if isinstance(source, RelatedNodeInfo):
        return source.node_id
    return node.node_id if isinstance(node, Document) else None


def to_chunks(nodes: Iterable[BaseNode | NodeWithScore]) -> list[Chunk]:
    """Nodes as chunks, for filtering and for ``chunkfilter.compare``.

    The text is the node's without metadata, the source is ``ref_doc_id``. Spans are taken over where they
    count in the source document: the parts of a hierarchical parser count in their parent.

    Args:
        nodes: what a node parser or retriever returns, in its order.

    Raises:
        InputError: an item is no node; it is named by its position.
    """
    return [
        _to_chunk(item.node if isinstance(item, NodeWithScore) else item)
        for item in listed(nodes, (BaseNode, NodeWithScore))
    ]


def listed(items: Iterable[Any], kinds: tuple[type, ...]) -> list[Any]:
    """The items of any iterable.

    Args:
        items: nodes.
        kinds: what they may be.

    Raises:
        InputError: it is none, or an item is something else; it is named by its position.
    """
    names = " or ".join(kind.__name__ for kind in kinds)
    if isinstance(items, str) or not isinstance(items, Iterable):
        raise InputError(f"nodes: got {items!r:.200}; expected several, each a LlamaIndex node ({names})")
    found = list(items)
    for position, item in enumerate(found):
        if not isinstance(item, kinds):
            raise InputError(f"node {position}: got {item!r:.200}; expected a LlamaIndex node ({names})")
    return found


def _to_chunk(node: BaseNode) -> Chunk:
    return Chunk(
        text_of(node), id=node.node_id, metadata=node.metadata, source=document_of(node), spans=_spans(node)
    )


def _spans(node: BaseNode) -> tuple[tuple[int, int], ...]:
    if not isinstance(node, TextNode) or NodeRelationship.PARENT in node.relationships:
        return ()
    start, end = node.start_char_idx, node.end_char_idx
    return ((start, end),) if start is not None and end is not None and 0 <= start <= end else ()


def comparable(nodes: Sequence[BaseNode]) -> list[int]:
    """Positions of the nodes that may be redundant; all others pass through.

    Others are nodes that carry something besides text (an image, another index, media) and nodes whose
    children are among ``nodes``: their text is that of their children once more, kept to be merged into.
    """
    present = {node.node_id for node in nodes}
    return [
        position
        for position, node in enumerate(nodes)
        if not _carries_more_than_text(node) and not _is_parent(node, present)
    ]


def _carries_more_than_text(node: BaseNode) -> bool:
    if isinstance(node, ImageNode | IndexNode):
        return True
    if isinstance(node, Node) and (node.image_resource or node.audio_resource or node.video_resource):
        return True
    return type(node) not in _TEXT_ONLY and not text_of(node).strip()


def _is_parent(node: BaseNode, present: set[str]) -> bool:
    children = node.relationships.get(NodeRelationship.CHILD)
    related = children if isinstance(children, list) else [children]
    return any(isinstance(child, RelatedNodeInfo) and child.node_id in present for child in related)
