"""The sentence that holds an answer, by the plainest rule that gives the published figures.

It is not the sentence rule of the filters, so that what is measured does not depend on what is measured with.
"""

import re

from chunkfilter.chunk import Span

#: Closes a sentence: a terminator and white space, or a terminator of a script that puts no space behind it.
#: "U.S. Army" is cut, and a closing quote keeps two sentences together; the published figures were made so.
#: Thai marks no sentence ends: there the paragraph is the sentence.
_END = re.compile(r"[.!?…؟۔]\s+|[。！？।॥]+[”’」』）]*\s*")


def enclosing_sentence(text: str, start: int, end: int) -> Span:
    """The sentence that holds ``text[start:end]``, several where it crosses a border.

    Args:
        text: a paragraph.
        start: first character of the answer.
        end: one past its last.

    Returns:
        Start and end, end exclusive, without white space at the edges.
    """
    borders = [0, *(match.end() for match in _END.finditer(text)), len(text)]
    first = max(border for border in borders if border <= start)
    last = min(border for border in borders if border >= end)
    sentence = text[first:last]
    return first + len(sentence) - len(sentence.lstrip()), first + len(sentence.rstrip())
