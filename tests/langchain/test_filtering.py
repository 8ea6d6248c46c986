"""What ChunkFilter keeps, and what it refuses."""

import copy
import pickle

import pytest
from langchain_core.documents import Document
from pydantic import ValidationError

from chunkfilter import Policy
from chunkfilter.errors import MissingSignalError, TooManyRemovedError
from langchain_chunkfilter import ChunkFilter, to_chunks

POLICIES = ("exact", "coverage", "similarity@0.95")


@pytest.mark.parametrize("policy", POLICIES)
def test_of_two_identical_documents_the_first_object_itself_stays(policy, repeated, minilm):
    kept = ChunkFilter(policy=policy, embeddings=minilm).transform_documents(repeated)
    assert [id(document) for document in kept] == [id(repeated[0]), id(repeated[2])]
    assert kept[0].id == "first"
    assert kept[0].type == "Document"
    assert kept[0].metadata == {"source": "a.md", "page": 1}


class PageDocument(Document):
    """A caller's own kind of document."""

    page: int


def test_a_subclass_of_document_stays_what_it_is():
    page = PageDocument(page_content="One page of text.", page=3)
    assert ChunkFilter().transform_documents([page])[0] is page


@pytest.mark.parametrize("policy", POLICIES)
def test_nothing_and_one_document_stay_as_they_are(policy, minilm):
    chunk_filter = ChunkFilter(policy=policy, embeddings=minilm)
    one = [Document("The only one.")]
    assert chunk_filter.transform_documents([]) == []
    assert chunk_filter.transform_documents(one)[0] is one[0]


def test_documents_without_ids_are_filtered_and_get_none(chunks):
    kept, result = ChunkFilter().filter_with_result(chunks)
    assert result.removed
    assert [id(document) for document in kept] == [id(chunks[position]) for position in result.kept]
    assert all(document.id is None for document in chunks)


def test_documents_are_left_as_they_were(chunks):
    before = copy.deepcopy(chunks)
    ChunkFilter().transform_documents(chunks)
    assert chunks == before


def test_ten_thousand_documents_in_their_order():
    documents = [
        Document(f"Row {number % 4000} of the price list.", id=str(number)) for number in range(10_000)
    ]
    kept = ChunkFilter(policy="coverage").transform_documents(documents)
    assert [document.id for document in kept] == [str(number) for number in range(4000)]


def test_stored_documents_stand_for_new_ones_and_are_not_returned(repeated):
    kept, result = ChunkFilter(existing=repeated[:1]).filter_with_result(repeated[1:])
    assert [document.id for document in kept] == ["third"]
    assert result.removed[0].kept_by_existing == (0,)


def test_stored_documents_are_compared_by_vectors_too(repeated, minilm):
    chunk_filter = ChunkFilter(policy="similarity@0.95", embeddings=minilm, existing=repeated[:1])
    assert [document.id for document in chunk_filter.transform_documents(repeated[1:])] == ["third"]


def test_the_result_passes_its_own_certificate(chunks):
    _, result = ChunkFilter().filter_with_result(chunks)
    result.verify(to_chunks(chunks))


def test_scope_reads_the_metadata(repeated):
    kept = ChunkFilter(policy="coverage scope=source").transform_documents(repeated)
    assert [document.id for document in kept] == ["first", "second", "third"]


def test_annotated_copies_name_what_they_stand_for(repeated):
    repeated.append(Document("Defrost it once a year."))
    kept = ChunkFilter(annotate=True).transform_documents(repeated)
    assert [document.metadata.get("chunkfilter_stands_for") for document in kept] == [["second"], ["#3"]]
    assert kept[0].metadata == {"source": "a.md", "page": 1, "chunkfilter_stands_for": ["second"]}
    assert "chunkfilter_stands_for" not in repeated[0].metadata


def test_vectors_are_asked_for_once_a_distinct_text_and_only_if_needed(repeated, minilm):
    ChunkFilter(policy="exact", embeddings=minilm).transform_documents(repeated)
    assert minilm.texts == []
    ChunkFilter(policy="similarity@0.95", embeddings=minilm).transform_documents([*repeated, Document(" ")])
    assert sorted(minilm.texts) == ["Defrost it once a year.", "Keep the freezer at -80 degrees."]


