"""Foreign text made harmless for the place where it is shown: a terminal, a page, a spreadsheet.

What is escaped stays visible, so that a reader sees what the text really holds.
"""

import html
import re

#: What a terminal may act on: C0 but newline and tab, DEL, C1, line separators, marks and overrides of
#: direction, and lone surrogates, which cannot be written at all.
_ACTIVE = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff]"
)
_BREAK = re.compile(r"[\n\t]")
#: What makes a spreadsheet read a cell as a formula, full-width forms included.
_FORMULA = re.compile(r"[\s\x00]*[=+\-@\t\r\n＝＋－＠]")


def inert(text: str) -> str:
    r"""The text with active characters as ``\x1b`` or ``\u202e``; newlines and tabs stay."""
    return _ACTIVE.sub(_escaped, text)


def inert_line(text: str) -> str:
    r"""As :func:`inert`, with newlines and tabs as ``\x0a`` and ``\x09``, so that no line can be forged."""
    return _BREAK.sub(_escaped, inert(text))


def inert_html(text: str) -> str:
    """The text for the content of an element or a quoted attribute of an HTML page."""
    return html.escape(inert(text), quote=True).replace("`", "&#96;")


def inert_cell(value: str | float | None) -> str | float | None:
    """A value for a cell of a CSV file: a text that a spreadsheet would run gets an apostrophe in front.

    Numbers stay numbers.
    """
    return f"'{value}" if isinstance(value, str) and _FORMULA.match(value) else value


def _escaped(match: re.Match[str]) -> str:
    code = ord(match[0])
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}"
