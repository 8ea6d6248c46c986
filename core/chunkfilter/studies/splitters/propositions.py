"""``propositions``, ``propositions:SIZE``: every passage of at most SIZE characters as the facts it states.

A proposition is a sentence that can be read alone: pronouns and references are replaced by what they stand
for (Chen et al., "Dense X Retrieval: What Retrieval Granularity Should We Use?", 2024). Passages are
paragraphs; each proposition has the span of its passage. A passage that the model failed on keeps its text.
"""

from typing import Any

from chunkfilter.errors import InputError, MissingSignalError
from chunkfilter.splitters.paragraphs import paragraph_spans
from chunkfilter.splitters.pieces import Cutter, Piece, RewriterKind, cut_piece
from chunkfilter.splitters.spec import LARGEST_SIZE, Fields, Number, Spec
from chunkfilter.studies.propositions.memory import PropositionMemory

#: About 100 words, the length of the passages in the source.
_FIELDS: Fields = {"size": Number(1, LARGEST_SIZE, default=600, whole=True)}


def _read(spec: Spec, propositionizer: Any) -> Cutter:
    size = spec.options(_FIELDS, positional=("size",))["size"]
    if propositionizer is None:
        raise MissingSignalError(
            f"splitter {spec.text!r:.80} needs a model that states propositions: give a propositionizer, "
            "any object with a method propositions(passages); the command line has none, so in Python: "
            "chunkfilter.split_documents(documents, spec, propositionizer=...)"
        )
    if not callable(getattr(propositionizer, "propositions", None)):
        raise InputError(
            f"propositionizer: got {propositionizer!r:.80}; expected an object with a method "
            "propositions(passages)"
        )
    remembers = isinstance(propositionizer, PropositionMemory)
    memory = propositionizer if remembers else PropositionMemory(propositionizer)

    def cut_propositions(text: str) -> list[Piece]:
        spans = paragraph_spans(text, size)
        stated = memory.propositions([text[start:end] for start, end in spans])
        pieces: list[Piece] = []
        for span, sentences in zip(spans, stated, strict=True):
            if sentences is None:
                pieces.append(cut_piece(text, (span,)))
            else:
                pieces.extend(Piece(sentence, (span,), rewritten=True) for sentence in sentences)
        return pieces

    return cut_propositions


PROPOSITIONS = RewriterKind("propositions[:SIZE]", _read)
