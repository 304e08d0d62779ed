"""One commit: one transaction, few calls, and every view says afterwards what the file says.

An ordinary run takes the most telling of these tests; the others are marked `slow`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import pytest
from PySide6.QtWidgets import QLabel, QListView
from pytestqt.qtbot import QtBot

from loomapp.core.edits import node_edits
from loomapp.core.model.change import Change
from loomapp.session.document import Document
from loomapp.store.grove.open import create_grove
from loomapp.store.statements import driver
from loomapp.ui.inspector.context.context_list import ContextList
from loomapp.ui.inspector.context.rows import ContextRows
from loomapp.ui.trees.tree_rows import COUNT_ROLE
from loomapp.ui.window.main_window import MainWindow
from tests.kit.call_counts import calls_of
from tests.kit.find import find
from tests.kit.windows import open_window

FEW = 12
WORDS = "The lamp was lit and nobody came. " * 9  # more than a line of any list


@pytest.fixture
def window(tmp_path: Path, qtbot: QtBot) -> Iterator[MainWindow]:
    create_grove(tmp_path / "g.loom").close()
    with open_window(tmp_path / "g.loom", qtbot) as window:
        for _ in range(FEW):
            write(window.document)
        yield window


def write(document: Document) -> None:
    document.commit(node_edits.add_node(document.tree, document.current_id, WORDS, document.pen()))


def is_let_through(_: Change) -> None:
    """A guard of undo that refuses nothing."""


@contextmanager
def statements(document: Document) -> Iterator[list[str]]:
    """What SQLite is asked meanwhile."""
    asked: list[str] = []
    with document.grove.snapshot() as connection:
        bare = driver(connection)
    bare.set_trace_callback(asked.append)
    try:
        yield asked
    finally:
        bare.set_trace_callback(None)


def test_what_is_written_is_one_transaction_and_nothing_is_read_again(window: MainWindow) -> None:
    with statements(window.document) as asked:
        write(window.document)

    assert [one for one in asked if one.startswith("BEGIN")] == ["BEGIN IMMEDIATE"]


@pytest.mark.slow
def test_undo_is_named_as_the_file_names_it_and_the_list_counts_as_it_does(window: MainWindow) -> None:
    document = window.document
    rows = find(window, QListView, "treeRows")
    steps: tuple[Callable[[], object], ...] = (
        partial(write, document),
        partial(document.history.undo, is_let_through),
        document.history.redo,
        partial(document.history.undo, is_let_through),
        partial(document.place.read, document.tree.root_id),
        partial(document.trees.rename, document.tree.loom.id, "Another title"),
        partial(write, document),
    )

    for step in steps:
        step()

        assert (document.history.undo_label, document.history.redo_label) == document.grove.step_labels(
            document.tree.loom.id
        )
        (row,) = document.grove.trees()
        shown = rows.model().index(0, 0)
        assert (shown.data(), shown.data(COUNT_ROLE)) == (row.title, row.written_count)
        assert find(window, QLabel, "statusSaved").text().startswith("Saved ")


@pytest.mark.slow
def test_a_commit_asks_and_makes_only_what_it_changes(window: MainWindow) -> None:
    # Among them a link of the chain, and a look whether locks and files are still ours. The least of three:
    # what falls due meanwhile is not of the commit.
    counts = [calls_of(partial(write, window.document)) for _ in range(3)]
    assert min(counts) < 4_100, counts


@pytest.mark.slow
def test_rows_of_the_context_that_say_the_same_are_not_laid_out_again(
    window: MainWindow, qtbot: QtBot
) -> None:
    window.preview.refresh_now()
    assert window.preview.last is not None
    rows = ContextRows(window.preview.last, window.document.tree, window.document.agents.by_id())
    view = ContextList()
    qtbot.addWidget(view)
    view.resize(360, 400)
    view.show()
    for _ in range(2):  # a scroll bar comes with the first
        view.show_rows(rows)

    assert calls_of(partial(view.show_rows, rows), "_lines_of") == 0
