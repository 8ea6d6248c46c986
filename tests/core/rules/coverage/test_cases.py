"""What goes and what stays, case by case."""

import numpy as np
import pytest

import chunkfilter as cf
from chunkfilter.errors import VectorError

ACROSS = [
    "Boilers warm up at five. Fans turn on at six. Doors unlock at seven.",
    "Fans turn on at six. Doors unlock at seven. Guards arrive at eight.",
    "Doors unlock at seven. Guards arrive at eight. Trucks leave at nine.",
]


def kept(chunks: list[str] | list[cf.Chunk], policy: str = "coverage", **given: object) -> tuple[int, ...]:
    result = cf.filter_chunks(chunks, policy, **given)  # type: ignore[arg-type]
    result.verify(chunks, **given)  # type: ignore[arg-type]
    return result.kept


def test_a_window_goes_if_its_neighbours_hold_all_of_it() -> None:
    result = cf.filter_chunks(ACROSS, "coverage")
    assert result.removed == (cf.Removal(1, (0, 2), (), "coverage", 1.0),)


def test_a_similarity_of_two_chunks_is_not_asked_for() -> None:
    assert kept([*ACROSS, "Trucks leave at nine."]) == (0, 2)
    # sentences that were no neighbours may say something else beside each other
    assert kept([*ACROSS, "Fans turn on at six. Trucks leave at nine."]) == (0, 2, 3)


def test_the_least_wanted_chunk_goes_first() -> None:
    facts = ["Guards arrive at eight.", "Trucks leave at nine.", "Gates shut at ten."]
    texts = [" ".join(facts[:2]), " ".join(facts[1:]), " ".join(facts)]
    assert kept(texts) == (0, 1)
    dated = [
        cf.Chunk(text, metadata={"date": date})
        for text, date in zip(texts, ("2023", "2024", "2025"), strict=True)
    ]
    assert kept(dated, "coverage keep=newest:date") == (2,)
    assert kept(texts, "coverage keep=longest") == (2,)


def test_copies_go_as_exact_and_their_twin_stays() -> None:
    result = cf.filter_chunks(["Alarm 7 rings.", "Other words.", "Alarm 7\n rings."], "coverage")
    assert result.removed == (cf.Removal(2, (0,), (), "exact", 1.0),)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Deliveries are accepted on public holidays.", "Deliveries are not accepted on public holidays."),
        ("The gate is open without a badge at night.", "The gate is open with a badge at night."),
        (
            "Invoice 88 is due, 1,240.00 euros, by 2031-03-31.",
            "Invoice 88 is due, 1,420.00 euros, by 2031-03-31.",
        ),
        (
            "Invoice 88 is due, 1,240.00 euros, by 2031-03-31.",
            "Invoice 88 is due, -1,240.00 euros, by 2031-03-31.",
        ),
        ("Version 2.10 supports the old gate controller.", "Version 2.1 supports the old gate controller."),
        ("The pump of hall A was replaced in May.", "The pump of hall B was replaced in May."),
        ("| A-1 | 10 | 3.00 |\n| A-2 | 20 | 4.00 |", "| A-1 | 10 | 3.00 |\n| A-2 | 30 | 4.00 |"),
        ("保修期从购买之日起为两年时间。", "保修期从购买之日起为三年时间。"),
        ("การรับประกันมีระยะเวลาสองปี", "การรับประกันมีระยะเวลาสามปี"),
    ],
)
def test_texts_that_differ_in_a_word_a_number_or_a_name_both_stay(one: str, other: str) -> None:
    assert kept([one, other]) == (0, 1)
    assert kept([other, one]) == (0, 1)


def test_a_sentence_inside_a_longer_one_is_not_a_sentence_of_its_own() -> None:
    claim = "The seal is tight in salt water."
    assert kept([f"Nobody says that {claim[0].lower()}{claim[1:]}", claim]) == (0, 1)
    assert kept([f"It was tested. {claim} It was sold.", claim]) == (0,)


