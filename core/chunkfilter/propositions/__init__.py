"""Texts as propositions: sentences that state one fact each and can be read alone."""

from chunkfilter.propositions.memory import Failure, PropositionMemory
from chunkfilter.propositions.parsing import read_propositions
from chunkfilter.propositions.prompt import PROMPT, filled
from chunkfilter.propositions.propositionizer import Propositionizer
from chunkfilter.propositions.seq2seq import Seq2SeqPropositionizer, load_propositionizer

__all__ = [
    "PROMPT",
    "Failure",
    "PropositionMemory",
    "Propositionizer",
    "Seq2SeqPropositionizer",
    "filled",
    "load_propositionizer",
    "read_propositions",
]
