"""The rows of the study's tables: its splitters and filters, each as what it is called here."""

from dataclasses import dataclass

from chunkfilter.evaluate.sweep import expanded

#: Published filters have no guards and look at blank chunks too.
_AS_PUBLISHED = "guards=none blank=keep"


@dataclass(frozen=True, slots=True)
class Cut:
    """One splitter of the study: a table of each corpus.

    Args:
        chunker: what the study calls it.
        size: its size, in tokens, or in characters for the recursive one.
        overlap: likewise.
        spec: what it is called here.
    """

    chunker: str
    size: int
    overlap: int
    spec: str


#: In the order of the tables.
CUTS = (
    Cut("ClusterSemanticChunker", 200, 0, "cluster:200"),
    Cut("ClusterSemanticChunker", 400, 0, "cluster:400"),
    Cut("FixedTokenChunker", 200, 0, "fixed:200:0"),
    Cut("FixedTokenChunker", 400, 0, "fixed:400:0"),
    Cut("FixedTokenChunker", 400, 200, "fixed:400:200"),
    Cut("FixedTokenChunker", 800, 400, "fixed:800:400"),
    Cut("RecursiveTokenChunker", 200, 0, "recursive:200:0"),
    Cut("RecursiveTokenChunker", 400, 0, "recursive:400:0"),
    Cut("RecursiveTokenChunker", 400, 200, "recursive:400:200"),
    Cut("RecursiveTokenChunker", 800, 400, "recursive:800:400"),
)


@dataclass(frozen=True, slots=True)
class Method:
    """One filter.

    Args:
        name: what the study calls it, or what it is if the study has none such.
        threshold: as the study writes it, ``-`` for none.
        policy: what it is called here.
        published: whether the study's tables have it.
    """

    name: str
    threshold: str
    policy: str
    published: bool = True


#: The rows of each table of the study, in its order, and ours behind them.
METHODS = (
    Method("No filtering", "-", "none"),
    Method("ExactNorm", "-", "exact@paper"),
    *(Method("MinHash-LSH", f"{t:.3f}", f"minhash@{t} {_AS_PUBLISHED}") for t in (0.6, 0.7, 0.8)),
    Method("NER Exact", "-", "ner-exact@paper"),
    Method("NER Half", "-", f"ner-half@0.5 {_AS_PUBLISHED}"),
    Method("Similarity", "0.800", f"similarity@0.8 {_AS_PUBLISHED}"),
    Method("Similarity + Topics", "0.800", f"similarity@0.8+topics {_AS_PUBLISHED}"),
    Method("Similarity + NER", "0.800", f"similarity@0.8+ner {_AS_PUBLISHED}"),
    Method("Similarity + Topics + NER", "0.800", f"similarity@0.8+topics+ner {_AS_PUBLISHED}"),
    *(Method("Random", f"{p:.3f}", f"random@{p} blank=keep") for p in (0.2, 0.4, 0.6, 0.8)),
    Method("NER Exact, as its text defines it", "-", f"ner-exact {_AS_PUBLISHED}", published=False),
    Method("exact", "-", "exact blank=keep", published=False),
    Method("coverage", "-", "coverage blank=keep", published=False),
)

#: The thresholds between the tables' rows that the figures show, by the filter's name.
_SWEPT = {
    "Similarity": "similarity@{}",
    "Similarity + Topics": "similarity@{}+topics",
    "Similarity + NER": "similarity@{}+ner",
    "Similarity + Topics + NER": "similarity@{}+topics+ner",
}


def swept_methods() -> tuple[Method, ...]:
    """The filters of the figures at the thresholds that the tables leave out."""
    tabled = {method.policy for method in METHODS}
    return tuple(
        Method(name, f"{policy.stages[0].terms[0].value:.3f}", str(policy), published=False)
        for name, form in _SWEPT.items()
        for policy in expanded([f"{form.format('0.6..0.95/0.05')} {_AS_PUBLISHED}"])
        if str(policy) not in tabled
    )
