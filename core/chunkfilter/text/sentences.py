"""Where sentences begin and end. In doubt there is no boundary: what is taken for one sentence must stand
together.

A sentence ends

- after a terminator (closing quotes and brackets allowed) that is followed by white space and anything but a
  lower-case letter, unless it is the point of an abbreviation, initial or ordinal (Dr., J., U.S., 7.);
- after a terminator of a script that puts no space behind it (``。``, danda, shad, ...), unless closing
  quotes or brackets follow and the text goes on behind them;
- at a blank line, and where a list item, heading, table row, quotation or block of code begins or ends.

Any other line break is white space: the printed lines of a PDF are one sentence. The terminator belongs to
its sentence, so a question is never equal to a statement.
"""

from dataclasses import dataclass
from functools import lru_cache

import regex

from chunkfilter.text.normalise import clean, fenced

#: End a sentence where white space follows.
TERMINATORS = ".!?…‽؟۔⸮．"
#: End a sentence wherever they stand.
TERMINATORS_WITHOUT_SPACE = "。！？｡‼⁇⁈⁉।॥။።។៕༎།"
CLOSERS = "\"'”’»›)]}」』）】〉》*_`"
#: Written with a full stop in the middle of a sentence. An initial or several ("J.", "e.g.", "z.B.") and an
#: ordinal need no entry. The languages are those of XQuAD; several share a spelling.
_ABBREVIATIONS = {
    "en": "approx art arts ave bldg ca capt cf ch chap co col corp dept dr ed eds eq eqs esp est etc "
    "fig figs gen gov hon inc incl jr lt ltd max min mr mrs ms mt no nos op para paras pp prof "
    "ref refs reg rep rev sec sect sen sgt sr st vol vols vs jan feb mar apr jun jul aug sep sept "
    "oct nov dec",
    "de": "abb abs abschn allg anl anm aufl bd bzgl bzw ders dgl dipl ebd entspr evtl exkl f ff geb gem "
    "ggf hrsg ing inkl insb jh kap lfd lit max mio mrd nr pos rn s sog std str tab tel teilw ua "
    "usw vgl zb ziff zzgl",
    "es": "admón afmo arch art avda cap cía dña dra dr fig gral izq lic máx mín núm pág págs párr prof "
    "sr sra sres srta tel ud uds vd",
    "fr": "art av bd chap env fig hab janv mlle mme mm obs p réf st ste tél vol",
    "it": "art artt cap dott dott.ssa ecc fig ing pag pagg par prof sig sig.ra tel",
    "ro": "alin art cap dl dlui dna dr etc fig ing lit nr pag prof str tel",
    "tr": "alb av bk bkz cad doç dr fak gör hz ltd mah müh no örn prof sf sn sok şti tic vb vd vs yy",
    "vi": "gs ks ths tp ts tr ví",
    "el": "αρ άρθ βλ δηλ δρ εκ κα κεφ κλπ κτλ λ μ παρ πρβλ σελ στ τηλ χιλ",
    "ru": "акад англ вв гг гл гр д др и им кв коп корп кг км л лит млн млрд наб напр обл пер пл пос пр "
    "проф р рис руб с св см стр сущ табл т тел тыс ул чл экз",
    "ar": "د أ م ص ج ط هـ",
    "hi": "डॉ प्रो श्री सं पृ",
}  # fmt: skip
ABBREVIATIONS = frozenset(word for words in _ABBREVIATIONS.values() for word in words.split())

