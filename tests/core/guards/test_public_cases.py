"""Kinds of texts that public bug reports on filters of this kind say were wrongly dropped."""

import pytest

import chunkfilter as cf
from chunkfilter.signals.embedders import Embedder

POLICIES = ["minhash@0.3", "simhash@8", "similarity@0.5", "similarity@0.5 keep=longest"]

TERMS = "Visitors of the archive agree to the house rules printed at the entrance. " * 50

#: Texts of which each says something of its own, by what sets them apart.
DISTINCT = {
    "a digit, a date, a sign of a bill": [
        "Order 7731: please pay 3,560.00 CHF before 2029-06-15.",
        "Order 7732: please pay 3,560.00 CHF before 2029-06-15.",
        "Order 7731: please pay 3,560.00 CHF before 2029-07-15.",
        "Order 7731: please pay 3,650.00 CHF before 2029-06-15.",
        "Order 7731: please pay -3,560.00 CHF before 2029-06-15.",
    ],
    "a value in a long sentence": [
        "The alloy of the second batch melts at 1.407 times the temperature reported for pure samples.",
        "The alloy of the second batch melts at 1.417 times the temperature reported for pure samples.",
    ],
    "a version": ["Node 18.2 is no longer tested.", "Node 18.4 is no longer tested."],
    "a currency": ["A seat costs 40 GBP a year.", "A seat costs 40 SEK a year."],
    "a unit": ["Add 3 ml of reagent.", "Add 3 l of reagent."],
    "a time": ["Gates close at 03:00 sharp.", "Gates close at 13:00 sharp."],
    "a negation": ["Pets may ride the lift.", "Pets may not ride the lift."],
    "a negated order": ["Open the hatch under load.", "Do not open the hatch under load."],
    "a contracted negation": ["The seal is tight.", "The seal isn't tight."],
    "a negating preposition": ["Sold with a charger.", "Sold without a charger."],
    "rows of a table": [
        "| part | stock | cost |\n|---|---|---|\n| K-7 | 15 | 8.00 |",
        "| part | stock | cost |\n|---|---|---|\n| K-8 | 35 | 8.00 |",
    ],
    "lines of bare cells": ["4|5|610$", "8|2|140$"],
    "an operator": ["def area(x, y):\n    return x * y", "def total(x, y):\n    return x + y"],
    "a bound": ["while n < 20:\n    step(n)", "while n < 200:\n    step(n)"],
    "a verb of a query": ["SELECT key FROM visits WHERE open = 0;", "DELETE FROM visits WHERE open = 0;"],
    "what follows a running header": [
        "Harbour Board, internal, sheet 2 of 40\nBerths are let by the week.",
        "Harbour Board, internal, sheet 5 of 40\nBerths need a deposit.",
        "Harbour Board, internal, sheet 8 of 40\nKeys are left at the north gate.",
    ],
    "the end of a long text": [
        TERMS + "The key of room one is red.",
        TERMS + "The key of room two is blue.",
        TERMS + "Lockers are emptied at night.",
    ],
    "a Chinese fact": ["图书馆每天晚上九点关门。", "下周一上午我们去参观博物馆。"],
    "a Japanese fact": ["会員証は発行日から五年間有効です。", "荷物は三十日以内に届きます。"],
    "a Thai fact": ["ร้านเปิดทุกวันเวลาแปดโมง", "สินค้าจะส่งถึงภายในเจ็ดวัน"],
    "a dotless i": ["Sıla kapıyı açtı.", "Sila kapıyı açtı."],
    "windows of one text": [
        "p1 Ovens heat at four. p2 Dough rests at five. p3 Bread cools by six.",
        "p3 Bread cools by six. p4 Vans load at seven. p5 Shops open at eight.",
    ],
}

#: Copies that may go: one of each pair stays.
COPIES = {
    "wrapped": (
        "Order 7731: pay 3,560.00 CHF by 2029-06-15.",
        "Order 7731:\npay 3,560.00 CHF\nby 2029-06-15.",
    ),
    "other end": ("Every seat has a lamp and a socket.", "Every seat has a lamp and a socket!"),
    "full-width stop": ("图书馆每天晚上关门", "图书馆每天晚上关门。"),
    "capital dotless i": ("SICAK SÜT", "Sicak süt"),
    "table": ("| part | stock |\n|---|---|\n| K-7 | 15 |", "| part | stock |\n|---|---|\n| K-7 | 15 |"),
}

TRANSLATIONS = [
    "Every passenger has the right to a refund if the train is late.",
    "Bei Verspätung des Zuges kann jeder Fahrgast eine Erstattung verlangen.",
    "En cas de retard du train, tout voyageur peut demander un remboursement.",
]


@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("kind", DISTINCT)
def test_texts_that_say_something_of_their_own_stay(kind: str, policy: str, minilm: Embedder) -> None:
    result = cf.filter_chunks(DISTINCT[kind], policy, embedder=minilm)
    assert result.kept == tuple(range(len(DISTINCT[kind])))


@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("kind", COPIES)
def test_of_copies_one_stays(kind: str, policy: str, minilm: Embedder) -> None:
    assert len(cf.filter_chunks(COPIES[kind], policy, embedder=minilm).kept) == 1


def test_translations_stay_though_their_vectors_are_almost_equal() -> None:
    texts = [*TRANSLATIONS, TRANSLATIONS[0].replace(".", "!")]
    vectors = [[1.0, 0.0, 0.01], [1.0, 0.01, 0.01], [1.0, 0.0, 0.02], [1.0, 0.0, 0.01]]
    result = cf.filter_chunks(texts, "similarity@0.9", embeddings=vectors)
    assert result.kept == (0, 1, 2)
    assert {(one.index, one.guard) for one in result.vetoed} == {(1, "language"), (2, "language")}


def test_texts_in_which_no_entity_is_found_are_no_evidence_of_each_other() -> None:
    texts = [text for kind in ("an operator", "a bound", "a verb of a query") for text in DISTINCT[kind]]
    for rule in ("ner-exact", "ner-half@0.5", "minhash@0.3+ner"):
        assert len(cf.filter_chunks(texts, rule, entities=[set()] * len(texts)).kept) == len(texts)
