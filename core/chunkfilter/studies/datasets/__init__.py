"""Data sets in forms of single studies; :func:`chunkfilter.load_dataset` finds them in ``FORMATS``."""

from chunkfilter.evaluate.datasets.format import Format, QuestionFormat
from chunkfilter.studies.datasets.eurlex import EURLEX_ACTS, EURLEX_TESTSET
from chunkfilter.studies.datasets.hub import read_hub
from chunkfilter.studies.datasets.multihop import HOTPOTQA, MULTIHOP, MUSIQUE
from chunkfilter.studies.datasets.passages import CLAPNQ, RAGBENCH
from chunkfilter.studies.datasets.scifact import SCIFACT
from chunkfilter.studies.datasets.tables import CHROMA_QUESTIONS, CHROMA_STUDY, FAQ

__all__ = ["FORMATS", "QUESTION_FORMATS", "read_hub"]

#: The first that fits is taken, so the more particular ones come first.
FORMATS: tuple[Format, ...] = (
    CHROMA_STUDY,
    EURLEX_TESTSET,
    EURLEX_ACTS,
    FAQ,
    SCIFACT,
    MULTIHOP,
    CLAPNQ,
    RAGBENCH,
    HOTPOTQA,
    MUSIQUE,
)

QUESTION_FORMATS: tuple[QuestionFormat, ...] = (CHROMA_QUESTIONS,)
