"""The published reductions, on the study's own corpora."""

from pathlib import Path

import pytest

import chunkfilter as cf
from chunkfilter.splitters import split_documents


@pytest.mark.data
@pytest.mark.slow
@pytest.mark.parametrize(
    ("spec", "published"),
    [("recursive:400:0", 37.481), ("recursive:400:200", 35.725), ("recursive:800:400", 26.366)],
)
def test_equal_entity_sets_remove_the_published_share_within_one_percent(
    data: Path, spec: str, published: float
) -> None:
    files = sorted((data / "chroma" / "corpora").glob("*.md"))
    chunks = split_documents({file.name: file.read_text(encoding="utf-8") for file in files}, spec)
    result = cf.filter_chunks(chunks, "ner-exact@paper", entities="package:en_core_web_sm")
    assert result.reduction == pytest.approx(published, rel=0.01)
