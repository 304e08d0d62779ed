"""The graph with the keyboard alone: walking, selecting, zooming, hanging branches; and other keys for it.

An ordinary run takes the most telling of these tests; the others are marked `slow`.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLabel, QLineEdit, QMenu
from pytestqt.qtbot import QtBot

from loomapp.core.edits import node_edits
from loomapp.ui.commands import panes
from loomapp.ui.graph.input.gestures import CardPreview
from loomapp.ui.widgets.page import Menu
from loomapp.ui.window.main_window import MainWindow
from tests.kit.desktop import Pointer
from tests.kit.find import find
from tests.kit.groves import written
from tests.kit.windows import card, fit_all, open_window


@pytest.fixture
def window(tmp_path: Path, qtbot: QtBot) -> Iterator[MainWindow]:
    """A question with three answers, and a reply to the last."""
    path = written(
        tmp_path / "g.loom",
        ("Name a bird.", ""),
        ("Wren.", "Name a bird."),
        ("Lark.", "Name a bird."),
        ("Rook.", "Name a bird."),
        ("Where?", "Rook."),
    )
    with open_window(path, qtbot) as window:
        window.graph.set_reduced_motion(True)
        window.document.place.set_current(said(window, "Wren."))
        panes.focus_graph(window.bench)
        yield window


def said(window: MainWindow, text: str) -> str:
    return next(i for i, node in window.document.tree.nodes.items() if node.text == text)


def chosen(window: MainWindow) -> set[str]:
    return {window.document.tree.nodes[node_id].text for node_id in window.graph.chosen_ids}


def current(window: MainWindow) -> str:
    return window.document.tree.nodes[window.document.current_id].text


def press(pointer: Pointer, qtbot: QtBot, window: MainWindow, key: str, comes_to: str) -> None:
    pointer.key(key)
    qtbot.waitUntil(lambda: current(window) == comes_to)


def test_shift_and_an_arrow_extend_the_selection_and_the_way_back_shortens_it(
    window: MainWindow, qtbot: QtBot, pointer: Pointer
) -> None:
    press(pointer, qtbot, window, "shift+Down", "Lark.")
    press(pointer, qtbot, window, "shift+Down", "Rook.")
    assert chosen(window) == {"Wren.", "Lark.", "Rook."}

    press(pointer, qtbot, window, "shift+Up", "Lark.")
    assert chosen(window) == {"Wren.", "Lark."}
    pointer.key("x")
    nodes = window.document.tree.nodes.values()
    qtbot.waitUntil(lambda: {n.text for n in nodes if n.metadata.excluded} == {"Wren.", "Lark."})

    press(pointer, qtbot, window, "shift+Up", "Wren.")
    assert chosen(window) == set(), "one card is no selection of several"


def test_a_selection_goes_past_notes(window: MainWindow) -> None:
    document, graph = window.document, window.graph
    note = node_edits.annotate(document.tree, said(window, "Lark."), "A note.", document.pen())
    document.commit(note, keeps_current=True)
    graph.node_ids()

    for _ in range(2):
        graph.extend("down")

    assert chosen(window) == {"Wren.", "Lark.", "Rook."}


def test_a_bare_arrow_lets_the_selection_go_and_walks(
    window: MainWindow, qtbot: QtBot, pointer: Pointer
) -> None:
    press(pointer, qtbot, window, "shift+Down", "Lark.")

    press(pointer, qtbot, window, "Down", "Rook.")
    assert chosen(window) == set()
    press(pointer, qtbot, window, "shift+Right", "Where?")
    assert chosen(window) == {"Rook.", "Where?"}, "a selection begins anew"


@pytest.mark.slow
def test_a_selection_made_otherwise_is_extended(window: MainWindow, qtbot: QtBot, pointer: Pointer) -> None:
    window.graph.choose([said(window, "Name a bird."), said(window, "Wren.")])

    press(pointer, qtbot, window, "shift+Down", "Lark.")

    assert chosen(window) == {"Name a bird.", "Wren.", "Lark."}


@pytest.mark.slow
def test_walking_reading_and_peeking_have_the_keys_that_a_person_gives_them(
    window: MainWindow, qtbot: QtBot, pointer: Pointer
) -> None:
    for name, key in (("walkDown", "J"), ("readHere", "R"), ("peek", "V"), ("bookmark", "Space")):
        window.preferences.put_keys(f"{name}.graph", (key,))
    graph, preview = window.graph, window.graph.findChild(CardPreview)
    assert isinstance(preview, CardPreview)

    pointer.key("Down")  # of nothing any more
    press(pointer, qtbot, window, "j", "Lark.")
    pointer.key("Return")
    assert window.document.path_ids[-1] == said(window, "Where?")
    pointer.key("r")
    qtbot.waitUntil(lambda: window.document.path_ids[-1] == said(window, "Lark."))
    pointer.key("v")
    qtbot.waitUntil(preview.isVisible)
    pointer.key("v")
    qtbot.waitUntil(lambda: not preview.isVisible())
    pointer.key("space")
    qtbot.waitUntil(lambda: window.document.tree.nodes[said(window, "Lark.")].metadata.bookmarked)

    before = graph.camera
    port = graph.viewport()
    desk = QPoint(port.width() // 2, port.height() - 30)
    pointer.move(port, desk)
    graph.activateWindow()
    pointer._run("keydown", "space")
    pointer.drag((port, desk), (port, desk + QPoint(0, -60)))
    pointer._run("keyup", "space")
    qtbot.waitUntil(lambda: graph.camera != before)
    assert window.document.tree.nodes[said(window, "Lark.")].metadata.bookmarked, "it was held, not tapped"


@pytest.mark.slow
def test_the_way_back_to_the_whole_tree_is_told_with_the_key_that_it_has(window: MainWindow) -> None:
    hoist, note = window.actions_set.by_name["hoist"], find(window, QLabel, "statusNote")
    for keys, said in (("F8",), "F8 shows"), ((), "View → Show the whole tree shows"):
        window.preferences.put_keys("unhoist.graph", keys)
        hoist.trigger()
        assert said in note.text()


@pytest.mark.slow
def test_zoom_has_keys_wherever_the_keyboard_is(window: MainWindow, qtbot: QtBot, pointer: Pointer) -> None:
    window.composer.field.setFocus()
    pointer.key("ctrl+8")
    qtbot.waitUntil(lambda: window.graph.camera.zoom == 1)

    pointer.key("ctrl+plus")
    qtbot.waitUntil(lambda: window.graph.camera.zoom > 1)
    pointer.key("ctrl+minus", "ctrl+minus")
    qtbot.waitUntil(lambda: window.graph.camera.zoom < 1)
    pointer.key("ctrl+equal")
    qtbot.waitUntil(lambda: window.graph.camera.zoom == 1)


def says(window: MainWindow) -> str:
    return find(window.palette_box, QLabel, "commandPaletteSays").text()


def test_a_branch_is_hung_elsewhere_by_the_words_of_its_new_parent(
    window: MainWindow, qtbot: QtBot, pointer: Pointer
) -> None:
    where, wren = said(window, "Where?"), said(window, "Wren.")
    window.document.place.set_current(where)

    pointer.key("m")
    qtbot.waitUntil(window.palette_box.isVisible)
    assert "Where?" in find(window.palette_box, QLineEdit, "commandPaletteField").placeholderText()
    pointer.type_ascii("wren")
    qtbot.waitUntil(lambda: "choose" in says(window))
    pointer.key("Return")

    qtbot.waitUntil(lambda: window.document.tree.children(wren) == (where,))
    assert not window.palette_box.isVisible()
    assert window.graph.hasFocus()
    pointer.key("ctrl+z")
    qtbot.waitUntil(lambda: window.document.tree.children(wren) == ())


@pytest.mark.slow
def test_where_it_cannot_hang_is_said_in_the_list_and_another_may_be_chosen(
    window: MainWindow, qtbot: QtBot, pointer: Pointer
) -> None:
    rook, where, ask = (said(window, text) for text in ("Rook.", "Where?", "Name a bird."))
    window.document.place.set_current(rook)
    before = dict(window.document.tree.edges)
    field = find(window.palette_box, QLineEdit, "commandPaletteField")

    pointer.key("ctrl+shift+m")
    qtbot.waitUntil(field.hasFocus)
    pointer.key("Return")  # the first on the list is what it hangs on
    qtbot.waitUntil(lambda: "already" in says(window))
    pointer.type_ascii("where")
    qtbot.waitUntil(lambda: "choose" in says(window))
    pointer.key("Return")
    qtbot.waitUntil(lambda: "cannot move there" in says(window))
    assert dict(window.document.tree.edges) == before
    assert window.palette_box.isVisible()
    assert window.text_pane.errors.text == "", "the reason stands where it happened"

    pointer.key("ctrl+a", "BackSpace", "Down", "Return")  # the beginning
    root = window.document.tree.root_id
    qtbot.waitUntil(lambda: rook in window.document.tree.children(root))
    assert window.document.tree.children(rook) == (where,)
    assert rook not in window.document.tree.children(ask)


@pytest.mark.parametrize("kind", [Menu, QMenu])
def test_a_letter_in_an_open_menu_does_nothing_to_the_card_below(
    window: MainWindow, qtbot: QtBot, kind: type[QMenu]
) -> None:
    menu = kind(window)
    menu.addAction("Nothing")
    qtbot.waitUntil(window.graph.hasFocus)
    menu.popup(window.mapToGlobal(QPoint(40, 40)))
    qtbot.waitExposed(menu)
    QTest.keyClick(menu, Qt.Key.Key_X)
    menu.close()
    node = window.document.tree.nodes[window.document.current_id]
    assert not node.metadata.excluded
    QTest.keyClick(window.graph, Qt.Key.Key_X)
    assert window.document.tree.nodes[node.id].metadata.excluded


@pytest.mark.slow
def test_the_first_node_hangs_on_nothing(window: MainWindow, qtbot: QtBot) -> None:
    window.document.place.set_current(window.document.tree.root_id)

    assert not window.actions_set.by_name["reparent"].isEnabled()


@pytest.mark.slow
def test_a_pruned_parent_is_refused(window: MainWindow, qtbot: QtBot, pointer: Pointer) -> None:
    window.document.place.set_current(said(window, "Lark."))
    window.actions_set.by_name["prune"].trigger()
    window.document.place.set_current(said(window, "Wren."))

    pointer.key("m")
    qtbot.waitUntil(window.palette_box.isVisible)
    pointer.type_ascii("lark")
    qtbot.waitUntil(lambda: "choose" in says(window))
    pointer.key("Return")

    qtbot.waitUntil(lambda: "is deleted" in says(window))


def click_card(window: MainWindow, qtbot: QtBot, pointer: Pointer, text: str) -> None:
    fit_all(window, qtbot)
    pointer.click(window.graph.viewport(), card(window, said(window, text)))
    qtbot.waitUntil(window.graph.hasFocus)


def test_what_is_typed_after_a_click_on_a_card_goes_to_the_composer(
    window: MainWindow, qtbot: QtBot, pointer: Pointer
) -> None:
    click_card(window, qtbot, pointer, "Lark.")

    pointer.type_ascii("great, 3 things stay")

    qtbot.waitUntil(lambda: window.composer.text == "great, 3 things stay")
    assert not window.generator.is_streaming()


@pytest.mark.slow
def test_a_sentence_that_begins_with_a_letter_of_the_graph_is_written_whole(
    window: MainWindow, qtbot: QtBot, pointer: Pointer
) -> None:
    click_card(window, qtbot, pointer, "Lark.")

    pointer.type_ascii("Hello")

    qtbot.waitUntil(lambda: window.composer.text == "Hello")


@pytest.mark.slow
def test_after_delete_on_a_clicked_card_a_typed_sentence_goes_to_the_composer(
    window: MainWindow, qtbot: QtBot, pointer: Pointer
) -> None:
    click_card(window, qtbot, pointer, "Lark.")
    lark = said(window, "Lark.")
    before = set(window.graph.node_ids()) - {lark}

    pointer.key("Delete")
    qtbot.waitUntil(lambda: window.document.tree.nodes[lark].metadata.pruned)
    pointer.type_ascii("hoist this, bxpc and tag")

    qtbot.waitUntil(lambda: window.composer.text == "hoist this, bxpc and tag")
    assert set(window.graph.node_ids()) == before
    assert not any(n.metadata.excluded or n.metadata.bookmarked for n in window.document.tree.nodes.values())


@pytest.mark.slow
def test_after_a_click_a_few_letters_act_and_after_ctrl_1_all(
    window: MainWindow, qtbot: QtBot, pointer: Pointer
) -> None:
    click_card(window, qtbot, pointer, "Rook.")
    rook = said(window, "Rook.")

    pointer.key("x")
    qtbot.waitUntil(lambda: window.document.tree.nodes[rook].metadata.excluded)
    pointer.key("h")
    qtbot.waitUntil(lambda: set(window.graph.node_ids()) == {rook, said(window, "Where?")})
    pointer.key("shift+h")
    qtbot.waitUntil(lambda: said(window, "Lark.") in window.graph.node_ids())

    pointer.key("ctrl+1", "m")

    qtbot.waitUntil(window.palette_box.isVisible)
    assert window.composer.text == ""
