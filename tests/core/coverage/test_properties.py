"""The promises of ``coverage``, on texts made of cut, overlapped, edited and shuffled pieces.

``stands_in`` reads the promise once more in the slowest and plainest way, for texts of plain words whose
sentences begin with a capital and end with a terminator.
"""

import math
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import chunkfilter as cf

RUN = 5


def tokens(text: str) -> list[str]:
    return text.split()


def plain(text: str) -> list[str]:
    return re.findall(r"\w+", text.lower())


def whole_sentences(text: str) -> list[list[str]]:
    """Tokens from one that is no small letter, after a terminator or at the start, to the next terminator."""
    found: list[list[str]] = []
    current: list[str] = []
    for token in tokens(text):
        current.append(token)
        if token[-1] in ".?!":
            if not current[0][0].islower():
                found.append(plain(" ".join(current)))
            current = []
    return found


def lies_in_a_run(words: list[str], place: int, keeper: list[str]) -> bool:
    """Whether a word lies in five words, or all there are, that stand verbatim in a keeper."""
    size = min(RUN, len(words))
    starts = range(max(0, place - size + 1), min(place, len(words) - size) + 1)
    windows = {tuple(keeper[start : start + size]) for start in range(len(keeper) - size + 1)}
    return any(tuple(words[start : start + size]) in windows for start in starts)


def stands_in(text: str, keepers: list[str]) -> bool:
    """Each whole sentence as one of its own in one keeper, every other word in a run in one keeper."""
    words, sentences = plain(text), whole_sentences(text)
    given = [whole_sentences(keeper) for keeper in keepers]
    if not all(any(sentence in one for one in given) for sentence in sentences):
        return False
    covered = set[int]()
    for sentence in sentences:
        for start in range(len(words) - len(sentence) + 1):
            if words[start : start + len(sentence)] == sentence:
                covered.update(range(start, start + len(sentence)))
    return all(
        place in covered or any(lies_in_a_run(words, place, plain(keeper)) for keeper in keepers)
        for place in range(len(words))
    )


WORDS = st.sampled_from(["pump", "valve", "tank", "line", "opens", "fills", "at", "six", "9.1", "Oslo"])


@st.composite
def sentences(draw: st.DrawFn) -> str:
    words = draw(st.lists(WORDS, min_size=1, max_size=9))
    return " ".join([words[0].capitalize(), *words[1:]]) + draw(
        st.sampled_from([".", ".", ".", "?", "!", ""])
    )


@st.composite
def documents(draw: st.DrawFn) -> list[str]:
    pool = draw(st.lists(sentences(), min_size=2, max_size=7))
    gap = draw(st.sampled_from([" ", " ", "\n"]))
    picks = st.lists(st.sampled_from(pool), min_size=1, max_size=10)
    return [gap.join(draw(picks)) for _ in range(draw(st.integers(1, 3)))]


@st.composite
def pieces(draw: st.DrawFn) -> list[cf.Chunk]:
    """Windows over documents, by words or characters, with or without spans; some edited, some shuffled."""
    chunks: list[cf.Chunk] = []
    for number, document in enumerate(draw(documents())):
        size = draw(st.integers(4, 60))
        step = draw(st.integers(3, size))
        source = draw(st.sampled_from([None, f"document {number}"]))
        for start in range(0, len(document), step):
            text = document[start : start + size]
            spans = ((start, start + len(text)),) if source else ()
            chunks.append(cf.Chunk(text, source=source, spans=spans))
    for _ in range(draw(st.integers(0, 3))):
        chunks.append(cf.Chunk(draw(edited(draw(st.sampled_from(chunks)).text))))
    return draw(st.permutations(chunks)) if draw(st.booleans()) else chunks


@st.composite
def edited(draw: st.DrawFn, text: str) -> str:
    """A word is put in, left out or said otherwise."""
    words = text.split()
    place = draw(st.integers(0, len(words)))
    edit = draw(st.sampled_from(["in", "out", "other"]))
    return " ".join([*words[:place], *([] if edit == "out" else ["not"]), *words[place + (edit != "in") :]])


POLICIES = st.sampled_from(
    [
        "coverage",
        "coverage",
        "coverage keep=longest",
        "coverage window=6",
        "coverage window=none blank=keep",
        "coverage@0.8",
        "coverage@0.5 window=6",
    ]
)


def windows(text: str, size: int, step: int) -> list[str]:
    words = text.split()
    return [" ".join(words[start : start + size]) for start in range(0, len(words), step)]


def covering_texts(
    result: cf.FilterResult, removal: cf.Removal, texts: list[str], stored: list[str]
) -> list[str]:
    return [texts[place] for place in removal.kept_by] + [stored[place] for place in removal.kept_by_existing]


@settings(max_examples=150, deadline=None)
@given(documents(), st.integers(2, 12), st.integers(1, 8), st.integers(0, 3))
def test_every_sentence_and_word_stands_in_the_named_keepers_and_so_in_what_is_kept(
    texts: list[str], size: int, step: int, stored: int
) -> None:
    chunks = [window for text in texts for window in windows(text, size, step)]
    old, new = chunks[:stored], chunks[stored:]
    result = cf.filter_chunks(new, "coverage", existing=old)
    for removal in result.removed:
        named = covering_texts(result, removal, new, old)
        assert 1 <= len(named) <= 3
        assert set(removal.kept_by) <= set(result.kept)
        assert removal.score == 1.0
        if removal.rule == "exact":
            assert [plain(new[removal.index])] == [plain(text) for text in named]
        else:
            assert stands_in(new[removal.index], named)


