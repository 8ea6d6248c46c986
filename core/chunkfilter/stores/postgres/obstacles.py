"""What keeps a table's rows from being changed and put back as they were."""

from collections.abc import Iterator
from typing import Any

from chunkfilter.errors import StoreError
from chunkfilter.stores.postgres.table import Table

#: The table and, of a partitioned one, its partitions.
_FAMILY = "WITH family AS (SELECT relid FROM pg_partition_tree($1::oid::regclass) UNION SELECT $1::oid)"

_RIGHTS = "SELECT one FROM unnest($2::text[]) one WHERE NOT has_table_privilege($1::oid, one)"

_CHILDREN = """
SELECT inhrelid::regclass::text FROM pg_inherits JOIN pg_class c ON c.oid = inhparent
WHERE inhparent = $1 AND c.relkind = 'r' ORDER BY 1"""

_CASCADES = """
SELECT DISTINCT conrelid::regclass::text FROM pg_constraint
WHERE contype = 'f' AND confrelid IN (TABLE family) AND confdeltype IN ('c', 'n', 'd') ORDER BY 1"""

#: Not those that PostgreSQL keeps for foreign keys, nor its own functions, which fill a column to search in.
_TRIGGERS = """
SELECT DISTINCT t.tgname FROM pg_trigger t JOIN pg_proc p ON p.oid = t.tgfoid
WHERE t.tgrelid IN (TABLE family) AND NOT t.tgisinternal AND t.tgenabled IN ('O', 'A')
  AND t.tgtype & $2::int <> 0 AND p.pronamespace <> 'pg_catalog'::regnamespace ORDER BY 1"""

_RULES = """
SELECT rulename FROM pg_rewrite
WHERE ev_class = $1 AND ev_enabled IN ('O', 'A') AND ev_type = ANY($2::text[]::"char"[]) ORDER BY 1"""


#: How the catalogue writes a kind of statement: the bit of a trigger's type, the letter of a rule's.
_KINDS = {"INSERT": (4, "3"), "DELETE": (8, "4"), "UPDATE": (16, "2")}


def refuse_obstacles(connection: Any, table: Table, address: str, *changes: str) -> None:
    """Do nothing if changes touch the table's own rows alone, and do what they say.

    Args:
        connection: of psycopg, with raw cursors.
        table: the table.
        address: how reports call the store.
        changes: ``INSERT``, ``DELETE``, ``UPDATE``.

    Raises:
        StoreError: something would be lost, or could not be put back; all of it is named.
    """
    if found := list(_obstacles(connection, table.oid, changes)):
        raise StoreError(f"{address}: {'; '.join(found)}")


def _obstacles(connection: Any, oid: int, changes: tuple[str, ...]) -> Iterator[str]:
    def names(statement: str, *values: Any) -> str:
        return ", ".join(row[0] for row in connection.execute(statement, [oid, *values]))

    if missing := names(_RIGHTS, list(changes)):
        yield f"this user lacks the right to {missing} on the table, which apply or undo needs"
    if children := names(_CHILDREN):
        yield f"its rows and those of {children}, which inherit from it, look alike here; name such a table"
    if "DELETE" in changes and (hanging := names(_FAMILY + _CASCADES)):
        yield (
            f"deleting its rows would delete or change rows of {hanging} (foreign keys ON DELETE CASCADE or "
            "SET), which undo could not restore"
        )
    triggers = names(_FAMILY + _TRIGGERS, sum(_KINDS[change][0] for change in changes))
    rules = names(_RULES, [_KINDS[change][1] for change in changes])
    for kind, found in (("trigger", triggers), ("rule", rules)):
        if found:
            yield (
                f"what the {kind} {found} does cannot be undone, or changes what undo puts back; disable it "
                f"while apply and undo run (ALTER TABLE ... DISABLE {kind.upper()} ...)"
            )
