"""Where sentences begin and end."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chunkfilter.text.normalise import normalise
from chunkfilter.text.sentences import closing_terminator, ends_between, sentences, terminator

CASES = {
    "One two. Three four.": ["One two.", "Three four."],
    "Really?! Yes. No": ["Really?!", "Yes.", "No"],
    '"Why?" she asked. "Because." He left.': ['"Why?" she asked.', '"Because."', "He left."],
    "(It is so.) Then go.": ["(It is so.)", "Then go."],
    "It was 9.1 percent. Up from 8.": ["It was 9.1 percent.", "Up from 8."],
    "She can't. He won't. Then go.": ["She can't.", "He won't.", "Then go."],
    "In 2006. increased assets drove it.": ["In 2006. increased assets drove it."],
    "See a.roe@post.example. Write soon.": ["See a.roe@post.example.", "Write soon."],
    # printed lines
    "The limit for vans is\n80 km/h. It holds\nall day.": [
        "The limit for vans is 80 km/h.",
        "It holds all day.",
    ],
    "It fell to\n- 5 degrees\nat night.": ["It fell to - 5 degrees at night."],
    "A heading\n\nA line without stop\n\nAnother": ["A heading", "A line without stop", "Another"],
    # structure
    "## Pumps\nThey start at six.": ["## Pumps", "They start at six."],
    "Bring:\n- pens\n- paper of\n  all kinds\n\nThen go.": [
        "Bring:",
        "- pens",
        "- paper of all kinds",
        "Then go.",
    ],
    "Do this:\n1. Open it.\n2. Close it.": ["Do this:", "1. Open it.", "2. Close it."],
    "| a | b |\n|---|---|\n| 1 | 2 |\n| 3 | |": ["| a | b |", "|---|---|", "| 1 | 2 |", "| 3 | |"],
    "He wrote\n> one line\n> and more\nbelow.": ["He wrote", "> one line > and more", "below."],
    "Run:\n```\nx = 1\ny = 2\n```\nDone.": ["Run:", "``` x = 1 y = 2 ```", "Done."],
    "Title\n=====\nText.": ["Title", "=====", "Text."],
    # other scripts
    "今天开会。明天休息！好": ["今天开会。", "明天休息！", "好"],
    "他说“好。”然后走了。": ["他说“好。”然后走了。".replace("“", '"').replace("”", '"')],
    "यह एक है। वह दो है।": ["यह एक है।", "वह दो है।"],
    "هل هذا جيد؟ نعم.": ["هل هذا جيد؟", "نعم."],
    # a terminator that a splitter cut off
    ". Next one. And": [".", "Next one.", "And"],
    "": [],
    " \n\t": [],
    "...": ["..."],
}


@pytest.mark.parametrize("text", CASES)
def test_sentences_end_where_a_reader_ends_them(text: str) -> None:
    assert list(sentences(text).texts) == CASES[text]


@pytest.mark.parametrize(
    "text",
    [
        "Dr. Roe and Mr. J. R. Smith met Prof. Ito.",
        "See Art. 5 and Fig. 3 of No. 7.",
        "The U.S. Senate, e.g. in May, i.e. soon.",
        "Siehe Abs. 2 bzw. Nr. 7 am 3. Mai.",
        "Véase el art. 5 y la pág. 9 de la Sra. Gil.",
        "Voir l'art. 5 et Mme. Roux.",
        "Si veda l'art. 5 e il dott. Rossi.",
        "Ai sensi dell'art. 5 qu'art. 6",
        "Conform art. 5 alin. 2 lit. a.",
        "Bkz. No. 5",
        "Βλ. Άρθ. 5",
        "См. Рис. 5 и Т. Д. Иванова.",
        "Chapter iv. Names follow",
    ],
)
def test_abbreviations_initials_and_ordinals_end_nothing(text: str) -> None:
    assert list(sentences(text).texts) == [text]


def test_a_row_has_the_header_of_its_table_and_an_item_the_line_before() -> None:
    found = sentences("Fares.\n\n| a | b |\n| 1 | 2 |\n| 3 | 4 |\n\nText.\n\n| x |\n| 9 |")
    assert [found.texts[lead] if lead >= 0 else None for lead in found.leads] == [
        None,
        None,
        "| a | b |",
        "| a | b |",
        None,
        None,
        "| x |",
    ]
    items = sentences("Bring:\n- pens\n- paper\n\nThen go.")
    assert items.leads == (-1, 0, 0, -1)


def test_whether_the_last_sentence_is_closed_is_told() -> None:
    assert sentences("It is so.").closed
    assert not sentences("It is so").closed
    assert sentences("A title\n\n").closed
    assert not sentences("A title").closed
    assert not sentences("See Art.").closed


def test_a_text_of_a_lone_terminator_at_its_start_is_headless() -> None:
    assert sentences(". Next one.").headless
    assert sentences('." Next one.').headless
    assert not sentences(".5 litres").headless
    assert not sentences("Next one.").headless


@pytest.mark.parametrize(
    ("before", "after", "ends"),
    [
        ("It ends.", " Next", True),
        ("It ends. ", "Next", True),
        ("It ends.", " and goes on", False),
        ("It goes", " on", False),
        ("Dr.", " Roe", False),
        ("A title\n\n", "Text", True),
        ("A line\n", "that goes on", False),
        ("Bring:\n", "- pens", True),
        ("| 1 | 2 |\n", "| 3 | 4 |", True),
        ("好。", "再见", True),
        ("wo", "rd", False),
        ("v1.", "2 is out", False),
    ],
)
def test_whether_a_sentence_ends_between_two_texts(before: str, after: str, ends: bool) -> None:
    assert ends_between(before, after) is ends


def test_the_terminator_that_opens_the_next_text_is_found() -> None:
    assert closing_terminator(". Walls") == "."
    assert closing_terminator('?" he said') == '?"'
    assert closing_terminator(" . Walls") == ""
    assert closing_terminator(".5 litres") == ""
    assert [terminator(text) for text in ("So.", 'So?"', "So", "好。")] == [".", '?"', "", "。"]


PARTS = st.sampled_from(
    [
        "one",
        "Two.",
        "e.g.",
        "J.",
        "3.",
        "what?",
        "(so!)",
        "。",
        "是。",
        "\n",
        "\n\n",
        "- a",
        "| b |",
        "```",
        "> q",
    ]
)


@given(st.lists(PARTS, max_size=14).map(" ".join) | st.text(max_size=40))
def test_sentences_joined_are_the_normal_form(text: str) -> None:
    joined = " ".join(sentences(text).texts)
    assert joined.replace(" ", "") == normalise(text).replace(" ", "")


@given(st.lists(PARTS, max_size=14).map("\n".join))
def test_a_lead_comes_before_what_it_leads_in(text: str) -> None:
    assert all(lead < place for place, lead in enumerate(sentences(text).leads))
