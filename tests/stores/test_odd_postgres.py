"""Tables that are odd or treacherous: what cannot be put back exactly is refused before anything changes."""

import uuid
from urllib.parse import quote

import numpy as np
import psycopg
import pytest

from chunkfilter.errors import StoreError
from chunkfilter.stores import apply_plan, make_plan, open_store, row, undo_plan

TEXT = "The same text in every row."
VECTORS = np.random.default_rng(6).normal(size=(8, 8)).astype(np.float32)


COLUMNS = "id bigserial PRIMARY KEY, text text, metadata jsonb, embedding vector(8)"


class Database:
    """A schema of its own."""

    def __init__(self, url):
        self.url, self.schema = url, f"s{uuid.uuid4().hex[:12]}"
        self.execute(f"CREATE SCHEMA {self.schema}")

    def execute(self, statement, *values):
        with psycopg.connect(self.url, autocommit=True) as connection:
            if not statement.startswith("CREATE SCHEMA"):
                connection.execute(f"SET search_path = {self.schema}, public")
            done = connection.execute(statement, values or None)
            return done.fetchall() if done.description else []

    def fill(self, columns=COLUMNS, more="", values=""):
        """A table ``t`` of three equal texts."""
        self.execute(f"CREATE TABLE t ({columns})")
        for vector in VECTORS[:3]:
            statement = f"INSERT INTO t (text, embedding{more}) VALUES (%s, %s{values})"
            self.execute(statement, TEXT, str(vector.tolist()))

    @property
    def table(self):
        return f"{self.url}#{self.schema}.t"

    def content(self, name="t"):
        return sorted(self.execute(f"SELECT to_jsonb({name})::text FROM {name}"))


@pytest.fixture
def database(postgres_url):
    made = Database(postgres_url)
    yield made
    made.execute(f"DROP SCHEMA {made.schema} CASCADE")


KEEP_AWAY = (
    "CREATE FUNCTION f() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN DELETE FROM victims; RETURN {}; END'"
)


@pytest.mark.parametrize(
    ("treachery", "soft", "named"),
    [
        ("CREATE TRIGGER audit AFTER DELETE ON t FOR EACH ROW EXECUTE FUNCTION f()", False, "trigger audit"),
        ("CREATE TRIGGER stamp BEFORE INSERT ON t FOR EACH ROW EXECUTE FUNCTION f()", False, "trigger stamp"),
        ("CREATE TRIGGER stamp BEFORE UPDATE ON t FOR EACH ROW EXECUTE FUNCTION f()", True, "trigger stamp"),
        ("CREATE RULE archive AS ON DELETE TO t DO ALSO DELETE FROM victims", False, "rule archive"),
        ("CREATE TABLE child (more int) INHERITS (t)", False, "child, which inherit"),
        ("CREATE TABLE notes (row_id bigint REFERENCES t ON DELETE SET NULL)", False, "notes"),
        ("CREATE TABLE notes (row_id bigint REFERENCES t ON DELETE CASCADE)", False, "notes"),
    ],
)
def test_what_goes_along_with_a_row_is_named_before_anything_changes(
    database, prune_and_undo, tmp_path, treachery, soft, named
):
    database.fill()
    database.execute("CREATE TABLE victims AS SELECT 1 AS one")
    database.execute(KEEP_AWAY.format("NULL"))
    database.execute(treachery)
    before = database.content()
    with pytest.raises(StoreError, match=named):
        prune_and_undo(database.table, soft=soft)
    assert database.content() == before
    assert database.content("victims")


def test_undo_waits_until_a_trigger_that_came_later_is_out_of_the_way(database, tmp_path):
    database.fill(COLUMNS + ", at timestamptz DEFAULT now()")
    before = database.content()
    store = open_store(database.table)
    plan = make_plan(store, "exact", tmp_path / "plan")
    apply_plan(store, plan)
    database.execute(
        "CREATE FUNCTION f() RETURNS trigger LANGUAGE plpgsql AS "
        "'BEGIN new.at = clock_timestamp(); RETURN new; END'"
    )
    database.execute("CREATE TRIGGER stamp BEFORE INSERT ON t FOR EACH ROW EXECUTE FUNCTION f()")
    with pytest.raises(StoreError, match="trigger stamp"):
        undo_plan(store, plan)
    assert store.count() == 1
    database.execute("ALTER TABLE t DISABLE TRIGGER stamp")
    assert undo_plan(store, plan).restored == 2
    assert database.content() == before
    store.close()


