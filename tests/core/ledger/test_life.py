"""After every commit the store is right: nothing lost, nothing stale, nothing covered by others."""

import tempfile
from pathlib import Path

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

import chunkfilter as cf

SENTENCES = [
    "The pump starts at six in the morning.",
    "Valve B4 opens when the pressure reaches 12 bar.",
    "No one may enter the hall alone.",
    "Keys are with the porter.",
    "Call the office before noon.",
    "The second pump is a spare.",
]
NAMES = st.sampled_from(["a.md", "b.md", "c.md", "d.md"])
CHUNKS = st.lists(st.lists(st.sampled_from(SENTENCES), max_size=4).map(" ".join), max_size=4)
STEPS = st.sampled_from(["add", "relabel", "delete"])


class Store:
    """A vector store of which only the texts are looked at."""

    def __init__(self) -> None:
        self.rows: dict[str, cf.Chunk] = {}
        self.also_in: dict[str, tuple[str, ...]] = {}

    def take(self, change: cf.Change, most: int | None = None) -> None:
        """Apply a change, or only its first steps."""
        steps = [("write", chunk) for chunk in (*change.add, *change.relabelled)]
        steps += [("delete", row) for row in change.delete]
        for step, what in steps[:most]:
            if step == "write":
                self.rows[what.id] = what
                self.also_in[what.id] = change.also_in[what.id]
            else:
                self.rows.pop(what, None)
                self.also_in.pop(what, None)


def sentences(texts) -> set[str]:
    return {sentence for text in texts for sentence in SENTENCES if sentence in text}


def assert_right(store: Store, sources: dict[str, list[str]], policy: str = "coverage") -> None:
    """The four statements, by a program that knows only texts and the store."""
    current = {text for texts in sources.values() for text in texts}
    assert sentences(current) == sentences(chunk.text for chunk in store.rows.values())  # 1: nothing lost
    assert {chunk.text for chunk in store.rows.values()} <= current  # 2: nothing stale
    rows = list(store.rows.values())
    assert not cf.filter_chunks(rows, policy).removed  # 3: nothing redundant
    fresh = cf.filter_chunks(
        [cf.Chunk(text, source=name) for name, texts in sources.items() for text in texts], policy
    )
    assert len(rows) <= len(fresh.kept) + max(2, 0.02 * len(fresh))  # 4: hardly more than from scratch
    for row, chunk in store.rows.items():  # who holds the text is named
        holders = {name for name, texts in sources.items() if chunk.text in texts}
        assert chunk.source in holders
        assert holders <= {chunk.source, *store.also_in[row]} <= set(sources)
        assert chunk.source not in store.also_in[row]


class Life(RuleBasedStateMachine):
    """Documents come, change and leave; runs end anywhere between update and commit."""

    policy = "coverage"

    def __init__(self) -> None:
        super().__init__()
        self.folder = tempfile.TemporaryDirectory()
        self.path = Path(self.folder.name) / "life.ledger"
        self.store = Store()
        self.sources: dict[str, list[str]] = {}
        self.handed_out: tuple[cf.Change, dict[str, list[str]]] | None = None

    def ledger(self) -> cf.Ledger:
        return cf.Ledger(self.path, self.policy)  # as a new process would

    def _update(self, sources, delete=()):
        after = {name: texts for name, texts in {**self.sources, **sources}.items() if texts}
        for name in delete:
            after.pop(name, None)
        change = self.ledger().update(sources, delete)
        self.handed_out = change, after

    def _commit(self):
        change, after = self.handed_out
        self.store.take(change)
        self.ledger().commit(change)
        self.ledger().commit(change)
        self.sources, self.handed_out = after, None

    @rule(given=st.dictionaries(NAMES, CHUNKS, min_size=1, max_size=3))
    def write(self, given) -> None:
        self._update(given)
        self._commit()

    @rule(name=NAMES)
    def leave(self, name) -> None:
        self._update({}, [name])
        self._commit()

    @precondition(lambda self: self.sources)
    @rule(to=NAMES, data=st.data())
    def rename(self, to, data) -> None:
        name = data.draw(st.sampled_from(sorted(self.sources)))
        if name != to:
            self._update({to: self.sources[name]}, [name])
            self._commit()

    @rule(given=st.dictionaries(NAMES, CHUNKS, min_size=1, max_size=3), most=st.integers(0, 4))
    def killed(self, given, most) -> None:
        self._update(given)
        self.store.take(self.handed_out[0], most)

    @precondition(lambda self: self.handed_out)
    @rule()
    def finished(self) -> None:
        pending = self.ledger().pending()
        if pending is None:  # the update changed nothing
            assert not self.handed_out[0]
        else:
            assert [chunk.text for chunk in pending.add] == [chunk.text for chunk in self.handed_out[0].add]
            self.handed_out = pending, self.handed_out[1]
        self._commit()

    @precondition(lambda self: self.sources and not self.handed_out)
    @rule()
    def idle(self) -> None:
        assert not self.ledger().update(self.sources)
        assert self.ledger().pending() is None

    @invariant()
    def right(self) -> None:
        if self.handed_out is None:
            assert_right(self.store, self.sources, self.policy)
            ledger = self.ledger()
            assert ledger.sources() == {name: len(texts) for name, texts in self.sources.items()}
            assert ledger.check(self.store.rows) == ()

    def teardown(self) -> None:
        self.folder.cleanup()


class LifeByExact(Life):
    policy = "exact keep=longest"


_SETTINGS = settings(
    max_examples=25, stateful_step_count=8, deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
TestLife = Life.TestCase
TestLife.settings = _SETTINGS
TestLifeByExact = LifeByExact.TestCase
TestLifeByExact.settings = settings(_SETTINGS, max_examples=8)
