"""The visible text of an HTML page."""

import re
from html.parser import HTMLParser

#: Elements whose content nobody reads.
_UNSEEN = frozenset({"head", "noscript", "script", "style", "svg", "template"})
#: Elements that are set off by a blank line.
_PARAGRAPHS = frozenset(
    {"blockquote", "dl", "h1", "h2", "h3", "h4", "h5", "h6", "ol", "p", "pre", "section", "table", "ul"}
)
#: Elements that stand on lines of their own.
_LINES = frozenset(
    {
        *("address", "article", "aside", "body", "caption", "dd", "details", "dialog", "div", "dt"),
        *("fieldset", "figcaption", "figure", "footer", "form", "header", "hr", "li", "main", "nav"),
        *("summary", "tbody", "tfoot", "thead", "tr"),
    }
)
_SPACES = re.compile(r"[ \t\r\n\f]+")
_SPACES_BEFORE_BREAK = re.compile(r"[ \t]+\n")


class _Reader(HTMLParser):
    """Collects the text; a line or paragraph that is already open is not opened again."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.parts: list[str] = []
        self._open_breaks = 2
        self._unseen: list[str] = []
        self._preformatted = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:  # noqa: ARG002
        if tag in _UNSEEN:
            self._unseen.append(tag)
        elif tag == "body":
            self._unseen.clear()  # the end of <head> may be left out
        elif tag == "br":
            self._add("\n")
        elif tag in ("td", "th"):
            self._add_words(" ")
        self._break_around(tag)
        self._preformatted += tag == "pre"

    def handle_endtag(self, tag: str) -> None:
        if tag in self._unseen:
            del self._unseen[self._unseen.index(tag) :]
        self._preformatted -= tag == "pre" and self._preformatted > 0
        self._break_around(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag not in _UNSEEN:
            self.handle_starttag(tag, attrs)

    def handle_data(self, data: str) -> None:
        if self._unseen:
            return
        if self._preformatted:
            self._add(data)
        else:
            self._add_words(_SPACES.sub(" ", data))

    def _break_around(self, tag: str) -> None:
        wanted = 2 if tag in _PARAGRAPHS else int(tag in _LINES)
        self._add("\n" * (wanted - self._open_breaks))

    def _add_words(self, text: str) -> None:
        self._add(text.lstrip(" ") if self._open_breaks else text)

    def _add(self, text: str) -> None:
        if text:
            self.parts.append(text)
            breaks = len(text) - len(text.rstrip("\n"))
            self._open_breaks = breaks + (self._open_breaks if breaks == len(text) else 0)


def html_text(html: str) -> str:
    """The text that a reader of the page sees: blocks on lines of their own, paragraphs set off."""
    reader = _Reader()
    reader.feed(html)
    reader.close()
    return _SPACES_BEFORE_BREAK.sub("\n", "".join(reader.parts)).strip("\n")