def test_a_trigger_that_fills_a_column_for_text_search_is_no_obstacle(database, prune_and_undo, tmp_path):
    database.execute(f"CREATE TABLE t ({COLUMNS}, words tsvector)")
    database.execute(
        "CREATE TRIGGER words BEFORE INSERT OR UPDATE ON t FOR EACH ROW EXECUTE FUNCTION "
        "tsvector_update_trigger(words, 'pg_catalog.english', text)"
    )
    for vector in VECTORS[:3]:
        database.execute("INSERT INTO t (text, embedding) VALUES (%s, %s)", TEXT, str(vector.tolist()))
    before = database.content()
    assert prune_and_undo(database.table) == 2
    assert database.content() == before


def test_a_user_who_may_delete_but_not_insert_is_told_before_anything_is_deleted(
    database, prune_and_undo, tmp_path
):
    database.fill()
    database.execute(f"CREATE ROLE reader{database.schema} LOGIN")
    database.execute(f"GRANT USAGE ON SCHEMA {database.schema} TO reader{database.schema}")
    database.execute(f"GRANT SELECT, DELETE ON t TO reader{database.schema}")
    url = database.table.replace("//postgres:@", f"//reader{database.schema}@")
    with pytest.raises(StoreError, match="lacks the right to INSERT"):
        prune_and_undo(url)
    assert len(database.content()) == 3
    database.execute(f"DROP OWNED BY reader{database.schema}")
    database.execute(f"DROP ROLE reader{database.schema}")


def test_a_row_that_others_refer_to_stops_apply_with_the_way_back(database, tmp_path, monkeypatch):
    monkeypatch.setattr(row, "BATCH", 1)
    database.fill()
    database.execute("CREATE TABLE notes (row_id bigint REFERENCES t)")
    database.execute("INSERT INTO notes VALUES (3)")
    before = database.content()
    store = open_store(database.table)
    plan = make_plan(store, "exact", tmp_path / "plan")
    with pytest.raises(StoreError, match=r"(?s)notes.*1 of 2 rows were deleted.*chunkfilter undo"):
        apply_plan(store, plan)
    assert undo_plan(store, plan).restored == 1
    assert database.content() == before
    store.close()


TYPES = {
    "d": ("date", "'2024-03-04'"),
    "at": ("timestamptz", "'2024-03-04 01:02:03.123456+05:30'"),
    "span": ("interval", "'1 year 2 mons -3 days 04:05:06.789'"),
    "real": ("float8", "0.1::float8 / 3"),
    "price": ("money", "'1234.56'::numeric::money"),
    "raw": ("bytea", r"'\xdeadbeef'"),
    "many": ("int[]", "'{1,NULL,3}'"),
    "range": ("int4range", "'[1,5)'"),
    "kind": ("mood", "'a b'"),
    "pair": ("ct", """'(1,"q""x")'"""),
    "fixed": ("char(5)", "'ab'"),
    "half": ("halfvec(3)", "'[0.1,0.2,0.3]'"),
    "sparse": ("sparsevec(5)", "'{1:0.1}/5'"),
    "must": ("int NOT NULL", "5"),
}


def test_columns_of_any_type_are_restored_under_whatever_settings_the_user_has(
    database, prune_and_undo, tmp_path
):
    database.execute("CREATE TYPE mood AS ENUM ('a b', 'c')")
    database.execute("CREATE TYPE ct AS (a int, b text)")
    columns = ", ".join(f"{name} {kind}" for name, (kind, _) in TYPES.items())
    values = ", ".join(value for _, value in TYPES.values())
    database.fill(f"{COLUMNS}, {columns}", f", {', '.join(TYPES)}", f", {values}")
    before = database.content()
    user = f"u{database.schema}"
    database.execute(f"CREATE ROLE {user} LOGIN SUPERUSER")
    for setting in (
        "datestyle = 'SQL, DMY'",
        "extra_float_digits = -10",
        "intervalstyle = sql_standard",
        "timezone = 'Asia/Kolkata'",
        "bytea_output = escape",
    ):
        database.execute(f"ALTER ROLE {user} SET {setting}")
    url = database.table.replace("//postgres:@", f"//{user}@") + "?vector=embedding"
    assert prune_and_undo(url) == 2
    assert database.content() == before
    database.execute(f"DROP ROLE {user}")


