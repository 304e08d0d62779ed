"""A branch is named on the card of its head; the title stands there as a tab."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from loomapp.core.economy.branch_summaries import read_branch, update_summary
from loomapp.core.paths.resolve import resolve
from loomapp.ui.commands.graph.move_branch import near
from loomapp.ui.commands.inspector.summaries import BranchNameLine
from loomapp.ui.graph.scene.card_faces import BranchTab
from loomapp.ui.window.main_window import MainWindow
from tests.core.economy.trees import with_heads
from tests.kit.find import find
from tests.kit.groves import written
from tests.kit.windows import open_window
from tests.kit.written_trees import edge, node, tree


def tab(window: MainWindow, node_id: str) -> BranchTab | None:
    row = window.graph._scene.row_of(node_id)
    return None if row is None else window.graph._scene.tab(row)


def begin(window: MainWindow) -> BranchNameLine:
    window.actions_set.by_name["nameBranch"].trigger()
    return find(window.graph.viewport(), BranchNameLine, "branchTitle")


def test_a_branch_is_moved_under_another_by_the_title_of_its_head() -> None:
    rows = [edge("b", "a"), edge("c", "b"), edge("d", "a"), edge("e", "c")]
    subject = with_heads(tree([node(i, i) for i in "abcde"], rows), c="", d="", e="")

    entries = near(subject, "c", resolve(subject, "b"))

    assert [(one.key, one.title) for one in entries] == [("b", "b"), ("a", "a"), ("d", "D: d")]


def test_a_branch_is_named_on_its_card_in_one_step(tmp_path: Path, qtbot: QtBot) -> None:
    path = written(tmp_path / "g.loom", ("A small shop.", ""), ("Signing in: links?", "A small shop."))
    with open_window(path, qtbot) as window:
        document, node_id = window.document, window.document.current_id
        action = window.actions_set.by_name["nameBranch"]

        line = begin(window)
        assert (line.text(), line.placeholderText()) == ("", "Signing in: links?")
        card = window.graph.node_rect(node_id)
        qtbot.waitUntil(lambda: line.geometry().left() == window.graph.node_rect(node_id).left())
        assert line.width() == max(164, card.width())
        QTest.keyClicks(line, "Auth system")
        assert not document.tree.branch_summaries
        QTest.keyClick(line, Qt.Key.Key_Return)
        assert tab(window, node_id) == BranchTab("Auth system", is_missing=True)
        assert tab(window, document.tree.root_id) is None  # the start is no card
        document.commit(update_summary(document.tree, node_id, "By link.", document.pen()))
        assert tab(window, node_id) == BranchTab("Auth system", is_missing=False)
        window.actions_set.by_name["undo"].trigger()
        window.actions_set.by_name["undo"].trigger()
        assert tab(window, node_id) is None
        window.actions_set.by_name["redo"].trigger()
        assert tab(window, node_id) == BranchTab("Auth system", is_missing=True)

        line = begin(window)
        QTest.keyClicks(line, "Signing in")
        QTest.keyClick(line, Qt.Key.Key_Escape)
        assert not line.isVisible()
        assert tab(window, node_id) == BranchTab("Auth system", is_missing=True)
        line = begin(window)
        assert line.text() == "Signing in"  # it waited
        window.text_pane.focus_text()
        qtbot.waitUntil(lambda: tab(window, node_id) == BranchTab("Signing in", is_missing=True))

        line = begin(window)
        line.clear()
        QTest.keyClick(line, Qt.Key.Key_Return)
        assert node_id not in document.tree.branch_summaries  # neither a name nor a summary: no head
        line = begin(window)
        QTest.keyClick(line, Qt.Key.Key_Return)
        assert tab(window, node_id) == BranchTab("Signing in: links?", is_missing=True)
        assert read_branch(document.tree.branch_summaries[node_id]).title is None

        document.place.set_current(document.tree.root_id)
        qtbot.waitUntil(lambda: not action.isEnabled())
