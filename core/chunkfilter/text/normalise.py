"""When two texts are the same, and the tokens that such texts are made of.

Two texts are the same if they are equal after

- Unicode NFC; - every run of white space, no-break spaces too, is one space, none at the ends; - invisible
characters are removed (soft hyphen, zero-width space, word joiner, byte order mark, direction marks); -
Latin ligatures (U+FB00 to U+FB06) are taken apart; - outside code, curly quotes, apostrophes and backticks
are straight, and balanced Markdown emphasis is removed.

Everything else is content: case, signs, dashes, brackets, operators, pipes, bullets, marks of any script,
empty cells of a table whose columns are set apart by tabs. A list of harmless differences can be complete;
a list of meaningful characters never is.

Emphasis is ``*`` or ``**`` (``_`` or ``__`` around more than one word) that opens after white space and
before a word, closes after a word or its punctuation and before white space or punctuation, in one line; but
for ``**`` around text with a letter. Code is what stands between backticks in one line, between fences, or on
a line indented by four spaces or a tab.
"""

import re
import unicodedata
from itertools import chain

import regex

#: Characters without a shape that stand in or between words by accident of typesetting. Not here: joiners
#: (they change words and emoji), tag characters and variation selectors, overrides of direction (they change
#: what is read), invisible operators.
INVISIBLE = "\u00ad\u061c\u200b\u200e\u200f\u2060\ufeff"
#: As Unicode decomposes them.
_LIGATURES = {"ﬀ": "ff", "ﬁ": "fi", "ﬂ": "fl", "ﬃ": "ffi", "ﬄ": "ffl", "ﬅ": "ſt", "ﬆ": "st"}
_TRANSLATION = str.maketrans({**dict.fromkeys(INVISIBLE, ""), **_LIGATURES})
_TRANSLATED = re.compile(f"[{INVISIBLE}{''.join(_LIGATURES)}]")
_STRAIGHT = {**dict.fromkeys("‘’‚‛`", "'"), **dict.fromkeys("“”„‟", '"')}

#: Putting a run of combining marks into canonical order takes time that grows with its square; no script
#: stacks this many, so longer runs are put in order part by part.
_MARKS_IN_ORDER = 64
_MARK_FLOOD = regex.compile(rf"\p{{M}}{{{_MARKS_IN_ORDER + 1},}}+")
_PART_OF_FLOOD = regex.compile(rf".{{1,{_MARKS_IN_ORDER}}}", regex.DOTALL)

_TYPOGRAPHY = re.compile(r"[*_`‘’‚‛“”„‟]")
_BEFORE_CLOSE, _AFTER_CLOSE = r"(?<=[\p{L}\p{N}][.,:;!?)]?)", r"(?=[\s.,;:!?…)\]}\"'”’»]|$)"
_MARK = regex.compile(
    rf"""
    (?<!`)(?P<ticks>`{{1,2}})(?!`)[^`]++(?P=ticks)(?!`)                              # code in a line
  | (?<!\S)(?P<stars>\*{{1,2}})(?=[\p{{L}}\p{{N}}])(?P<starred>[^*`]*+){_BEFORE_CLOSE}(?P=stars){_AFTER_CLOSE}
  | (?<!\S)(?P<bars>_{{1,2}})(?=[\p{{L}}\p{{N}}])(?P<barred>[^_`]*+){_BEFORE_CLOSE}(?P=bars){_AFTER_CLOSE}
  | [‘’‚‛“”„‟`]
    """,
    regex.VERBOSE,
)
_TABS = re.compile(r"\t[ ]*(?:\t|[\r\n]|$)")
#: What an empty cell becomes: a code point that no text holds.
EMPTY_CELL = "\ufdd0"
#: Categories of white space and line separators, control and format characters.
_BLANK = frozenset(("Zs", "Zl", "Zp", "Cc", "Cf"))
_LETTER = regex.compile(r"\p{L}")
_FENCE = regex.compile(r"\s{0,3}(```|~~~)")
_INDENTED = ("    ", "\t")

#: Scripts written without spaces between words.
UNSPACED = r"[\p{Han}\p{Hiragana}\p{Katakana}\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}\p{Tibetan}]"
_UNSPACED_CHARACTER = regex.compile(rf"({UNSPACED}\p{{M}}*+)")
_EAST_ASIAN = regex.compile(r"[\p{Han}\p{Hiragana}\p{Katakana}]")
#: A word of a script with spaces, in the units of :func:`token_weight`.
WORD = 4


