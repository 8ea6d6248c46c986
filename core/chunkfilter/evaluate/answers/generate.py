"""Answers from retrieved chunks, by any language model."""

from collections.abc import Callable, Sequence

from chunkfilter.chunk import Chunk, as_chunks
from chunkfilter.errors import InputError
from chunkfilter.evaluate.arguments import refuse_no_count, several
from chunkfilter.evaluate.questions import Question

#: A language model: any function from a prompt to what the model writes.
LanguageModel = Callable[[str], str]

#: Writes the prompt for a question and its chunks, best first.
Prompt = Callable[[str, Sequence[str]], str]


def answer_prompt(question: str, texts: Sequence[str]) -> str:
    """The prompt: the chunks, numbered, best first, then the question.

    Args:
        question: what is asked.
        texts: the retrieved chunks.
    """
    passages = "\n\n".join(f"[{number}] {text}" for number, text in enumerate(texts, start=1))
    return (
        "Answer the question from the passages alone. Say so if they do not answer it.\n\n"
        f"Passages:\n\n{passages}\n\nQuestion: {question}\nAnswer:"
    )


def generate_answers(
    questions: Sequence[Question],
    retrieved: Sequence[Sequence[Chunk | str]],
    model: LanguageModel,
    *,
    k: int = 5,
    prompt: Prompt = answer_prompt,
) -> list[str]:
    """Have each question answered from its chunks; equal prompts are sent once.

    Args:
        questions: q questions.
        retrieved: for each question what was retrieved, best first.
        model: what answers; its exceptions are not caught.
        k: chunks that are shown to it.
        prompt: writes what is sent.

    Returns:
        q answers, without white space around them.

    Raises:
        InputError: no function, not one list a question, ``k`` out of bounds, or a prompt or answer that is
            no text.
    """
    for name, given in (("model", model), ("prompt", prompt)):
        if not callable(given):
            raise InputError(f"{name}: got {given!r:.80}; expected a function")
    retrieved = several("retrieved", retrieved, "one list a question")
    if len(questions) != len(retrieved):
        raise InputError(f"retrieved: {len(retrieved)} lists; expected {len(questions)}, one a question")
    refuse_no_count("k", k)
    known: dict[str, str] = {}
    answers: list[str] = []
    for question, found in zip(questions, retrieved, strict=True):
        texts = [chunk.text for chunk in as_chunks(found, "retrieved chunk")[:k]]
        asked = prompt(question.text, texts)
        if not isinstance(asked, str):
            raise InputError(f"question {question.id!r}: the prompt is {asked!r:.80}; expected a str")
        if asked not in known:
            answer = model(asked)
            if not isinstance(answer, str):
                raise InputError(
                    f"question {question.id!r}: the model returned {answer!r:.80}; expected a str"
                )
            known[asked] = answer.strip()
        answers.append(known[asked])
    return answers
