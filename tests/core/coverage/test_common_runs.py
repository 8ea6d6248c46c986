"""The runs that a certificate looks at lead as far as all common runs do, found one by one."""

import time

import pytest
from chunkfilter.certificate.common_runs import RUN, CommonRuns, Keeper
from chunkfilter.text.words import QUARTERS, word_weight
from hypothesis import given
from hypothesis import strategies as st

import chunkfilter as cf
from chunkfilter.result import Removal, digest

WORDS = st.lists(st.sampled_from(["a", "b", "中"]), max_size=24)
KEEPERS = st.lists(st.builds(Keeper, WORDS, st.booleans()), max_size=3)


def weight(words: list[str]) -> int:
    return sum(map(word_weight, words))


def all_runs(text: list[str], keepers: list[Keeper]) -> list[tuple[int, int, bool, bool]]:
    """Start, end, and whether the keeper begins and ends there, of every common run that is long enough."""
    return [
        (start, end, there == 0, keeper.whole and there + end - start == len(keeper.words))
        for keeper in keepers
        for start in range(len(text))
        for end in range(start + 1, len(text) + 1)
        if (start, end) == (0, len(text)) or weight(text[start:end]) >= RUN * QUARTERS
        for there in range(len(keeper.words) - (end - start) + 1)
        if keeper.words[there : there + end - start] == text[start:end]
    ]


def lead(runs: list[tuple[int, int, bool, bool]], start: int, stop: int) -> bool:
    """Whether the runs lead from one word to another: on from a run only where a keeper begins or ends."""
    anywhere, at_end = {start}, {start}
    while True:
        usable = [run for run in runs if run[0] <= max(anywhere if run[2] else at_end)]
        grown = anywhere | {run[1] for run in usable}, at_end | {run[1] for run in usable if run[3]}
        if grown == (anywhere, at_end):
            return max(anywhere) >= stop
        anywhere, at_end = grown


@given(WORDS, KEEPERS)
def test_they_lead_as_far_as_all_common_runs(text: list[str], keepers: list[Keeper]) -> None:
    found, runs = CommonRuns(text, keepers), all_runs(text, keepers)
    for start in range(len(text)):
        for stop in range(start + 1, len(text) + 1):
            assert found.lead(start, stop) == lead(runs, start, stop)
            assert found.weight(start, stop) == weight(text[start:stop])
    assert found.covered() == len({word for start, end, *_ in runs for word in range(start, end)})


@pytest.mark.parametrize("policy", ["coverage window=none", "coverage@0.9 window=none guards=none"])
@pytest.mark.parametrize("unit", ["word ", "One. ", "one two "])
def test_a_text_that_repeats_itself_is_checked_in_time_that_grows_with_its_length(
    policy: str, unit: str
) -> None:
    def seconds(times: int) -> float:
        texts = [f"{unit * times}\n", f"{unit * times}\nAnother end."]
        removal = Removal(0, (1,), (), policy.split(maxsplit=1)[0], 1.0)
        digests = tuple(map(digest, texts))
        result = cf.FilterResult((1,), (removal,), (), cf.Policy.parse(policy), digests)
        started = time.process_time()
        result.verify(texts)
        return time.process_time() - started

    seconds(100)
    assert seconds(16_000) < 40 * max(seconds(1_000), 0.01)
