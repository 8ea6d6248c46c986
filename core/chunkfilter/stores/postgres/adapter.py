"""A table with vectors as a store; rows are read in snapshots and changed in transactions."""

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from operator import itemgetter
from typing import Any, LiteralString

import psycopg
from pgvector.psycopg import register_vector

from chunkfilter.errors import StoreError
from chunkfilter.signals.embedders import FloatArray
from chunkfilter.stores.address import Address
from chunkfilter.stores.lock import busy
from chunkfilter.stores.postgres import statements
from chunkfilter.stores.postgres.obstacles import refuse_obstacles
from chunkfilter.stores.postgres.table import Column, describe_index, find_table
from chunkfilter.stores.row import Row, RowId, Vector, as_vector, batches
from chunkfilter.stores.store import Index, Store

_PAGE = 2000
#: First half of the number of the advisory lock; the second is the table's.
_LOCK_CLASS = 0x63666C74
#: Index type -> what lets a query return as many rows as it asks for; the first ones do not change.
_DEEPER: dict[str, LiteralString] = {
    "hnsw": "SET LOCAL hnsw.iterative_scan = strict_order",
    "ivfflat": "SET LOCAL ivfflat.iterative_scan = relaxed_order",
}
#: How values are written as text: alike when they are read and when they are put back, with all digits.
_EXACT = {
    "DateStyle": "ISO, MDY",
    "IntervalStyle": "postgres",
    "TimeZone": "UTC",
    "bytea_output": "hex",
    "extra_float_digits": "1",
    "lc_monetary": "C",
}