def test_a_sentence_of_a_lower_cased_text_is_not_pieced_together_from_two_others() -> None:
    ending = "the records of the year were good. increased assets under management drove the"
    beginning = "drove the record results of the bank. tax was due in the spring of the year."
    both = f"{ending} {beginning.removeprefix('drove the ')}"
    assert 2 in kept([ending, beginning, both])


def test_an_unfinished_sentence_is_not_a_finished_one() -> None:
    assert kept(
        ["The seal is tight in salt water only if it is new.", "The seal is tight in salt water."]
    ) == (0, 1)
    assert kept(["It says that the seal is tight in salt water", "The seal is tight in salt water"]) == (0, 1)


def test_a_word_between_two_runs_is_found_out() -> None:
    lines = "red green blue black white pink grey cyan lime teal"
    words = lines.split()
    assert kept([lines, " ".join([*words[:5], "not", *words[5:]])]) == (0, 1)
    assert kept([" ".join([*words[:5], "not", *words[5:]]), lines]) == (0, 1)
    # each half stands in a keeper, with the word between them: still nobody says all of it
    halves = ["so red green blue black white not here", "or else not pink grey cyan lime teal now"]
    assert kept([*halves, "red green blue black white not pink grey cyan lime teal"]) == (0, 1, 2)


def test_a_chunk_pieced_together_from_more_than_three_stays() -> None:
    facts = [f"Room {number} is on floor {number // 2} of the house." for number in range(5)]
    pairs = [f"{facts[place]} {facts[place + 1]} It was painted in 19{place}0." for place in range(4)]
    assert kept([*pairs, " ".join(facts[:4])]) == (0, 1, 2, 3)
    assert kept([*pairs, " ".join(facts)]) == (0, 1, 2, 3, 4)


def test_a_span_tells_that_a_piece_was_cut_or_was_not() -> None:
    text = "The council met in Oslo. The Board of Directors approved the plan at once. It ends here."
    cut, end = text.index("Directors"), text.index(" It ends")
    chunks = [
        cf.Chunk(text[:cut], source="a", spans=((0, cut),)),
        cf.Chunk(text[25:], source="a", spans=((25, len(text)),)),
        cf.Chunk(text[cut:end], source="a", spans=((cut, end),)),
    ]
    assert kept(chunks) == (0, 1)
    assert kept([cf.Chunk(chunk.text) for chunk in chunks]) == (0, 1, 2)


def test_a_document_that_begins_in_lower_case_is_no_piece_of_another_sentence() -> None:
    forbidden, allowed = "It is not allowed to use petrol in the pump.", "allowed to use petrol in the pump."
    whole = cf.Chunk(allowed, source="b", spans=((0, len(allowed)),))
    assert kept([cf.Chunk(forbidden, source="a"), whole]) == (0, 1)
    assert kept([forbidden, allowed]) == (0, 1)


def test_a_terminator_that_opens_the_next_chunk_closes_this_one() -> None:
    first, second = "Lamps are green. Doors are red", ". Walls are white"
    other = "Lamps are green. Doors are red. Floors are black."
    whole = f"{first}{second}"
    spans = [(0, len(first)), (len(first), len(whole))]
    chunks = [cf.Chunk(whole[start:end], source="a", spans=((start, end),)) for start, end in spans]
    assert kept([*chunks, cf.Chunk("Doors are red.", source="b")]) == (0, 1)
    assert kept([first, "Doors are red."]) == (0, 1)
    assert kept([other, "Doors are red."]) == (0,)


def test_a_tail_that_the_embedder_never_sees_does_not_stand_for_anything() -> None:
    filler = "Every order placed in the shop is subject to the general terms. " * 20
    fact = "The access code of the west gate is alpha seven."
    assert kept([filler + fact, fact], "coverage window=none") == (0,)
    assert kept([filler + fact, fact]) == (0, 1)
    assert kept([filler + fact, fact], "coverage window=300") == (0,)
    assert kept([fact + " " + filler, fact]) == (0,)


