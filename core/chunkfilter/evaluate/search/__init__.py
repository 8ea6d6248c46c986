"""How the nearest chunks are found: one file a way, one interface."""

from chunkfilter.errors import InputError
from chunkfilter.evaluate.search.chroma import chroma_index
from chunkfilter.evaluate.search.exact import cosines, exact_index, top_k
from chunkfilter.evaluate.search.index import BuildIndex, Search

__all__ = ["SEARCHES", "BuildIndex", "Search", "cosines", "search_named", "top_k"]

#: Every way to search. A new one gets a file of its own and a line here.
SEARCHES: dict[str, BuildIndex] = {
    "exact": exact_index,
    "chroma": chroma_index,
}


def search_named(name: str) -> BuildIndex:
    """The way to search that has a name.

    Raises:
        InputError: no way of that name.
    """
    if name not in SEARCHES:
        raise InputError(f"search {name!r}: unknown; known: {', '.join(SEARCHES)}")
    return SEARCHES[name]
