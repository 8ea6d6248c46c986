"""``propositions``, ``propositions:SIZE``: every passage of at most SIZE characters as the facts it states.

A proposition is a sentence that can be read alone: pronouns and references are replaced by what they stand
for (Chen et al., "Dense X Retrieval: What Retrieval Granularity Should We Use?", 2024). Passages are
paragraphs; each proposition has the span of its passage. A passage that the model failed on keeps its text.
"""

from collections.abc import Callable
from dataclasses import dataclass

from chunkfilter.errors import InputError, MissingSignalError
from chunkfilter.propositions.memory import PropositionMemory
from chunkfilter.propositions.propositionizer import Propositionizer
from chunkfilter.splitters.paragraphs import paragraph_spans
from chunkfilter.splitters.pieces import Cutter, Piece, cut_piece
from chunkfilter.splitters.spec import LARGEST_SIZE, Choice, Number, Spec

#: About 100 words, the length of the passages in the source.
FIELDS: dict[str, Number | Choice] = {"size": Number(1, LARGEST_SIZE, default=600, whole=True)}


@dataclass(frozen=True, slots=True)
class RewriterKind:
    """A first stage that says the text in other words.

    Args:
        form: how its spec is written.
        read: makes it from a spec and the caller's model.
    """

    form: str
    read: Callable[[Spec, Propositionizer | PropositionMemory | None], Cutter]


def _read(spec: Spec, propositionizer: Propositionizer | PropositionMemory | None) -> Cutter:
    size = spec.options(FIELDS, positional=("size",)).whole("size")
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
    memory = (
        propositionizer
        if isinstance(propositionizer, PropositionMemory)
        else PropositionMemory(propositionizer)
    )

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
