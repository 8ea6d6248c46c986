"""A plan: what would go from a store and what stands for it, as a folder to read, apply and undo."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from chunkfilter.errors import StoreError
from chunkfilter.filtering.run import filter_chunks
from chunkfilter.policy import Policy
from chunkfilter.result import FilterResult
from chunkfilter.stores.journal import Journal
from chunkfilter.stores.lines_file import read_lines, write_lines
from chunkfilter.stores.row import RowId
from chunkfilter.stores.snapshot import Snapshot, read_snapshot
from chunkfilter.stores.store import Store
from chunkfilter.stores.summary import differing_keys, write_summary

#: Files of a plan folder, in the order in which they come to be.
RESULT, ROWS, REMOVED, SUMMARY, PLAN = (
    "result.jsonl",
    "rows.jsonl",
    "removed.jsonl",
    "summary.txt",
    "plan.jsonl",
)
JOURNAL = "journal.jsonl"


@dataclass(frozen=True, slots=True)
class Plan:
    """What a plan folder says.

    Args:
        folder: where it is.
        store: address of the store it was made for, without secrets.
        policy: the policy that decided.
        soft: rows are marked, not deleted.
        total: rows of the store.
        removed: rows that go.
        source_key: the metadata key that names a row's document, if one was given.
        with_vectors: the policy read the vectors, so a changed vector is a changed store.
        files: digests of the files that tell which rows go, by name: those of another plan are refused.
    """

    folder: Path
    store: str
    policy: str
    soft: bool
    total: int
    removed: int
    source_key: str | None
    with_vectors: bool
    files: Mapping[str, str] = field(default_factory=dict)

    @property
    def journal(self) -> Journal:
        """What has been done with it."""
        return Journal(self.folder / JOURNAL)

    def digests(self) -> dict[RowId, str]:
        """A digest of every row of the store, by id.

        Raises:
            StoreError: the file is damaged.
        """
        return {entry["id"]: entry["digest"] for entry in self._lines(ROWS, "rows")}

    def removals(self) -> Iterator[dict[str, Any]]:
        """Each row that goes: ``id``, ``kept_by``, ``rule``, ``score``, ``text``.

        Raises:
            StoreError: the file is damaged.
        """
        return self._lines(REMOVED, "removed")

    def _lines(self, name: str, kind: str) -> Iterator[Any]:
        return read_lines(self.folder / name, kind, self.files.get(name))[1]

    def result(self) -> FilterResult:
        """The certificate: positions are those of the ``chunk`` entries of ``rows.jsonl``.

        Raises:
            ResultFileError: the file is damaged.
        """
        return FilterResult.load(self.folder / RESULT)


def make_plan(
    store: Store,
    policy: str | Policy,
    folder: Path,
    *,
    soft: bool = False,
    embedder: Any = None,
    entities: Any = None,
    source_key: str | None = None,
    show_progress: bool = False,
) -> Plan:
    """Decide what would go; the store is only read.

    Args:
        store: the store.
        policy: what decides; one that reads vectors reads those of the store.
        folder: where the plan is written, with the texts of what goes: only its owner may read it.
        soft: plan to mark rows, not to delete them.
        embedder: tells how much of a text it reads.
        entities: finds entities, for rules that need them.
        source_key: the metadata key that names a row's document.
        show_progress: show a bar on stderr for long steps.

    Raises:
        StoreError: the store cannot be read, its rows cannot be changed so that it can be undone, or the
            folder holds something already.
        PolicyError: the policy does not parse.
        TooManyRemovedError: more would go than the policy's ``max_removed`` allows.
    """
    parsed = Policy.parse(policy)
    store.check_can_change(soft=soft)
    make_folder(folder)
    snapshot = read_snapshot(store, [parsed], source_key, vectors=parsed.needs_vectors)
    result = filter_chunks(
        snapshot.chunks,
        parsed,
        vectors=snapshot.vectors,
        embedder=embedder,
        entities=entities,
        show_progress=show_progress,
    )
    total, removed = len(snapshot.digests), len(result.removed)
    result.save(folder / RESULT)
    (folder / RESULT).chmod(0o600)
    files = {
        ROWS: write_lines(folder / ROWS, "rows", {"rows": total}, _row_lines(snapshot)),
        REMOVED: write_lines(
            folder / REMOVED, "removed", {"rows": removed}, _removed_lines(snapshot, result)
        ),
    }
    plan = Plan(
        folder, store.address, str(parsed), soft, total, removed, source_key, parsed.needs_vectors, files
    )
    write_summary(plan, snapshot, result, differing_keys(store, snapshot, result), folder / SUMMARY)
    values = {name: value for name, value in asdict(plan).items() if name != "folder"}
    write_lines(folder / PLAN, "plan", values, ())  # the last file: a folder without it is no plan
    return plan


def read_plan(folder: Path) -> Plan:
    """Read the head of a plan.

    Raises:
        StoreError: the folder holds no complete plan, or one with a value of another form.
    """
    if not (folder / PLAN).exists():
        raise StoreError(f"{folder}: holds no plan (no {PLAN})")
    header, _ = read_lines(folder / PLAN, "plan")
    names = [name for name in Plan.__dataclass_fields__ if name not in ("folder", "files")]
    if missing := [name for name in names if name not in header]:
        raise StoreError(f"{folder / PLAN}: line 1: lacks {', '.join(missing)}")
    values = {name: header[name] for name in names} | {"files": header.get("files", {})}
    for name, value in values.items():
        expected, fits = _FORMS[name]
        if not fits(value):
            raise StoreError(f"{folder / PLAN}: line 1: {name!r}: expected {expected}, got {value!r:.60}")
    return Plan(folder=folder, **values)


def _is_text(value: object) -> bool:
    return isinstance(value, str)


def _is_flag(value: object) -> bool:
    return isinstance(value, bool)


def _is_count(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def _is_digests(value: object) -> bool:
    return isinstance(value, dict) and all(map(_is_text, value.values()))


#: What the head of a plan may hold, in words and as a check.
_FORMS: Mapping[str, tuple[str, Callable[[object], bool]]] = {
    "store": ("text", _is_text),
    "policy": ("text", _is_text),
    "soft": ("true or false", _is_flag),
    "total": ("a whole number of at least 0", _is_count),
    "removed": ("a whole number of at least 0", _is_count),
    "source_key": ("text or null", lambda value: value is None or _is_text(value)),
    "with_vectors": ("true or false", _is_flag),
    "files": ("digests by the name of a file", _is_digests),
}


def make_folder(folder: Path) -> None:
    """A private folder that holds nothing yet, but perhaps what an interrupted planning left.

    Raises:
        StoreError: it holds a plan or files of someone else, or cannot be made.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        held = {path.name for path in folder.iterdir()}
        if PLAN in held:
            raise StoreError(
                f"{folder}: holds a plan already; apply it with --apply, delete it with `chunkfilter plan "
                "purge`, or name another folder"
            )
        if strange := sorted(name for name in held - {RESULT, ROWS, REMOVED, SUMMARY} if name[0] != "."):
            raise StoreError(f"{folder}: holds {strange[0]!r}; expected an empty folder for the plan")
        folder.chmod(0o700)
    except OSError as error:
        raise StoreError(f"{folder}: cannot be used for a plan: {error.strerror or error}") from error


def _row_lines(snapshot: Snapshot) -> Iterator[dict[str, Any]]:
    places = {one: place for place, one in enumerate(snapshot.ids)}
    for one, digest in snapshot.digests:
        yield {"id": one, "digest": digest, "chunk": places.get(one)}


def _removed_lines(snapshot: Snapshot, result: FilterResult) -> Iterator[dict[str, Any]]:
    for removal in result.removed:
        yield {
            "id": snapshot.ids[removal.index],
            "kept_by": [snapshot.ids[keeper] for keeper in removal.kept_by],
            "rule": removal.rule,
            "score": removal.score,
            "text": snapshot.chunks[removal.index].text,
        }
