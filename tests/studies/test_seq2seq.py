"""A real T5, small enough to be made and taught one passage on the spot."""

import json
import sys

import pytest
import torch
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, processors, trainers
from transformers import PreTrainedTokenizerFast, T5Config, T5ForConditionalGeneration

from chunkfilter import split
from chunkfilter.errors import InputError, MissingExtraError
from chunkfilter.studies.propositions import PropositionMemory, load_propositionizer

PASSAGE = "The tower is in Paris. It is high."
SENTENCES = ["The tower is in Paris.", "The tower is high."]
UNKNOWN = "Cats sleep."


def tokenizer() -> PreTrainedTokenizerFast:
    made = Tokenizer(models.BPE())
    made.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    made.decoder = decoders.ByteLevel()
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    trainer = trainers.BpeTrainer(
        vocab_size=400, special_tokens=["<pad>", "</s>"], initial_alphabet=alphabet, show_progress=False
    )
    made.train_from_iterator([PASSAGE, json.dumps(SENTENCES)] * 3, trainer)
    made.post_processor = processors.TemplateProcessing(single="$A </s>", special_tokens=[("</s>", 1)])
    return PreTrainedTokenizerFast(tokenizer_object=made, pad_token="<pad>", eos_token="</s>")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    torch.manual_seed(0)
    words = tokenizer()
    config = T5Config(
        vocab_size=len(words),
        d_model=32,
        d_kv=16,
        d_ff=64,
        num_layers=1,
        num_heads=2,
        dropout_rate=0.0,
        decoder_start_token_id=0,
        pad_token_id=0,
        eos_token_id=1,
    )
    model = T5ForConditionalGeneration(config)
    taught = {PASSAGE: json.dumps(SENTENCES), UNKNOWN: "meow"}
    inputs = words([f"Read: {passage}" for passage in taught], return_tensors="pt", padding=True)
    labels = words(list(taught.values()), return_tensors="pt", padding=True)["input_ids"]
    labels[labels == 0] = -100
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
    for _ in range(400):
        loss = model(
            input_ids=inputs["input_ids"], attention_mask=inputs["attention_mask"], labels=labels
        ).loss
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if loss.item() < 0.01:
            break
    path = tmp_path_factory.mktemp("model")
    model.save_pretrained(path)
    words.save_pretrained(path)
    return path


@pytest.fixture(scope="module")
def model(folder):
    return load_propositionizer(folder, template="Read: {passage}", max_new_tokens=40)


def test_what_the_model_writes_becomes_chunks_and_what_cannot_be_read_stays(model):
    memory = PropositionMemory(model)
    chunks = split(f"{PASSAGE}\n\n{UNKNOWN}", "propositions", propositionizer=memory)
    assert [chunk.text for chunk in chunks] == [*SENTENCES, UNKNOWN]
    assert [chunk.spans for chunk in chunks] == [((0, 34),), ((0, 34),), ((36, 47),)]
    assert [failure.passage for failure in memory.failures] == [UNKNOWN]
    assert "'meow'; expected a JSON array" in memory.failures[0].reason


def test_batches_change_nothing(folder, model):
    one_by_one = load_propositionizer(folder, template="Read: {passage}", batch_size=1, max_new_tokens=40)
    passages = [PASSAGE, UNKNOWN, PASSAGE, "\ud800"]
    assert list(map(str, one_by_one.propositions(passages))) == list(map(str, model.propositions(passages)))


def test_the_name_tells_what_decides_the_answers(folder, model):
    assert model.name == f"{folder} (template 'Read: {{passage}}', 40 tokens)"


def test_an_answer_that_is_cut_is_a_failure(folder):
    short = load_propositionizer(folder, template="Read: {passage}", max_new_tokens=3)
    assert PropositionMemory(short).propositions([PASSAGE]) == [None]


def test_errors_name_the_model_and_what_is_missing(tmp_path, monkeypatch):
    with pytest.raises(InputError, match=r"template: got 'Read'; expected a text with \{passage\} in it"):
        load_propositionizer(tmp_path, template="Read")
    with pytest.raises(InputError, match="no such sequence-to-sequence model here"):
        load_propositionizer(tmp_path)
    monkeypatch.setitem(sys.modules, "transformers", None)
    with pytest.raises(MissingExtraError, match=r'pip install "chunkfilter\[embeddings\]"'):
        load_propositionizer(tmp_path)
