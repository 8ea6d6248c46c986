"""A plan: which rows would be removed from a store, and why, as a folder to read, apply and undo."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from chunkfilter.errors import StoreError
from chunkfilter.filtering.run import filter_chunks
from chunkfilter.policy import Policy
from chunkfilter.result import FilterResult
from chunkfilter.storage import COUNT, FLAG, TEXT, Form, LinesFile
from chunkfilter.stores.journal import Journal
from chunkfilter.stores.row import Row, RowId
from chunkfilter.stores.snapshot import Snapshot, read_snapshot
from chunkfilter.stores.store import Store
from chunkfilter.stores.summary import differing_keys, write_summary

RESULT, SUMMARY, JOURNAL, PLAN = "result.jsonl", "summary.txt", "journal.jsonl", "plan.jsonl"
_ROWS, _REMOVED, _UNDO, _MARKS = "rows.jsonl", "removed.jsonl", "undo.jsonl", "marks.jsonl"
#: Files of a planning that was interrupted.
_UNFINISHED = {RESULT, _ROWS, _REMOVED, SUMMARY}
_WAY_OUT = "nothing was changed. Put back the original from a backup, or make a new plan in another folder"
_FORMATS = {
    name: LinesFile(name.removesuffix(".jsonl"), 1, StoreError, _WAY_OUT, private=True)
    for name in (_ROWS, _REMOVED, _UNDO, _MARKS, PLAN)
}
_HEAD: Mapping[str, Form] = {
    "store": TEXT,
    "policy": TEXT,
    "soft": FLAG,
    "total": COUNT,
    "removed": COUNT,
    "source_key": TEXT.or_null(),
    "with_vectors": FLAG,
    "rows_digest": TEXT,
    "removed_digest": TEXT,
}


@dataclass(frozen=True, slots=True)
class Plan:
    """What a plan folder says.

    Args:
        folder: where it is.
        store: address of the store it was made for, without secrets.
        policy: the policy that decided.
        soft: rows are marked, not deleted.
        total: rows of the store.
        removed: rows that are removed.
        source_key: the metadata key that names a row's document, if one was given.
        with_vectors: the policy read the vectors, so a changed vector is a changed store.
        rows_digest: digest of ``rows.jsonl``; the file of another plan is refused.
        removed_digest: digest of ``removed.jsonl``, likewise.
    """

    folder: Path
    store: str
    policy: str
    soft: bool
    total: int
    removed: int
    source_key: str | None
    with_vectors: bool
    rows_digest: str
    removed_digest: str

    @property
    def journal(self) -> Journal:
        """What has been done with it."""
        return Journal(self.folder / JOURNAL)

    def digests(self) -> dict[RowId, str]:
        """A digest of every row of the store, by id.

        Raises:
            StoreError: the file is damaged, or one of another plan; so for every method that reads a file.
            OSError: the file cannot be read, likewise.
        """
        return {entry["id"]: entry["digest"] for entry in self._entries(_ROWS, self.rows_digest)}

    def removals(self) -> Iterator[dict[str, Any]]:
        """Each row that is removed: ``id``, ``kept_by``, ``rule``, ``score``, ``text``."""
        return self._entries(_REMOVED, self.removed_digest)

    def save_rows(self, rows: Iterable[Row]) -> str:
        """Write rows, whole, before they are deleted; returns the digest of the file."""
        return _FORMATS[_UNDO].write(self.folder / _UNDO, {}, (row.as_json() for row in rows))

    @property
    def has_saved_rows(self) -> bool:
        """Whether :meth:`save_rows` wrote them to the end."""
        return (self.folder / _UNDO).exists()

    def saved_rows(self) -> Iterator[Row]:
        """The rows that were saved, as the store held them."""
        return map(Row.from_json, self._entries(_UNDO, self.journal.undo))

    def save_marks(self, entries: Iterable[Mapping[str, Any]]) -> str:
        """Write what the keys of marks held before; returns the digest of the file."""
        return _FORMATS[_MARKS].write(self.folder / _MARKS, {}, entries)

    def saved_marks(self) -> Iterator[dict[str, Any]]:
        """What :meth:`save_marks` wrote."""
        return self._entries(_MARKS, self.journal.undo)

    def _entries(self, name: str, digest: str | None) -> Iterator[dict[str, Any]]:
        return _FORMATS[name].read(self.folder / name, digest)[1]


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
    """Decide which rows would be removed; the store is only read.

    Args:
        store: the store.
        policy: what decides; one that reads vectors reads those of the store.
        folder: where the plan is written, with the texts that are removed: only its owner may read it.
        soft: plan to mark rows, not to delete them.
        embedder: tells how much of a text it reads.
        entities: finds entities, for rules that need them.
        source_key: the metadata key that names a row's document.
        show_progress: show a bar on stderr for long steps.

    Raises:
        StoreError: the store cannot be read, its rows cannot be changed so that it can be undone, or the
            folder holds something already.
        PolicyError: the policy does not parse.
        TooManyRemovedError: more rows would be removed than the policy's ``max_removed`` allows.
    """
    parsed = Policy.parse(policy)
    store.check_can_change(soft=soft)
    _make_folder(folder)
    snapshot = read_snapshot(store, [parsed], source_key, vectors=parsed.needs_vectors)
    result = filter_chunks(
        snapshot.chunks,
        parsed,
        vectors=snapshot.vectors,
        embedder=embedder,
        entities=entities,
        show_progress=show_progress,
    )
    return _write(store, parsed, folder, snapshot, result, soft=soft, source_key=source_key)


def _write(
    store: Store,
    policy: Policy,
    folder: Path,
    snapshot: Snapshot,
    result: FilterResult,
    *,
    soft: bool,
    source_key: str | None,
) -> Plan:
    result.save(folder / RESULT)
    (folder / RESULT).chmod(0o600)
    plan = Plan(
        folder,
        store.address,
        str(policy),
        soft,
        total=len(snapshot.digests),
        removed=len(result.removed),
        source_key=source_key,
        with_vectors=policy.needs_vectors,
        rows_digest=_FORMATS[_ROWS].write(folder / _ROWS, {}, _row_lines(snapshot)),
        removed_digest=_FORMATS[_REMOVED].write(folder / _REMOVED, {}, _removed_lines(snapshot, result)),
    )
    write_summary(plan, snapshot, result, differing_keys(store, snapshot, result), folder / SUMMARY)
    values = {name: value for name, value in asdict(plan).items() if name != "folder"}
    _FORMATS[PLAN].write(folder / PLAN, values, ())  # the last file: a folder without it is no plan
    return plan


def read_plan(folder: Path) -> Plan:
    """Read the head of a plan.

    Raises:
        StoreError: the folder holds no complete plan, or one with a value of another form.
        OSError: the plan cannot be read.
    """
    path = folder / PLAN
    if not path.exists():
        raise StoreError(f"{folder}: holds no plan (no {PLAN})")
    head, _ = _FORMATS[PLAN].read(path)
    _FORMATS[PLAN].check(path, 1, head, _HEAD)
    return Plan(folder, **{name: head[name] for name in _HEAD})


def purge_plan(folder: Path, *, give_up_undo: bool = False) -> list[str]:
    """Delete the files of a plan, and its folder if nothing else is in it.

    Args:
        folder: the plan's folder.
        give_up_undo: delete also a plan that was applied: what it deleted can then not be restored.

    Returns:
        Names of the deleted files.

    Raises:
        StoreError: the folder holds no plan, or one that was applied and not undone.
    """
    plan = read_plan(folder)
    state = plan.journal.state
    if state is not None and state["event"] != "undone" and not give_up_undo:
        what = "earlier values of the marked keys" if plan.soft else "only copy"
        raise StoreError(
            f"{folder}: was applied; it holds the {what} of {plan.removed} rows. Undo it first, or purge it "
            "with --yes"
        )
    partial = sorted(path.name for path in folder.glob(".*.part"))
    names = [*_UNFINISHED, _UNDO, _MARKS, JOURNAL, *partial, PLAN]
    found = [name for name in names if (folder / name).exists()]
    for name in found:
        (folder / name).unlink()
    if not any(folder.iterdir()):
        folder.resolve().rmdir()
        if folder.is_symlink():
            folder.unlink()
    return found


def _make_folder(folder: Path) -> None:
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
        if strange := sorted(name for name in held - _UNFINISHED if name[0] != "."):
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
            "kept_by": [snapshot.ids[place] for place in removal.kept_by],
            "rule": removal.rule,
            "score": removal.score,
            "text": snapshot.chunks[removal.index].text,
        }
