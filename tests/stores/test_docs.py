"""What docs/stores.md shows is what happens, from the first block to the last."""

import re
import shlex
from pathlib import Path

import numpy as np
import psycopg
import pytest
from qdrant_client import QdrantClient, models

from chunkfilter.cli.main import main
from chunkfilter.stores import apply_plan, make_plan, open_store
from chunkfilter.stores.open import SCHEMES

PAGE = (Path(__file__).parents[2] / "docs" / "stores.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"```(console|python)\n(.*?)```", PAGE, re.DOTALL)
STORE_TO_TRY = next(code for language, code in BLOCKS if language == "python")
QDRANT = next(code for language, code in BLOCKS if "qdrant_client" in code)


@pytest.fixture
def work(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run_python(code, **names):
    exec(compile(code, "docs/stores.md", "exec"), names)


@pytest.mark.slow
def test_the_page_can_be_followed_from_the_store_to_try_on(work, capsys):
    run_python(STORE_TO_TRY)
    lines = 0
    for language, code in BLOCKS:
        if language == "python" and code not in (STORE_TO_TRY, QDRANT):
            run_python(code)
        for line in code.splitlines() if language == "console" else ():
            words = shlex.split(re.sub(r"\s#\s.*", "", line))
            assert words[0] == "chunkfilter"
            assert main(words[1:]) == 0, line
            lines += 1
    assert lines >= 12
    printed = capsys.readouterr().out
    for said in ("exact copies", "BY EXACT SEARCH", "retrieval after", "rows restored", "rows marked"):
        assert said in printed


def copies():
    """Two texts, one of them twice: id, text, vector."""
    vectors = np.eye(3, 4, dtype=np.float32)
    return [(place + 1, ("Kept.", "Kept.", "Other.")[place], vectors[place].tolist()) for place in range(3)]


def marked(url, folder):
    store = open_store(url)
    apply_plan(store, make_plan(store, "exact", folder, soft=True))
    store.close()


def test_the_queries_for_qdrant_leave_duplicates_out(work):
    client = QdrantClient(path="qdrant")
    client.create_collection("handbook", models.VectorParams(size=4, distance=models.Distance.COSINE))
    client.upsert(
        "handbook",
        [models.PointStruct(id=one, vector=vector, payload={"text": text}) for one, text, vector in copies()],
    )
    client.close()
    marked("qdrant:qdrant#handbook", work / "plan")
    client, answers = QdrantClient(path="qdrant"), []

    class Recorded:
        def query_points(self, *args, **kwargs):
            answers.append([point.id for point in client.query_points(*args, **kwargs).points])

        def query_points_groups(self, *args, **kwargs):
            groups = client.query_points_groups(*args, **kwargs).groups
            answers.append([point.id for group in groups for point in group.hits])

    run_python(QDRANT, client=Recorded(), vector=[1.0, 0.2, 0.1, 0.0])
    client.close()
    assert answers == [[1, 3], [1, 3]]


def test_the_query_for_postgres_leaves_duplicates_out(work, postgres_url):
    (statement,) = re.findall(r"```sql\n(.*?)```", PAGE, re.DOTALL)
    with psycopg.connect(postgres_url, autocommit=True, cursor_factory=psycopg.RawCursor) as connection:
        connection.execute("DROP TABLE IF EXISTS chunks")
        connection.execute(
            "CREATE TABLE chunks (id int PRIMARY KEY, text text, metadata jsonb, embedding vector(4))"
        )
        for one, text, vector in copies():
            connection.execute("INSERT INTO chunks VALUES ($1, $2, NULL, $3)", [one, text, str(vector)])
        marked(f"{postgres_url}#chunks", work / "plan")
        found = connection.execute(statement.replace("$1", "$1::vector"), ["[1, 0.2, 0.1, 0]"]).fetchall()
        connection.execute("DROP TABLE chunks")
    assert [row[0] for row in found] == [1, 3]


def test_every_scheme_and_option_it_names_exists():
    named = set(re.findall(r"`([a-z+]+):(?://|PATH)", PAGE))
    assert {"chroma", "qdrant", "postgresql"} <= named <= set(SCHEMES)
    shown = {word for _, code in BLOCKS for word in re.findall(r"--[a-z-]+", code)}
    assert {"--apply", "--plan", "--soft", "--questions"} <= shown
