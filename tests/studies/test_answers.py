"""Answers by any function, measured by BERTScore and by the cosine with their question."""

import re
import sys
from pathlib import Path

import numpy as np
import pytest

import chunkfilter as cf
from chunkfilter.errors import InputError, MissingExtraError
from chunkfilter.signals.embedders import Embedder
from chunkfilter.studies.answers import (
    answer_prompt,
    bert_scores,
    evaluate_answers,
    generate_answers,
    question_cosine,
)

pytest.importorskip("bert_score", reason="the extra 'answers' is not installed")

MINILM = "package:all-MiniLM-L6-v2"
QUESTIONS = [
    cf.Question("1", "When does the pump start?", (), answers=("The pump starts at six.",)),
    cf.Question("2", "Who paints the door?", (), answers=("Nobody does.", "The painter paints it.")),
]
RETRIEVED = [
    [cf.Chunk("The pump starts at six."), "Ships sail at noon."],
    ["The painter paints the door.", "Rain falls."],
]


def first_passage(prompt: str) -> str:
    """A model that answers with the best passage it was shown."""
    return prompt.partition("[1] ")[2].partition("\n")[0]


def test_the_model_sees_the_question_and_the_first_k_chunks() -> None:
    seen: list[str] = []

    def model(prompt: str) -> str:
        seen.append(prompt)
        return "  yes "

    assert generate_answers(QUESTIONS, RETRIEVED, model, k=1) == ["yes", "yes"]
    assert "[1] The pump starts at six." in seen[0]
    assert "Ships" not in seen[0]
    assert seen[0].endswith("Question: When does the pump start?\nAnswer:")


def test_equal_prompts_are_sent_once() -> None:
    sent: list[str] = []
    generate_answers([QUESTIONS[0]] * 3, [RETRIEVED[0]] * 3, lambda prompt: sent.append(prompt) or "x")
    assert len(sent) == 1
    assert answer_prompt("?", []) in (answer_prompt("?", ()), sent[0])


def test_good_answers_have_better_scores(minilm: Embedder) -> None:
    good = evaluate_answers(QUESTIONS, RETRIEVED, first_passage, bert_model=MINILM, embedder=minilm)
    bad = evaluate_answers(
        QUESTIONS, RETRIEVED, lambda _: "Bananas are yellow.", bert_model=MINILM, embedder=minilm
    )
    assert good.answers == ("The pump starts at six.", "The painter paints the door.")
    assert good.values["bert_score"][0] == pytest.approx(1.0, abs=1e-4)
    for name in ("bert_score", "question_cosine"):
        assert good.rates[name] > bad.rates[name]
        for values in (good.values[name], bad.values[name]):
            assert ((values >= 0) & (values <= 1)).all()


def test_the_best_of_several_expected_answers_counts() -> None:
    both = bert_scores(["The painter paints it."], [QUESTIONS[1].answers], MINILM)
    one = bert_scores(["The painter paints it."], [QUESTIONS[1].answers[:1]], MINILM)
    assert both[0] == pytest.approx(1.0, abs=1e-4)
    assert one[0] < both[0]


def test_an_empty_answer_has_nothing(minilm: Embedder) -> None:
    assert bert_scores(["", " \n"], [["a"], ["b"]], MINILM).tolist() == [0.0, 0.0]
    assert question_cosine(["Why?", "Who?"], ["", "Who?"], minilm).tolist() == [0.0, pytest.approx(1.0)]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: generate_answers(QUESTIONS, RETRIEVED[:1], first_passage), "1 lists; expected 2"),
        (lambda: generate_answers(QUESTIONS, RETRIEVED, first_passage, k=0), "k: got 0"),
        (
            lambda: generate_answers(QUESTIONS, RETRIEVED, lambda _: None),
            "question '1': the model returned None",
        ),
        (lambda: evaluate_answers([], [], first_passage), "questions: got none"),
        (lambda: bert_scores(["a"], [[" "]], MINILM), "answer 0: nothing is expected"),
        (lambda: bert_scores(["a"], [["b"]], "package:none"), "no such packaged model"),
        (lambda: bert_scores(["a"], [["b"]], "/no/such/folder"), "BERTScore model '/no/such/folder': cannot"),
    ],
)
def test_mistakes_are_named(call, message: str) -> None:
    with pytest.raises(InputError, match=message):
        call()


def test_bert_score_needs_an_expected_answer() -> None:
    question = cf.Question("7", "?", ())
    with pytest.raises(InputError, match="question '7': has no answer"):
        evaluate_answers([question], [["a"]], first_passage, bert_model=MINILM)


def test_a_missing_package_says_what_installs_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "bert_score", None)
    with pytest.raises(MissingExtraError, match=r'pip install "chunkfilter\[answers\]"'):
        bert_scores(["a"], [["b"]], MINILM)


def test_scores_do_not_depend_on_what_else_is_scored() -> None:
    answers, expected = ["It is red.", "It is a very long answer about ships."], [["It is blue."], ["Ships."]]
    together = bert_scores(answers, expected, MINILM)
    alone = np.array(
        [bert_scores([one], [two], MINILM)[0] for one, two in zip(answers, expected, strict=True)]
    )
    assert together == pytest.approx(alone, abs=1e-4)


def test_the_recipe_of_the_page_runs_as_it_stands(capsys):
    page = (Path(__file__).parents[2] / "docs" / "chunking.md").read_text(encoding="utf-8")
    (recipe,) = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    exec(compile(recipe, "recipe of docs/chunking", "exec"), {})
    printed = capsys.readouterr().out
    assert "It gets as cold as -80 degrees." in printed
    assert "'bert_score': 0." in printed
    assert "'question_cosine': 0." in printed
