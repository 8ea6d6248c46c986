"""Texts as propositions: sentences that state one fact each and can be read alone."""

from chunkfilter.studies.propositions.memory import Failure, Propositionizer, PropositionMemory
from chunkfilter.studies.propositions.models import (
    PROMPT,
    PromptedPropositionizer,
    Seq2SeqPropositionizer,
    filled,
    load_propositionizer,
    read_propositions,
)

__all__ = [
    "PROMPT",
    "Failure",
    "PromptedPropositionizer",
    "PropositionMemory",
    "Propositionizer",
    "Seq2SeqPropositionizer",
    "filled",
    "load_propositionizer",
    "read_propositions",
]