def test_the_window_is_that_of_an_embedder_that_knows_it() -> None:
    class Reads40Characters:
        def encode(self, texts: list[str]) -> np.ndarray:
            raise AssertionError("no vector is needed")

        def visible_ends(self, texts: list[str]) -> np.ndarray:
            return np.array([min(len(text), 40) for text in texts])

    texts = ["The lamp is green and the door is red. Stairs are steep.", "Stairs are steep."]
    assert kept(texts) == (0,)
    result = cf.filter_chunks(texts, embedder=Reads40Characters())
    assert result.kept == (0, 1)
    assert (result.report.window, cf.filter_chunks(texts).report.window) == ("embedder", "190 words")
    result.verify(texts, embedder=Reads40Characters())


def test_an_embedder_that_names_the_wrong_number_of_ends_is_an_error() -> None:
    class Wrong:
        def encode(self, texts: list[str]) -> np.ndarray:
            return np.ones((len(texts), 2))

        def visible_ends(self, texts: list[str]) -> np.ndarray:
            return np.zeros(1, dtype=np.int64)

    with pytest.raises(VectorError, match=r"visible_ends returned shape \(1,\) for 2 texts"):
        cf.filter_chunks(["a", "b"], embedder=Wrong())


def test_256_characters_are_seen_of_scripts_without_spaces() -> None:
    filler, fact = "这里没有什么可说的事情。" * 25, "西门的门禁密码是阿尔法七。"
    assert kept([filler + fact, fact]) == (0, 1)
    assert kept([fact + filler, fact]) == (0,)


def test_sentences_of_scripts_without_spaces_stand_alone() -> None:
    one, two, three = (
        "机器学习是人工智能的一个分支。",
        "今天下午三点召开董事会会议！",
        "退货必须在十四天之内办理。",
    )
    assert kept([one + two, two + three, one, three]) == (0, 1)
    thai = "ปั๊มเริ่มทำงานตอนหกโมง", "วาล์วเปิดตอนเจ็ดโมง", "ห้องปิดตอนค่ำ"
    assert kept(["\n\n".join(thai), thai[1]]) == (0,)
    assert kept(["\n\n".join(thai), thai[2]]) == (0, 1)  # nothing shows that it ends with the chunk


def test_five_characters_are_no_run_in_scripts_without_spaces() -> None:
    # cut inside a sentence on both sides; five characters are shared, ten are not
    assert kept(["甲乙丙丁戊己庚辛壬癸子丑寅卯", "丙丁戊己庚\n天地玄黄"]) == (0, 1)


def test_a_policy_with_several_stages_names_representatives_that_are_kept() -> None:
    texts = [
        *ACROSS,
        "Trucks leave at nine!",
        "doors UNLOCK at seven. guards arrive at eight. trucks leave at nine",
    ]
    for policy in ("exact|coverage", "coverage|exact", "minhash@0.6|coverage", "coverage|minhash@0.5"):
        result = cf.filter_chunks(texts, policy)
        assert all(set(removal.kept_by) <= set(result.kept) for removal in result.removed)
        result.verify(texts)


@pytest.mark.timeout(60)
def test_texts_that_repeat_themselves_are_no_trap() -> None:
    many = [f"{'na ' * (2000 + number)}{number}" for number in range(200)]
    assert len(cf.filter_chunks(many, "coverage window=none").kept) == 200
    texts = [f"{'na ' * 3000}one", f"{'na ' * 3000}two", "na " * 200, "a" * 200_000, f"{'a' * 200_000}b"]
    result = cf.filter_chunks(texts, "coverage window=none")
    result.verify(texts)
    assert {0, 1, 3, 4} <= set(result.kept)


def test_a_sentence_that_is_only_a_terminator_is_not_the_end_of_another() -> None:
    chunks = [
        cf.Chunk("... ... The pump starts at six in the morning.", source="a"),
        cf.Chunk("... ... ...", source="b"),
    ]
    result = cf.filter_chunks(chunks)
    assert result.kept == (0, 1)
    result.verify(chunks)
