"""Characters that nobody sees, and texts made of nothing else."""

import re
import unicodedata

#: Marks without a shape of their own that may stand in or between words by accident of typesetting:
#: soft hyphen, zero-width space, direction marks, word joiner, byte order mark and their like.
#: Not here: ZWNJ and ZWJ (they change words and emoji), the tag characters (they tell flags apart),
#: variation selectors, and the Arabic number signs, which are visible.
_INVISIBLE_RANGES = (
    (0x00AD, 0x00AD),
    (0x034F, 0x034F),
    (0x061C, 0x061C),
    (0x180E, 0x180E),
    (0x200B, 0x200B),
    (0x200E, 0x200F),
    (0x202A, 0x202E),
    (0x2060, 0x206F),
    (0xFEFF, 0xFEFF),
    (0xFFF9, 0xFFFB),
)
INVISIBLE: dict[int, None] = {code: None for low, high in _INVISIBLE_RANGES for code in range(low, high + 1)}
_ANY_INVISIBLE = re.compile("[" + "".join(map(chr, INVISIBLE)) + "]")

#: Categories a blank text may hold: white space and line separators, control, format.
_BLANK = frozenset(("Zs", "Zl", "Zp", "Cc", "Cf"))


def without_invisible(text: str) -> str:
    """The text without invisible marks; the text itself where it has none."""
    return text.translate(INVISIBLE) if _ANY_INVISIBLE.search(text) else text


def visible_positions(text: str) -> list[int]:
    """For each character of ``without_invisible(text)``, its position in ``text``."""
    return [position for position, character in enumerate(text) if ord(character) not in INVISIBLE]


def is_blank(text: str) -> bool:
    """Whether the text holds only white space, control and format characters."""
    stripped = text.strip()
    return not stripped or (
        unicodedata.category(stripped[0]) in _BLANK
        and all(unicodedata.category(character) in _BLANK for character in stripped)
    )
