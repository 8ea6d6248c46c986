"""Where a store is: one line of text, with its secrets kept apart."""

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from urllib.parse import parse_qsl, quote, unquote, urlencode, urlsplit

from chunkfilter.errors import InputError, StoreError

_SCHEME = re.compile(r"(?P<scheme>[a-z][a-z0-9]*(?:\+[a-z0-9]+)?):(?P<place>.*)", re.DOTALL)
_HOST = re.compile(r"(?:\[[^\]]*\]|[^:\[\]]*)(?::\d*)?")
_SECRET_KEY = re.compile(r"pass|token|secret|key", re.IGNORECASE)
#: Options that may follow the name: of the first scheme that a URL's begins with.
_OPTIONS: Mapping[str, tuple[str, ...]] = {
    "chroma+": ("tenant", "database"),
    "qdrant": ("text", "metadata", "vector"),
    "postgres": ("id", "text", "metadata", "vector"),
}
#: Schemes of a folder.
_FOLDERS = ("chroma", "qdrant")
#: Shorter secrets are not looked for in messages: replacing them would garble any text.
_SHORTEST = 3


@dataclass(frozen=True, slots=True)
class Address:
    """A parsed store URL.

    Args:
        scheme: ``chroma``, ``chroma+http``, ``postgresql`` ...
        place: a path or the part of a network URL up to the ``#``, with the secrets in it.
        name: the collection or table; empty if the URL names none.
        options: what follows a ``?`` after the name; every one is one that the scheme has.
    """

    scheme: str
    place: str = field(repr=False)
    name: str
    options: Mapping[str, str]

    @property
    def public(self) -> str:
        """The URL without password and keys: safe to show and to store."""
        options = f"?{urlencode(self.options)}" if self.options else ""
        return f"{self.scheme}:{_without_secrets(self.place)}#{quote(self.name, safe='/')}{options}"

    @property
    def secrets(self) -> tuple[str, ...]:
        """Passwords and keys in the URL, as written and decoded."""
        parts = urlsplit(self.place)
        found = {parts.password or ""}
        found |= {value for key, value in parse_qsl(parts.query) if _SECRET_KEY.search(key)}
        return tuple(sorted({form for one in found for form in (one, unquote(one)) if form}, key=len)[::-1])

    @contextmanager
    def errors(self, *kinds: type[Exception]) -> Iterator[None]:
        """Errors of a client library as ``StoreError``, with the store's address and without its secrets."""
        try:
            yield
        except kinds as error:
            raise StoreError(f"{self.public}: {self.scrubbed(error)} ({type(error).__name__})") from error

    def scrubbed(self, message: object) -> str:
        """A message of a client library without the secrets of this address."""
        text = str(message).strip()
        for secret in self.secrets:
            if len(secret) >= _SHORTEST:
                text = text.replace(secret, "***")
        return text


def parse_address(url: str) -> Address:
    """Read a store URL: ``chroma:PATH#COLLECTION``, ``postgresql://HOST/DATABASE#TABLE`` ...

    Raises:
        InputError: no scheme, no place after it, a host before the path of a folder, an option that the
            scheme does not have, or a password with characters that end it too early; the message repeats no
            secret.
    """
    place, _, name = url.rpartition("#") if "#" in url else (url, "", "")
    match = _SCHEME.fullmatch(place)
    if match is None or not match["place"].strip("/"):
        raise InputError(
            "store: expected a URL like chroma:PATH#COLLECTION, chroma+http://HOST:PORT#COLLECTION, "
            "qdrant:PATH#COLLECTION, qdrant+http://HOST:PORT#COLLECTION or postgresql://HOST/DATABASE#TABLE"
        )
    _refuse_hidden_password(match["place"], name)
    if match["scheme"] in _FOLDERS and urlsplit(match["place"]).netloc:
        raise InputError(
            f"store: a host after {match['scheme']}:; expected the path of a folder, as in "
            f"{match['scheme']}:./db#COLLECTION, or {match['scheme']}+http:// for a server"
        )
    name, _, options = name.partition("?")
    return Address(match["scheme"], match["place"], unquote(name), _options(match["scheme"], options))


def collection_named(name: str) -> str:
    """How an error calls a collection."""
    return f"collection {name!r}" if name else "a collection without a name (write #NAME at the end)"


def _options(scheme: str, text: str) -> dict[str, str]:
    options = dict(parse_qsl(text, keep_blank_values=True))
    known = next((names for start, names in _OPTIONS.items() if scheme.startswith(start)), ())
    if unknown := [option for option in options if option not in known]:
        raise InputError(
            f"store: unknown option {unknown[0]!r} after the name; known for {scheme}: "
            f"{', '.join(known) or 'none'}"
        )
    return options


def _refuse_hidden_password(place: str, name: str) -> None:
    """A ``/``, ``?`` or ``#`` in a password would make the rest of it a path or a name, which are shown."""
    if not place.startswith("//"):
        return
    hosts, rest = urlsplit(place).netloc, place.partition("#")[2]
    behind = place[2 + len(hosts) :] + name
    cut = "@" not in hosts and ":" in hosts and "@" in behind
    if rest or cut or not all(_HOST.fullmatch(one) for one in hosts.rpartition("@")[2].split(",")):
        raise InputError(
            "store: cannot tell host, port and name apart; write special characters of a user, a password, a "
            "table or a collection in their % form, for example %40 for @, %23 for #, %2F for /"
        )


def _without_secrets(place: str) -> str:
    if not place.startswith("//"):
        return place
    parts = urlsplit(place)
    user, _, host = parts.netloc.rpartition("@")
    user = user.partition(":")[0]
    pairs = [(key, value) for key, value in parse_qsl(parts.query) if not _SECRET_KEY.search(key)]
    query = f"?{urlencode(pairs, quote_via=quote)}" if pairs else ""  # libpq reads no '+' as a space
    return f"//{f'{user}@{host}' if user else host}{parts.path}{query}"
