"""What a store's retrieval is worth, and what it holds, without writing a byte."""

import json

import numpy as np
import psycopg
import pytest

import chunkfilter as cf
from chunkfilter.cli.main import main
from chunkfilter.errors import InputError, StoreError
from chunkfilter.evaluate.stored import evaluate_store
from chunkfilter.signals.embedders import load_embedder
from chunkfilter.splitters import split_documents
from chunkfilter.stores import Row, check_health, make_plan, open_store

MODEL = "package:all-MiniLM-L6-v2"
TOPICS = ("pump", "valve", "door", "filter", "probe", "battery", "alarm", "shelf", "fan", "hinge", "cable")
SETTINGS = {"k": 3, "budgets": (10, 30, 60), "tokens": ("word",), "seeds": 2}
RULE = (
    "Whoever looks after the machines in the long hall of the old building beside the river has them checked "
    "by trained staff {} times a month, writes down what was found, and puts the sheet into the folder there."
)
POLICIES = ["none", "exact", "coverage", "similarity@0.9"]


@pytest.fixture(scope="module")
def model():
    return load_embedder(MODEL)


@pytest.fixture(scope="module")
def corpus(model):
    """Rows with their vectors, and questions; every row of the old edition stands in the new one again."""
    rows, questions = [], []
    for edition in ("new", "old"):
        for number, topic in enumerate(TOPICS):
            answer = f"The {topic} needs {number + 2} checks a month by trained staff only."
            for text in (answer, f"A note on the {topic} of the {edition} edition."):
                rows.append(Row(f"r{len(rows):03}", text, {"source": f"{edition}/{topic}"}))
            reference = cf.Reference(answer, f"{edition}/{topic}")
            questions.append(
                cf.Question(f"{edition}/{topic}", f"How many checks does the {topic} need?", (reference,))
            )
    vectors = model.encode([row.text for row in rows])
    return [
        Row(row.id, row.text, row.metadata, vector) for row, vector in zip(rows, vectors, strict=True)
    ], questions


@pytest.fixture
def store(make, corpus):
    opened = open_store(make(corpus[0]))
    yield opened
    opened.close()


def test_a_sweep_is_one_policy_at_each_threshold(chroma_folder, corpus, model):
    store = open_store(chroma_folder(corpus[0]))
    found = evaluate_store(store, corpus[1], ["none", "similarity@0.7..0.9/0.1"], embedder=model, **SETTINGS)
    store.close()
    assert [row.policy for row in found.own.rows if row.kind == "policy"] == [
        "none",
        "similarity@0.7",
        "similarity@0.8",
        "similarity@0.9",
    ]


def test_exact_search_over_a_store_agrees_with_compare_on_its_texts(store, corpus, model):
    found = evaluate_store(store, corpus[1], POLICIES, embedder=model, **SETTINGS)
    rows = [row for page in store.pages(vectors=False) for row in page]
    chunks = [cf.Chunk(row.text, str(row.id), row.metadata, row.metadata["source"]) for row in rows]
    expected = cf.compare(chunks, corpus[1], POLICIES, embedder=model, **SETTINGS)
    for ours, theirs in zip(found.exact.rows, expected.rows, strict=True):
        assert (ours.policy, ours.kept) == (theirs.policy, theirs.kept)
        assert ours.rates == pytest.approx(theirs.rates, abs=1e-6)


def test_the_stores_own_index_is_measured_beside_exact_search(store, corpus, model):
    found = evaluate_store(store, corpus[1], ["none", "coverage"], embedder=model, **SETTINGS)
    assert found.agreement > 0.95
    assert found.completed == 0
    assert found.sample_cosine > 0.999
    assert [row.recall for row in found.own.rows] == pytest.approx(
        [row.recall for row in found.exact.rows], abs=0.05
    )


def test_evaluating_asks_the_store_for_no_change(store, corpus, model, monkeypatch):
    for method in ("delete", "restore", "mark"):
        monkeypatch.setattr(type(store), method, None)
    evaluate_store(store, corpus[1], POLICIES, embedder=model, **SETTINGS)
    check_health(store)


