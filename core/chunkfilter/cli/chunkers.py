"""Splitter specs are read before a model is loaded, so that a mistake in one is reported at once."""

from collections.abc import Iterable

from chunkfilter.splitters import read_stages


def refuse_wrong_chunkers(specs: Iterable[str]) -> None:
    """Raise if a spec names no splitter.

    Raises:
        SplitterError: an unknown splitter, or a value out of bounds.
        MissingSignalError: a splitter needs what the command line cannot give.
        MissingExtraError: an optional dependency of a splitter is not installed.
    """
    for spec in specs:
        read_stages(
            spec, lambda _texts: []
        )  # an embedder has to be there; no text is split, none is embedded
