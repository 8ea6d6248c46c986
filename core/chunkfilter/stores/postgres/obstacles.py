"""What keeps a table's rows from being changed and put back as they were."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, LiteralString

from chunkfilter.errors import StoreError
from chunkfilter.stores.postgres.layout import Table

#: The table and, of a partitioned one, its partitions.
_WITH_FAMILY: LiteralString = """
WITH family AS (SELECT relid FROM pg_partition_tree(%(oid)s::oid::regclass) UNION SELECT %(oid)s::oid)"""

_CHILDREN: LiteralString = """
SELECT inhrelid::regclass::text FROM pg_inherits JOIN pg_class c ON c.oid = inhparent
WHERE inhparent = %(oid)s AND c.relkind = 'r' ORDER BY 1"""

_CASCADES: LiteralString = (
    _WITH_FAMILY
    + """
SELECT DISTINCT conrelid::regclass::text FROM pg_constraint
WHERE contype = 'f' AND confrelid IN (TABLE family) AND confdeltype IN ('c', 'n', 'd') ORDER BY 1"""
)

#: Not those that PostgreSQL keeps for foreign keys, nor its own functions, which fill a column to search in.
_TRIGGERS: LiteralString = (
    _WITH_FAMILY
    + """
SELECT DISTINCT t.tgname FROM pg_trigger t JOIN pg_proc p ON p.oid = t.tgfoid
WHERE t.tgrelid IN (TABLE family) AND NOT t.tgisinternal AND t.tgenabled IN ('O', 'A')
  AND t.tgtype & %(bits)s <> 0 AND p.pronamespace <> 'pg_catalog'::regnamespace ORDER BY 1"""
)

_RULES: LiteralString = """
SELECT rulename FROM pg_rewrite
WHERE ev_class = %(oid)s AND ev_enabled IN ('O', 'A') AND ev_type = ANY(%(letters)s) ORDER BY 1"""

_RIGHTS: LiteralString = """
SELECT one FROM unnest(%(rights)s::text[]) one WHERE NOT has_table_privilege(%(oid)s::oid, one)"""


@dataclass(frozen=True, slots=True)
class Change:
    """A kind of statement, as the catalogue writes it.

    Args:
        right: the privilege it needs.
        bit: of a trigger's type.
        letter: of a rule's type.
    """

    right: str
    bit: int
    letter: str


INSERT, DELETE, UPDATE = Change("INSERT", 4, "3"), Change("DELETE", 8, "4"), Change("UPDATE", 16, "2")


def refuse_obstacles(connection: Any, table: Table, address: str, *changes: Change) -> None:
    """Do nothing if such changes touch the table's own rows alone, and do what they say.

    Raises:
        StoreError: something would be lost, or could not be put back; all of it is named.
    """
    values = {
        "oid": table.oid,
        "bits": sum(change.bit for change in changes),
        "letters": [change.letter for change in changes],
        "rights": [change.right for change in changes],
    }

    def names(statement: LiteralString) -> str:
        return ", ".join(row[0] for row in connection.execute(statement, values))

    if found := list(_obstacles(names, deletes=DELETE in changes)):
        raise StoreError(f"{address}: {'; '.join(found)}")


def _obstacles(names: Any, *, deletes: bool) -> Iterator[str]:
    if missing := names(_RIGHTS):
        yield f"this user lacks the right to {missing} on the table, which apply or undo needs"
    if children := names(_CHILDREN):
        yield f"rows of {children}, which inherit from it, could not be told from its own; name such a table"
    if deletes and (hanging := names(_CASCADES)):
        yield (
            f"deleting its rows would delete or change rows of {hanging} (foreign keys ON DELETE CASCADE or "
            "SET), which undo could not restore"
        )
    for kind, statement in (("trigger", _TRIGGERS), ("rule", _RULES)):
        if found := names(statement):
            yield (
                f"what the {kind} {found} does cannot be undone, or changes what undo puts back; disable it "
                f"while apply and undo run (ALTER TABLE ... DISABLE {kind.upper()} ...)"
            )
