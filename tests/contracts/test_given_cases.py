"""Every case of a folder of public bug reports, run as it is given.

``CHUNKFILTER_CASES`` names the folder: one file a case, named ``NUMBER_name``. A JSON file holds an ``input``
and what to ``expect``, a Python file builds its input. Our own inputs of the same kinds: ``hard_inputs``.
"""

import importlib.util
import json
import os
from collections.abc import Callable, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from chunkfilter.signals.embedders import load_embedder
from chunkfilter.signals.entities import load_entities

from . import given_chunks, given_programs, given_reports, given_stores
from .given_chunks import COPIES_GO, COPIES_MAY_STAY
from .test_hard_inputs import Remembering

FOLDER = os.environ.get("CHUNKFILTER_CASES", "")
FILES = sorted(Path(FOLDER).glob("[0-9]*_*")) if FOLDER else []

#: By the kind of the case; run under every policy.
OF_CHUNKS = {"chunks": given_chunks.chunks_behave, "batches": given_chunks.batches_behave}
#: By the kind of the case.
OF_KIND: dict[str, Callable[[dict[str, Any], Path], None]] = {
    "nodes": given_chunks.nodes_behave,
    "query": given_chunks.results_behave,
}
#: By the number of the case.
REPORTS: dict[int, Callable[[dict[str, Any], Path, pytest.CaptureFixture[str]], None]] = {
    40: given_reports.names_stay_in_the_folder,
    41: given_reports.pages_hold_no_foreign_element,
    42: given_reports.cells_are_no_formulas,
    44: given_reports.terminal_output_is_inert,
}
PROGRAMS: dict[int, Callable[[ModuleType, Path], None]] = {
    34: given_programs.many_chunks,
    35: given_stores.shared_between_threads,
    36: given_programs.interrupted,
    37: given_stores.damaged_files,
    39: given_programs.long_runs,
    45: given_programs.cached_steps,
    46: given_programs.shared_text_of_deleted_source,
    50: given_stores.more_rows_than_variables,
    51: given_stores.pruned_and_restored,
    56: given_programs.worker_processes,
    57: given_programs.event_loop,
}

pytestmark = [
    pytest.mark.data,
    pytest.mark.slow,
    pytest.mark.skipif(
        not FILES, reason="set CHUNKFILTER_CASES to the folder with the cases to run this test"
    ),
    # LlamaIndex forks for worker processes; Python 3.12 warns of that where threads were started
    pytest.mark.filterwarnings("ignore:.*multi-threaded, use of fork:DeprecationWarning"),
]


@pytest.fixture(autouse=True)
def own_state_folder(monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path_factory.mktemp("state")))


@pytest.fixture(scope="module")
def signals() -> dict[str, Any]:
    """MiniLM and spaCy; each reads a text once."""
    model, known = load_entities("package:en_core_web_sm"), dict[str, Any]()

    def entities(texts: Sequence[str]) -> list[Any]:
        new = [text for text in texts if text not in known]
        known.update(zip(new, model(new), strict=True))
        return [known[text] for text in texts]

    return {"embedder": Remembering(load_embedder("package:all-MiniLM-L6-v2")), "entities": entities}


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_the_case_as_it_is_given(
    path: Path, signals: dict[str, Any], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    if path.suffix == ".py":
        PROGRAMS[_number(path)](_module(path), tmp_path)
        return
    case = json.loads(path.read_text(encoding="utf-8"))
    if case["kind"] in OF_CHUNKS:
        failed = {}
        for policy in COPIES_GO + COPIES_MAY_STAY:
            try:
                OF_CHUNKS[case["kind"]](case, policy, signals)
            except AssertionError as error:
                failed[policy] = str(error)
        assert not failed
    elif case["kind"] in OF_KIND:
        OF_KIND[case["kind"]](case, tmp_path)
    else:
        REPORTS[case["id"]](case, tmp_path, capsys)


def _number(path: Path) -> int:
    return int(path.stem.partition("_")[0])


def _module(path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
