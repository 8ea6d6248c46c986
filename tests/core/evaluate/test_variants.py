"""What policies keep, what is put beside them at equal size, and sweeps of thresholds."""

import numpy as np
import pytest

import chunkfilter as cf
from chunkfilter.errors import MissingSignalError, PolicyError
from chunkfilter.evaluate.collection import Collection, Settings
from chunkfilter.evaluate.same_size import BESIDE
from chunkfilter.evaluate.sweep import expanded
from chunkfilter.evaluate.variants import Filters
from chunkfilter.policy import Policy
from chunkfilter.signals.embedders import Embedder, as_embedder

Corpus = tuple[list[cf.Chunk], list[cf.Question]]


@pytest.fixture(scope="module")
def changing() -> Filters:
    """Texts of which each second one repeats a part of the one before; their vectors are as much alike."""
    count, random = 300, np.random.default_rng(0)
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
    data = Collection(chunks, [question], Settings(tokens=("word",)), vectors, vectors[:1])
    return Filters(data, as_embedder(lambda texts: np.ones((len(texts), 2))))


@pytest.mark.parametrize("name", BESIDE)
def test_what_stands_beside_a_variant_keeps_as_many_characters(changing: Filters, name: str) -> None:
    variant = changing.variant(Policy.parse("random@0.3"))
    other = BESIDE[name](variant, changing, np.zeros(300, dtype=np.int64), 2)
    assert other is not None
    characters = changing.data.characters
    wanted = int(characters[variant.draws[0]].sum())
    for kept in other.draws:
        assert abs(int(characters[kept].sum()) - wanted) <= 0.01 * characters.sum()
    assert other.kind == name
    assert other.name.endswith("size of random@0.3")


def test_a_size_that_no_threshold_reaches_gets_the_nearest(corpus: Corpus, minilm: Embedder) -> None:
    chunks, questions = corpus
    policies, beside = ["exact scope=source", "exact"], ["minhash", "similarity"]
    found = cf.compare(chunks, questions, policies, embedder=minilm, tokens=("word",), beside=beside)
    kinds = [(row.kind, row.kept) for row in found.rows]
    assert kinds == [("policy", 72), ("policy", 37), ("minhash", 37), ("similarity", 37)]
    assert found.family == ()


def test_a_sweep_means_a_policy_at_each_threshold() -> None:
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
    found = cf.compare(chunks, questions, policies, embedder=minilm, tokens=("word",), entities=last_words)
    assert calls == [len({chunk.text for chunk in chunks})]
    assert [row.kept for row in found.rows[:3]] == [3, 3, 3]
    assert found.rows[3].kept > 3
    with pytest.raises(MissingSignalError, match="needs entities"):
        cf.compare(chunks, questions, policies, embedder=minilm, tokens=("word",))
