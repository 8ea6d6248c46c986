"""The key by which a pipeline caches a step says everything that changes the step's result."""

import json
import subprocess
import sys

import pytest
from llama_index.core.ingestion.pipeline import get_transformation_hash
from llama_index.core.schema import TextNode

from llamaindex_chunkfilter import ChunkFilterPostprocessor, ChunkFilterTransform

NODES = [TextNode(text="one"), TextNode(text="two")]


def key(step):
    return get_transformation_hash(NODES, step)


def test_four_policies_give_four_keys():
    policies = ["exact", "exact scope=tenant", "exact keep=longest", "coverage"]
    assert len({key(ChunkFilterTransform(policy)) for policy in policies}) == 4


def test_one_policy_written_in_two_ways_gives_one_key():
    assert key(ChunkFilterTransform("exact keep=first")) == key(ChunkFilterTransform(" exact "))


def test_models_and_their_settings_are_in_the_key(minilm):
    other = type(minilm)(text_prefix="passage: ")
    assert len({key(ChunkFilterTransform("exact", model)) for model in (None, minilm, other)}) == 3
    assert key(ChunkFilterTransform("exact", minilm)) == key(ChunkFilterTransform("exact", type(minilm)()))


def test_how_fast_a_model_works_is_not_in_the_key(minilm):
    fast = type(minilm)(embed_batch_size=100, num_workers=4)
    assert key(ChunkFilterTransform("exact", minilm)) == key(ChunkFilterTransform("exact", fast))


def test_secrets_are_never_in_a_dump(minilm):
    keyed = type(minilm)(api_key="sk-secret")
    for step in (ChunkFilterTransform("exact", keyed), ChunkFilterPostprocessor("exact", keyed)):
        assert "sk-secret" not in step.to_json() + repr(step) + str(step.to_dict())
    assert key(ChunkFilterTransform("exact", minilm)) == key(ChunkFilterTransform("exact", keyed))


def test_the_key_is_the_same_in_another_process():
    code = (
        "from llama_index.core.ingestion.pipeline import get_transformation_hash\n"
        "from llama_index.core.schema import TextNode\n"
        "from llamaindex_chunkfilter import ChunkFilterTransform\n"
        "nodes = [TextNode(text='one'), TextNode(text='two')]\n"
        "print(get_transformation_hash(nodes, ChunkFilterTransform('exact scope=b,a')))"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == key(ChunkFilterTransform("exact scope=b,a"))


@pytest.mark.parametrize("kind", [ChunkFilterTransform, ChunkFilterPostprocessor])
def test_settings_survive_dicts_and_json(kind, minilm):
    step = kind("exact keep=longest", minilm, show_progress=True)
    for copy in (
        kind.from_dict(step.to_dict()),
        kind.from_json(step.to_json()),
        kind.model_validate(step.model_dump()),
    ):
        assert copy.to_dict() == step.to_dict()
    assert json.loads(step.to_json())["class_name"] == kind.class_name() == kind.__name__
