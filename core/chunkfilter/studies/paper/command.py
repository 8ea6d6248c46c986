"""``chunkfilter study tables DATA --out DIR``: the study's tables and figures, measured again."""

import argparse
import time
from collections import Counter
from pathlib import Path

from chunkfilter.cli.output import DONE, add_json_argument, complain, say, say_json, shows_progress
from chunkfilter.errors import InputError
from chunkfilter.evaluate.cached_embedder import cached_embedder
from chunkfilter.evaluate.compare import DEFAULT_EMBEDDER
from chunkfilter.signals.embedders import load_embedder
from chunkfilter.signals.topics import METHODS
from chunkfilter.storage import replacing
from chunkfilter.studies.paper.corpora import STUDIES, find_corpora
from chunkfilter.studies.paper.plan import CUTS
from chunkfilter.studies.paper.report import (
    Published,
    figures_csv,
    read_published,
    tables_csv,
    tables_text,
    values_of,
)
from chunkfilter.studies.paper.tables import Line, Options, measured_lines

_SPECS = tuple(cut.spec for cut in CUTS)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("data", metavar="DATA", type=Path, help="folder with the data sets")
    parser.add_argument(
        "--out",
        metavar="DIR",
        type=Path,
        required=True,
        help="folder for tables.csv, figures.csv and finished rows; a run that was stopped resumes from them",
    )
    parser.add_argument(
        "--published", metavar="FILE", type=Path, help="CSV with the study's values, to be shown beside ours"
    )
    parser.add_argument(
        "--corpora", metavar="NAME,NAME", help=f"some of {', '.join(STUDIES)} (default: all that are there)"
    )
    parser.add_argument("--chunkers", metavar="SPEC,SPEC", help=f"some of {', '.join(_SPECS)} (default: all)")
    parser.add_argument(
        "--embedder", metavar="NAME", default=DEFAULT_EMBEDDER, help="model that ranks (default: %(default)s)"
    )
    parser.add_argument(
        "--entities",
        metavar="NAME",
        default="package:en_core_web_sm",
        help="spaCy model for English, or none (default: %(default)s); of other languages what is installed",
    )
    parser.add_argument("--topics", choices=METHODS, help="how topics are found (default: kmeans)")
    parser.add_argument(
        "--seeds", type=int, default=5, help="draws of the random rows (default: %(default)s)"
    )
    parser.add_argument("--limit", metavar="N", type=int, help="the first N questions only")
    parser.add_argument(
        "--tables-only", action="store_true", help="leave out the thresholds that only figures show"
    )
    add_json_argument(parser)


def run(arguments: argparse.Namespace) -> int:
    """Measure what is missing, write the files, print the tables."""
    started = time.perf_counter()
    corpora = find_corpora(arguments.data, _listed(arguments.corpora))
    published = read_published(arguments.published) if arguments.published else None
    options = Options(
        cached_embedder(load_embedder(arguments.embedder), show_progress=shows_progress()),
        _specs(arguments.chunkers),
        None if arguments.entities == "none" else arguments.entities,
        arguments.topics,
        arguments.seeds,
        arguments.limit,
        figures=not arguments.tables_only,
        show_progress=shows_progress(),
    )
    arguments.out.mkdir(parents=True, exist_ok=True)
    lines: list[Line] = []
    for part in measured_lines(corpora, arguments.out / "rows", options, complain):
        lines += part
        _write(arguments.out, lines, published)
        if not arguments.json:
            say(f"{part[0].corpus.name}, {part[0].cut.spec}\n{tables_text(part, published)}\n")
    rows = [values_of(line, published) for line in lines if not line.swept]
    agreement = Counter(row["agrees"] for row in rows if row["agrees"])
    if arguments.json:
        say_json({"rows": rows, "agreement": dict(agreement)})
    else:
        counts = ", ".join(f"{name} {count}" for name, count in agreement.most_common())
        say(
            f"{len(rows)} rows in {arguments.out / 'tables.csv'} after {time.perf_counter() - started:.0f} s"
            + (f"; agreement: {counts}" if counts else "")
        )
    return DONE


def _write(folder: Path, lines: list[Line], published: Published | None) -> None:
    files = {"tables.csv": tables_csv(lines, published), "figures.csv": figures_csv(lines)}
    for name, text in files.items():
        with replacing(folder / name) as file:
            file.write(text)


def _listed(text: str | None) -> tuple[str, ...]:
    return tuple(text.split(",")) if text else ()


def _specs(text: str | None) -> tuple[str, ...]:
    named = _listed(text) or _SPECS
    unknown = [spec for spec in named if spec not in _SPECS]
    if unknown:
        raise InputError(f"--chunkers: got {', '.join(unknown)}; expected some of {', '.join(_SPECS)}")
    return named
