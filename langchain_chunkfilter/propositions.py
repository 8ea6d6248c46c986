"""Any LangChain ``Runnable`` as a propositionizer."""

from collections.abc import Sequence
from typing import Any

from langchain_core.messages import BaseMessage
from langchain_core.runnables import Runnable, RunnableConfig

from chunkfilter.errors import InputError, PropositionError
from chunkfilter.propositions import PROMPT, filled, read_propositions


class RunnablePropositionizer:
    """States propositions with a chat model, a model or a chain.

    Args:
        runnable: answers with a text or message that holds a JSON array or list, or with a list of sentences.
        prompt: what it is given; ``{passage}`` stands for the passage. ``None`` gives the passage alone, for
            chains with a prompt of their own.
        name: changes whenever its answers would; needed only to keep them on disk.
        max_concurrency: passages asked for side by side; ``None`` leaves that to LangChain.

    Raises:
        InputError: it is no runnable.
    """

    def __init__(
        self,
        runnable: Runnable[Any, Any],
        *,
        prompt: str | None = PROMPT,
        name: str | None = None,
        max_concurrency: int | None = None,
    ) -> None:
        if not callable(getattr(runnable, "batch", None)):
            raise InputError(f"runnable: got {runnable!r:.80}; expected a LangChain Runnable")
        self.name = None if name is None else f"{name} (prompt {prompt!r})"
        self._runnable = runnable
        self._prompt = prompt
        self._config = RunnableConfig(max_concurrency=max_concurrency)

    def propositions(self, passages: Sequence[str], /) -> list[list[str] | Exception]:
        """For each passage its propositions, or the exception that it failed with."""
        inputs = [passage if self._prompt is None else filled(self._prompt, passage) for passage in passages]
        answers = self._runnable.batch(inputs, self._config, return_exceptions=True)
        return [_read(answer) for answer in answers]


def _read(answer: Any) -> list[str] | Exception:
    if isinstance(answer, Exception):
        return answer
    if isinstance(answer, BaseMessage):
        answer = str(answer.text)
    if isinstance(answer, list):
        return answer
    if not isinstance(answer, str):
        return PropositionError(f"got {answer!r:.200}; expected a text, a message or a list of sentences")
    try:
        return read_propositions(answer)
    except PropositionError as error:
        return error
