"""Search in the grove: by key, while typing, into another tree; and a word where there is nothing.

An ordinary run takes the most telling of these tests; the others are marked `slow`.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from loomapp.core.edits import node_edits
from loomapp.store.grove.open import create_grove
from loomapp.ui.commands.trees import open_tree
from loomapp.ui.side_bar.grove_search import ROW_PX, SearchPanel
from loomapp.ui.window.main_window import MainWindow
from tests.kit.desktop import Pointer
from tests.kit.groves import write
from tests.kit.processes.outside import loomapp
from tests.kit.windows import open_window

WAIT_MS = 20_000


@pytest.fixture
def grove(tmp_path: Path) -> Path:
    """Two trees; each has a branch that is not read."""
    path = tmp_path / "g.loom"
    with create_grove(path) as grove:
        for title in ("Birds", "Ships"):
            ask = f"Tell me of {title}."
            write(
                grove,
                (ask, ""),
                (f"The <b>wren</b> of {title}.", ask),
                (f"The lark of {title}.", ask),
                title=title,
            )
    return path


@pytest.fixture
def window(grove: Path, qtbot: QtBot) -> Iterator[MainWindow]:
    with open_window(grove, qtbot) as window:
        window.graph.set_reduced_motion(True)
        yield window


def panel(window: MainWindow) -> SearchPanel:
    return window.side_parts.search


def shown(window: MainWindow) -> list[str]:
    return [hit.excerpt for hit in panel(window)._rows.hits]


def marked(window: MainWindow) -> list[str]:
    """The words that are marked in the messages, from the first on."""
    bodies = [message.body for message in window.dialogue.shown_messages()]
    return [body.document().toRawText()[a:b] for body in bodies for a, b in body.found]


def test_a_key_brings_the_field_and_enter_opens_the_tree_at_the_node(
    window: MainWindow, qtbot: QtBot, pointer: Pointer
) -> None:
    assert window.document.tree.loom.title == "Birds"
    window.graph.choose(window.document.path_ids[-2:])
    pointer.key("ctrl+shift+f")
    qtbot.waitUntil(panel(window).field.hasFocus)
    pointer.key("Escape")
    assert not panel(window).field.hasFocus()
    assert len(window.graph.chosen_ids) == 2, "leaving the search leaves cards selected"
    pointer.key("ctrl+shift+f")
    qtbot.waitUntil(panel(window).field.hasFocus)

    pointer.type_ascii("wren")

    qtbot.waitUntil(lambda: len(shown(window)) == 2, timeout=WAIT_MS)
    assert shown(window) == ["The <b>wren</b> of Ships.", "The <b>wren</b> of Birds."]
    assert panel(window).said == "2 found"
    assert panel(window)._rows.wanted == ("wren",)
    pointer.key("Down", "Return")
    qtbot.waitUntil(lambda: window.document.tree.loom.title == "Ships")
    assert window.document.tree.nodes[window.document.current_id].text == "The <b>wren</b> of Ships."
    assert window.document.path_ids[-1] == window.document.current_id
    assert not window.graph.node_rect(window.document.current_id).isEmpty()


@pytest.mark.slow
def test_a_click_opens_what_was_found(window: MainWindow, qtbot: QtBot, pointer: Pointer) -> None:
    window.actions_set.by_name["searchGrove"].trigger()
    panel(window).field.setText("lark ships")
    qtbot.waitUntil(lambda: len(shown(window)) == 1, timeout=WAIT_MS)
    results = panel(window).results
    qtbot.waitUntil(lambda: results.visualRect(results.model().index(0, 0)).height() == ROW_PX)
    qtbot.waitUntil(lambda: results.viewport().height() > ROW_PX)

    pointer.click(results.viewport(), results.visualRect(results.model().index(0, 0)).center())

    qtbot.waitUntil(lambda: window.document.tree.loom.title == "Ships")
    assert window.document.tree.nodes[window.document.current_id].text == "The lark of Ships."


def test_the_words_of_a_hit_that_is_opened_are_marked_until_they_are_wanted_no_longer(
    window: MainWindow, qtbot: QtBot
) -> None:
    panel(window).field.setText("lark ships")
    qtbot.waitUntil(lambda: len(shown(window)) == 1, timeout=WAIT_MS)

    panel(window).hit_chosen.emit(panel(window)._rows.hits[0])

    qtbot.waitUntil(lambda: window.document.tree.loom.title == "Ships")
    assert marked(window) == ["Ships", "lark", "Ships"]
    row = window.graph._scene.row_of(window.document.current_id)
    assert row is not None
    assert window.graph._found.has(window.graph._scene, row)
    panel(window).field.setText("")
    qtbot.waitUntil(lambda: marked(window) == [])
    assert not window.graph._found.has(window.graph._scene, row)


def test_nothing_found_and_nothing_asked_say_so(window: MainWindow, qtbot: QtBot) -> None:
    assert "every tree" in panel(window).said

    panel(window).field.setText("albatross")
    qtbot.waitUntil(lambda: "Nothing" in panel(window).said, timeout=WAIT_MS)
    panel(window).field.setText("")

    qtbot.waitUntil(lambda: "every tree" in panel(window).said)


@pytest.mark.slow
def test_what_was_taken_back_meanwhile_is_told_and_what_another_program_wrote_is_found(
    window: MainWindow, grove: Path, qtbot: QtBot
) -> None:
    document = window.document
    document.commit(node_edits.add_node(document.tree, document.current_id, "An albatross.", document.pen()))
    panel(window).field.setText("albatross")
    qtbot.waitUntil(lambda: shown(window) == ["An albatross."], timeout=WAIT_MS)
    window.actions_set.by_name["undo"].trigger()

    panel(window).hit_chosen.emit(panel(window)._rows.hits[0])
    assert "Search again" in window.text_pane.errors.text
    tree = document.tree
    add = ("node", "add", "--grove", grove, "--tree", tree.loom.id, "--parent", tree.root_id)
    loomapp(*add, "--text", "A second albatross.")
    panel(window).field.setText("albatross ")
    panel(window).on_return()
    qtbot.waitUntil(lambda: shown(window) == ["A second albatross."], timeout=WAIT_MS)


def test_a_large_tree_is_read_meanwhile_and_then_shown_at_the_node(
    window: MainWindow, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    panel(window).field.setText("lark ships")
    qtbot.waitUntil(lambda: len(shown(window)) == 1, timeout=WAIT_MS)
    monkeypatch.setattr(open_tree, "FEW_NODES", 0)

    panel(window).hit_chosen.emit(panel(window)._rows.hits[0])

    assert window.document.tree.loom.title == "Birds"
    assert window.opening.is_under_way
    qtbot.waitUntil(lambda: window.document.tree.loom.title == "Ships")
    assert window.document.tree.nodes[window.document.current_id].text == "The lark of Ships."
