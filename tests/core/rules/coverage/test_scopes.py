"""``coverage`` never looks beyond a scope, at pieces of sentences neither."""

import pytest

import chunkfilter as cf

DOCUMENT = "The pump starts at six in the morning of each day that is no holiday."


def windows(tenant: str | None) -> list[cf.Chunk]:
    metadata = {"tenant": tenant} if tenant else None
    bounds = [(0, 26), (19, 45), (34, len(DOCUMENT))]
    return [
        cf.Chunk(f"{DOCUMENT[start:end]}", metadata=metadata, source=f"{tenant}.md", spans=((start, end),))
        for start, end in bounds
    ]


@pytest.mark.parametrize("keep", ["first", "longest"])
def test_a_piece_is_not_covered_by_one_of_another_scope(keep: str) -> None:
    wider = cf.Chunk(DOCUMENT[:50], metadata={"tenant": "b"}, source="c.md", spans=((0, 50),))
    chunks = [*windows("a"), wider, *windows("b")]
    together = cf.filter_chunks(chunks, f"coverage keep={keep}")
    assert {line.index for line in together.removed} & {0, 1, 4, 5}
    apart = cf.filter_chunks(chunks, f"coverage keep={keep} scope=tenant")
    assert {0, 1, 2} <= set(apart.kept)
    apart.verify(chunks)


def test_a_chunk_without_the_key_of_the_scope_covers_nothing() -> None:
    chunks = [*windows("a"), *windows(None)]
    result = cf.filter_chunks(chunks, "coverage scope=tenant")
    assert result.removed == ()
    assert "3 chunks lack a scope key (tenant)" in result.report.warnings[0]