def normalise(text: str) -> str:
    """The form in which two texts that are the same are equal; see the top of this module."""
    return " ".join(clean(text).split())


def clean(text: str) -> str:
    """A text after all steps but the one about white space: its lines and spaces are still there."""
    if not text.isascii():
        text = _composed(text)
        if _TRANSLATED.search(text):
            text = text.translate(_TRANSLATION)
    if "\t" in text and _TABS.search(text):
        text = "".join(map(_with_empty_cells, text.splitlines(keepends=True)))
    return _without_typography(text) if _TYPOGRAPHY.search(text) else text


def fenced(lines: list[str]) -> list[bool]:
    """Whether each line is a fence of a code block or between two; an open fence counts to the end.

    A text that is cut out of a document may begin inside a block: then its first fence says nothing of a
    language, and its fences are odd in number.
    """
    fences = [_FENCE.match(line) for line in lines]
    found = [fence for fence in fences if fence]
    inside = found[0][1] if len(found) % 2 and not found[0].string[found[0].end() :].strip() else ""
    flags = list[bool]()
    for fence in fences:
        flags.append(bool(inside or fence))
        if fence and (not inside or inside == fence[1]):
            inside = "" if inside else fence[1]
    return flags


def tokens(text: str) -> list[str]:
    """The tokens of a text: the white-space separated pieces of its normal form.

    In scripts without spaces between words every character is a token.
    """
    return tokens_of_normal(normalise(text))


def tokens_of_normal(text: str) -> list[str]:
    """The tokens of a text in normal form."""
    if text.isascii() or not _UNSPACED_CHARACTER.search(text):
        return text.split()
    return list(chain.from_iterable(map(tokens_of_piece, text.split())))


def tokens_of_piece(piece: str) -> list[str]:
    """The tokens of a piece of normalised text without white space: itself, or its parts."""
    if piece.isascii() or not _UNSPACED_CHARACTER.search(piece):
        return [piece]
    return [part for part in _UNSPACED_CHARACTER.split(piece) if part]


def token_weight(token: str) -> int:
    """Quarters of a word that a token counts: 4, but 2 for a character of Chinese or Japanese and 1 for one
    of Thai, Lao, Khmer, Burmese or Tibetan, whose words have about two and four of them.
    """
    if token.isascii() or not _UNSPACED_CHARACTER.match(token):
        return WORD
    return 2 if _EAST_ASIAN.match(token) else 1


def is_blank(text: str) -> bool:
    """Whether a text holds only white space, control and format characters."""
    stripped = text.strip()
    return not stripped or (
        unicodedata.category(stripped[0]) in _BLANK
        and all(unicodedata.category(character) in _BLANK for character in stripped)
    )


def _with_empty_cells(line: str) -> str:
    """A row of a tab-separated table with a mark for each empty cell; tabs that only indent are none."""
    body = line.rstrip("\r\n")
    if "\t" not in body.lstrip():
        return line
    cells = body.split("\t")
    if len(cells) < 3:
        return line
    return "\t".join(cell if cell.strip() else EMPTY_CELL for cell in cells) + line[len(body) :]


def _composed(text: str) -> str:
    if unicodedata.is_normalized("NFC", text):
        return text
    if _MARK_FLOOD.search(text):
        return "".join(unicodedata.normalize("NFC", part[0]) for part in _PART_OF_FLOOD.finditer(text))
    return unicodedata.normalize("NFC", text)


def _without_typography(text: str) -> str:
    lines = text.splitlines(keepends=True)
    code = fenced(lines) if "```" in text or "~~~" in text else [False] * len(lines)
    return "".join(
        line if in_code or line.startswith(_INDENTED) else _MARK.sub(_plain, line)
        for line, in_code in zip(lines, code, strict=True)
    )


def _plain(mark: "regex.Match[str]") -> str:
    whole: str = mark[0]
    if mark["ticks"]:
        return whole
    if whole in _STRAIGHT:
        return _STRAIGHT[whole]
    inner = mark["starred"] if mark["stars"] else mark["barred"]
    emphasised = mark["stars"] == "**" or (
        _LETTER.search(inner) is not None and (mark["stars"] or " " in inner)
    )
    return "".join(_STRAIGHT.get(character, character) for character in (inner if emphasised else whole))
