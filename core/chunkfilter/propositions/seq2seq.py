"""A Hugging Face sequence-to-sequence model as a propositionizer; imported when it is loaded."""

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from chunkfilter.errors import InputError, MissingExtraError, PropositionError
from chunkfilter.propositions.parsing import read_propositions
from chunkfilter.propositions.prompt import filled

#: What the published propositionizer (chentong00/propositionizer-wiki-flan-t5-large) was trained to read.
TEMPLATE = "Title: . Section: . Content: {passage}"
_SURROGATE = re.compile("[\ud800-\udfff]")


class Seq2SeqPropositionizer:
    """States propositions with an encoder-decoder model; made by :func:`load_propositionizer`.

    Args:
        model: a ``transformers`` model with ``generate``.
        tokenizer: its tokenizer.
        name: what the model is called.
        template: what the model reads; ``{passage}`` stands for the passage.
        batch_size: passages read at once.
        max_new_tokens: longest answer; a longer one is cut, cannot be read and counts as a failure.
    """

    def __init__(
        self,
        model: Any,
        tokenizer: Any,
        name: str,
        *,
        template: str = TEMPLATE,
        batch_size: int = 8,
        max_new_tokens: int = 512,
    ) -> None:
        self.name = f"{name} (template {template!r}, {max_new_tokens} tokens)"
        self._model = model
        self._tokenizer = tokenizer
        self._template = template
        self._batch_size = batch_size
        self._max_new_tokens = max_new_tokens

    def propositions(self, passages: Sequence[str], /) -> list[list[str] | Exception]:
        """For each passage its propositions, or the error for an answer that cannot be read."""
        answers: list[list[str] | Exception] = []
        for first in range(0, len(passages), self._batch_size):
            for written in self._written(passages[first : first + self._batch_size]):
                try:
                    answers.append(read_propositions(written))
                except PropositionError as error:
                    answers.append(error)
        return answers

    def _written(self, passages: Sequence[str]) -> list[str]:
        texts = [_SURROGATE.sub("\ufffd", filled(self._template, passage)) for passage in passages]
        encoded = self._tokenizer(texts, return_tensors="pt", padding=True).to(self._model.device)
        written = self._model.generate(
            input_ids=encoded["input_ids"],
            attention_mask=encoded["attention_mask"],
            max_new_tokens=self._max_new_tokens,
            do_sample=False,
        )
        decoded: list[str] = self._tokenizer.batch_decode(written, skip_special_tokens=True)
        return decoded


def load_propositionizer(
    name: str | Path, *, template: str = TEMPLATE, batch_size: int = 8, max_new_tokens: int = 512
) -> Seq2SeqPropositionizer:
    """A sequence-to-sequence model that writes propositions as a JSON array.

    Args:
        name: a folder on this machine, or a model's name on the hub, which the library then downloads unless
            it has it already; for example ``chentong00/propositionizer-wiki-flan-t5-large``.
        template: what the model reads; ``{passage}`` stands for the passage.
        batch_size: passages read at once.
        max_new_tokens: longest answer.

    Raises:
        MissingExtraError: transformers or torch is not installed.
        InputError: no such model.
    """
    if "{passage}" not in template:
        raise InputError(f"template: got {template!r:.200}; expected a text with {{passage}} in it")
    try:
        from transformers import AutoModelForSeq2SeqLM, AutoTokenizer
    except ImportError as error:
        raise MissingExtraError("transformers", "embeddings", f"the propositionizer {str(name)!r}") from error
    try:
        tokenizer: Any = AutoTokenizer.from_pretrained(str(name))
        model: Any = AutoModelForSeq2SeqLM.from_pretrained(str(name))
    except (OSError, ValueError) as error:
        raise InputError(
            f"propositionizer {str(name)!r}: no such sequence-to-sequence model here: {error}"
        ) from error
    return Seq2SeqPropositionizer(
        model.eval(),
        tokenizer,
        str(name),
        template=template,
        batch_size=batch_size,
        max_new_tokens=max_new_tokens,
    )
