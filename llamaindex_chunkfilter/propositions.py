"""Any LlamaIndex ``LLM`` as a propositionizer."""

from collections.abc import Sequence

from llama_index.core.llms import LLM

from chunkfilter.errors import InputError
from chunkfilter.propositions import PROMPT, filled, read_propositions


class LLMPropositionizer:
    """States propositions with a language model, one passage after another.

    Args:
        llm: asked through ``complete``.
        prompt: what it is asked; ``{passage}`` stands for the passage.
        name: changes whenever its answers would; needed only to keep them on disk.

    Raises:
        InputError: it is no language model.
    """

    def __init__(self, llm: LLM, *, prompt: str = PROMPT, name: str | None = None) -> None:
        if not callable(getattr(llm, "complete", None)):
            raise InputError(f"llm: got {llm!r:.80}; expected a LlamaIndex LLM")
        self.name = None if name is None else f"{name} (prompt {prompt!r})"
        self._llm = llm
        self._prompt = prompt

    def propositions(self, passages: Sequence[str], /) -> list[list[str] | Exception]:
        """For each passage its propositions, or the exception that it failed with."""
        return [self._stated(passage) for passage in passages]

    def _stated(self, passage: str) -> list[str] | Exception:
        try:
            return read_propositions(self._llm.complete(filled(self._prompt, passage)).text)
        except Exception as error:  # noqa: BLE001  # services fail in ways of their own; every one is reported
            return error
