"""What a table with vectors holds: which column plays which role, and how its vectors are indexed."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from psycopg import sql

from chunkfilter.errors import StoreError
from chunkfilter.stores.store import Index


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
        id: names of the id column, the first that exists.
        text: the text.
        metadata: a ``json`` or ``jsonb`` column.
        vector: the vector.
        collection: column with the number of a row's collection, in tables that hold several.
    """

    id: tuple[str, ...]
    text: str
    metadata: str
    vector: str
    collection: str | None = None

    def roles(self, columns: Mapping[str, Column]) -> dict[str, Column] | None:
        """The column of each role, ``None`` if the table is of another layout."""
        key = next((name for name in self.id if name in columns), "")
        names = {"id": key, "text": self.text, "metadata": self.metadata, "vector": self.vector}
        needed = [*names.values(), *([self.collection] if self.collection else [])]
        if not all(name in columns for name in needed):
            return None
        return {role: columns[name] for role, name in names.items()}


#: Tables that frameworks make: LangChain's PGVector and PGVectorStore, LlamaIndex's PGVectorStore.
LAYOUTS = (
    Layout(("id", "uuid"), "document", "cmetadata", "embedding", "collection_id"),
    Layout(("langchain_id",), "content", "langchain_metadata", "embedding"),
    Layout(("id",), "text", "metadata_", "embedding"),
)
_VECTOR_KINDS = ("vector", "halfvec")
#: Types of columns that nobody filters or groups by.
_UNREAD_KINDS = (*_VECTOR_KINDS, "sparsevec", "tsvector", "bytea")
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
    columns: tuple[Column, ...]
    id: Column
    text: Column
    metadata: Column | None
    vector: Column
    collection: tuple[str, str] | None = None

    @property
    def others(self) -> tuple[Column, ...]:
        """Every stored column but the vector: with it, all that a row needs to be put back."""
        return tuple(one for one in self.columns if one.stored and one is not self.vector)

    @property
    def further(self) -> tuple[Column, ...]:
        """Columns with a role of their own in the user's filters: a tenant, a date."""
        roles = (self.id, self.text, self.metadata, self.vector)
        collection = self.collection and self.collection[0]
        return tuple(
            one
            for one in self.columns
            if one not in roles and one.name != collection and one.kind not in _UNREAD_KINDS
        )


_TABLE = """
SELECT c.oid::bigint, n.nspname, c.relname FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
WHERE c.relkind IN ('r', 'p') AND c.relname = $1
  AND (n.nspname = $2 OR ($2::text IS NULL AND pg_table_is_visible(c.oid)))"""

_TABLES = """
SELECT DISTINCT CASE WHEN pg_table_is_visible(c.oid) THEN c.relname ELSE n.nspname || '.' || c.relname END
FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace JOIN pg_attribute a ON a.attrelid = c.oid
JOIN pg_type t ON t.oid = a.atttypid
WHERE c.relkind IN ('r', 'p') AND NOT a.attisdropped AND t.typname = ANY($1) ORDER BY 1"""

_COLUMNS = """
SELECT a.attname, t.typname, format_type(a.atttypid, a.atttypmod), a.attgenerated = '',
  a.attnotnull AND EXISTS (
    SELECT FROM pg_index i WHERE i.indrelid = a.attrelid AND i.indisunique AND i.indpred IS NULL
      AND i.indnkeyatts = 1 AND i.indkey[0] = a.attnum)
FROM pg_attribute a JOIN pg_type t ON t.oid = a.atttypid
WHERE a.attrelid = $1 AND a.attnum > 0 AND NOT a.attisdropped ORDER BY a.attnum"""

_INDEXES = """
SELECT am.amname, o.opcname, i.relname, coalesce(i.reloptions, '{}')
FROM pg_index x JOIN pg_class i ON i.oid = x.indexrelid JOIN pg_am am ON am.oid = i.relam
JOIN pg_opclass o ON o.oid = x.indclass[0]
JOIN pg_attribute a ON a.attrelid = x.indrelid AND a.attnum = x.indkey[0]
WHERE x.indrelid = $1 AND a.attname = $2 AND am.amname IN ('hnsw', 'ivfflat') AND x.indisvalid
ORDER BY i.relname"""


