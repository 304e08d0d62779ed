"""Sources by pointer: attached by dragging, seen where they are, changed, left out, told everywhere.

An ordinary run takes the most telling of these tests; the others are marked `slow`.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QPushButton, QSpinBox, QTabBar
from pytestqt.qtbot import QtBot

from loomapp.core.edits import node_edits
from loomapp.core.model.change import Change
from loomapp.core.model.entities import EdgeSource
from loomapp.ui.window.main_window import MainWindow
from tests.journeys.test_attaching import beside, drag
from tests.kit.desktop import Pointer
from tests.kit.find import find
from tests.kit.processes.outside import new_tree
from tests.kit.windows import card, fit_all, open_window


@pytest.fixture
def grove(tmp_path: Path) -> Path:
    path = tmp_path / "g.loom"
    new_tree(path, text="What is the sea?")
    return path


def wrote(window: MainWindow, change: Change | None) -> str:
    """What was added by a change of this window."""
    assert change is not None
    window.document.commit(change)
    return change.added_nodes()[0].id


def show_sources(window: MainWindow) -> None:
    """The sources in view, with room for all of them."""
    window.inspector.show_sources()
    window.resizeDocks([window.inspector_dock], [420], Qt.Orientation.Vertical)


def rows(window: MainWindow, name: str) -> list[tuple[str, str, str]]:
    """A list of the panel: part, words, fate."""
    found = (row.facts for row in window.inspector.sources.rows(name))
    return [(facts.part, facts.text, facts.fate.words) for facts in found]


def button(window: MainWindow, name: str, node_id: str, act: str) -> QPushButton:
    row = next(row for row in window.inspector.sources.rows(name) if row.facts.node_id == node_id)
    return find(row, QPushButton, f"source_{act}")


def test_what_is_attached_is_seen_turned_and_removed_where_it_is_told(
    grove: Path, qtbot: QtBot, pointer: Pointer
) -> None:
    with open_window(grove, qtbot) as window:
        question = window.document.current_id
        rule = beside(window, "Answer in French.")
        show_sources(window)
        fit_all(window, qtbot)

        menu = drag(window, qtbot, pointer, rule, question)
        menu.actions()[1].trigger()
        menu.close()
        coming = [("Continues", "What is the sea?", "Sent")]
        told = ("Instruction", "Answer in French.", "Sent as an instruction")
        qtbot.waitUntil(lambda: rows(window, "coming") == [*coming, told])
        assert find(window.inspector, QTabBar, "inspectorTabs").tabText(2) == "Sources 1"
        assert window.display.fate_words_of(rule).words == "Sent as an instruction"

        pointer.click(button(window, "coming", rule, "inform"))
        qtbot.waitUntil(
            lambda: rows(window, "coming") == [*coming, ("Context", "Answer in French.", "Sent as context")]
        )
        assert window.preview.last is not None
        assert window.preview.last.system is None

        pointer.click(button(window, "coming", rule, "detach"))
        qtbot.waitUntil(lambda: rows(window, "coming") == coming)
        qtbot.waitUntil(lambda: window.display.fate_words_of(rule).words == "Not on the path")


@pytest.mark.slow
def test_an_edge_tells_its_sources_and_one_click_leaves_one_out(
    grove: Path, qtbot: QtBot, pointer: Pointer
) -> None:
    with open_window(grove, qtbot) as window:
        document, pen = window.document, window.document.pen()
        question = document.current_id
        lore = beside(window, "The tide turns at six.")
        sources = (EdgeSource(question), EdgeSource(lore, "context"))
        answer = wrote(window, node_edits.add_node(document.tree, question, "Go on.", pen, sources=sources))
        show_sources(window)
        sent = ("Context", "The tide turns at six.", "Sent as context")
        qtbot.waitUntil(lambda: sent in rows(window, "edge"))
        before = document.tree.edges

        pointer.click(button(window, "edge", lore, "exclude"))
        qtbot.waitUntil(lambda: ("Context", "The tide turns at six.", "Excluded") in rows(window, "edge"))
        assert document.current_id == answer
        assert dict(document.tree.edges) == dict(before)

        document.history.undo(lambda _: None)
        qtbot.waitUntil(lambda: sent in rows(window, "edge"))
        row = next(row for row in window.inspector.sources.rows("edge") if row.facts.node_id == lore)
        pointer.click(row)
        qtbot.waitUntil(lambda: document.current_id == lore)
        qtbot.waitUntil(lambda: ("Context of", "Go on.", "Not on the path") in rows(window, "uses"))
        assert rows(window, "edge")[0][0] == "Continues"


@pytest.mark.slow
def test_a_branch_and_a_selection_are_left_out_by_a_key_each_as_one_step(
    grove: Path, qtbot: QtBot, pointer: Pointer
) -> None:
    with open_window(grove, qtbot) as window:
        document, root = window.document, window.document.tree.root_id
        first = wrote(window, node_edits.add_node(document.tree, root, "One way.", document.pen()))
        below = wrote(window, node_edits.add_node(document.tree, first, "And on.", document.pen()))
        other = wrote(window, node_edits.add_node(document.tree, root, "Another way.", document.pen()))

        def left_out() -> set[str]:
            return {i for i, node in document.tree.nodes.items() if node.metadata.excluded}

        fit_all(window, qtbot)
        pointer.click(window.graph.viewport(), card(window, first))
        qtbot.waitUntil(lambda: document.current_id == first)
        window.graph.setFocus()
        pointer.key("shift+x")
        qtbot.waitUntil(lambda: left_out() == {first, below})
        assert window.display.fate_words_of(below).words == "Excluded"
        assert window.display.fate_words_of(other).words == "Not on the path"
        assert document.history.undo_label == "Exclude 2 messages"
        document.history.undo(lambda _: None)
        assert left_out() == set()

        window.graph.choose([below, other])
        window.graph.setFocus()
        pointer.key("x")
        qtbot.waitUntil(lambda: left_out() == {below, other})
        document.history.undo(lambda _: None)
        assert left_out() == set()


@pytest.mark.slow
def test_a_note_goes_in_and_out_and_a_tree_has_its_own_number(
    grove: Path, qtbot: QtBot, pointer: Pointer
) -> None:
    with open_window(grove, qtbot) as window:
        document = window.document
        note = wrote(
            window, node_edits.annotate(document.tree, document.current_id, "By ship.", document.pen())
        )
        qtbot.waitUntil(lambda: window.display.fate_words_of(note).words == "Note, not sent")
        fit_all(window, qtbot)
        pointer.click(window.graph.viewport(), card(window, note))
        qtbot.waitUntil(lambda: document.current_id == note)
        window.actions_set.by_name["includeNote"].trigger()
        document.place.set_current(document.tree.root_id)
        qtbot.waitUntil(lambda: window.display.fate_words_of(note).words == "Sent with its message")
        assert "By ship." in (window.preview.last.messages[0].text if window.preview.last else "")
        leave_out = find(window.dialogue, QPushButton, "includeNoteButton")
        qtbot.waitUntil(lambda: leave_out.text() == "Leave out")
        pointer.click(leave_out)
        qtbot.waitUntil(lambda: window.display.fate_words_of(note).words == "Note, not sent")
        qtbot.waitUntil(lambda: leave_out.text() == "Include in context")
        assert document.history.undo_label == "Take note out of context"

        pointer.key("ctrl+shift+t")
        qtbot.waitUntil(lambda: window.pages.is_showing_settings and window.settings_page.is_whole)
        box = find(window, QSpinBox, "minimumRecentNodes")
        pointer.click(box)
        pointer.key("ctrl+a")
        pointer.type_ascii("7")
        pointer.key("Tab")
        qtbot.waitUntil(lambda: document.tree.loom.context_settings.minimum_recent_nodes == 7)
        back = find(window, QPushButton, "minimumRecentNodesBack")
        assert back.text() == "Back to inherited: 4"
        pointer.click(back)
        qtbot.waitUntil(lambda: document.tree.loom.context_settings.minimum_recent_nodes is None)
