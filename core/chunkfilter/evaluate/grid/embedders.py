"""Embedders in plain text: ``NAME|query=TEXT|passage=TEXT``, several separated by semicolons."""

from chunkfilter.errors import InputError
from chunkfilter.signals.embedders import Embedder, load_embedder

_PREFIXES = {"query": "query_prefix", "passage": "passage_prefix"}
FORM = "NAME, or NAME|query=TEXT|passage=TEXT"


def read_embedders(text: str) -> dict[str, Embedder]:
    """Load the embedders of a text, for example ``package:all-MiniLM-L6-v2; NAME|query=query: |passage=...``.

    What stands behind ``query=`` is put before every question, behind ``passage=`` before every text, spaces
    and all: models such as E5 need both.

    Args:
        text: one or more embedders, separated by semicolons.

    Returns:
        Embedder by its text, in order.

    Raises:
        InputError: none, one twice, an unknown option, or a model that cannot be loaded.
        MissingExtraError: the package for a model is not installed.
    """
    parts = [part for part in text.split(";") if part.strip()]
    if not parts:
        raise InputError(f"embedders: got {text!r}; expected {FORM}, separated by ';'")
    embedders: dict[str, Embedder] = {}
    for part in parts:
        name, *options = part.lstrip().split("|")
        prefixes = dict(_prefix(option, part) for option in options)
        label = "|".join([name.strip(), *options])
        if label in embedders:
            raise InputError(f"embedders: {label!r} is given twice")
        embedders[label] = load_embedder(name.strip(), **prefixes)
    return embedders


def _prefix(option: str, part: str) -> tuple[str, str]:
    key, equals, value = option.partition("=")
    if not equals or key.strip() not in _PREFIXES:
        raise InputError(f"embedder {part.strip()!r:.80}: {option!r:.40} is no option; expected {FORM}")
    return _PREFIXES[key.strip()], value