def find_table(connection: Any, wanted: str, named: Mapping[str, str]) -> Table:
    """The table that a URL names: ``TABLE``, ``SCHEMA.TABLE``, with ``/COLLECTION`` for LangChain's.

    Args:
        connection: of psycopg, with raw cursors.
        wanted: the name in the URL.
        named: columns that the user names, by role: ``id``, ``text``, ``metadata``, ``vector``.

    Raises:
        StoreError: no such table or collection, or a role that no column, or several could play; what there
            is is named.
    """
    wanted, _, collection = wanted.partition("/")
    schema, _, name = wanted.rpartition(".")
    found = connection.execute(_TABLE, [name, schema or None]).fetchone()
    if found is None:
        names = [row[0] for row in connection.execute(_TABLES, [list(_VECTOR_KINDS)])]
        raise StoreError(f"table {wanted!r}: not found; tables with vectors: {', '.join(names) or 'none'}")
    oid, schema, name = found
    columns = tuple(Column(*row) for row in connection.execute(_COLUMNS, [oid]))
    by_name = {column.name: column for column in columns}
    layouts = ((roles, one.collection) for one in LAYOUTS if (roles := one.roles(by_name)) is not None)
    usual, column = next(layouts, (_usual(columns), None))
    roles = _checked_roles(name, columns, usual, named)
    if column is None and collection:
        raise StoreError(f"table {name!r}: holds no collections; expected no '/' after its name")
    return Table(
        schema,
        name,
        oid,
        columns,
        roles["id"],
        roles["text"],
        roles.get("metadata"),
        roles["vector"],
        None if column is None else (column, _collection(connection, schema, name, collection)),
    )


def _usual(columns: Sequence[Column]) -> dict[str, Column]:
    """What names and types tell; only where one column alone fits."""
    candidates = {
        "id": [column for column in columns if column.key],
        "text": [column for column in columns if column.name in _TEXT_NAMES],
        "metadata": [one for one in columns if one.name in _METADATA_NAMES and one.kind in ("json", "jsonb")],
        "vector": [column for column in columns if column.kind in _VECTOR_KINDS],
    }
    return {role: found[0] for role, found in candidates.items() if len(found) == 1}


def _checked_roles(
    table: str, columns: Sequence[Column], usual: Mapping[str, Column], named: Mapping[str, str]
) -> dict[str, Column]:
    by_name = {column.name: column for column in columns}
    there = "its columns: " + ", ".join(f"{column.name} ({column.declared})" for column in columns)
    if unknown := [column for column in named.values() if column not in by_name]:
        raise StoreError(f"table {table!r}: no column {unknown[0]!r}; {there}")
    roles = {**usual, **{role: by_name[column] for role, column in named.items()}}
    for role in ("id", "text", "vector"):
        if role not in roles:
            raise StoreError(
                f"table {table!r}: cannot tell which column is the {role}; name it in the URL, for example "
                f"#{table}?{role}=COLUMN; {there}"
            )
    if not roles["id"].key:
        raise StoreError(
            f"table {table!r}: column {roles['id'].name!r} is not unique by itself; name one that is, "
            f"for example #{table}?id=COLUMN; {there}"
        )
    if roles["vector"].kind not in _VECTOR_KINDS:
        raise StoreError(
            f"table {table!r}: column {roles['vector'].name!r} is of type {roles['vector'].declared}; "
            f"expected {' or '.join(_VECTOR_KINDS)}"
        )
    return roles


def _collection(connection: Any, schema: str, table: str, wanted: str) -> str:
    """Number of a collection of LangChain's; of the only one if none is named."""
    place = sql.Identifier(schema, "langchain_pg_collection")
    statement = sql.SQL("SELECT name, uuid::text FROM {} ORDER BY name").format(place)
    collections: dict[str, str] = dict(connection.execute(statement).fetchall())
    if not wanted and len(collections) == 1:
        wanted = next(iter(collections))
    if wanted not in collections:
        names = ", ".join(f"#{table}/{name}" for name in collections) or "none"
        what = f"collection {wanted!r}: not found" if wanted else f"{table}: holds several collections"
        raise StoreError(f"{what}; there are: {names}")
    return collections[wanted]


def describe_index(connection: Any, table: Table) -> Index:
    """The first HNSW or IVFFlat index on the vectors; without one every search is exact."""
    found = connection.execute(_INDEXES, [table.oid, table.vector.name]).fetchall()
    if not found:
        return Index("exact", "cosine", {})
    kind, operators, name, options = found[0]
    match = re.search(r"_(cosine|l2|ip|l1)_ops$", operators)
    settings = {"name": name, **dict(option.split("=", 1) for option in options)}
    if others := [row[2] for row in found[1:]]:
        settings["others"] = ",".join(others)
    return Index(kind, match[1] if match else "unknown", settings)