def test_a_model_of_another_size_is_refused_with_both_sizes(chroma_object, corpus, model):
    rows = [Row(row.id, row.text, row.metadata, row.vector[:100]) for row in corpus[0]]
    store = open_store(chroma_object(rows))
    with pytest.raises(StoreError, match=r"100 dimensions, those of .*MiniLM.* 384"):
        evaluate_store(store, corpus[1], ["none"], embedder=model, **SETTINGS)


def test_a_model_whose_vectors_disagree_is_refused_with_examples(chroma_object, corpus, model):
    foreign = np.random.default_rng(0).normal(size=(len(corpus[0]), 384)).astype(np.float32)
    rows = [Row(row.id, row.text, None, vector) for row, vector in zip(corpus[0], foreign, strict=True)]
    store = open_store(chroma_object(rows))
    with pytest.raises(StoreError, match=r"of 32 stored texts embedded again 0 .*'r\d\d\d' -?0\.\d"):
        evaluate_store(store, corpus[1], ["none"], embedder=model, **SETTINGS)


def test_a_store_that_names_no_model_asks_for_one(chroma_object, corpus):
    with pytest.raises(InputError, match="--embedder"):
        evaluate_store(open_store(chroma_object(corpus[0])), corpus[1], ["none"])


def test_rows_without_a_text_do_not_disturb(chroma_object, corpus, model):
    images = [Row(f"image{place}", None, None, row.vector) for place, row in enumerate(corpus[0][:10])]
    store = open_store(chroma_object([*images, *corpus[0]]))
    found = evaluate_store(store, corpus[1], ["none"], embedder=model, **SETTINGS)
    assert (found.rows, found.without_text) == (54, 10)
    assert found.own.rows[0].recall == pytest.approx(found.exact.rows[0].recall, abs=0.05)


@pytest.mark.parametrize(
    ("index", "distance"),
    [
        ("hnsw (emb vector_l2_ops)", "l2"),
        ("hnsw (emb vector_ip_ops)", "ip"),
        ("ivfflat (emb vector_cosine_ops) WITH (lists = 4)", "cosine"),
    ],
)
def test_indexes_of_a_table_are_seen_and_searched(
    postgres_url, postgres_table, corpus, model, index, distance
):
    url = postgres_table(corpus[0])
    name = url.partition("#")[2]
    with psycopg.connect(postgres_url, autocommit=True) as connection:
        connection.execute(f"ALTER TABLE {name} ALTER emb TYPE vector(384)")
        connection.execute(f"CREATE INDEX ON {name} USING {index}")
    store = open_store(url)
    assert (store.index.kind, store.index.distance) == (index.partition(" ")[0], distance)
    found = evaluate_store(store, corpus[1], ["none", "exact"], embedder=model, **SETTINGS)
    assert distance in found.index
    assert found.exact.rows[0].recall == pytest.approx(found.own.rows[0].recall, abs=0.1)
    store.close()


def test_distances_other_than_cosine_rank_as_the_store_does(postgres_url, postgres_table, corpus, model):
    scaled = [
        Row(row.id, row.text, row.metadata, row.vector * np.float32(0.5 + place % 3))
        for place, row in enumerate(corpus[0])
    ]
    for distance in ("l2", "ip"):
        url = postgres_table(scaled)
        name = url.partition("#")[2]
        with psycopg.connect(postgres_url, autocommit=True) as connection:
            connection.execute(f"ALTER TABLE {name} ALTER emb TYPE vector(384)")
            connection.execute(f"CREATE INDEX ON {name} USING hnsw (emb vector_{distance}_ops)")
        store = open_store(url)
        found = evaluate_store(store, corpus[1], ["none"], embedder=model, **SETTINGS)
        assert found.agreement > 0.95
        store.close()


# health


def test_health_counts_what_a_store_need_not_hold(make, corpus, tmp_path):
    vector = corpus[0][0].vector
    odd = [
        Row("blank", " \t", {"source": "odd"}, vector),
        Row("long", "word " * 300 + "end.", {"source": "odd"}, vector),
        Row("six", RULE.format(6), None, vector),
        Row("nine", RULE.format(9), None, vector),
    ]
    store = open_store(make([*corpus[0], *odd]))
    health = check_health(store)
    assert (health.rows, health.copies, health.blank, health.past_window) == (48, 11, 1, 1)
    assert health.copies == make_plan(store, "exact blank=keep", tmp_path / "plan").removed
    assert health.conflicts >= 1
    assert {make.id("six"), make.id("nine")} in [set(one.ids) for one in health.examples]
    assert sum(one.copies for one in health.sources) == 11
    assert health.vectors.lengths == {384: 48}
    assert health.vectors.shared == 1
    store.close()


