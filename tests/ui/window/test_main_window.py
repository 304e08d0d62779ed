"""The window as a whole: its promised names, its menus, read-only groves, and both themes.

An ordinary run takes the most telling of these tests; the others are marked `slow`.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, QRect, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QApplication,
    QLabel,
    QMenu,
    QMessageBox,
    QPushButton,
    QSpinBox,
    QToolButton,
    QWidget,
)
from pytestqt.qtbot import QtBot

from loomapp.core.edits import edit_context, node_edits, tree_edits
from loomapp.store.grove.open import create_grove, open_grove
from loomapp.ui.actions.action_set import OBJECT_NAMES
from loomapp.ui.actions.registry import ACTIONS
from loomapp.ui.commands import node_actions
from loomapp.ui.look import theme
from loomapp.ui.window.main_window import MainWindow
from tests.kit.desktop import Pointer
from tests.kit.dialogue_views import message
from tests.kit.find import find
from tests.kit.windows import card, open_window, preview, tree_settings

CTRL = Qt.KeyboardModifier.ControlModifier
PROMISED = [
    "mainWindow", "treeList", "newTreeButton", "treeSettingsButton", "graphView", "dialogueView", "composer",
    "generateButton", "stopButton", "continuationCount", "agentPicker", "contextBar", "budgetBar",
    "contextInspector", "inspectorRows", "nodeInspector", "treeSettingsPage", "treeSystemContext",
    "bufferSystemContext", "minimumRecentNodes", "tokenBuffer", "truncationStrategy", "siblingPager",
    "errorStrip", "statusSaved", "provenancePanel",
]  # fmt: skip


@pytest.fixture
def grove(tmp_path: Path) -> Path:
    """A grove with a question, two answers and something below the first."""
    path = tmp_path / "g.loom"
    with create_grove(path) as grove:
        pen = edit_context.EditContext(grove.owner.id, 1_790_000_000_000, iter_ids())
        tree = tree_edits.new_tree("dialogue", "Birds", pen)
        grove.add_tree(tree, [grove.owner])
        tree = grove.load_tree(tree.loom.id)
        for parent, text in ((tree.root_id, "Name a bird."), (None, "Wren."), (None, "Where?"), (1, "Lark.")):
            ids = list(tree.nodes)
            at = ids[1] if parent == 1 else ids[-1] if parent is None else str(parent)
            grove.commit(tree, node_edits.add_node(tree, at, text, pen))
    return path


def iter_ids() -> Callable[[], str]:
    numbers = iter(range(1, 1000))
    return lambda: f"node{next(numbers)}"


def by_text(window: MainWindow, text: str) -> str:
    return next(i for i, node in window.document.tree.nodes.items() if node.text == text)


def test_every_promised_name_is_there(grove: Path, qtbot: QtBot) -> None:
    with open_window(grove, qtbot) as window:
        window.document.place.read(by_text(window, "Lark."))
        tree_settings(window)
        window.inspector.show_tab("provenancePanel")
        missing = [
            name
            for name in PROMISED
            if window.objectName() != name and window.findChild(QWidget, name) is None
        ]
        assert missing == []
        assert "showPrunedAction" in window.actions_set.by_name


def test_a_commit_is_told_once_and_everything_shows_what_is_current_then(grove: Path, qtbot: QtBot) -> None:
    with open_window(grove, qtbot) as window:
        document, shown = window.document, list[str]()
        document.place.read(by_text(window, "Lark."))
        document.tree_changed.connect(lambda _: shown.append("tree"))
        document.place.current_changed.connect(lambda _: shown.append("current"))

        document.commit(node_edits.add_node(document.tree, document.current_id, "Both.", document.pen()))

        added = by_text(window, "Both.")
        assert shown == ["tree"]
        assert document.current_id == window.graph.current_node_id == added
        window.actions_set.by_name["undo"].trigger()
        document.place.read_through(by_text(window, "Wren."), keeps_place=True)
        assert shown == ["tree"] * 3
        assert window.graph.current_node_id == document.current_id == by_text(window, "Wren.")
        assert window.visits.can_go_back


@pytest.mark.slow
def test_whatever_takes_the_keyboard_has_a_name_to_be_spoken(grove: Path, qtbot: QtBot) -> None:
    with open_window(grove, qtbot) as window:
        nameless = [
            f"{type(widget).__name__} {widget.objectName()}"
            for widget in window.findChildren(QWidget)
            if widget.focusPolicy() & Qt.FocusPolicy.TabFocus
            and widget.isVisible()
            and not (widget.accessibleName() or getattr(widget, "text", str)())
            and widget.focusProxy() is None
        ]
        assert nameless == []


def test_every_action_stands_in_a_menu_and_no_key_twice(grove: Path, qtbot: QtBot) -> None:
    with open_window(grove, qtbot) as window:
        menus = window.header.menu_bar.findChildren(QMenu)
        in_menus = {action.objectName() for menu in menus for action in menu.actions()}
        assert {OBJECT_NAMES.get(row.name, row.name) for row in ACTIONS} <= in_menus
        keys = [key for row in ACTIONS for key in row.entry.keys]
        assert len(keys) == len(set(keys))


@pytest.mark.slow
def test_a_read_only_grove_can_be_read_and_says_so(grove: Path, qtbot: QtBot, pointer: Pointer) -> None:
    grove.chmod(0o400)
    if os.geteuid() == 0:
        grove.parent.chmod(0o500)
    before = grove.read_bytes()

    try:
        with open_window(grove, qtbot) as window:
            if not window.document.grove.read_only:
                pytest.skip("this user may write everywhere")
            qtbot.waitUntil(lambda: not window.actions_set.by_name["generate"].isEnabled())
            assert window.composer.field.isReadOnly()
            assert "reading only" in window.composer.field.placeholderText()
            pointer.click(window.graph.viewport(), card(window, by_text(window, "Wren.")))
            qtbot.waitUntil(lambda: window.document.current_id == by_text(window, "Wren."))
    finally:
        grove.parent.chmod(0o700)

    assert grove.read_bytes() == before


@pytest.mark.slow
def test_what_is_typed_is_part_of_what_would_be_sent(grove: Path, qtbot: QtBot, pointer: Pointer) -> None:
    with open_window(grove, qtbot) as window:
        window.document.place.read(by_text(window, "Wren."))
        pointer.click(window.composer.field)
        pointer.type_ascii("Sing.")
        qtbot.waitUntil(lambda: window.composer.text == "Sing.")

        assert preview(window) == [("user", "Name a bird.\n\nWren.\n\nSing.")]


@pytest.mark.slow
def test_undo_and_redo_keys_work_inside_the_composer(grove: Path, qtbot: QtBot, pointer: Pointer) -> None:
    with open_window(grove, qtbot) as window:
        window.document.place.read(by_text(window, "Wren."))
        excluded = by_text(window, "Wren.")
        window.actions_set.by_name["exclude"].trigger()
        pointer.click(window.composer.field)

        pointer.key("ctrl+z")
        qtbot.waitUntil(lambda: not window.document.tree.nodes[excluded].metadata.excluded)
        pointer.key("ctrl+shift+z")
        qtbot.waitUntil(lambda: window.document.tree.nodes[excluded].metadata.excluded)
        pointer.type_ascii("oh")
        qtbot.waitUntil(lambda: window.composer.text == "oh")
        pointer.key("ctrl+z")
        qtbot.waitUntil(lambda: window.composer.text == "")

        assert window.document.tree.nodes[excluded].metadata.excluded


@pytest.mark.slow
def test_a_message_that_is_left_out_stays_struck_while_another_branch_is_current(
    grove: Path, qtbot: QtBot
) -> None:
    with open_window(grove, qtbot) as window:
        wren, lark = by_text(window, "Wren."), by_text(window, "Lark.")
        window.document.place.read(by_text(window, "Where?"))
        node_actions.set_excluded(window.bench, wren, True)
        message = window.dialogue.message(wren)
        assert message is not None
        qtbot.waitUntil(lambda: find(message, QPushButton, "includeButton").isVisible())

        window.document.place.set_current(lark)
        qtbot.waitUntil(lambda: window.preview.last is not None and lark in window.preview.last.report.kept)

        assert wren in window.document.path_ids
        assert find(message, QPushButton, "includeButton").isVisible()
        window.document.place.set_current(wren)
        window.preview.refresh_now()
        fates = [window.display.forecast.fates.get(node_id) for node_id in window.document.path_ids]
        assert not {"refused", "truncated"}.intersection(fates), "who excludes one alarms about no other"


def test_exclude_prune_bookmark_and_restore_from_the_keyboard(
    grove: Path, qtbot: QtBot, pointer: Pointer
) -> None:
    with open_window(grove, qtbot) as window:
        wren = by_text(window, "Wren.")
        tree = window.document.tree
        pointer.click(window.graph.viewport(), card(window, wren))

        pointer.key("b")
        qtbot.waitUntil(lambda: tree.nodes[wren].metadata.bookmarked)
        pointer.key("Delete")
        qtbot.waitUntil(lambda: tree.nodes[by_text(window, "Where?")].metadata.pruned)
        assert window.graph.node_rect(wren).isEmpty()
        window.actions_set.by_name["showPrunedAction"].trigger()
        pointer.click(window.graph.viewport(), card(window, wren))
        window.actions_set.by_name["restore"].trigger()

        assert not any(node.metadata.pruned for node in tree.nodes.values())


@pytest.mark.slow
def test_the_keyboard_walks_from_card_to_card(grove: Path, qtbot: QtBot, pointer: Pointer) -> None:
    with open_window(grove, qtbot) as window:
        window.document.place.read(by_text(window, "Wren."))
        pointer.click(window.graph.viewport(), card(window, by_text(window, "Name a bird.")))

        pointer.key("Right")
        qtbot.waitUntil(lambda: window.document.current_id == by_text(window, "Wren."))
        pointer.key("Down")
        qtbot.waitUntil(lambda: window.document.current_id == by_text(window, "Lark."))
        pointer.key("Return")
        qtbot.waitUntil(lambda: window.document.path_ids[-1] == by_text(window, "Lark."))


def test_the_first_key_of_a_new_window_is_a_word(grove: Path, qtbot: QtBot, pointer: Pointer) -> None:
    with open_window(grove, qtbot) as window:
        before = len(window.document.tree.nodes)
        pointer.type_ascii("sbx")

        assert window.composer.text == "sbx"
        assert len(window.document.tree.nodes) == before


@pytest.mark.slow
def test_reading_on_to_a_card_makes_it_the_end_that_is_continued(
    grove: Path, qtbot: QtBot, pointer: Pointer
) -> None:
    with open_window(grove, qtbot) as window:
        label = find(window, QLabel, "continuingLabel")
        where = by_text(window, "Where?")
        pointer.click(window.graph.viewport(), card(window, where))
        assert label.isVisible()

        pointer.double_click(window.graph.viewport(), card(window, where))

        assert window.document.path_ids[-1] == where
        assert not label.isVisible()


@pytest.mark.slow
def test_a_note_is_written_beside_the_text_and_added_by_the_keyboard(
    grove: Path, qtbot: QtBot, pointer: Pointer
) -> None:
    with open_window(grove, qtbot) as window:
        lark = by_text(window, "Lark.")
        pointer.click(window.graph.viewport(), card(window, lark))
        birds = window.document.tree.loom.id
        window.actions_set.by_name["annotate"].trigger()
        pointer.type_ascii("Or a wren?")
        window.document.new_tree("dialogue")
        assert not window.text_pane.note_box.isVisible()
        window.document.open_tree(birds)
        window.document.place.set_current(lark)
        window.actions_set.by_name["annotate"].trigger()  # goes on with what was begun
        pointer.key("ctrl+Return")

        notes = window.document.tree.notes(lark)
        assert [window.document.tree.nodes[i].text for i in notes] == ["Or a wren?"]
        assert window.graph.hasFocus() or window.composer.field.hasFocus()


@pytest.mark.slow
def test_a_link_is_shown_whole_and_opened_only_if_one_asks(
    grove: Path, qtbot: QtBot, pointer: Pointer
) -> None:
    with open_window(grove, qtbot) as window:
        address = "https://example.com/" + "long" * 60
        window.dialogue.link_asked.emit(address)
        assert window.text_pane.minimumSizeHint().width() <= window.text_pane.width()
        assert address in window.text_pane.errors.text

        strip = window.text_pane.errors
        qtbot.waitUntil(lambda: strip.height() == strip.heightForWidth(strip.width()))  # it is laid out
        pointer.click(find(strip, QToolButton, "errorClose"))

        assert not strip.isVisible()


@pytest.mark.slow
def test_the_card_menu_offers_what_applies(grove: Path, qtbot: QtBot, pointer: Pointer) -> None:
    with open_window(grove, qtbot) as window:
        wren = by_text(window, "Wren.")
        pointer.click(window.graph.viewport(), card(window, wren), button=3)
        qtbot.waitUntil(lambda: QApplication.activePopupWidget() is not None)
        menu = QApplication.activePopupWidget()
        assert isinstance(menu, QMenu)
        names = [action.objectName() for action in menu.actions() if action.menu() is None]
        harsh = [action.objectName() for inner in menu.findChildren(QMenu) for action in inner.actions()]
        pointer.key("Escape")
        qtbot.waitUntil(lambda: QApplication.activePopupWidget() is None)

        assert {"generate", "edit", "exclude", "bookmark"} <= set(names)
        assert harsh == ["prune"], "what takes away stands one step further"
        assert "restore" not in names


@pytest.mark.slow
def test_the_bare_desk_has_no_menu_of_some_other_card(grove: Path, qtbot: QtBot, pointer: Pointer) -> None:
    with open_window(grove, qtbot) as window:
        pointer.click(window.graph.viewport(), QPoint(6, 6), button=3)

        assert QApplication.activePopupWidget() is None


@pytest.mark.slow
def test_the_theme_is_switched_and_remembered(grove: Path, qtbot: QtBot) -> None:
    with open_window(grove, qtbot) as window:
        window.preferences.put("theme", "dark")
        assert theme.current_name() == "dark"
        window.actions_set.by_name["toggleTheme"].trigger()
        assert theme.current_name() == "light"
        assert find(window, QSpinBox, "continuationCount").value() == 3


@pytest.mark.slow
def test_what_another_program_wrote_is_not_lost(grove: Path, qtbot: QtBot) -> None:
    with open_window(grove, qtbot) as window:
        document = window.document
        with open_grove(grove) as other:
            tree = other.load_tree(document.tree.loom.id)
            pen = edit_context.EditContext(
                other.owner.id, 1_790_000_100_000, lambda: "from-outside", by="command line"
            )
            ids = iter(("outside-node", "outside-edge"))
            change = node_edits.add_node(tree, tree.root_id, "Hello.", replace(pen, new_id=lambda: next(ids)))
            other.commit(tree, change)

        document.commit(node_edits.add_node(document.tree, document.current_id, "Here.", document.pen()))

        assert "outside-node" in document.tree.nodes
        assert by_text(window, "Here.") in document.tree.nodes
        assert "outside-node" in window.graph.node_ids()


@pytest.mark.slow
def test_what_loomapp_is_can_be_read_beside_the_window(grove: Path, qtbot: QtBot) -> None:
    with open_window(grove, qtbot) as window:
        window.actions_set.by_name["about"].trigger()

        box = find(window, QMessageBox, "about")
        assert box.isVisible()
        assert not box.isModal()
        box.close()
        qtbot.waitUntil(lambda: window.findChild(QMessageBox, "about") is None)


def test_keys_act_on_the_message_that_was_pressed_while_generate_continues_the_same(
    grove: Path, qtbot: QtBot
) -> None:
    with open_window(grove, qtbot) as window:
        tree, view = window.document.tree, window.dialogue
        wren, end = by_text(window, "Wren."), by_text(window, "Where?")
        window.document.place.read(end)
        pressed = message(view, wren)
        QTest.mouseClick(pressed, Qt.MouseButton.LeftButton, pos=pressed.body.geometry().center())

        QTest.keyClick(view, Qt.Key.Key_D, CTRL)
        QTest.keyClick(view, Qt.Key.Key_X, CTRL | Qt.KeyboardModifier.ShiftModifier)

        assert tree.nodes[wren].metadata.bookmarked
        assert tree.nodes[wren].metadata.excluded
        assert window.document.current_id == end
        assert find(pressed, QToolButton, "editButton").isVisible()
        QTest.keyClick(view, Qt.Key.Key_F2)
        assert pressed.is_editing
        window.composer.field.setFocus()
        QTest.keyClick(window.composer.field, Qt.Key.Key_D, CTRL)
        assert tree.nodes[end].metadata.bookmarked


def test_the_message_that_generate_continues_is_marked_where_it_is_not_the_last(
    grove: Path, qtbot: QtBot
) -> None:
    with open_window(grove, qtbot) as window:
        wren, end = by_text(window, "Wren."), by_text(window, "Where?")
        window.document.place.read(end)
        marked, colour = message(window.dialogue, wren), theme.colour("accent.base")
        assert not marked.accessibleDescription().startswith("Generate continues here.")

        window.document.place.set_current(wren)

        assert marked.accessibleDescription().startswith("Generate continues here.")
        below = marked.grab(QRect(0, 24, 22, marked.words_bottom - 24)).toImage()
        assert colour in [below.pixelColor(x, below.height() // 2) for x in range(below.width())]
        window.document.place.set_current(end)
        assert not marked.accessibleDescription().startswith("Generate continues here.")


def test_the_message_that_is_continued_beside_the_path_is_heard_as_sent(grove: Path, qtbot: QtBot) -> None:
    with open_window(grove, qtbot) as window:
        window.document.place.read(by_text(window, "Where?"))
        lark = by_text(window, "Lark.")

        window.document.place.set_current(lark)
        window.preview.refresh_now()

        assert lark not in window.document.path
        assert window.graph._scene.spoken(lark).splitlines()[-1].startswith("Sent")
        assert "as context" not in window.graph._scene.spoken(lark)


def test_a_page_whose_place_is_gone_gives_the_keyboard_to_the_text(grove: Path, qtbot: QtBot) -> None:
    with open_window(grove, qtbot) as window:
        window.side_parts.outline.setFocus()
        window.actions_set.by_name["settings"].trigger()
        window.actions_set.by_name["toggleSideBar"].trigger()
        page = window.pages.currentWidget()
        assert page is not None
        page.findChildren(QToolButton)[0].setFocus()

        window.actions_set.by_name["stop"].trigger()

        assert window.pages.is_showing_graph
        assert window.composer.field.hasFocus()


def test_a_tree_that_is_chosen_in_the_side_bar_takes_the_place_of_any_page_but_its_settings(
    grove: Path, qtbot: QtBot
) -> None:
    with open_window(grove, qtbot) as window:
        tree_id = window.document.tree.loom.id
        for name in ("agents", "usage", "settings", "showKeys"):
            window.actions_set.by_name[name].trigger()
            assert not window.pages.is_showing_graph

            window.tree_list.tree_chosen.emit(tree_id)

            assert window.pages.is_showing_graph, name
        window.actions_set.by_name["treeSettings"].trigger()
        window.tree_list.tree_chosen.emit(tree_id)
        assert window.pages.is_showing_settings
