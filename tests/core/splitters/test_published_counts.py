"""The splitters cut the corpora of the two published studies into the published numbers of chunks."""

import pytest

from chunkfilter import load_dataset, split_documents

PUBLISHED = {
    "chroma": {
        "fixed:200:0": 1644,
        "fixed:400:0": 824,
        "fixed:400:200": 1639,
        "fixed:800:400": 819,
        "recursive:200:0": 10989,
        "recursive:400:0": 5208,
        "recursive:400:200": 6217,
        "recursive:800:400": 3330,
    },
    "squad_dev11": {
        "fixed:200:0": 1692,
        "fixed:400:0": 859,
        "fixed:400:200": 1644,
        "fixed:800:400": 811,
        "recursive:200:0": 12238,
        "recursive:400:0": 5737,
        "recursive:400:200": 6623,
        "recursive:800:400": 3051,
    },
}


@pytest.mark.data
@pytest.mark.parametrize("corpus", PUBLISHED)
def test_chunks_of_a_corpus(data, corpus):
    documents = load_dataset(data / corpus).documents
    counts = {spec: len(split_documents(documents, spec)) for spec in PUBLISHED[corpus]}
    assert counts == PUBLISHED[corpus]
