"""G7 and what keeping costs: commits beside raw ones, the journal beside none, backups beside bare copies."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from PySide6.QtCore import QCoreApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from loomapp.app import window_on
from loomapp.core.edits import node_edits
from loomapp.providers.engine.engine import Engine
from loomapp.session.context.preview import Preview
from loomapp.session.document import Document
from loomapp.session.lifetime.backups import Backups
from loomapp.session.lifetime.foreign_writes import Watch
from loomapp.session.requests.generator import Generator
from loomapp.store.backups.backup import back_up
from loomapp.store.grove.grove import Grove
from loomapp.store.grove.open import open_grove
from loomapp.ui.window.main_window import MainWindow
from tests.bench import floors
from tests.bench.floors import timed_ms
from tests.bench.graph_rows import application
from tests.bench.groves import SHAPES
from tests.bench.table import Goal, Place, Rivals, Row

TEXT = "x" * 600
COMMITS = 9  # in one run, the middle one counts
SETTLE_MS = 1_500
KEYS = 20
KEY_MS = 100


def _middle(times: list[float]) -> float:
    return sorted(times)[len(times) // 2]


@contextmanager
def raw_commits(beside: Path) -> Iterator[floors.RawCommits]:
    """The floor, on the same disk."""
    raw = floors.RawCommits(beside.with_name("raw.db"))
    try:
        yield raw
    finally:
        raw.close()


def committing(document: Document, *, with_events: bool = False) -> float:
    """One text written at the end of what is read, from the edit to the last view that heard of it."""
    times = []
    for _ in range(COMMITS):
        start = time.perf_counter()
        document.commit(node_edits.add_node(document.tree, document.current_id, TEXT, document.pen()))
        if with_events:
            QApplication.processEvents()
        times.append((time.perf_counter() - start) * 1e3)
        QCoreApplication.processEvents()
    return _middle(times)


@contextmanager
def storing(place: Place) -> Iterator[Rivals]:
    """G7 without a window: the store alone."""
    path = place.grove()
    with open_grove(path) as grove, raw_commits(path) as raw:
        tree = grove.load_tree(grove.trees()[0].id)
        document = Document(grove)
        tree = document.tree

        def one() -> float:
            change = node_edits.add_node(tree, tree.path.leaf_id, TEXT, document.pen())
            return timed_ms(lambda: grove.commit(tree, change))

        yield Rivals(
            lambda: _middle([one() for _ in range(COMMITS)]),
            lambda: _middle([raw.one_ms() for _ in range(COMMITS)]),
        )


@contextmanager
def open_window(place: Place) -> Iterator[MainWindow]:
    """The whole window on a tree, at rest; its backups would disturb and are off."""
    application()
    window = window_on(open_grove(place.grove()))
    for keeper in window.keepers:
        if isinstance(keeper, (Watch, Backups)):
            keeper.close()
    window.show()
    QTest.qWait(SETTLE_MS)
    try:
        yield window
    finally:
        window.close()


@contextmanager
def editing(place: Place) -> Iterator[Rivals]:
    """G7: Change, apply, commit, views."""
    with open_window(place) as window, raw_commits(window.document.grove.path) as raw:
        committing(window.document)
        yield Rivals(
            lambda: committing(window.document),
            lambda: _middle([raw.one_ms() for _ in range(COMMITS)]),
        )


@contextmanager
def editing_to_the_screen(place: Place) -> Iterator[Rivals]:
    """G7 and further: until the preview is assembled and everything is painted."""
    with open_window(place) as window, raw_commits(window.document.grove.path) as raw:
        committing(window.document, with_events=True)
        yield Rivals(
            lambda: committing(window.document, with_events=True),
            lambda: _middle([raw.one_ms() for _ in range(COMMITS)]),
        )


# The journal


def window_without_journal(grove: Grove) -> MainWindow:
    """The window as the program makes it, but for what keeps typed words safe."""
    document = Document(grove)
    return MainWindow(document, Generator(document, Engine()), Preview(document))


class Typist:
    """Types ten keys a second into a composer, in real time."""

    def __init__(self, window: MainWindow) -> None:
        self.window = window
        window.show()
        QTest.qWait(SETTLE_MS)

    def type_some(self) -> tuple[float, float]:
        """Per cent of a core while typing, and the median milliseconds a key took."""
        times: list[float] = []
        began, used = time.perf_counter(), time.process_time()
        for number in range(KEYS):
            times.append(timed_ms(self._key))
            left = began + (number + 1) * KEY_MS / 1000 - time.perf_counter()
            QTest.qWait(max(0, int(left * 1000)))
        return (time.process_time() - used) / (time.perf_counter() - began) * 100, _middle(times)

    def _key(self) -> None:
        self.window.composer.field.textCursor().insertText("a")
        QApplication.processEvents()


@contextmanager
def typists(place: Place) -> Iterator[tuple[Typist, Typist]]:
    """One who is journalled and one who is not."""
    application()
    kept, bare = window_on(open_grove(place.grove())), window_without_journal(open_grove(place.grove()))
    for keeper in kept.keepers:
        if isinstance(keeper, (Watch, Backups)):  # the journal alone makes the difference
            keeper.close()
    yield Typist(kept), Typist(bare)
    kept.close()
    bare.close()


@contextmanager
def journal_share(place: Place) -> Iterator[Rivals]:
    """Processor share of typing."""
    with typists(place) as (kept, bare):
        yield Rivals(lambda: kept.type_some()[0], lambda: bare.type_some()[0])


@contextmanager
def journal_key(place: Place) -> Iterator[Rivals]:
    """What a key waits."""
    with typists(place) as (kept, bare):
        yield Rivals(lambda: kept.type_some()[1], lambda: bare.type_some()[1])


@contextmanager
def backing_up(place: Place) -> Iterator[Rivals]:
    """A backup, proved, beside SQLite's own copy that nobody looked at."""
    path = place.grove()
    numbers = iter(range(1_000_000))

    def to() -> Path:
        return path.with_name(f"copy{next(numbers)}.loom")

    yield Rivals(
        lambda: timed_ms(lambda: back_up(path, to())), lambda: timed_ms(lambda: floors.raw_backup(path, to()))
    )


SMALL = (1_000,)
EDITED = (1_000, 10_000, 100_000)
ROWS = (
    Row("G7", "one edit, with every view", "raw commit", editing, Goal(3), nodes=EDITED, shapes=SHAPES),
    Row("G7 store", "… in the store alone", "raw commit", storing, Goal(3)),
    Row("G7 screen", "… and painted", "raw commit", editing_to_the_screen),
    Row("journal", "typing, 10 keys/s", "without journal", journal_share, None, "% of a core", nodes=SMALL),
    Row("journal key", "one key of it", "without journal", journal_key, nodes=SMALL),
    Row("backup", "a backup, proved", "SQLite's copy", backing_up),
)  # fmt: skip
