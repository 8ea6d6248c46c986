"""Rivals at equal size, sweeps of thresholds, and policies that read entities or topics."""

import numpy as np
import pytest

import chunkfilter as cf
from chunkfilter.errors import InputError, MissingSignalError, PolicyError
from chunkfilter.evaluate.arms import policy_arm
from chunkfilter.evaluate.bench import Bench, Settings
from chunkfilter.evaluate.filtering import Filtering
from chunkfilter.evaluate.rivals import RIVALS, rival_arm
from chunkfilter.evaluate.search import search_named
from chunkfilter.evaluate.sweep import expanded
from chunkfilter.policy import Policy
from chunkfilter.signals.embedders import Embedder, as_embedder

Corpus = tuple[list[cf.Chunk], list[cf.Question]]


def changing_bench(count: int = 300) -> tuple[Bench, Embedder]:
    """Texts of which each second one repeats a part of the one before; their vectors are as much alike."""
    random = np.random.default_rng(0)
    words = [f"w{number}" for number in range(400)]
    texts: list[list[str]] = []
    for number in range(count):
        start = random.integers(0, 300)
        text = words[start : start + 40]
        if number % 2:
            changed = random.integers(0, 40, random.integers(1, 30))
            text = [f"x{number}" if place in changed else word for place, word in enumerate(texts[-1])]
        texts.append(text)
    vectors = random.standard_normal((count, 64))
    vectors[1::2] = vectors[::2] + random.uniform(0, 2, (count // 2, 1)) * vectors[1::2]
    vectors = (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float32)
    chunks = [cf.Chunk(" ".join(text)) for text in texts]
    question = cf.Question("1", "Which words?", (cf.Reference(chunks[0].text),))
    bench = Bench(chunks, [question], vectors, vectors[:1], search_named("exact"), Settings(tokens=("word",)))
    return bench, as_embedder(lambda texts: np.ones((len(texts), 2)))


@pytest.mark.parametrize("name", RIVALS)
def test_a_rival_keeps_as_many_characters_as_the_arm_it_stands_beside(name: str) -> None:
    bench, embedder = changing_bench()
    filtering = Filtering(bench, embedder)
    arm = policy_arm(bench, Policy.parse("random@0.3"), filtering, seeds=1)
    rival = rival_arm(bench, name, arm, filtering)
    off = abs(int(bench.characters[rival.draws[0]].sum()) - int(bench.characters[arm.draws[0]].sum()))
    assert off <= 0.01 * bench.characters.sum()
    assert rival.kind == name
    assert rival.name.startswith(f"{name}@0.")
    assert rival.name.endswith("guards=none, size of random@0.3")


def test_a_size_that_no_threshold_reaches_gets_the_nearest(corpus: Corpus, minilm: Embedder) -> None:
    chunks, questions = corpus
    found = cf.compare(
        chunks, questions, ["exact scope=source", "exact"], minilm, tokens=("word",), rivals=RIVALS
    )
    kinds = [(row.kind, row.kept) for row in found.rows]
    assert kinds == [("policy", 72), ("policy", 37), ("minhash", 37), ("similarity", 37)]
    assert found.family == ()


def test_a_rival_of_unknown_name_is_refused(corpus: Corpus) -> None:
    with pytest.raises(InputError, match=r"rivals: got .*minhash, similarity"):
        cf.compare(*corpus, ["none"], rivals=["simhash"])


def test_a_sweep_stands_for_a_policy_at_each_threshold() -> None:
    found = [str(policy) for policy in expanded(["none", "similarity@0.6..0.95/0.05+ner guards=none"])]
    assert found[:2] == ["none", "similarity@0.6+ner guards=none"]
    assert found[-1] == "similarity@0.95+ner guards=none"
    assert len(found) == 9


def test_two_sweeps_give_every_combination_and_a_policy_stays_itself() -> None:
    texts = expanded(["minhash@0.7..0.8/0.1|ner-half@0.5..0.6/0.05"])
    assert [str(policy) for policy in texts] == [
        f"minhash@{one}|ner-half@{other}" for one in ("0.7", "0.8") for other in ("0.5", "0.55", "0.6")
    ]
    policy = Policy.parse("exact")
    assert expanded([policy]) == [policy]


@pytest.mark.parametrize(
    ("sweep", "message"),
    [
        ("0.9..0.6/0.1", "FIRST <= LAST"),
        ("0.6..0.9/0", "STEP > 0"),
        ("0.6..0.9/-1", "STEP > 0"),
        ("a..0.9/0.1", "with numbers"),
        ("0..inf/0.1", "with numbers"),
        ("0..nan/0.1", "with numbers"),
        ("0.6../0.1", "with numbers"),
        ("0.6..0.9/0.001", "at most 100"),
        ("0.6..0.9", "expected a number"),
        ("0.6..1.2/0.1", "from 0 to 1"),
    ],
)
def test_a_sweep_that_makes_no_sense_is_named(sweep: str, message: str) -> None:
    with pytest.raises(PolicyError, match=message):
        expanded([f"similarity@{sweep}"])


def test_entities_and_topics_are_found_once_for_all_policies(corpus: Corpus, minilm: Embedder) -> None:
    calls: list[int] = []

    def last_words(texts: list[str]) -> list[set[str]]:
        calls.append(len(texts))
        return [{text.split()[-1]} for text in texts]

    chunks, questions = corpus
    policies = [
        "ner-exact@paper",
        "ner-half@0.5..0.6/0.1 guards=none",
        "similarity@0.8+topics+ner guards=none",
    ]
    found = cf.compare(chunks, questions, policies, minilm, tokens=("word",), entities=last_words)
    assert calls == [len({chunk.text for chunk in chunks})]
    assert [row.kept for row in found.rows[:3]] == [3, 3, 3]
    assert found.rows[3].kept > 3
    with pytest.raises(MissingSignalError, match="needs entities"):
        cf.compare(chunks, questions, policies, minilm, tokens=("word",))
