"""Language models as propositionizers, and what they write read as propositions."""

import json
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import regex

from chunkfilter.errors import InputError, MissingExtraError, PropositionError

#: ``{passage}`` is replaced by the passage, nothing else.
#: It holds no list itself: a model that repeats it has not answered.
PROMPT = """\
Rewrite the passage below as facts. Each fact is one sentence that can be understood alone: write out the
names that pronouns and words such as "the company" stand for, and split sentences that state several facts.
Keep numbers, dates, names and negations as they are. Add nothing that the passage does not say. Answer with a
JSON array of strings and nothing else.

Passage:
{passage}
"""

#: What the published propositionizer (chentong00/propositionizer-wiki-flan-t5-large) was trained to read.
TEMPLATE = "Title: . Section: . Content: {passage}"
_SURROGATE = re.compile("[\ud800-\udfff]")

_BULLET = re.compile(r"\s*(?:[-*•–]|\d{1,3}[.)])\s+(?P<text>\S.*)")

_SPACE = r"[ \t\n\r]*+"
_PLAIN = r'[^"\\\x00-\x1f]*+'
_STRING = rf'"{_PLAIN}(?:\\(?:["\\/bfnrt]|u[0-9a-fA-F]{{4}}){_PLAIN})*+"'
#: Possessive, so that one try reads the text once. Where a later try begins, inside a string, an earlier one
#: that is still going ends, so all of them together read it twice at most.
_ARRAY_OF_STRINGS = regex.compile(rf"\[{_SPACE}{_STRING}{_SPACE}(?:,{_SPACE}{_STRING}{_SPACE})*+\]")


def filled(template: str, passage: str) -> str:
    """The template with the passage in it; braces in the passage are plain characters."""
    return template.replace("{passage}", passage)


def read_propositions(written: str) -> list[str]:
    """Read a JSON array of strings, or a list with a bullet or number before each line.

    What stands around the array or the list is passed over; equal propositions are given once.

    Raises:
        PropositionError: neither is there, or it holds nothing.
        InputError: what was written is no text.
    """
    if not isinstance(written, str):
        raise InputError(f"written: got {written!r:.80}; expected the text that a model wrote")
    found = _array(written)
    if found is None:
        found = [match["text"] for line in written.splitlines() if (match := _BULLET.fullmatch(line))]
    sentences = list(dict.fromkeys(" ".join(sentence.split()) for sentence in found))
    if not any(sentences):
        raise PropositionError(f"got {written!r:.200}; expected a JSON array of sentences")
    return [sentence for sentence in sentences if sentence]


def _array(written: str) -> list[str] | None:
    """The first JSON array of strings."""
    match = _ARRAY_OF_STRINGS.search(written)
    if match is None:
        return None
    found: list[str] = json.loads(match[0])
    return found


class PromptedPropositionizer:
    """States propositions with a language model that is asked for them.

    Args:
        model: a LangChain ``Runnable``, asked through ``batch``; a LlamaIndex ``LLM``, asked through
            ``complete``; or a function from a prompt to an answer. An answer is a list of sentences, or a
            text or message that holds a JSON array or list of them.
        prompt: what it is given, with the passage in place of ``{passage}``. ``None`` gives the passage
            alone, for chains with a prompt of their own.
        name: changes whenever its answers would; needed only to keep them on disk.
        max_concurrency: passages that a ``Runnable`` is asked for side by side; ``None`` leaves that to it.

    Raises:
        InputError: it is none of these.
    """

    def __init__(
        self,
        model: Any,
        *,
        prompt: str | None = PROMPT,
        name: str | None = None,
        max_concurrency: int | None = None,
    ) -> None:
        if not any(callable(one) for one in (_method(model, "batch"), _method(model, "complete"), model)):
            raise InputError(
                f"model: got {model!r:.80}; expected a LangChain Runnable, a LlamaIndex LLM or a function"
            )
        self.name = None if name is None else f"{name} (prompt {prompt!r})"
        self._model = model
        self._prompt = prompt
        self._max_concurrency = max_concurrency

    def propositions(self, passages: Sequence[str], /) -> list[list[str] | Exception]:
        """For each passage its propositions, or the exception that it failed with."""
        asked = [passage if self._prompt is None else filled(self._prompt, passage) for passage in passages]
        batch = _method(self._model, "batch")
        if batch is not None:
            answers = batch(asked, {"max_concurrency": self._max_concurrency}, return_exceptions=True)
            return [_stated(answer) for answer in answers]
        ask = _method(self._model, "complete") or self._model
        return [self._answer(ask, prompt) for prompt in asked]

    @staticmethod
    def _answer(ask: Callable[[str], Any], prompt: str) -> list[str] | Exception:
        try:
            return _stated(ask(prompt))
        except Exception as error:  # noqa: BLE001  # services fail in ways of their own; every one is reported
            return error


def _method(model: Any, name: str) -> Callable[..., Any] | None:
    found = getattr(model, name, None)
    return found if callable(found) else None


def _stated(answer: Any) -> list[str] | Exception:
    if isinstance(answer, list | Exception):
        return answer
    text = answer if isinstance(answer, str) else getattr(answer, "text", None)
    if not isinstance(text, str):
        return PropositionError(f"got {answer!r:.200}; expected a text, a message or a list of sentences")
    try:
        return read_propositions(str(text))
    except PropositionError as error:
        return error


class Seq2SeqPropositionizer:
    """States propositions with an encoder-decoder model; :func:`load_propositionizer` makes it."""

    def __init__(
        self, model: Any, tokenizer: Any, name: str, template: str, batch_size: int, max_new_tokens: int
    ) -> None:
        self.name = f"{name} (template {template!r}, {max_new_tokens} tokens)"
        self._model = model
        self._tokenizer = tokenizer
        self._template = template
        self._batch_size = batch_size
        self._max_new_tokens = max_new_tokens

    def propositions(self, passages: Sequence[str], /) -> list[list[str] | Exception]:
        """For each passage its propositions, or the error for an answer that cannot be read."""
        firsts = range(0, len(passages), self._batch_size)
        batches = (self._written(passages[first : first + self._batch_size]) for first in firsts)
        return [_stated(written) for batch in batches for written in batch]

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
        template: what the model reads, with the passage in place of ``{passage}``.
        batch_size: passages read at once.
        max_new_tokens: longest answer; a longer one is cut, cannot be read and counts as a failure.

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
    return Seq2SeqPropositionizer(model.eval(), tokenizer, str(name), template, batch_size, max_new_tokens)