def test_health_sees_vectors_of_two_models(postgres_table, corpus):
    short = [Row("short", "Another model's row.", None, corpus[0][0].vector[:100])]
    store = open_store(postgres_table([*corpus[0], *short]))
    assert check_health(store).vectors.lengths == {384: 44, 100: 1}
    store.close()


# the command


@pytest.fixture
def question_file(corpus, tmp_path):
    path = tmp_path / "questions.jsonl"
    lines = [
        {"id": one.id, "question": one.text, "references": [{"text": one.references[0].text}]}
        for one in corpus[1]
    ]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return path


def test_the_command_measures_a_store(chroma_folder, corpus, question_file, capsys):
    url = chroma_folder(corpus[0])
    words = ["evaluate", url, "--questions", str(question_file), "--embedder", MODEL, "--k", "3"]
    assert main([*words, "--json"]) == 0
    report = json.loads(capsys.readouterr().out)
    assert [row["policy"] for row in report["own"]["rows"]] == ["none", "exact", "coverage"]
    assert main(words) == 0
    shown = capsys.readouterr().out
    assert "BY EXACT SEARCH" in shown
    assert shown.count("22 questions, top 3") == 2
    assert shown.count("P, R, IoU, oracle: word tokens of the top 3") == 1, "two tables share one legend"


def test_measuring_needs_questions(chroma_folder, corpus, capsys):
    with pytest.raises(SystemExit) as exited:
        main(["evaluate", chroma_folder(corpus[0])])
    assert exited.value.code == 2
    assert "--questions" in capsys.readouterr().err


def test_the_command_reports_what_a_store_holds(chroma_folder, corpus, capsys):
    url = chroma_folder(corpus[0])
    assert main(["inspect", url, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["copies"] == 11
    assert main(["inspect", url]) == 0
    assert "11 exact copies" in capsys.readouterr().out


def test_the_report_says_how_many_conflicts_it_does_not_show(chroma_folder, corpus, capsys):
    vector = corpus[0][0].vector
    url = chroma_folder([Row(f"r{count}", RULE.format(count), None, vector) for count in range(6)])
    assert main(["inspect", url]) == 0
    shown = capsys.readouterr().out
    assert shown.count("\nconflict (number)") == 3
    assert "2 more conflicts; --conflicts 5 shows all of them" in shown
    assert main(["inspect", url, "--conflicts", "5"]) == 0
    shown = capsys.readouterr().out
    assert shown.count("\nconflict (number)") == 5
    assert "more conflicts" not in shown
    assert main(["inspect", url, "--conflicts", "-1"]) == 2
    assert "--conflicts: got -1; expected a number from 0" in capsys.readouterr().err


# a real corpus


@pytest.mark.data
@pytest.mark.slow
@pytest.mark.parametrize("kind", ["chroma_folder", "postgres_table"])
def test_a_store_of_the_chroma_study_agrees_with_compare(kind, request, data, model):
    dataset = cf.load_dataset(data / "chroma")
    chunks = split_documents(dataset.documents, "fixed:400:200")
    vectors = model.encode([chunk.text for chunk in chunks])
    rows = [
        Row(f"r{place:05}", chunk.text, {"source": chunk.source}, vectors[place])
        for place, chunk in enumerate(chunks)
    ]
    store = open_store(request.getfixturevalue(kind)(rows))
    policies = ["none", "exact", "coverage", "coverage scope=source"]
    found = evaluate_store(store, dataset.questions, policies, embedder=model, seeds=1)
    expected = cf.compare(chunks, dataset.questions, policies, embedder=model, tokens=("word",), seeds=1)
    for exact, own, theirs in zip(found.exact.rows, found.own.rows, expected.rows, strict=True):
        assert (exact.policy, exact.kept) == (theirs.policy, theirs.kept)
        assert exact.rates == pytest.approx(theirs.rates, abs=1e-3)
        assert own.recall == pytest.approx(theirs.recall, abs=1 - found.agreement + 1e-3)
    assert found.agreement > 0.97
    store.close()
