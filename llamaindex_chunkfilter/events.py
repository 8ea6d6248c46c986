"""What event handlers of LlamaIndex are told about a run: counts and document ids, never texts."""

from llama_index.core.instrumentation.events import BaseEvent
from llama_index_instrumentation import get_dispatcher

dispatcher = get_dispatcher(__name__)


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
