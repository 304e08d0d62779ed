"""Large trees are opened beside the window: the one before stays until they stand, or another is wanted.

An ordinary run takes the most telling of these tests; the others are marked `slow`.
"""

from __future__ import annotations

import threading
import weakref
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QPushButton, QWidget
from pytestqt.qtbot import QtBot

from loomapp.core.edits import edit_context, node_edits, tree_edits
from loomapp.core.model.tree import Tree
from loomapp.store.grove.grove import Grove
from loomapp.store.grove.open import create_grove, open_grove
from loomapp.store.identity import new_id, now
from loomapp.ui.commands.trees.open_tree import FEW_NODES
from loomapp.ui.graph.scene.background_layout import Ahead
from loomapp.ui.window.main_window import MainWindow
from tests.bench.groves import MODEL, grown
from tests.kit.find import find
from tests.kit.refused_groves import opened, windows_of
from tests.kit.windows import open_window

LARGE = FEW_NODES + 100


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A grove with a small tree and two large ones."""
    path = tmp_path / "trees.loom"
    with create_grove(path) as grove:
        pen = edit_context.EditContext(grove.owner.id, now(), new_id)
        grove.add_tree(tree_edits.new_tree("dialogue", "Small", pen), [grove.owner])
        for _ in range(2):
            grove.add_tree(grown("bushy", LARGE, owner_id=grove.owner.id), [grove.owner, MODEL])
    return path


def ids(grove: Grove) -> list[str]:
    return [row.id for row in grove.trees()]


def shown(window: MainWindow) -> str:
    return window.document.tree.loom.id


def test_the_tree_before_stays_until_a_large_one_stands_whole(path: Path, qtbot: QtBot) -> None:
    with open_window(path, qtbot) as window:
        small, large, _ = ids(window.document.grove)
        done: list[str] = []

        window.opening.open(large, lambda: done.append(shown(window)))

        assert (shown(window), done) == (small, [])
        window.document.commit(
            node_edits.add_node(
                window.document.tree, window.document.current_id, "Usable.", window.document.pen()
            )
        )
        qtbot.waitUntil(lambda: shown(window) == large)
        assert done == [large]
        assert window.graph.current_node_id == window.document.current_id
        assert len(window.document.tree.nodes) == LARGE


@pytest.mark.slow
def test_a_large_tree_looks_as_if_it_had_been_opened_at_once(path: Path, qtbot: QtBot) -> None:
    with open_window(path, qtbot) as window:
        _, large, other = ids(window.document.grove)
        for tree_id in (large, other, large):  # so that the last time is not the first
            window.document.open_tree(tree_id)
            qtbot.wait(400)  # also under load: until what stands above the graph has found its height
        at_once = window.graph.node_ids(), window.graph.fold_state(), window.document.size.branches
        rects = {node_id: window.graph.node_rect(node_id) for node_id in at_once[0]}
        window.document.open_tree(other)

        window.opening.open(large)
        qtbot.waitUntil(lambda: shown(window) == large)

        assert (window.graph.node_ids(), window.graph.fold_state(), window.document.size.branches) == at_once
        qtbot.waitUntil(lambda: {i: window.graph.node_rect(i) for i in at_once[0]} == rects)


@pytest.mark.slow
def test_a_tree_that_takes_a_while_says_so_and_can_be_stopped(path: Path, qtbot: QtBot) -> None:
    with open_window(path, qtbot) as window:
        small, large, _ = ids(window.document.grove)
        row = find(window, QWidget, "openingRow")
        window.opening.open(large)
        assert not row.isVisible()
        window.opening.show_progress()
        assert row.isVisible()

        QTest.mouseClick(find(row, QPushButton, "progressCancel"), Qt.MouseButton.LeftButton)

        assert not window.opening.is_under_way
        assert not row.isVisible()
        qtbot.wait(300)
        assert shown(window) == small


def test_what_was_asked_for_last_is_shown(path: Path, qtbot: QtBot) -> None:
    with open_window(path, qtbot) as window:
        _, large, other = ids(window.document.grove)
        opened: list[str] = []
        window.document.tree_opened.connect(lambda tree: opened.append(tree.loom.id))

        window.opening.open(large)
        window.opening.open(other)
        qtbot.waitUntil(lambda: shown(window) == other)
        qtbot.wait(300)

        assert opened == [other]


@pytest.mark.slow
def test_a_tree_made_meanwhile_stays(path: Path, qtbot: QtBot) -> None:
    with open_window(path, qtbot) as window:
        _, large, _ = ids(window.document.grove)

        window.opening.open(large)
        window.document.new_tree("dialogue", "New")
        qtbot.wait(500)

        assert window.document.tree.loom.title == "New"
        assert not window.opening.is_under_way


@pytest.mark.slow
def test_a_window_may_close_meanwhile(path: Path, qtbot: QtBot) -> None:
    with open_window(path, qtbot) as window:
        window.opening.open(ids(window.document.grove)[1])

    qtbot.waitUntil(lambda: not any(thread.name == "errand" for thread in threading.enumerate()))
    with open_grove(path) as grove:
        assert len(grove.trees()) == 3


@pytest.mark.slow
def test_what_is_committed_meanwhile_is_in_it(path: Path, qtbot: QtBot) -> None:
    with open_window(path, qtbot) as window, open_grove(path) as elsewhere:
        large = ids(window.document.grove)[1]
        tree = elsewhere.load_tree(large)
        change = node_edits.add_node(
            tree, tree.path.leaf_id, "Meanwhile.", edit_context.EditContext("writer", now(), new_id)
        )

        window.opening.open(large)
        elsewhere.commit(tree, change)
        qtbot.waitUntil(lambda: shown(window) == large)
        window.document.catch_up()

        (added,) = change.added_nodes()
        assert added.id in window.document.tree.nodes
        assert window.document.size.nodes == LARGE + 1
        assert added.id in window.graph.node_ids()


@pytest.mark.slow
def test_a_tree_that_cannot_be_read_is_told_and_the_one_before_stays(path: Path, qtbot: QtBot) -> None:
    with open_window(path, qtbot) as window:
        small, large, _ = ids(window.document.grove)
        window.opening.open(large)
        path.rename(path.with_name("away.loom"))  # before the thread opens it, or after: either is well

        qtbot.waitUntil(lambda: not window.opening.is_under_way)
        path.with_name("away.loom").rename(path)

        assert shown(window) in (small, large)
        if shown(window) == small:
            assert find(window.text_pane, QWidget, "errorStrip").isVisible()


@pytest.mark.slow
def test_what_was_made_for_other_types_is_made_again(path: Path, qtbot: QtBot) -> None:
    with open_window(path, qtbot) as window:
        large = ids(window.document.grove)[1]
        tree = window.document.grove.load_tree(large)
        down = Ahead("down")
        down.enrol(tree, window.document.agents.by_id().values(), ())
        for _ in down.measuring():
            pass
        down.arrange()

        assert not down.fits(tree, window.graph._scene)
        window.graph.expect(down)
        window.graph.show_tree(tree, window.document.agents.by_id())

        assert window.graph.direction == "right"
        assert len(window.graph.node_ids()) > 1
        window.document.open_tree(large)


def test_a_large_tree_that_is_left_is_gone_soon(path: Path, qtbot: QtBot) -> None:
    with open_window(path, qtbot) as window:
        small, large, _ = ids(window.document.grove)
        window.opening.open(large)
        qtbot.waitUntil(lambda: shown(window) == large)
        tree: weakref.ref[Tree] = weakref.ref(window.document.tree)
        nodes = window.document.tree.nodes

        window.opening.open(small)

        qtbot.waitUntil(lambda: tree() is None and not nodes)


@pytest.mark.slow
def test_a_window_on_a_grove_with_a_large_tree_stands_as_if_it_had_been_built_at_once(
    path: Path, qtbot: QtBot
) -> None:
    with open_window(path, qtbot) as window:
        large = ids(window.document.grove)[1]
        window.document.open_tree(large)
        folded = window.document.path_ids[3]
        window.graph.fold(folded)  # on the path, which only a person does
    with open_window(path, qtbot) as window:
        at_once = shown(window), window.graph.node_ids(), window.graph.fold_state()

    with windows_of(qtbot) as windows:
        windows.open(path)
        coming = opened(windows, qtbot)

        assert (shown(coming), coming.graph.node_ids(), coming.graph.fold_state()) == at_once
        assert at_once[0] == large
        assert coming.graph.is_folded(folded)


@pytest.mark.slow
def test_nobody_waits_for_a_large_grove_that_is_not_wanted_any_more(path: Path, qtbot: QtBot) -> None:
    with open_window(path, qtbot) as window:
        window.document.open_tree(ids(window.document.grove)[1])

    with windows_of(qtbot) as windows:
        windows.open(path)
        (opening,) = windows.openings
        qtbot.waitUntil(lambda: opening.is_reading)
        opening.end()

        assert not windows.openings
    with open_grove(path) as grove:  # it was closed
        assert len(grove.trees()) == 3
