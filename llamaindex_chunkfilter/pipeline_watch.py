"""What only the pipeline around a transform can tell: workers, cached answers, upserts.

A span handler of LlamaIndex sees every run of an ``IngestionPipeline``. It speaks up only for pipelines with
a ``ChunkFilterTransform`` among their steps.
"""

import functools
import inspect
import logging
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from llama_index.core.base.embeddings.base import BaseEmbedding
from llama_index.core.ingestion import DocstoreStrategy, IngestionPipeline
from llama_index.core.instrumentation.span_handlers import NullSpanHandler
from llama_index.core.schema import BaseNode
from llama_index_instrumentation import get_dispatcher

from llamaindex_chunkfilter.component import model_id
from llamaindex_chunkfilter.nodes import document_of
from llamaindex_chunkfilter.transform import ChunkFilterTransform

logger = logging.getLogger("chunkfilter")


class ChunkFilterWarning(UserWarning):
    """A pipeline works in a way that changes what its filter can do or what its result means."""


@functools.cache
def watch_pipelines() -> None:
    """Look at every run of an ``IngestionPipeline`` from now on; once a process."""
    get_dispatcher("llama_index.core.ingestion.pipeline").add_span_handler(_PipelineWatch())


class _PipelineWatch(NullSpanHandler):
    def span_enter(
        self,
        id_: str,  # noqa: ARG002  # the signature is LlamaIndex's
        bound_args: inspect.BoundArguments,
        instance: Any = None,
        *args: Any,  # noqa: ARG002  # as above
        **kwargs: Any,  # noqa: ARG002  # as above
    ) -> None:
        for step in _filters(instance):
            step.forget_report()
        _warn(_before(instance, bound_args.arguments))

    def span_exit(
        self,
        id_: str,  # noqa: ARG002  # the signature is LlamaIndex's
        bound_args: inspect.BoundArguments,
        instance: Any = None,
        result: Any = None,
        **kwargs: Any,  # noqa: ARG002  # as above
    ) -> None:
        _warn(_after(instance, bound_args.arguments, result or ()))


def _warn(sentences: Iterable[str]) -> None:
    # the dispatcher swallows what a handler raises, so with warnings as errors only the log is left
    for sentence in sentences:
        logger.warning(sentence)
        warnings.warn(sentence, ChunkFilterWarning, stacklevel=2)


def _filters(instance: Any) -> list[ChunkFilterTransform]:
    if not isinstance(instance, IngestionPipeline):
        return []
    return [step for step in instance.transformations if isinstance(step, ChunkFilterTransform)]


def _before(instance: Any, arguments: Mapping[str, Any]) -> Iterator[str]:
    if not _filters(instance):
        return
    workers = arguments.get("num_workers") or 1
    if workers > 1:
        yield (
            f"num_workers={workers}: each worker sees only its share of the documents, so redundancy "
            "between shares stays. For the whole result leave the filter out of this pipeline and call it on "
            "what the pipeline returns; with policy 'exact' calling it once more on its result does the same"
        )
    if not instance.disable_cache and (model := _unnamed_model(instance)):
        yield (
            f"the pipeline embeds with {model} before it filters, and its cache does not tell vectors apart: "
            "filter before the embedding step, pass the same embed_model to ChunkFilterTransform, or set "
            "disable_cache=True"
        )


def _unnamed_model(pipeline: IngestionPipeline) -> str | None:
    """The model of an embedding step whose vectors a later filter does not name in its cache key."""
    model: str | None = None
    for step in pipeline.transformations:
        if isinstance(step, BaseEmbedding):
            model = model_id(step)
        elif isinstance(step, ChunkFilterTransform) and model is not None and step.embed_model_id != model:
            return model
    return None


def _after(instance: Any, arguments: Mapping[str, Any], nodes: Sequence[BaseNode]) -> Iterator[str]:
    filters = _filters(instance)
    if not filters:
        return
    if foreign := _foreign_documents(instance, arguments, nodes):
        yield (
            f"the pipeline's cache answered with nodes of documents that were not in this run: "
            f"{', '.join(map(repr, foreign[:3]))}. It compares texts and metadata, not ids: give documents "
            "metadata that tells them apart, for example a path, or set disable_cache=True"
        )
    if instance.docstore is not None and instance.docstore_strategy != DocstoreStrategy.DUPLICATES_ONLY:
        for step in filters:
            yield from step.last_report.warnings if step.last_report else ()


def _foreign_documents(
    pipeline: IngestionPipeline, arguments: Mapping[str, Any], nodes: Sequence[BaseNode]
) -> list[str]:
    if pipeline.disable_cache or pipeline.readers:
        return []  # nothing was cached, or what the readers read is not known
    given = [
        *(arguments.get("documents") or ()),
        *(arguments.get("nodes") or ()),
        *(pipeline.documents or ()),
    ]
    known = {node.node_id for node in given} | {node.ref_doc_id for node in given}
    sources = dict.fromkeys(document_of(node) for node in nodes)
    return [source for source in sources if source is not None and source not in known]
