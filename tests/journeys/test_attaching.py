"""Attaching nodes to the coming generation: dragged or by key, seen before, sent, kept on the edge.

An ordinary run takes the most telling of these tests; the others are marked `slow`.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint
from PySide6.QtWidgets import QMenu, QPushButton, QToolButton
from pytestqt.qtbot import QtBot

from loomapp.core.edits import node_edits
from loomapp.session.context.pending_sources import pending_row
from loomapp.store.files import drafts
from loomapp.store.grove.open import open_grove
from loomapp.ui.widgets.chip import Chip
from loomapp.ui.window.main_window import MainWindow
from tests.kit.desktop import Pointer
from tests.kit.families import one_in
from tests.kit.find import find
from tests.kit.processes.outside import new_tree
from tests.kit.servers.fake_server import FakeServer, answers
from tests.kit.windows import card, fit_all, open_window
from tests.kit.windows import preview as would_be_sent
from tests.session.programs import ask_server


@pytest.fixture
def server() -> Iterator[FakeServer]:
    with FakeServer(answers("Waves.")) as server:
        yield server


@pytest.fixture
def grove(tmp_path: Path, server: FakeServer) -> Path:
    path = tmp_path / "g.loom"
    new_tree(path, text="What is the sea?")
    with open_grove(path) as opened:
        ask_server(opened, server.url)
    return path


def chips(window: MainWindow) -> list[str]:
    return [chip.accessibleName() for chip in window.composer.findChildren(Chip) if chip.isVisible()]


def beside(window: MainWindow, text: str) -> str:
    """Another answer to the same start, off the path that is read."""
    document = window.document
    leaf = document.current_id
    change = node_edits.add_node(document.tree, document.tree.root_id, text, document.pen())
    document.commit(change)
    document.place.read(leaf)
    return change.added_nodes()[0].id


def drag(window: MainWindow, qtbot: QtBot, pointer: Pointer, node_id: str, onto_id: str) -> QMenu:
    """Drag a card onto another with the mouse; the menu that comes up."""
    port = window.graph.viewport()
    pointer.drag((port, card(window, node_id)), (port, card(window, onto_id)))
    qtbot.waitUntil(lambda: window.findChild(QMenu, "attachMenu") is not None)
    return find(window, QMenu, "attachMenu")


def test_a_card_is_dragged_and_sent_and_stays_on_the_edge(
    grove: Path, server: FakeServer, qtbot: QtBot, pointer: Pointer
) -> None:
    with open_window(grove, qtbot) as window:
        document = window.document
        question = document.current_id
        lore, rule = beside(window, "The tide turns at six."), beside(window, "Answer in French.")
        fit_all(window, qtbot)

        menu = drag(window, qtbot, pointer, lore, question)
        menu.actions()[0].trigger()
        menu.close()
        pointer.click(window.graph.viewport(), card(window, rule))
        qtbot.waitUntil(lambda: document.current_id == rule)
        pointer.key("ctrl+shift+n")
        qtbot.waitUntil(lambda: len(chips(window)) == 2)
        assert document.current_id == question

        said = would_be_sent(window)
        assert said == [("user", "The tide turns at six.\n\nWhat is the sea?")]
        assert window.preview.last is not None
        assert window.preview.last.system == "Answer in French."
        pointer.click(find(window, QPushButton, "generateButton"))
        qtbot.waitUntil(lambda: document.tree.nodes[document.current_id].author_type == "model")

        wire = json.loads(server.received[0].body)["messages"]
        assert wire == [
            {"role": "system", "content": "Answer in French."},
            {"role": "user", "content": "The tide turns at six.\n\nWhat is the sea?"},
        ]
        (edge,) = document.tree.incoming(document.current_id)
        assert edge.with_role("context") == (lore,)
        assert edge.with_role("instruction") == (rule,)
        assert chips(window) == []


@pytest.mark.slow
def test_a_chip_is_taken_away_with_the_mouse(grove: Path, qtbot: QtBot, pointer: Pointer) -> None:
    with open_window(grove, qtbot) as window:
        lore = beside(window, "The tide turns at six.")
        window.preview.pending.attach([lore], "context")
        qtbot.waitUntil(lambda: len(chips(window)) == 1)
        before = would_be_sent(window)
        chip = next(chip for chip in window.composer.findChildren(Chip) if chip.isVisible())
        pointer.click(find(chip, QToolButton, "removeChipButton"))
        qtbot.waitUntil(lambda: chips(window) == [])
        assert would_be_sent(window) != before


@pytest.mark.slow
def test_what_is_undone_is_attached_no_more(grove: Path, qtbot: QtBot) -> None:
    with open_window(grove, qtbot) as window:
        lore = beside(window, "The tide turns at six.")
        window.preview.pending.attach([lore], "instruction")
        while lore in window.document.tree.nodes:
            window.document.history.undo(lambda _: None)
        assert window.preview.pending.roles == {}
        qtbot.waitUntil(lambda: chips(window) == [])


@pytest.mark.slow
def test_letting_go_over_the_desk_does_nothing(grove: Path, qtbot: QtBot, pointer: Pointer) -> None:
    with open_window(grove, qtbot) as window:
        lore = beside(window, "The tide turns at six.")
        fit_all(window, qtbot)
        port = window.graph.viewport()
        pointer.drag((port, card(window, lore)), (port, QPoint(8, 8)))
        assert window.findChild(QMenu, "attachMenu") is None
        assert window.document.tree.plain_parents[lore] == window.document.tree.root_id


@pytest.mark.slow
def test_what_is_attached_goes_along_where_one_stands_on_it_and_writes(
    grove: Path, server: FakeServer, qtbot: QtBot, pointer: Pointer
) -> None:
    """The words are the node that is continued then; without any, a node is no source beside itself."""
    with open_window(grove, qtbot) as window:
        document, preview = window.document, window.preview
        rule = beside(window, "Answer in French.")
        preview.pending.attach([rule], "instruction")
        document.place.read(rule)
        window.inspector_dock.show()
        window.inspector.show_sources()
        preview.refresh_now()
        assert preview.last is not None
        assert preview.last.system is None

        window.composer.field.setFocus()
        pointer.type_ascii("And the wind?")
        qtbot.waitUntil(lambda: window.composer.text == "And the wind?")
        shown = would_be_sent(window)
        assert preview.last.system == "Answer in French."
        parts = [row.facts.part for row in window.inspector.sources.rows("coming")]
        assert parts == ["Continues", "Instruction"]
        pointer.key("ctrl+Return")
        qtbot.waitUntil(lambda: document.tree.nodes[document.current_id].author_type == "model")

        wire = json.loads(server.received[0].body)["messages"]
        assert wire[0] == {"role": "system", "content": "Answer in French."}
        assert [(one["role"], one["content"]) for one in wire[1:]] == shown
        (edge,) = document.tree.incoming(document.current_id)
        assert edge.with_role("instruction") == (rule,)


def kept(grove: Path) -> list[object]:
    """What is attached as the next start would find it after a kill now."""
    rows = drafts.read(drafts.drafts_folder(grove))
    return [row.body["roles"] for row in rows if row.slot.kind == "sources"]


@pytest.mark.parametrize("mode", one_in(2, ["dialogue", "buffer"]))
def test_what_is_attached_goes_along_after_a_restart_too(
    tmp_path: Path, server: FakeServer, qtbot: QtBot, mode: str
) -> None:
    path = tmp_path / "g.loom"
    new_tree(path, mode, text="What is the sea?")
    with open_grove(path) as opened:
        ask_server(opened, server.url)
    with open_window(path, qtbot) as window:
        lore, rule = beside(window, "The tide turns at six."), beside(window, "Answer in French.")
        window.document.place.set_current(lore)
        window.actions_set.by_name["attachContext"].trigger()
        window.preview.pending.attach([rule], "instruction")
        qtbot.waitUntil(lambda: kept(path) == [[[lore, "context"], [rule, "instruction"]]])
        shown, said = chips(window), would_be_sent(window)
        assert len(shown) == 2

    with open_window(path, qtbot) as window:
        assert chips(window) == shown
        assert would_be_sent(window) == said
        window.composer.set_count(1)
        find(window, QPushButton, "generateButton").click()
        document = window.document
        qtbot.waitUntil(lambda: document.tree.nodes[document.current_id].author_type == "model")

        wire = json.loads(server.received[0].body)["messages"]
        assert [(one["role"], one["content"]) for one in wire if one["role"] != "system"] == said
        assert "The tide turns at six." in wire[-1]["content"]
        assert ("Answer in French." in wire[0]["content"]) == (mode == "dialogue")  # a buffer has no place
        assert chips(window) == []
        qtbot.waitUntil(lambda: kept(path) == [])

    with open_window(path, qtbot) as window:
        assert chips(window) == []


@pytest.mark.slow
def test_what_was_attached_and_is_gone_is_told_once_and_the_rest_goes_along(
    grove: Path, qtbot: QtBot
) -> None:
    with open_window(grove, qtbot) as window:
        tree_id, lore = window.document.tree.loom.id, beside(window, "The tide turns at six.")
    row = pending_row(tree_id, {"gone": "context", lore: "instruction"}, 1)
    drafts.keep(drafts.drafts_folder(grove), row)

    with open_window(grove, qtbot) as window:
        assert chips(window) == ["Instruction: The tide turns at six."]
        assert "no longer in this tree" in window.text_pane.errors.text

    with open_window(grove, qtbot) as window:
        assert chips(window) == ["Instruction: The tide turns at six."]
        assert window.text_pane.errors.text == ""


@pytest.mark.slow
def test_each_tree_keeps_what_is_attached_in_it(grove: Path, qtbot: QtBot) -> None:
    other, _ = new_tree(grove, text="And the wind?")
    with open_window(grove, qtbot) as window:
        first = window.document.tree.loom.id
        window.document.open_tree(other if first != other else window.document.trees.rows()[0].id)
        window.preview.pending.attach([window.document.path_ids[0]], "context")
        here = window.document.tree.loom.id
        shown = chips(window)
        assert len(shown) == 1

    with open_window(grove, qtbot) as window:
        there = next(row.id for row in window.document.trees.rows() if row.id != here)
        for tree_id, expected in ((there, []), (here, shown), (there, []), (here, shown)):
            window.document.open_tree(tree_id)
            assert chips(window) == expected
            lines_to_the_card = window.graph._scene._state.attached
            assert lines_to_the_card == window.preview.pending.roles