_CLOSING = regex.escape(CLOSERS)
_ENDING = regex.compile(
    rf"""
    [{TERMINATORS}{TERMINATORS_WITHOUT_SPACE}][{_CLOSING}]*+(?P<spaced>\ |$)   # before white space
  | [{TERMINATORS_WITHOUT_SPACE}]++(?![{_CLOSING}])                            # anywhere
    """,
    regex.VERBOSE,
)
#: Characters of a piece that are looked at; no abbreviation is longer.
_PIECE = 40
_GOES_ON = regex.compile(
    r"\W*+(?:(?:\p{L}\p{M}*\.)+|\p{N}{1,3}\.|[ivxlc]{1,5}\.|"
    r"(?:(?:[dl]|qu|[cdns]?[aeou]ll)')?(?P<word>\p{L}[\p{L}\p{M}.]*+)(?<=\.))"  # "l'art.", "dell'art."
    rf"[{_CLOSING}]*+",
    regex.I,
)
_FIRST_LETTER_OR_DIGIT = regex.compile(r"[\p{L}\p{N}]")
_TERMINATOR_ONLY = regex.compile(rf"\s*+([{TERMINATORS}{TERMINATORS_WITHOUT_SPACE}]+[{_CLOSING}]*+)(?=\s|$)")
_TERMINATOR_AT_END = regex.compile(rf"[{TERMINATORS}{TERMINATORS_WITHOUT_SPACE}]++[{_CLOSING}]*+$")
_ENDS_WITHOUT_SPACE = regex.compile(rf"[{TERMINATORS_WITHOUT_SPACE}][{_CLOSING}]*+$")
_FULL_STOP = regex.compile(r"(?<!\.)[.。｡．]$")

_ITEM = regex.compile(
    r"\s*(?:[-*+•‣◦▪·–—]|\(?\p{N}{1,3}[.)]|\(?\p{L}[.)]|\([ivxlc]{1,5}\)|[ivxlc]{1,5}\))\s", regex.I
)
_HEADING = regex.compile(r"\s{0,3}#{1,6}\s|\s*([=\-*_~])\1{2,}\s*$")
_ROW = regex.compile(r"\s*\|")
_QUOTATION = regex.compile(r"\s{0,3}>")
_LEADS_IN = (".", "!", "?", ":", ";", ",", "…")


@dataclass(frozen=True, slots=True)
class Sentences:
    """The sentences of one text, in order; joined by spaces they are its normal form.

    Args:
        texts: each in normal form, with its terminator.
        leads: for each the position of the line that leads it in (the header of a table row, the line before
            a list), -1 for none.
        closed: a sentence ends at the end of the text, as far as the text alone tells.
        headless: ``texts[0]`` is nothing but the terminator of a sentence that stands before the text.
    """

    texts: tuple[str, ...]
    leads: tuple[int, ...]
    closed: bool
    headless: bool


def sentences(text: str) -> Sentences:
    """Cut a text into its sentences."""
    lines = clean(text).splitlines()
    found: list[str] = []
    leads: list[int] = []
    before, lead, closed = _PROSE, -1, False
    for block in _blocks(lines):
        if block.kind == _LIST:
            lead = len(found) - 1 if before != _LIST else lead
        elif block.kind != _TABLE or before != _TABLE or block.apart:
            lead = -1
        parts, closed = cut(block.text)
        if not parts:
            continue
        leads += [lead, *[-1] * (len(parts) - 1)]
        if block.kind == _TABLE and lead < 0:
            lead = len(found)
        found += parts
        closed = closed or block.ended
        before = block.kind
    headless = bool(found) and _TERMINATOR_ONLY.fullmatch(found[0]) is not None
    if headless:  # a terminator leads nothing in
        leads = [place or -1 for place in leads]
    return Sentences(tuple(found), tuple(leads), closed, headless)


def cut(text: str) -> tuple[list[str], bool]:
    """Cut a paragraph at its terminators; line breaks are white space.

    Returns:
        The sentences in normal form, and whether the last one ends with a terminator.
    """
    line = " ".join(text.split())
    parts, start = list[str](), 0
    opening = _TERMINATOR_ONLY.match(line)
    if opening:  # a splitter cut in front of it
        parts.append(opening[1])
        start = opening.end()
    for match in _ENDING.finditer(line, start):
        end = match.end()
        if match["spaced"] is not None and (not _ends_at(line, end) or begins_lower(line, end)):
            continue
        parts.append(line[start:end].strip())
        start = end
    rest = line[start:].strip()
    return ([*parts, rest] if rest else parts), bool(parts) and not rest


def _ends_at(line: str, end: int) -> bool:
    """Whether a sentence may end after the piece of text that ends with a terminator and white space."""
    piece = line[:end].rstrip() if end < _PIECE else line[end - _PIECE : end].rstrip()
    return ends_sentence(piece[piece.rfind(" ") + 1 :])


