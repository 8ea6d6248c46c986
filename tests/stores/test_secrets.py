"""Passwords and keys of a URL are in no message, log or file."""

from pathlib import Path

import psycopg
import pytest

from chunkfilter.cli.main import main
from chunkfilter.errors import InputError
from chunkfilter.stores.address import parse_address


@pytest.mark.parametrize(
    ("url", "secret"),
    [
        ("postgresql:///db?host=/tmp&user=me&password=no-host-in-it#t", "no-host-in-it"),
        ("postgresql://me:pa%73s-word@host/db?sslmode=require#t", "pass-word"),
        ("postgresql://me@host/db?password=hidden-one#t", "hidden-one"),
        ("qdrant+http://:api-key-1@host:6333#c", "api-key-1"),
        ("chroma+http://user:p%40ss@host#c", "p@ss"),
    ],
)
def test_what_is_shown_of_a_url_holds_no_secret(url, secret):
    address = parse_address(url)
    assert secret in address.secrets
    for shown in (address.public, repr(address), address.scrubbed(f"cannot open {url}: {secret}")):
        assert secret not in shown
        assert "pa%73s" not in shown
        assert "p%40ss" not in shown
    assert "host" in address.public


@pytest.mark.parametrize("character", "/?#:@")
@pytest.mark.parametrize("table", ["#rows", ""])
def test_a_password_with_special_characters_is_never_shown(character, table):
    url = f"postgresql://me:se{character}cret77@host:5432/db{table}"
    try:
        shown = parse_address(url).public
    except InputError as error:
        shown = str(error)
        assert "% form" in shown
    assert "cret77" not in shown
    assert "me:se" not in shown


@pytest.mark.parametrize(
    "place",
    ["//h1:1,h2/db", "//[::1]:5432/db", "//me@host/db", "///db?host=/tmp&user=me", "//me:p@h1,h2:9/d"],
)
def test_hosts_of_every_form_are_understood(place):
    assert parse_address(f"postgresql:{place}#rows").place == place


def test_a_wrong_password_is_said_without_the_password(postgres_login, tmp_path, fails):
    url = postgres_login("wr0ng-password")
    said = fails("prune", f"{url}#rows", "--plan", tmp_path / "plan")
    assert "password authentication failed" in said
    assert "wr0ng" not in said


def test_no_file_of_a_plan_holds_the_password(postgres_login, tmp_path, monkeypatch, caplog, pairs):
    url = postgres_login("r1ght-password")
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute("CREATE TABLE secret_rows (id text PRIMARY KEY, body text, emb vector)")
        rows = [[row.id, row.text, str(row.vector.tolist())] for row in pairs]
        connection.cursor().executemany("INSERT INTO secret_rows VALUES (%s, %s, %s)", rows)
    caplog.set_level("DEBUG", "chunkfilter")
    assert (
        main(
            ["prune", f"{url}#secret_rows", "--policy", "exact", "--plan", str(tmp_path / "plan"), "--apply"]
        )
        == 0
    )
    written = b"".join(path.read_bytes() for path in (tmp_path / "plan").iterdir())
    assert b"r1ght" not in written
    assert "r1ght" not in caplog.text
    monkeypatch.setenv("PGPASSWORD", "r1ght-password")
    assert main(["undo", str(tmp_path / "plan")]) == 0


@pytest.fixture
def postgres_login(postgres_url):
    """URLs of a user who must give a password; theirs is r1ght-password."""
    with psycopg.connect(postgres_url, autocommit=True) as connection:
        connection.execute("DROP TABLE IF EXISTS secret_rows")
        connection.execute("DROP ROLE IF EXISTS visitor")
        connection.execute("CREATE ROLE visitor LOGIN PASSWORD 'r1ght-password'")
        connection.execute("GRANT ALL ON SCHEMA public TO visitor")
        rules = Path(connection.execute("SHOW hba_file").fetchone()[0])
        before = rules.read_text()
        rules.write_text(f"local all visitor scram-sha-256\n{before}")
        connection.execute("SELECT pg_reload_conf()")
        host = postgres_url.partition("host=")[2]
        yield lambda password: f"postgresql://visitor:{password}@/postgres?host={host}"
        rules.write_text(before)
        connection.execute("SELECT pg_reload_conf()")
        connection.execute("DROP OWNED BY visitor")
        connection.execute("DROP ROLE visitor")
