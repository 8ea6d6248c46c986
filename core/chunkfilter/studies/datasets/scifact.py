"""SciFact: claims, the abstracts they cite, and the sentences that support or refute them.

``corpus.jsonl`` of ``{"_id", "title", "sentences"}`` and ``claims.jsonl`` of ``{"_id", "text",
"cited_doc_ids", "evidence": [{"doc_id", "sentences"}]}``. A document is its title, a blank line and its
sentences with spaces between them. References are the evidence sentences, relevant are the abstracts cited;
claims without evidence are left out.

Source: Wadden et al., "Fact or Fiction: Verifying Scientific Claims" (2020).
"""

from pathlib import Path

from chunkfilter.chunk import Span
from chunkfilter.errors import DatasetError
from chunkfilter.evaluate.datasets.format import Format, NamedQuestions, Options
from chunkfilter.evaluate.datasets.places import joined, placed_dataset
from chunkfilter.evaluate.datasets.reading import Entry, first_object, json_lines
from chunkfilter.evaluate.questions import Dataset, Question, Reference
from chunkfilter.studies.datasets.parts import offsets, titled

_CORPUS, _CLAIMS = "corpus.jsonl", "claims.jsonl"


def _fits(path: Path) -> bool:
    return (
        path.is_dir()
        and "sentences" in first_object(path / _CORPUS)
        and "evidence" in first_object(path / _CLAIMS)
    )


def _read(path: Path, options: Options) -> Dataset:
    documents: dict[str, str] = {}
    places: dict[str, list[Span]] = {}
    for entry in json_lines(path / _CORPUS):
        name = entry.text("_id")
        if name in documents:
            raise DatasetError(f"{entry.place}: a second document is called {name!r}")
        body, spans = joined(entry.texts("sentences"), " ")
        documents[name], offset = titled(str(entry.values.get("title") or ""), body)
        places[name] = [(start + offset, end + offset) for start, end in spans]
    questions = NamedQuestions()
    without = 0
    for entry in json_lines(path / _CLAIMS):
        if entry.objects("evidence"):
            questions.add(_question(entry, documents, places), entry.place)
        else:
            without += 1
    return placed_dataset(
        path.resolve().name,
        documents,
        questions.all,
        problems=[f"{without} claims without evidence sentences are left out"] if without else [],
        limit=options.limit,
    )


def _question(entry: Entry, documents: dict[str, str], places: dict[str, list[Span]]) -> Question:
    references = []
    for evidence in entry.objects("evidence"):
        source = evidence.text("doc_id")
        if source not in documents:
            raise DatasetError(f"{evidence.place}: no document is called {source!r}")
        for number in offsets(evidence, "sentences"):
            if number >= len(places[source]):
                raise DatasetError(
                    f"{evidence.place}: sentence {number} of {source!r}; it has {len(places[source])}"
                )
            start, end = places[source][number]
            references.append(Reference(documents[source][start:end], source, start, end))
    cited = [str(name) for name in entry.texts("cited_doc_ids") if name in documents]
    relevant = dict.fromkeys([*cited, *(one.source for one in references if one.source)], 1.0)
    return Question(entry.text("_id"), entry.text("text"), tuple(references), relevance=relevant)


SCIFACT = Format(f'a folder with {_CORPUS} of {{"_id", "sentences"}} and {_CLAIMS} (SciFact)', _fits, _read)