@lru_cache(maxsize=1 << 16)
def ends_sentence(piece: str) -> bool:
    """Whether a sentence may end after a piece of text: at a terminator of no abbreviation."""
    if not _ENDING.search(piece):
        return False
    goes_on = _GOES_ON.fullmatch(piece)
    return not goes_on or bool(goes_on["word"] and not _abbreviated(goes_on["word"]))


def _abbreviated(word: str) -> bool:
    bare = word.rstrip(".")
    return "." in bare or bare.lower() in ABBREVIATIONS


def begins_lower(text: str, place: int = 0) -> bool:
    """Whether the first letter or digit of a text from a place on is a lower-case letter."""
    first = _FIRST_LETTER_OR_DIGIT.search(text, place, place + 80)
    return first is not None and first[0].islower()


def without_full_stop(sentence: str) -> str:
    """A sentence without its full stop; a question or an exclamation as it is."""
    return _FULL_STOP.sub("", sentence)


def is_full_stop(text: str) -> bool:
    """Whether a text is one full stop."""
    return bool(text) and not without_full_stop(text)


def terminator(sentence: str) -> str:
    """What a sentence ends with: its terminators and closing quotes or brackets; empty without terminator."""
    found = _TERMINATOR_AT_END.search(sentence)
    return found[0] if found else ""


_PROSE, _LIST, _TABLE, _QUOTED, _CODE, _HEADLINE = range(6)


@dataclass(frozen=True, slots=True)
class _Block:
    """Lines that belong together: a paragraph, a list item, a heading, a table row.

    Args:
        text: the lines, joined.
        kind: of the block.
        ended: a line after it shows that it ends.
        apart: a blank line stands before it.
    """

    text: str
    kind: int
    ended: bool
    apart: bool


def _blocks(lines: list[str]) -> list[_Block]:
    if len(lines) == 1:
        return [_Block(lines[0], _PROSE, ended=False, apart=False)]
    blocks: list[_Block] = []
    current, kind, apart = list[str](), _PROSE, False
    for line, in_code in zip(lines, fenced(lines), strict=True):
        blank = not line.strip() and not in_code
        begins = None if blank else _begun(line, in_code, current, kind)
        if current and (blank or begins is not None or kind in (_TABLE, _HEADLINE)):
            blocks.append(_Block("\n".join(current), kind, ended=True, apart=apart))
            current, apart = [], False
        if blank:
            apart = True
            continue
        if not current:
            kind = _PROSE if begins is None else begins
        current.append(line)
    return [*blocks, _Block("\n".join(current), kind, ended=False, apart=apart)] if current else blocks


def _begun(line: str, in_code: bool, current: list[str], kind: int) -> int | None:
    """The kind of block that a line begins; ``None`` if it goes on with the lines before it.

    What looks like a list item in the middle of a paragraph may be a wrapped number or minus, and begins
    none.
    """
    if in_code:
        return None if current and kind == _CODE else _CODE
    if _QUOTATION.match(line):
        return None if current and kind == _QUOTED else _QUOTED
    if _HEADING.match(line):
        return _HEADLINE
    if _ROW.match(line):
        return _TABLE
    if current and kind in (_QUOTED, _CODE):
        return _PROSE
    may_begin = not current or kind != _PROSE or current[-1].rstrip().endswith(_LEADS_IN)
    return _LIST if may_begin and _ITEM.match(line) else None


def ends_between(before: str, after: str) -> bool:
    """Whether a sentence ends where two texts that follow each other meet."""
    left, right = before.rstrip(), after.lstrip()
    gap = before[len(left) :] + after[: len(after) - len(right)]
    if not gap:
        return bool(_ENDS_WITHOUT_SPACE.search(left)) and right[:1] not in CLOSERS
    breaks = len((gap + "|").splitlines()) - 1
    if breaks > 1:
        return True
    if breaks:
        last, first = left.splitlines()[-1], right.splitlines()[0]
        kind = _begun(last, False, [], _PROSE)
        if kind in (_TABLE, _HEADLINE) or _begun(first, False, [last], kind or _PROSE) is not None:
            return True
    return ends_sentence(left[-_PIECE:].rsplit(None, 1)[-1]) and not begins_lower(right)


def closing_terminator(following: str) -> str:
    """The terminator of the sentence before that a text begins with, without white space in front of it; or
    ''.
    """
    found = _TERMINATOR_ONLY.match(following)
    return found[1] if found and not following[:1].isspace() else ""