class PostgresStore(Store):
    """A table of a database with pgvector, or one LangChain collection of a table.

    Args:
        address: ``postgresql://...#TABLE``; libpq's variables (``PGPASSWORD`` ...) count.

    Raises:
        StoreError: the server does not answer or refuses, there is no pgvector or no such table, or it
            is not clear which column is which.
    """

    def __init__(self, address: Address) -> None:
        self._given = address
        self.address = address.public
        with self._errors():
            self._connection = self._connect()
            try:
                self._table = find_table(self._connection, address.name, address.options)
            except BaseException:
                self._connection.close()
                raise

    def _connect(self) -> "psycopg.Connection[Any]":
        place = f"postgresql:{self._given.place}"
        connection = psycopg.connect(place, autocommit=True, application_name="chunkfilter")
        try:
            register_vector(connection)
        except psycopg.ProgrammingError:
            connection.close()
            raise StoreError(f"{self.address}: the database has no pgvector extension") from None
        connection.cursor_factory = psycopg.RawCursor  # parameters as $1: names may hold a %
        connection.server_cursor_factory = psycopg.RawServerCursor
        for setting, value in _EXACT.items():
            connection.execute("SELECT set_config($1, $2, false)", [setting, value])
        return connection

    @property
    def index(self) -> Index:
        """HNSW or IVFFlat if there is one, else exact."""
        with self._errors():
            return describe_index(self._connection, self._table)

    def count(self) -> int:
        """Rows of the table or collection."""
        with self._errors():
            return int(self._connection.execute(statements.count(self._table)).fetchall()[0][0])

    def pages(self, *, vectors: bool) -> Iterator[Sequence[Row]]:
        """One consistent snapshot, ordered by id."""
        with self._errors(), self._connect() as connection, connection.transaction():
            connection.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
            with connection.cursor(name="chunkfilter", binary=True) as cursor:
                cursor.itersize = _PAGE
                cursor.execute(statements.page(self._table, vectors=vectors))
                for part in batches(cursor, _PAGE):
                    yield [
                        Row(one, text, _mapping(metadata), _vector(found), columns=columns or {})
                        for one, text, metadata, columns, found in part
                    ]

    def rows(self, ids: Sequence[RowId]) -> list[Row]:
        """With the text form of every column that can be written."""
        names = [one.name for one in self._table.others]
        with self._errors():
            found = self._connection.execute(statements.whole(self._table), [list(ids)], binary=True)
            return [
                Row(
                    one,
                    text,
                    _mapping(metadata),
                    _vector(vector),
                    {"columns": dict(zip(names, others, strict=True))},
                    columns or {},
                )
                for one, text, metadata, columns, vector, others in found
            ]

    def query(self, vectors: FloatArray, k: int) -> list[list[RowId]]:
        """By the index where the planner takes it; deep queries scan on until k are found."""
        index = self.index
        statement = statements.nearest(self._table, index.distance, k)
        with self._errors(), self._connection.transaction():
            if index.kind in _DEEPER:
                self._connection.execute(_DEEPER[index.kind])
            answers = (self._connection.execute(statement, [_literal(vector)]) for vector in vectors)
            # a relaxed scan may return neighbours slightly out of order
            return [[one for one, _ in sorted(answer, key=itemgetter(1))] for answer in answers]

    def check_can_change(self, *, soft: bool) -> None:
        """Refuse tables whose rows take others with them, or that change what is written to them."""
        column = self._marked_column() if soft else None
        with self._errors():
            changes = ("UPDATE",) if soft else ("DELETE", "INSERT")
            refuse_obstacles(self._connection, self._table, self.address, *changes)
            odd = column and self._connection.execute(statements.unmarkable(self._table, column)).fetchone()
        if odd:
            raise StoreError(
                f"{self.address}: the metadata of row {odd[0]!r} is no JSON object; marks have no place there"
            )

    def delete(self, ids: Sequence[RowId]) -> None:
        """In one transaction."""
        with self._errors():
            self._connection.execute(statements.delete(self._table), [list(ids)])

    def restore(self, rows: Sequence[Row]) -> None:
        """In one transaction."""
        names = [one.name for one in self._table.others]
        entries = [[*(row.rest["columns"][name] for name in names), _literal(row.vector)] for row in rows]
        with self._errors(), self._connection.transaction(), self._connection.cursor() as cursor:
            refuse_obstacles(self._connection, self._table, self.address, "INSERT")
            cursor.executemany(statements.insert(self._table), entries)

    def mark(self, values: Mapping[RowId, Mapping[str, Any]]) -> None:
        """Merge into the metadata column, in one transaction; what becomes empty is an empty mapping."""
        statement = statements.merge(self._table, self._marked_column())
        entries = [
            [
                json.dumps({name: value for name, value in keys.items() if value is not None}),
                [name for name, value in keys.items() if value is None],
                one,
            ]
            for one, keys in values.items()
        ]
        with self._errors(), self._connection.transaction(), self._connection.cursor() as cursor:
            cursor.executemany(statement, entries)

    def _marked_column(self) -> Column:
        if self._table.metadata is None:
            raise StoreError(
                f"{self.address}: the table has no metadata column (json or jsonb) to mark rows in"
            )
        return self._table.metadata

    @contextmanager
    def lock(self) -> Iterator[None]:
        """An advisory lock of the server: it also keeps runs on other machines away."""
        with self._errors(), self._connect() as connection:
            number = self._table.oid - (self._table.oid >> 31 << 32)  # an unsigned number as a signed one
            found = connection.execute("SELECT pg_try_advisory_lock($1::int, $2::int)", [_LOCK_CLASS, number])
            if not found.fetchall()[0][0]:
                raise StoreError(busy(self.address))
            try:
                yield
            finally:
                # closing the connection would release it only once the server has ended the session
                with suppress(psycopg.Error):  # of a connection that was cut, it has released it already
                    connection.execute("SELECT pg_advisory_unlock($1::int, $2::int)", [_LOCK_CLASS, number])

    def left_behind(self, removed: int) -> str:
        """PostgreSQL keeps deleted rows, in the table and in its indexes, until a VACUUM."""
        name = statements.name_of(self._table).as_string(self._connection)
        return (
            f"PostgreSQL keeps the {removed} deleted rows in the table and its indexes until VACUUM {name} "
            "(autovacuum runs it some time) makes their space free for new rows; "
            f"VACUUM FULL {name} gives it back to the system, under an exclusive lock."
        )

    def how_to_query(self) -> str:
        """SQL that leaves marked rows out."""
        return statements.nearest_unmarked(self._table, self._marked_column(), self.index.distance)

    def close(self) -> None:
        """Close the connection."""
        self._connection.close()

    def _errors(self) -> AbstractContextManager[None]:
        return self._given.errors(psycopg.Error)


def _literal(vector: Vector | None) -> str | None:
    """The text form of a vector; the digits of a double tell a float32 exactly."""
    return None if vector is None else "[" + ",".join(map(repr, vector.tolist())) + "]"


def _mapping(value: Any) -> Mapping[str, Any] | None:
    """JSON that is no object, or an empty one, says nothing that a filter could read."""
    return value if isinstance(value, dict) and value else None


def _vector(value: Any) -> Vector | None:
    """What pgvector's reader gives: an array, or an object around one for half precision."""
    return None if value is None else as_vector(value.to_numpy() if hasattr(value, "to_numpy") else value)
