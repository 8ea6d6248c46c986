"""The SQL of the adapter, composed from a table's columns."""

from dataclasses import dataclass

from psycopg import sql

from chunkfilter.stores.batches import batches
from chunkfilter.stores.postgres.layout import UNREAD_KINDS, Column, Table

#: Distance of an index -> operator.
OPERATORS = {"cosine": "<=>", "l2": "<->", "ip": "<#>", "l1": "<+>"}


@dataclass(frozen=True, slots=True)
class Statements:
    """Statements over one table, or one collection of it.

    Parameters come in this order: a vector (``nearest``), the collection (where there is one), ids.

    Args:
        table: the table and the role of its columns.
    """

    table: Table

    @property
    def name(self) -> sql.Identifier:
        """The table."""
        return sql.Identifier(*map(_escaped, (self.table.schema, self.table.name)))

    @property
    def others(self) -> tuple[Column, ...]:
        """Every stored column but the vector: with it, all that a row needs to be put back."""
        return tuple(one for one in self.table.columns if one.stored and one is not self.table.vector)

    @property
    def further(self) -> tuple[Column, ...]:
        """Columns with a role of their own in the user's filters: a tenant, a date."""
        table = self.table
        roles = (table.id, table.text, table.metadata, table.vector)
        collection = table.collection and table.collection[0]
        return tuple(
            one
            for one in table.columns
            if one not in roles and one.name != collection and one.kind not in UNREAD_KINDS
        )

    @property
    def count(self) -> sql.Composed:
        """The number of rows."""
        return sql.SQL("SELECT count(*) FROM {}").format(self._rows)

    def page(self, *, vectors: bool) -> sql.Composed:
        """Id, text, metadata, further columns and vector of every row, by id."""
        return sql.SQL("SELECT {} FROM {} ORDER BY {}.{}").format(  # the column: its text is called so too
            self._views(vectors=vectors), self._rows, self.name, _name(self.table.id)
        )

    @property
    def whole(self) -> sql.Composed:
        """The same of the rows with some ids, and their other columns as an array of texts."""
        others = sql.SQL(", ").join(_text(one) for one in self.others)
        return sql.SQL("SELECT {}, ARRAY[{}] FROM {} AND {}").format(
            self._views(vectors=True), others, self._rows, self._with_ids
        )

    def nearest(self, distance: str, k: int) -> sql.Composed:
        """Id and distance of the k rows nearest to a vector."""
        vector = self.table.vector
        return sql.SQL("SELECT {}, {} {} %s::{} AS distance FROM {} ORDER BY distance LIMIT {}").format(
            _text(self.table.id),
            _name(vector),
            _raw(OPERATORS.get(distance, OPERATORS["cosine"])),
            _raw(vector.kind),
            self._rows,
            sql.Literal(k),
        )

    def nearest_unmarked(self, distance: str, metadata: Column) -> str:
        """An example for people: the nearest rows that are not marked as duplicates."""
        example = sql.SQL(
            "SELECT * FROM {} WHERE {}->>'duplicate' IS DISTINCT FROM 'true' ORDER BY {} {} $1 LIMIT 5"
        ).format(self.name, _name(metadata), _name(self.table.vector), _raw(OPERATORS.get(distance, "<=>")))
        return example.as_string().replace("%%", "%")

    @property
    def unmarkable(self) -> sql.Composed:
        """Id of a row whose metadata is a JSON list, text or number."""
        metadata = self.table.metadata
        kind = sql.SQL("jsonb_typeof({}::jsonb)").format(_name(metadata)) if metadata else sql.SQL("NULL")
        return sql.SQL("SELECT {} FROM {} AND {} NOT IN ('object', 'null') LIMIT 1").format(
            _text(self.table.id), self._rows, kind
        )

    @property
    def delete(self) -> sql.Composed:
        """Delete the rows with some ids."""
        return sql.SQL("DELETE FROM {} AND {}").format(self._rows, self._with_ids)

    @property
    def insert(self) -> sql.Composed:
        """Put a row back from the texts of the other columns and of the vector."""
        columns = [*self.others, self.table.vector]
        return sql.SQL("INSERT INTO {} ({}) OVERRIDING SYSTEM VALUE VALUES ({})").format(
            self.name,
            sql.SQL(", ").join(map(_name, columns)),
            sql.SQL(", ").join(sql.SQL("%s::{}").format(_raw(one.declared)) for one in columns),
        )

    def merge(self, metadata: Column) -> sql.Composed:
        """Set some keys of a row's metadata and take others away: a JSON text, names, an id."""
        return sql.SQL(
            "UPDATE {} SET {} = ((CASE jsonb_typeof({}::jsonb) WHEN 'object' THEN {}::jsonb ELSE '{{}}' END"
            " || %s::jsonb) - %s::text[])::{} WHERE {} = %s::{}"
        ).format(
            self.name,
            _name(metadata),
            _name(metadata),
            _name(metadata),
            _raw(metadata.kind),
            _name(self.table.id),
            _raw(self.table.id.declared),
        )

    def _views(self, *, vectors: bool) -> sql.Composed:
        table, nothing = self.table, sql.SQL("NULL")
        metadata = _name(table.metadata) if table.metadata else nothing
        vector = _name(table.vector) if vectors else nothing
        return sql.SQL(", ").join([_text(table.id), _text(table.text), metadata, self._columns, vector])

    @property
    def _columns(self) -> sql.Composed:
        """The further columns as one JSON object; a function takes a hundred arguments at most."""
        objects = [
            sql.SQL("jsonb_build_object({})").format(
                sql.SQL(", ").join(part for one in some for part in (_literal(one.name), _name(one)))
            )
            for some in batches(self.further, 50)
        ]
        return sql.SQL(" || ").join(objects) if objects else sql.SQL("NULL::jsonb").format()

    @property
    def _rows(self) -> sql.Composed:
        if self.table.collection is None:
            return sql.SQL("{} WHERE TRUE").format(self.name)
        return sql.SQL("{} WHERE {} = %s").format(
            self.name, sql.Identifier(_escaped(self.table.collection[0]))
        )

    @property
    def _with_ids(self) -> sql.Composed:
        """The ids' texts become the column's type, so that its index is used."""
        column = self.table.id
        return sql.SQL("{} = ANY(%s::text[]::{}[])").format(_name(column), _raw(column.declared))


def _escaped(text: str) -> str:
    """As psycopg reads it in a statement with parameters."""
    return text.replace("%", "%%")


def _raw(text: str) -> sql.SQL:
    """SQL text from the table of operators, or the name of a type as the catalogue writes it."""
    return sql.SQL(_escaped(text))  # pyright: ignore[reportArgumentType]  # never a user's text


def _name(column: Column) -> sql.Identifier:
    return sql.Identifier(_escaped(column.name))


def _literal(name: str) -> sql.Composed:
    return sql.SQL("{}::text").format(sql.Literal(_escaped(name)))


def _text(column: Column) -> sql.Composed:
    return sql.SQL("{}::text").format(_name(column))
