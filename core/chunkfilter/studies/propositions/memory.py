"""Propositions asked for once a passage, and what became of the passages that the model failed on."""

import logging
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from chunkfilter.errors import InputError, PropositionError
from chunkfilter.studies.propositions.disk import PropositionFile

logger = logging.getLogger("chunkfilter")

#: Passages asked for, and stored, at once: what an interrupted run can lose.
_SLICE = 64
#: So many failures one after another are the model's, not the passages'.
MOST_IN_A_ROW = 20


class Propositionizer(Protocol):
    """States the facts of passages."""

    def propositions(self, passages: Sequence[str], /) -> Sequence[Sequence[str] | Exception]:
        """For each passage the facts it states, one a sentence, or the exception that it failed with."""
        ...


@dataclass(frozen=True, slots=True)
class Failure:
    """A passage that keeps its own text.

    Args:
        passage: its text.
        reason: what the model's failure said.
    """

    passage: str
    reason: str


class PropositionMemory:
    """Asks a model once for each distinct passage; a failure on one never costs the others.

    Args:
        propositionizer: the model; a folder needs its ``name``, which changes when its answers do.
        folder: where propositions are kept from run to run; ``None`` keeps them in memory alone.

    Raises:
        InputError: a folder was given and the model has no name.
    """

    def __init__(
        self, propositionizer: Propositionizer, folder: str | os.PathLike[str] | None = None
    ) -> None:
        self._model = propositionizer
        self._known: dict[str, tuple[str, ...] | None] = {}
        self._failures: list[Failure] = []
        self._in_a_row = 0
        self._file: PropositionFile | None = None
        if folder is not None:
            name = getattr(propositionizer, "name", None)
            if not name or not isinstance(name, str):
                raise InputError(
                    f"propositionizer {type(propositionizer).__name__}: name is {name!r:.80}; expected a "
                    "text to store its propositions by"
                )
            self._file = PropositionFile(folder, name)

    @property
    def failures(self) -> tuple[Failure, ...]:
        """The passages that kept their own text so far, each once."""
        return tuple(self._failures)

    def propositions(self, passages: Sequence[str], /) -> list[tuple[str, ...] | None]:
        """For each passage its propositions, at least one, ``None`` where the model failed.

        Raises:
            PropositionError: 20 passages failed one after another, or the model does not answer each passage.
        """
        new = [passage for passage in dict.fromkeys(passages) if passage not in self._known]
        if self._file:
            self._known.update(self._file.read(new))
            new = [passage for passage in new if passage not in self._known]
        for first in range(0, len(new), _SLICE):
            part = new[first : first + _SLICE]
            for passage, answer in zip(part, self._asked(part), strict=True):
                self._note(passage, _sentences(answer))
            if self._file:
                stated = ((passage, self._known[passage]) for passage in part)
                self._file.write({passage: sentences for passage, sentences in stated if sentences})
        return [self._known[passage] for passage in passages]

    def _asked(self, passages: list[str]) -> list[Sequence[str] | Exception]:
        """One answer a passage; where the model fails on all at once, each is asked for alone."""
        try:
            answers = list(self._model.propositions(passages))
        except Exception as error:  # noqa: BLE001  # models fail in ways of their own; every one is reported
            if len(passages) > 1:
                return [answer for passage in passages for answer in self._asked([passage])]
            return [error]
        if len(answers) != len(passages):
            raise PropositionError(
                f"propositionizer {type(self._model).__name__}: {len(answers)} answers for {len(passages)} "
                "passages; expected one each"
            )
        return answers

    def _note(self, passage: str, answer: tuple[str, ...] | Exception) -> None:
        if not isinstance(answer, Exception):
            self._known[passage], self._in_a_row = answer, 0
            return
        reason = f"{type(answer).__name__}: {answer}"
        logger.warning("propositions: a passage of %d characters keeps its text: %s", len(passage), reason)
        self._known[passage] = None
        self._failures.append(Failure(passage, reason))
        self._in_a_row += 1
        if self._in_a_row >= MOST_IN_A_ROW:
            self._in_a_row = 0
            raise PropositionError(
                f"{MOST_IN_A_ROW} passages in a row failed; the last: {reason}"
            ) from answer


def _sentences(answer: Sequence[str] | Exception) -> tuple[str, ...] | Exception:
    """The propositions in an answer without blank ones, or why there are none."""
    if isinstance(answer, Exception):
        return answer
    if isinstance(answer, (str, bytes, Mapping)):
        return PropositionError(f"got {answer!r:.200}; expected a list of sentences")
    try:
        given = list(answer)
    except Exception as error:  # noqa: BLE001  # answers may come while they are read, and fail like the model
        return error
    if not all(isinstance(sentence, str) for sentence in given):
        return PropositionError(f"got {answer!r:.200}; expected a list of sentences")
    sentences = tuple(sentence.strip() for sentence in given if sentence.strip())
    return sentences or PropositionError("got no proposition; expected at least one")
