"""Small chunks are filtered, their parents are still found."""

import uuid

from langchain_classic.retrievers import ParentDocumentRetriever
from langchain_classic.storage import InMemoryStore
from langchain_core.vectorstores import InMemoryVectorStore
from langchain_text_splitters import RecursiveCharacterTextSplitter

from langchain_chunkfilter import ChunkFilter, ChunkFilterRetriever


def parents_and_children(documents):
    """Parents by id, and their children, each with its parent's id in the metadata."""
    splitter = RecursiveCharacterTextSplitter(chunk_size=200, chunk_overlap=100)
    parents = {str(uuid.uuid4()): document for document in documents}
    children = []
    for name, parent in parents.items():
        for child in splitter.split_documents([parent]):
            child.metadata["doc_id"] = name
            children.append(child)
    return parents, children


def build(documents, policy, minilm):
    parents, children = parents_and_children(documents)
    kept, result = ChunkFilter(policy=policy).filter_with_result(children)
    retriever = ParentDocumentRetriever(
        vectorstore=InMemoryVectorStore(minilm),
        docstore=InMemoryStore(),
        child_splitter=RecursiveCharacterTextSplitter(),  # required by the class; the children are cut above
        search_kwargs={"k": 1},
    )
    retriever.vectorstore.add_documents(kept)
    retriever.docstore.mset(list(parents.items()))
    return retriever, parents, children, result


def some_files(load):
    names = ("safety.md", "sensors.md", "alarms.md")
    return [one for one in load(None) if one.metadata["source"].endswith(names)]


def test_within_its_parent_a_filter_leaves_every_parent_reachable_by_each_of_its_children(load, minilm):
    files = some_files(load)
    for file in files:  # each repeats itself, and editions of one handbook repeat each other
        file.page_content += f"\n\n{file.page_content}"
    _, parents, children, result = build(files, "coverage scope=doc_id", minilm)
    assert result.removed
    for removal in result.removed:
        parent = children[removal.index].metadata["doc_id"]
        assert {children[position].metadata["doc_id"] for position in removal.kept_by} == {parent}
    assert {children[position].metadata["doc_id"] for position in result.kept} == set(parents)


def test_the_parent_of_a_kept_child_is_found_by_its_text(load, minilm):
    retriever, parents, children, result = build(some_files(load), "coverage", minilm)
    texts = [children[position].page_content for position in result.kept]
    for position in result.kept[::10]:
        child = children[position]
        if texts.count(child.page_content) == 1:
            assert retriever.invoke(child.page_content) == [parents[child.metadata["doc_id"]]]


def test_a_removed_child_leads_to_a_parent_that_holds_its_text(load, minilm):
    retriever, _, children, result = build(some_files(load), "exact", minilm)
    copies = [removal for removal in result.removed if removal.rule == "exact"]
    assert copies
    for removal in copies[::5]:
        (found,) = retriever.invoke(children[removal.index].page_content)
        assert children[removal.kept_by[0]].page_content in found.page_content


def test_parents_that_repeat_each_other_are_filtered_after_retrieval(load, minilm):
    retriever, *_ = build(some_files(load), "none", minilm)
    parents = ChunkFilterRetriever(base=retriever, policy="exact", k=3).invoke("How are alarms confirmed?")
    assert len({parent.page_content for parent in parents}) == len(parents) == 3
    assert retriever.search_kwargs == {"k": 1}
