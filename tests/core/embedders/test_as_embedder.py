"""Anything with one method embeds: objects, functions, models of the frameworks."""

import numpy as np
import pytest
from langchain_core.embeddings import DeterministicFakeEmbedding
from llama_index.core.embeddings.mock_embed_model import MockEmbedding
from sentence_transformers import SentenceTransformer

from chunkfilter.errors import InputError
from chunkfilter.signals.embedders import Named, Windowed, as_embedder, embedder_label, encode_queries
from chunkfilter.signals.packages import packaged_folder


def lengths(texts):
    return [[len(text), 1.0] for text in texts]


class Lengths:
    def encode(self, texts):
        return lengths(texts)


def test_an_object_with_encode_is_taken_as_it_is():
    given = Lengths()
    assert as_embedder(given) is given
    assert not isinstance(given, Named)
    assert embedder_label(given) == "Lengths"
    assert encode_queries(given, ["one", "seven"]) == [[3, 1.0], [5, 1.0]]


def test_a_function_embeds_texts_and_questions():
    embedder = as_embedder(lengths)
    assert embedder.encode(("one", "seven")) == [[3, 1.0], [5, 1.0]]
    assert encode_queries(embedder, ["one"]) == [[3, 1.0]]


def test_a_langchain_model_embeds_questions_its_own_way():
    model = DeterministicFakeEmbedding(size=4)
    embedder = as_embedder(model)
    assert embedder.encode(["a", "b"]) == model.embed_documents(["a", "b"])
    assert encode_queries(embedder, ["a", "b"]) == [model.embed_query("a"), model.embed_query("b")]


def test_a_llama_index_model_embeds():
    embedder = as_embedder(MockEmbedding(embed_dim=3))
    assert np.asarray(embedder.encode(["a", "b"])).shape == (2, 3)
    assert np.asarray(encode_queries(embedder, ["a"])).shape == (1, 3)


def test_a_loaded_sentence_transformer_keeps_its_window(minilm):
    model = SentenceTransformer(str(packaged_folder("all-MiniLM-L6-v2")), local_files_only=True)
    embedder = as_embedder(model)
    assert isinstance(embedder, Windowed)
    assert embedder.name == str(packaged_folder("all-MiniLM-L6-v2"))
    np.testing.assert_allclose(embedder.encode(["snow"]), minilm.encode(["snow"]), atol=1e-6)


def test_a_name_loads_a_model(minilm):
    np.testing.assert_allclose(
        as_embedder("package:all-MiniLM-L6-v2").encode(["snow"]), minilm.encode(["snow"]), atol=1e-6
    )


@pytest.mark.parametrize("given", [None, 3, Lengths, [[0.1, 0.2]]])
def test_anything_else_is_named_in_the_error(given):
    with pytest.raises(InputError, match="expected a model's name, an object with encode"):
        as_embedder(given)
