"""The SQL of the adapter, composed from a table's columns; parameters are ``$1`` as the server reads them."""

from psycopg import sql

from chunkfilter.stores.postgres.table import Column, Table
from chunkfilter.stores.row import batches

#: Distance of an index -> operator.
_OPERATORS = {"cosine": "<=>", "l2": "<->", "ip": "<#>", "l1": "<+>"}


def name_of(table: Table) -> sql.Identifier:
    """The table, with its schema."""
    return sql.Identifier(table.schema, table.name)


def count(table: Table) -> sql.Composed:
    """The number of rows."""
    return sql.SQL("SELECT count(*) FROM {}").format(_rows(table))


def page(table: Table, *, vectors: bool) -> sql.Composed:
    """Id, text, metadata, further columns and vector of every row, by id."""
    return sql.SQL("SELECT {} FROM {} ORDER BY {}.{}").format(  # the column: its text has the same name
        _views(table, vectors=vectors), _rows(table), name_of(table), _name(table.id)
    )


def whole(table: Table) -> sql.Composed:
    """What :func:`page` gives of the rows with some ids (``$1``), and their other columns as texts."""
    others = sql.SQL(", ").join(map(_text, table.others))
    return sql.SQL("SELECT {}, ARRAY[{}] FROM {} AND {}").format(
        _views(table, vectors=True), others, _rows(table), _with_ids(table)
    )


def nearest(table: Table, distance: str, k: int) -> sql.Composed:
    """Id and distance of the k rows nearest to a vector (``$1``)."""
    return sql.SQL("SELECT {}, {} {} $1::{} AS distance FROM {} ORDER BY distance LIMIT {}").format(
        _text(table.id), _name(table.vector), _operator(distance), _raw(table.vector.kind), _rows(table), k
    )


def nearest_unmarked(table: Table, metadata: Column, distance: str) -> str:
    """An example for people: the nearest rows that are not marked as duplicates."""
    example = "SELECT * FROM {} WHERE {}->>'duplicate' IS DISTINCT FROM 'true' ORDER BY {} {} $1 LIMIT 5"
    parts = (name_of(table), _name(metadata), _name(table.vector), _operator(distance))
    return sql.SQL(example).format(*parts).as_string()


def unmarkable(table: Table, metadata: Column) -> sql.Composed:
    """Id of a row whose metadata is a JSON list, text or number."""
    return sql.SQL("SELECT {} FROM {} AND jsonb_typeof({}::jsonb) NOT IN ('object', 'null') LIMIT 1").format(
        _text(table.id), _rows(table), _name(metadata)
    )


def delete(table: Table) -> sql.Composed:
    """Delete the rows with some ids (``$1``)."""
    return sql.SQL("DELETE FROM {} AND {}").format(_rows(table), _with_ids(table))


def insert(table: Table) -> sql.Composed:
    """Put a row back from the texts of the other columns and of the vector."""
    columns = [*table.others, table.vector]
    values = (sql.SQL("${}::{}").format(place, _raw(one.declared)) for place, one in enumerate(columns, 1))
    return sql.SQL("INSERT INTO {} ({}) OVERRIDING SYSTEM VALUE VALUES ({})").format(
        name_of(table), sql.SQL(", ").join(map(_name, columns)), sql.SQL(", ").join(values)
    )


def merge(table: Table, metadata: Column) -> sql.Composed:
    """Set keys of metadata (``$1``, a JSON text), remove others (``$2``, names), of the row ``$3``."""
    return sql.SQL(
        "UPDATE {table} SET {metadata} = ((CASE jsonb_typeof({metadata}::jsonb) WHEN 'object' "
        "THEN {metadata}::jsonb ELSE '{{}}' END || $1::jsonb) - $2::text[])::{kind} "
        "WHERE {id} = $3::{id_type}"
    ).format(
        table=name_of(table),
        metadata=_name(metadata),
        kind=_raw(metadata.kind),
        id=_name(table.id),
        id_type=_raw(table.id.declared),
    )


def _views(table: Table, *, vectors: bool) -> sql.Composed:
    nothing = sql.SQL("NULL")
    metadata = _name(table.metadata) if table.metadata else nothing
    vector = _name(table.vector) if vectors else nothing
    return sql.SQL(", ").join([_text(table.id), _text(table.text), metadata, _further(table), vector])


def _further(table: Table) -> sql.Composed:
    """The further columns as one JSON object; a function takes a hundred arguments at most."""
    objects = [
        sql.SQL("jsonb_build_object({})").format(
            sql.SQL(", ").join(
                sql.SQL("{}::text, {}").format(sql.Literal(one.name), _name(one)) for one in some
            )
        )
        for some in batches(table.further, 50)
    ]
    return sql.SQL(" || ").join(objects) if objects else sql.SQL("NULL::jsonb").format()


def _rows(table: Table) -> sql.Composed:
    if table.collection is None:
        return sql.SQL("{} WHERE TRUE").format(name_of(table))
    column, value = table.collection
    return sql.SQL("{} WHERE {} = {}").format(name_of(table), sql.Identifier(column), sql.Literal(value))


def _with_ids(table: Table) -> sql.Composed:
    """The ids' texts become the column's type, so that its index is used."""
    return sql.SQL("{} = ANY($1::text[]::{}[])").format(_name(table.id), _raw(table.id.declared))


def _operator(distance: str) -> sql.SQL:
    return _raw(_OPERATORS.get(distance, "<=>"))


def _raw(text: str) -> sql.SQL:
    """SQL text from the table of operators, or the name of a type as the catalogue writes it."""
    return sql.SQL(text)  # pyright: ignore[reportArgumentType]  # never a user's text


def _name(column: Column) -> sql.Identifier:
    return sql.Identifier(column.name)


def _text(column: Column) -> sql.Composed:
    return sql.SQL("{}::text").format(_name(column))