@settings(max_examples=100, deadline=None)
@given(pieces(), POLICIES)
def test_the_certificate_holds_and_what_was_kept_is_kept_again(chunks: list[cf.Chunk], policy: str) -> None:
    result = cf.filter_chunks(chunks, policy)
    result.verify(chunks)
    assert not cf.filter_chunks([chunks[place] for place in result.kept], policy).removed


@settings(max_examples=60, deadline=None)
@given(pieces(), st.sampled_from(["0.5", "0.8", "0.95"]))
def test_a_share_of_the_words_stands_in_the_keepers_of_the_lossy_rule(
    chunks: list[cf.Chunk], share: str
) -> None:
    for guards in ("default", "none"):
        result = cf.filter_chunks(chunks, f"coverage@{share} guards={guards}")
        result.verify(chunks)
        for removal in result.removed:
            if removal.rule == f"coverage@{share}":
                assert removal.score is not None
                assert float(share) - 1e-9 <= removal.score <= 1.0


@settings(max_examples=60, deadline=None)
@given(pieces(), st.sampled_from(["0.5", "0.8"]))
def test_under_guards_the_lossy_rule_loses_no_more_than_coverage(chunks: list[cf.Chunk], share: str) -> None:
    one, other = cf.filter_chunks(chunks, f"coverage@{share}"), cf.filter_chunks(chunks, "coverage")
    assert (one.kept, one.conflicts) == (other.kept, other.conflicts)
    assert [line.kept_by for line in one.removed] == [line.kept_by for line in other.removed]


@settings(max_examples=60, deadline=None)
@given(st.lists(WORDS, min_size=6, max_size=40), st.data())
def test_under_guards_a_statement_with_one_change_stays(words: list[str], data: st.DataObject) -> None:
    """A word said otherwise, put in, left out, or two that change places."""
    place = data.draw(st.integers(1, len(words) - 2))
    changed = [
        [*words[:place], "not", *words[place + 1 :]],
        [*words[:place], "not", *words[place:]],
        [*words[:place], *words[place + 1 :]],
        [*words[:place], words[place + 1], words[place], *words[place + 2 :]],
    ]
    for other in changed:
        texts = [f"So {' '.join(one)}." for one in (words, other)]
        if other != words:
            assert len(cf.filter_chunks(texts, "coverage@0.5").kept) == 2


@settings(max_examples=60, deadline=None)
@given(pieces(), st.lists(st.sampled_from(["a", "b", None]), min_size=60, max_size=60))
def test_scopes_are_filtered_as_if_each_were_alone(chunks: list[cf.Chunk], tenants: list[str | None]) -> None:
    marked = [
        cf.Chunk(chunk.text, metadata={"tenant": tenant} if tenant else None)
        for chunk, tenant in zip(chunks[:60], tenants, strict=False)
    ]
    together = cf.filter_chunks(marked, "coverage scope=tenant blank=keep")
    for tenant in ("a", "b"):
        own = [place for place, chunk in enumerate(marked) if chunk.metadata == {"tenant": tenant}]
        alone = cf.filter_chunks([marked[place].text for place in own], "coverage blank=keep")
        # texts of another tenant may stand between two neighbours: then less is known of where they were cut
        assert {own[place] for place in alone.kept} <= set(together.kept)
    assert all(place in together.kept for place, chunk in enumerate(marked) if not chunk.metadata)


@settings(max_examples=40, deadline=None)
@given(pieces(), st.integers(0, 5))
def test_stored_chunks_stand_for_new_ones_and_are_never_removed(chunks: list[cf.Chunk], count: int) -> None:
    stored, new = chunks[:count], chunks[count:]
    result = cf.filter_chunks(new, "coverage", existing=stored)
    assert len(result) == len(new)
    result.verify(new, existing=stored)
    everything = cf.filter_chunks(stored, "coverage", existing=stored)
    assert not everything.kept


@settings(max_examples=40, deadline=None)
@given(documents(), st.data())
def test_an_inserted_negation_is_never_covered_by_the_text_without_it(
    texts: list[str], data: st.DataObject
) -> None:
    words = texts[0].split()
    place = data.draw(st.integers(0, len(words)))
    changed = " ".join([*words[:place], "never", *words[place:]])
    assert 1 in cf.filter_chunks([texts[0], changed], "coverage").kept


@settings(max_examples=40, deadline=None)
@given(pieces())
def test_the_same_chunks_give_the_same_result(chunks: list[cf.Chunk]) -> None:
    assert cf.filter_chunks(chunks, "coverage") == cf.filter_chunks(list(chunks), "coverage")


@pytest.mark.parametrize(
    "texts", [[], [""], ["", " "], ["..."], ["one"], ["one", "two"], ["是", "否", "7", "8"]]
)
def test_empty_and_tiny_inputs_lose_nothing_that_is_not_blank(texts: list[str]) -> None:
    result = cf.filter_chunks(texts, "coverage blank=keep")
    assert len(result.kept) == len({text.strip() for text in texts})
    assert not math.isnan(result.reduction)
    result.verify(texts)
