"""What PostgreSQL knows about a table: its columns, its indexes, and what hangs on its rows."""

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from psycopg import sql

from chunkfilter.errors import StoreError
from chunkfilter.stores.postgres.layout import LAYOUTS, VECTOR_KINDS, Column, Table, choose_columns
from chunkfilter.stores.store import Index

_TABLE = """
SELECT c.oid::bigint, n.nspname, c.relname FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
WHERE c.relkind IN ('r', 'p') AND c.relname = %(name)s
  AND (n.nspname = %(schema)s OR (%(schema)s::text IS NULL AND pg_table_is_visible(c.oid)))"""

_TABLES = """
SELECT DISTINCT CASE WHEN pg_table_is_visible(c.oid) THEN c.relname ELSE n.nspname || '.' || c.relname END
FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace JOIN pg_attribute a ON a.attrelid = c.oid
JOIN pg_type t ON t.oid = a.atttypid
WHERE c.relkind IN ('r', 'p') AND NOT a.attisdropped AND t.typname = ANY(%s) ORDER BY 1"""

_COLUMNS = """
SELECT a.attname, t.typname, format_type(a.atttypid, a.atttypmod), a.attgenerated = '',
  a.attnotnull AND EXISTS (
    SELECT FROM pg_index i WHERE i.indrelid = a.attrelid AND i.indisunique AND i.indpred IS NULL
      AND i.indnkeyatts = 1 AND i.indkey[0] = a.attnum)
FROM pg_attribute a JOIN pg_type t ON t.oid = a.atttypid
WHERE a.attrelid = %s AND a.attnum > 0 AND NOT a.attisdropped ORDER BY a.attnum"""

_INDEXES = """
SELECT am.amname, o.opcname, i.relname, coalesce(i.reloptions, '{}')
FROM pg_index x JOIN pg_class i ON i.oid = x.indexrelid JOIN pg_am am ON am.oid = i.relam
JOIN pg_opclass o ON o.oid = x.indclass[0]
JOIN pg_attribute a ON a.attrelid = x.indrelid AND a.attnum = x.indkey[0]
WHERE x.indrelid = %s AND a.attname = %s AND am.amname IN ('hnsw', 'ivfflat') AND x.indisvalid
ORDER BY i.relname"""


def find_table(connection: Any, wanted: str, named: Mapping[str, str]) -> Table:
    """The table that a URL names: ``TABLE``, ``SCHEMA.TABLE``, with ``/COLLECTION`` for LangChain's.

    Raises:
        StoreError: no such table or collection; those there are are named.
    """
    wanted, _, collection = wanted.partition("/")
    schema, _, name = wanted.rpartition(".")
    found = connection.execute(_TABLE, {"name": name, "schema": schema or None}).fetchone()
    if found is None:
        names = [row[0] for row in connection.execute(_TABLES, [list(VECTOR_KINDS)])]
        raise StoreError(f"table {wanted!r}: not found; tables with vectors: {', '.join(names) or 'none'}")
    oid, schema, name = found
    columns = [Column(*row) for row in connection.execute(_COLUMNS, [oid])]
    table = choose_columns(schema, name, oid, columns, named)
    return _with_collection(connection, table, collection)


def _with_collection(connection: Any, table: Table, wanted: str) -> Table:
    column = next((one.collection for one in LAYOUTS if one.title == table.title), None)
    if column is None:
        if wanted:
            raise StoreError(f"table {table.name!r}: holds no collections; expected no '/' after its name")
        return table
    home = sql.Identifier(table.schema, "langchain_pg_collection")
    statement = sql.SQL("SELECT name, uuid::text FROM {} ORDER BY name").format(home)
    collections = dict(connection.execute(statement).fetchall())
    if not wanted and len(collections) == 1:
        wanted = next(iter(collections))
    if wanted not in collections:
        names = ", ".join(f"#{table.name}/{name}" for name in collections) or "none"
        what = f"collection {wanted!r}: not found" if wanted else f"{table.name}: holds several collections"
        raise StoreError(f"{what}; there are: {names}")
    collection = (column, collections[wanted])
    return replace(table, collection=collection)


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