def test_known_vectors_are_used_as_they_are(repeated, minilm):
    vectors = [[1.0, 0.0], [0.0, 1.0], [0.0, 1.0]]
    chunk_filter = ChunkFilter(policy="similarity@0.95 guards=none", embeddings=minilm)
    kept, _ = chunk_filter.filter_with_result(repeated, vectors=vectors)
    assert [document.id for document in kept] == ["first", "second"]
    assert minilm.texts == []


def test_entities_are_found_where_the_policy_asks_for_them(minilm):
    documents = [
        Document(f"The freezer in {city} was repaired by the same firm.") for city in ("Oslo", "Rome")
    ]
    options = {"embeddings": minilm, "entities": "package:en_core_web_sm"}
    alike = ChunkFilter(policy="similarity@0.5 guards=none", **options)
    same_place = ChunkFilter(policy="similarity@0.5+ner guards=none", **options)
    assert len(alike.transform_documents(documents)) == 1
    assert len(same_place.transform_documents(documents)) == 2


class HeadOnly:
    """MiniLM that reads the first 30 characters."""

    def __init__(self, minilm):
        self.minilm = minilm

    def visible_ends(self, texts):
        return [min(30, len(text)) for text in texts]


def test_embeddings_that_know_their_window_decide_what_counts_as_seen(minilm):
    tail = "The fan runs for ninety seconds after every defrost."
    documents = [
        Document(f"The compressor cools the chamber to minus eighty degrees. {tail}"),
        Document(tail),
    ]
    blind, seeing = ChunkFilter(), copy.copy(minilm)
    seeing.visible_ends = HeadOnly(minilm).visible_ends
    assert len(blind.transform_documents(documents)) == 1
    assert len(ChunkFilter(embeddings=seeing).transform_documents(documents)) == 2


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"polcy": "exact"}, "polcy"),
        ({"policy": "exct"}, "unknown rule 'exct'; known: .*coverage.*exact"),
        ({"policy": "exact kep=first"}, "'kep=first' is no option; known: keep"),
        ({"embeddings": "all-MiniLM"}, "instance of Embeddings"),
    ],
)
def test_a_mistake_fails_when_the_filter_is_made(fields, words):
    with pytest.raises(ValidationError, match=words):
        ChunkFilter(**fields)


def test_a_policy_is_taken_as_text_or_parsed_and_read_back_as_text():
    assert ChunkFilter(policy=Policy.parse("exact")).policy == ChunkFilter(policy=" exact ").policy == "exact"


def test_a_policy_that_needs_vectors_says_what_is_missing(repeated):
    with pytest.raises(MissingSignalError, match="needs vectors"):
        ChunkFilter(policy="similarity@0.9").transform_documents(repeated)


def test_too_many_removed_is_an_error_that_removes_nothing(repeated):
    with pytest.raises(TooManyRemovedError):
        ChunkFilter(policy="exact max_removed=0.1").transform_documents(repeated)


def test_unknown_arguments_are_refused_not_ignored(repeated):
    with pytest.raises(TypeError, match="policy"):
        ChunkFilter().transform_documents(repeated, policy="exact")


def test_the_filter_survives_pickling_and_copying(chunks):
    chunk_filter = ChunkFilter(policy="exact|coverage keep=longest", existing=chunks[:3], annotate=True)
    expected = chunk_filter.transform_documents(chunks)
    for twin in (
        pickle.loads(pickle.dumps(chunk_filter)),
        copy.deepcopy(chunk_filter),
        ChunkFilter.model_validate_json(chunk_filter.model_dump_json()),
    ):
        assert twin == chunk_filter
        assert twin.transform_documents(chunks) == expected


def test_the_fields_of_a_filter_do_not_change():
    with pytest.raises(ValidationError, match="frozen"):
        ChunkFilter().policy = "exact"
