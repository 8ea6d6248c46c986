"""Which columns of a table hold what: known layouts, names the user gives, and what the catalogue tells."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from chunkfilter.errors import StoreError


@dataclass(frozen=True, slots=True)
class Column:
    """A column as the catalogue describes it.

    Args:
        name: its name.
        kind: its type without length or dimensions, for example ``jsonb``.
        declared: its type as declared, for example ``vector(384)``.
        stored: it can be written: not generated from others.
        key: it is the table's primary key, or unique and never null, all by itself.
    """

    name: str
    kind: str
    declared: str
    stored: bool
    key: bool


@dataclass(frozen=True, slots=True)
class Layout:
    """The columns of a kind of table.

    Args:
        title: whose layout it is.
        id: names of the id column, the first that exists.
        text: the text.
        metadata: a ``json`` or ``jsonb`` column.
        vector: the vector.
        collection: column with the number of a row's collection, in tables that hold several.
    """

    title: str
    id: tuple[str, ...]
    text: str
    metadata: str
    vector: str
    collection: str | None = None


#: Tables that frameworks make. A new one gets a line here.
LAYOUTS = (
    Layout("LangChain PGVector", ("id", "uuid"), "document", "cmetadata", "embedding", "collection_id"),
    Layout("LangChain PGVectorStore", ("langchain_id",), "content", "langchain_metadata", "embedding"),
    Layout("LlamaIndex PGVectorStore", ("id",), "text", "metadata_", "embedding"),
)

VECTOR_KINDS = ("vector", "halfvec")
#: Types of columns that nobody filters or groups by.
UNREAD_KINDS = (*VECTOR_KINDS, "sparsevec", "tsvector", "bytea")
_JSON_KINDS = ("json", "jsonb")
#: Usual names, for tables of no known layout.
_TEXT_NAMES = ("text", "content", "document", "chunk", "body", "page_content")
_METADATA_NAMES = ("metadata", "meta", "metadata_", "cmetadata")


@dataclass(frozen=True, slots=True)
class Table:
    """A table and the role of its columns.

    Args:
        schema: its schema.
        name: its name.
        oid: its number in the catalogue.
        title: whose layout it is.
        columns: every column.
        id: unique; read and written as text.
        text: the text.
        metadata: a JSON column, ``None`` if there is none.
        vector: the vector.
        collection: column and value that a row of the wanted collection has.
    """

    schema: str
    name: str
    oid: int
    title: str
    columns: tuple[Column, ...]
    id: Column
    text: Column
    metadata: Column | None
    vector: Column
    collection: tuple[str, str] | None = None


def choose_columns(
    schema: str, name: str, oid: int, columns: Sequence[Column], named: Mapping[str, str]
) -> Table:
    """Give each column its role.

    Args:
        schema: the table's schema.
        name: its name.
        oid: its number.
        columns: its columns.
        named: columns that the user names, by role: ``id``, ``text``, ``metadata``, ``vector``.

    Raises:
        StoreError: a role has no column, or several could play it; the columns there are are named.
    """
    by_name = {column.name: column for column in columns}
    known = next((one for one in LAYOUTS if _fits(one, by_name)), None)
    if unknown := [column for column in named.values() if column not in by_name]:
        raise StoreError(f"table {name!r}: no column {unknown[0]!r}; {_listed(columns)}")
    usual = _usual(columns) if known is None else _known(known, by_name)
    roles = {**usual, **{role: by_name[column] for role, column in named.items()}}
    for role in ("id", "text", "vector"):
        if roles.get(role) is None:
            raise StoreError(
                f"table {name!r}: cannot tell which column is the {role}; name it in the URL, for example "
                f"#{name}?{role}=COLUMN; {_listed(columns)}"
            )
    if not roles["id"].key:
        raise StoreError(
            f"table {name!r}: column {roles['id'].name!r} is not unique by itself; name one that is, "
            f"for example #{name}?id=COLUMN; {_listed(columns)}"
        )
    if roles["vector"].kind not in VECTOR_KINDS:
        raise StoreError(
            f"table {name!r}: column {roles['vector'].name!r} is of type {roles['vector'].declared}; "
            f"expected {' or '.join(VECTOR_KINDS)}"
        )
    title = known.title if known else "table"
    return Table(
        schema,
        name,
        oid,
        title,
        tuple(columns),
        roles["id"],
        roles["text"],
        roles.get("metadata"),
        roles["vector"],
    )


def _fits(layout: Layout, columns: Mapping[str, Column]) -> bool:
    needed = [
        layout.text,
        layout.metadata,
        layout.vector,
        *([layout.collection] if layout.collection else []),
    ]
    return all(name in columns for name in needed) and any(name in columns for name in layout.id)


def _known(layout: Layout, columns: Mapping[str, Column]) -> dict[str, Column]:
    key = next(columns[name] for name in layout.id if name in columns)
    return {
        "id": key,
        "text": columns[layout.text],
        "metadata": columns[layout.metadata],
        "vector": columns[layout.vector],
    }


def _usual(columns: Sequence[Column]) -> dict[str, Column]:
    """What names and types tell; only where one column alone fits."""
    candidates = {
        "id": [column for column in columns if column.key],
        "text": [column for column in columns if column.name in _TEXT_NAMES],
        "metadata": [one for one in columns if one.name in _METADATA_NAMES and one.kind in _JSON_KINDS],
        "vector": [column for column in columns if column.kind in VECTOR_KINDS],
    }
    return {role: found[0] for role, found in candidates.items() if len(found) == 1}


def _listed(columns: Sequence[Column]) -> str:
    return "its columns: " + ", ".join(f"{column.name} ({column.declared})" for column in columns)
