"""What a grid found: one row a splitter, policy and embedder."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from chunkfilter.evaluate.statistics import Difference
from chunkfilter.studies.grid.cost import Cost


@dataclass(frozen=True, slots=True)
class GridRow:
    """A splitter at its best setting, under one policy and one embedder.

    Args:
        embedder: the model.
        splitter: name of the splitter.
        policy: what is kept.
        settings: the setting chosen on the second fold and reported on the first, and the other way round.
        tried: settings it was chosen from.
        chunks: chunks of both folds.
        kept: those of them that the policy keeps.
        mean_f1: mean over questions and depths of the measure that decides.
        rates: mean of each measure, by name, from 0 to 1.
        to_first: difference of ``mean_f1`` to the first splitter, same policy; ``None`` for that one.
        to_unfiltered: difference of ``mean_f1`` to the first policy, same splitter; ``None`` for that one.
        to_merged: difference of ``mean_f1`` to the same settings unfiltered, copies merged at query time.
        cost: seconds and texts, both folds together.
    """

    embedder: str
    splitter: str
    policy: str
    settings: tuple[str, str]
    tried: int
    chunks: int
    kept: int
    mean_f1: float
    rates: Mapping[str, float]
    to_first: Difference | None
    to_unfiltered: Difference | None
    to_merged: Difference
    cost: Cost

    @property
    def setting(self) -> str:
        """The settings in one cell, one where both folds chose the same."""
        return " / ".join(dict.fromkeys(self.settings))

    def as_dict(self) -> dict[str, Any]:
        """Plain JSON types."""
        return {**asdict(self), "settings": list(self.settings), "seconds": self.cost.seconds}


@dataclass(frozen=True, slots=True)
class Grid:
    """Quality against compute.

    Args:
        data: name of the data set.
        documents: its documents.
        questions: questions that are reported on.
        left_out: questions whose documents lie in both folds.
        measure: what decides: ``evidence`` or ``document``.
        depths: numbers of chunks that its F1 is averaged over.
        rows: one a splitter, policy and embedder.
        settings: ``mean_f1`` of every setting on all questions, by embedder, policy and setting: for looking
            at, since the best of them is flattered by being chosen.
        intervals: what the intervals were resampled over.
        margin: largest loss that verdicts accept.
    """

    data: str
    documents: int
    questions: int
    left_out: int
    measure: str
    depths: tuple[int, ...]
    rows: tuple[GridRow, ...]
    settings: tuple[Mapping[str, Any], ...]
    intervals: str
    margin: float

    def __str__(self) -> str:
        """The table that the command line prints."""
        from chunkfilter.studies.grid.report import grid_text  # the report is about this class

        return grid_text(self)

    def as_dict(self) -> dict[str, Any]:
        """Plain JSON types."""
        return {
            **{name: getattr(self, name) for name in Grid.__dataclass_fields__},
            "depths": list(self.depths),
            "rows": [row.as_dict() for row in self.rows],
            "settings": [dict(one) for one in self.settings],
        }