def test_names_of_tables_and_columns_may_hold_anything(database, prune_and_undo, tmp_path):
    database.execute(
        'CREATE TABLE "T %s ü" ("I D" int PRIMARY KEY, "te%xt" text, "me""ta" json, "v e" vector(8))'
    )
    for place, vector in enumerate(VECTORS[:3]):
        database.execute(
            """INSERT INTO "T %%s ü" VALUES (%s, %s, '{"b": 1,  "a": null}', %s)""",
            place,
            TEXT,
            str(vector.tolist()),
        )
    named = f"{database.url}#{database.schema}.{quote('T %s ü')}?text={quote('te%xt')}"
    before = database.content('"T %s ü"')
    assert prune_and_undo(named) == 2
    assert prune_and_undo(named + "&metadata=me%22ta", soft=True) == 2
    assert database.content('"T %s ü"') == before


def test_rows_are_read_in_the_order_of_their_ids_not_of_their_digits(database):
    database.fill()
    database.execute("UPDATE t SET id = 10 WHERE id = 3")
    store = open_store(database.table)
    assert [row.id for page in store.pages(vectors=False) for row in page] == ["1", "2", "10"]
    store.close()


def test_a_column_beside_the_metadata_is_a_scope_and_is_named_where_it_differs(database, tmp_path):
    database.fill(COLUMNS + ", tenant int DEFAULT 1")
    database.execute("UPDATE t SET tenant = 2 WHERE id = 3")
    store = open_store(database.table)
    loose = make_plan(store, "exact", tmp_path / "loose")
    assert loose.removed == 2
    assert (
        "removed and kept rows differ (first 1000 rows): tenant (1)"
        in (loose.folder / "summary.txt").read_text()
    )
    scoped = make_plan(store, "exact scope=tenant", tmp_path / "scoped")
    assert [one["id"] for one in scoped.removals()] == ["2"]
    database.execute("UPDATE t SET tenant = 3 WHERE id = 2")
    with pytest.raises(StoreError, match=r"1 changed .*'2'"):
        apply_plan(store, scoped)
    store.close()


@pytest.mark.parametrize("value", ["[1, 2]", "3", '"text"'])
def test_metadata_that_is_no_mapping_is_restored_but_cannot_be_marked(
    database, prune_and_undo, tmp_path, value
):
    database.fill(COLUMNS, ", metadata", f", '{value}'")
    before = database.content()
    assert prune_and_undo(database.table) == 2
    with pytest.raises(StoreError, match="row '1' is no JSON object"):
        prune_and_undo(database.table, soft=True)
    assert database.content() == before


def test_a_null_in_json_can_be_marked(database, prune_and_undo, tmp_path):
    database.fill(COLUMNS, ", metadata", ", 'null'")
    marked = []
    prune_and_undo(database.table, soft=True, between=lambda: marked.extend(database.content()))
    assert sum('"duplicate": true' in row for (row,) in marked) == 2


def test_rows_of_a_partitioned_table_go_back_into_their_partitions(database, prune_and_undo, tmp_path):
    database.execute(
        "CREATE TABLE t (id int PRIMARY KEY, text text, embedding vector(8)) PARTITION BY RANGE (id)"
    )
    database.execute("CREATE TABLE low PARTITION OF t FOR VALUES FROM (0) TO (2)")
    database.execute("CREATE TABLE high PARTITION OF t FOR VALUES FROM (2) TO (9)")
    for place, vector in enumerate(VECTORS[:4]):
        database.execute("INSERT INTO t VALUES (%s, %s, %s)", place, TEXT, str(vector.tolist()))
    before = database.content("low"), database.content("high")
    assert prune_and_undo(database.table) == 3
    assert (database.content("low"), database.content("high")) == before
