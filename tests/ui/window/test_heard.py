"""What a reader is told where nothing of it has the keyboard, and Enter where a button has it."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QAccessible, QAccessibleAnnouncementEvent, QAccessibleEvent, QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QApplication,
    QLineEdit,
    QListView,
    QListWidget,
    QPushButton,
    QRadioButton,
    QToolButton,
    QTreeWidget,
    QWidget,
)
from pytestqt.qtbot import QtBot

from loomapp.core.action_table import ACTIONS_BY_MENU
from loomapp.ui.inspector.comparison import ComparePage
from loomapp.ui.inspector.what_if.strategies import StrategyCard
from loomapp.ui.widgets.fields import FindBar
from tests.kit.desktop import Pointer
from tests.kit.export_panel import export_panel
from tests.kit.find import find
from tests.kit.groves import written
from tests.kit.windows import open_window


@pytest.fixture
def grove(tmp_path: Path) -> Path:
    return written(tmp_path / "g.loom", ("Name a bird.", ""), ("Wren.", "Name a bird."))


@pytest.fixture
def heard(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What is announced."""
    told, tell = list[str](), QAccessible.updateAccessibility

    def hear(event: QAccessibleEvent) -> None:
        if isinstance(event, QAccessibleAnnouncementEvent):
            told.append(event.message())
        tell(event)

    monkeypatch.setattr(QAccessible, "updateAccessibility", hear)
    return told


def test_the_row_that_the_palette_has_chosen_is_heard_and_why_it_refuses(
    grove: Path, qtbot: QtBot, pointer: Pointer, heard: list[str]
) -> None:
    with open_window(grove, qtbot) as window:
        pointer.key("ctrl+p")
        pointer.type_ascii(">restore")
        rows = find(window.palette_box, QListView, "commandPaletteRows").model()
        qtbot.waitUntil(lambda: rows.rowCount() == 2)
        pointer.key("Down")
        said = str(rows.index(1, 0).data(Qt.ItemDataRole.AccessibleTextRole))
        assert said.endswith("not now: This node is not deleted.")
        qtbot.waitUntil(lambda: heard[-1:] == [said])

        pointer.key("Return")

        qtbot.waitUntil(lambda: heard[-1:] == [said.partition("not now: ")[2]])


def test_folding_restoring_and_asking_are_heard(grove: Path, qtbot: QtBot, heard: list[str]) -> None:
    with open_window(grove, qtbot) as window:
        document = window.document
        first = document.tree.children(document.tree.root_id)[0]
        for act, words in (
            ("fold", "Folded"),
            ("fold", "Unfolded"),
            ("showPrunedAction", "Deleted nodes are shown"),
            ("prune", "Deleted. Undo, or View → Show deleted."),
            ("restore", "Restored"),
        ):
            document.place.set_current(first)
            window.actions_set.by_name[act].trigger()
            assert heard[-1:] == [words], act
        window.generator.started.emit()
        assert heard[-1:] == ["Asked; answers are on their way"]


def test_a_branch_alone_a_pinned_preview_and_a_finished_edit_are_heard(
    grove: Path, qtbot: QtBot, heard: list[str]
) -> None:
    with open_window(grove, qtbot) as window:
        document = window.document
        first = document.tree.children(document.tree.root_id)[0]
        for act, words in (
            ("hoist", "Only this branch is shown. Shift+H shows the whole tree again."),
            ("unhoist", "The whole tree is shown."),
            ("pinPreview", "Preview pinned"),
            ("pinPreview", "Preview closed"),
        ):
            document.place.set_current(first)
            window.actions_set.by_name[act].trigger()
            assert heard[-1:] == [words], act
        window.dialogue.edit_committed.emit(first, "Name a fish.")
        assert heard[-1:] == ["Edit saved"]


def test_the_row_of_a_list_is_heard_that_the_keyboard_comes_to(
    grove: Path, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    told = list[str]()

    def hear(event: QAccessibleEvent) -> None:
        told.append(event.accessibleInterface().text(QAccessible.Text.Name))

    monkeypatch.setattr(QAccessible, "updateAccessibility", hear)
    with open_window(grove, qtbot) as window:
        QAccessible.setActive(True)
        try:
            window.actions_set.by_name["focusOutline"].trigger()
            qtbot.waitUntil(lambda: told[-1:] == ["message 2, You: Wren."])
        finally:
            QAccessible.setActive(False)


def test_arrows_on_a_button_of_a_message_lead_to_the_next_one(
    grove: Path, qtbot: QtBot, pointer: Pointer
) -> None:
    with open_window(grove, qtbot) as window:
        stops = [one for one in window.tab_order.stops() if window.text_pane.isAncestorOf(one)]
        buttons = [one for one in stops if isinstance(one, QToolButton)]
        buttons[0].setFocus(Qt.FocusReason.TabFocusReason)
        pointer.key("Down")
        after = stops[stops.index(buttons[0]) + 1]
        qtbot.waitUntil(after.hasFocus)
        pointer.key("Tab")
        pointer.key("shift+Tab")
        pointer.key("Up")
        qtbot.waitUntil(buttons[0].hasFocus)


def test_why_a_tree_cannot_be_sent_is_not_said_over_another(grove: Path, qtbot: QtBot) -> None:
    with open_window(grove, qtbot) as window:
        first = window.document.tree.loom.id
        window.actions_set.by_name["newDialogue"].trigger()
        window.actions_set.by_name["generate"].trigger()
        strip = window.text_pane.errors
        assert strip.text.startswith("There is nothing to send")

        window.bench.frame.open_tree(first)

        qtbot.waitUntil(lambda: window.document.tree.loom.id == first)
        assert strip.sentences == ()


def test_the_first_card_is_heard_as_it_is_drawn_and_a_folded_one_as_folded(grove: Path, qtbot: QtBot) -> None:
    with open_window(grove, qtbot) as window:
        first = window.document.tree.children(window.document.tree.root_id)[0]
        window.graph.fold(first)
        folded = window.graph.drawn_part(first)
        assert folded is not None
        assert folded.words.endswith("\nFolded")
        part = window.graph.drawn_part(window.document.tree.root_id)
        assert part is not None
        assert part.words == "Start"


def test_matches_are_heard_once(qtbot: QtBot, heard: list[str]) -> None:
    page = QWidget()
    qtbot.addWidget(page)
    bar = FindBar(page)
    bar.field.setText("bird")

    bar.show_count(None, 3, done=False)
    bar.show_count(0, 3)
    bar.show_count(0, 3)
    bar.show_count(1, 3)

    assert heard == ["1 of 3", "2 of 3"]


def test_a_strategy_is_heard_without_the_tags_of_its_tip(qtbot: QtBot) -> None:
    about = "Nothing is left out: if it is too long, nothing is sent and you are told of it."
    card = StrategyCard("Stop when full", about)
    qtbot.addWidget(card)
    assert card.toolTip().startswith("<p")
    told = QAccessible.queryAccessibleInterface(card).text(QAccessible.Text.Description)
    assert told == about


def test_a_row_of_the_keys_is_heard_with_its_keys(grove: Path, qtbot: QtBot) -> None:
    with open_window(grove, qtbot) as window:
        window.actions_set.by_name["showKeys"].trigger()
        rows = find(window, QTreeWidget, "keysList")
        menus = list(ACTIONS_BY_MENU)
        shown = rows.topLevelItem(menus.index("Node"))
        assert shown is not None
        inside = [child for row in range(3) if (child := shown.child(row)) is not None]
        told = [child.data(0, Qt.ItemDataRole.AccessibleTextRole) for child in inside]
        assert "Bookmark, Ctrl+D, B (in the graph)" in told


def test_enter_presses_the_button_that_tab_came_to_and_none_that_was_clicked(
    grove: Path, qtbot: QtBot, pointer: Pointer
) -> None:
    with open_window(grove, qtbot) as window:
        button = find(window, QToolButton, "toggleThemeButton")
        pressed = list[bool]()
        button.clicked.connect(lambda: pressed.append(True))

        def has_keyboard() -> bool:  # a window that was just opened gives it to its text, sooner or later
            button.setFocus(Qt.FocusReason.TabFocusReason)
            return QApplication.focusWidget() is button

        pointer.click(window.composer.field)  # or a press of another test, never let go, counts as held
        qtbot.waitUntil(lambda: QGuiApplication.mouseButtons() == Qt.MouseButton.NoButton)
        qtbot.waitUntil(has_keyboard)
        QTest.keyClick(button, Qt.Key.Key_Return)
        assert len(pressed) == 1

        window.composer.field.setFocus()
        pointer.click(button)
        qtbot.waitUntil(lambda: len(pressed) == 2)
        pointer.key("Return")
        qtbot.wait(50)
        assert len(pressed) == 2


def test_ctrl_enter_on_the_export_panel_saves_and_asks_no_model(
    grove: Path, qtbot: QtBot, pointer: Pointer
) -> None:
    with open_window(grove, qtbot) as window:
        panel = export_panel(window)
        panel.save_asked.disconnect()
        asked = list[bool]()
        window.generator.started.connect(lambda: asked.append(True))
        find(panel, QRadioButton, "exportFormat_jsonl").setFocus()

        with qtbot.waitSignal(panel.save_asked):
            pointer.key("ctrl+Return")

        assert asked == []


def test_on_a_page_no_key_asks_a_model_and_escape_closes_it_from_anywhere(
    grove: Path, qtbot: QtBot, pointer: Pointer, heard: list[str]
) -> None:
    with open_window(grove, qtbot) as window:
        asked = list[bool]()
        window.generator.started.connect(lambda: asked.append(True))
        said = "Nothing was asked: the keyboard is on a page. Ctrl+2 leads to the text."
        for name in ("settings", "showKeys", "treeSettings"):
            window.actions_set.by_name[name].trigger()
            page = window.pages.currentWidget()
            heard.clear()
            for key in ("ctrl+Return", "ctrl+shift+Return"):
                pointer.key(key)
            qtbot.waitUntil(lambda: len(heard) >= 2)
            assert set(heard) == {said}, name

            pointer.key("F6")
            qtbot.waitUntil(lambda: window.text_pane.isAncestorOf(QApplication.focusWidget() or window))
            assert window.pages.currentWidget() is page
            pointer.key("F6")
            qtbot.waitUntil(lambda: window.pages.isAncestorOf(QApplication.focusWidget() or window))
            assert window.pages.currentWidget() is page
            assert page is not None
            page.findChildren(QToolButton)[0].setFocus(Qt.FocusReason.TabFocusReason)
            pointer.key("k")
            qtbot.waitUntil(lambda: heard[-1].startswith("Nothing was written: the keyboard is on a button"))
            assert window.composer.text == ""

            window.side_parts.outline.setFocus()
            pointer.key("Escape")
            qtbot.waitUntil(lambda: window.pages.is_showing_graph)
        assert asked == []

        panel = export_panel(window)
        window.side_parts.outline.setFocus()
        pointer.key("Escape")
        qtbot.waitUntil(panel.isHidden)


@pytest.mark.parametrize("key", ["ctrl+1", "ctrl+2"])
def test_the_keyboard_goes_from_a_page_straight_to_where_it_was(
    grove: Path, qtbot: QtBot, pointer: Pointer, key: str
) -> None:
    with open_window(grove, qtbot) as window:
        pointer.key(key)
        place = window.graph if key == "ctrl+1" else window.composer.field
        qtbot.waitUntil(place.hasFocus)
        app, stops = QApplication.instance(), list[QWidget | None]()
        assert isinstance(app, QApplication)
        for name in ("settings", "showKeys", "treeSettings"):
            window.actions_set.by_name[name].trigger()
            qtbot.waitUntil(lambda: not place.hasFocus())
            pointer.key("Tab")
            qtbot.wait(50)
            stops.clear()
            app.focusChanged.connect(lambda _old, new: stops.append(new))

            pointer.key("Escape")

            qtbot.waitUntil(place.hasFocus)
            assert set(stops) <= {None, place}, name


def test_each_button_that_leads_from_a_comparison_says_where_to(grove: Path, qtbot: QtBot) -> None:
    with open_window(grove, qtbot) as window:
        document = window.document
        window.graph.choose(node for node in document.tree.nodes if node != document.tree.root_id)
        window.actions_set.by_name["compare"].trigger()
        page = find(window, ComparePage, "comparePage")
        names = [one.accessibleName() for one in page.findChildren(QPushButton) if one.text() == "Go to it"]
        assert len(names) == 3
        assert len(set(names)) == 3


def test_what_empties_the_search_and_pictures_of_help_have_names(grove: Path, qtbot: QtBot) -> None:
    with open_window(grove, qtbot) as window:
        window.actions_set.by_name["searchGrove"].trigger()
        field = find(window, QLineEdit, "searchField")
        assert [button.accessibleName() for button in field.findChildren(QToolButton)] == ["Clear"]

        window.actions_set.by_name["showKeys"].trigger()
        uses = find(window, QListWidget, "usesList")
        assert uses.item(1).data(Qt.ItemDataRole.AccessibleTextRole) == f"Picture: {uses.item(0).text()}"


def test_the_keyboard_goes_from_the_palette_straight_to_where_it_was(
    grove: Path, qtbot: QtBot, pointer: Pointer
) -> None:
    with open_window(grove, qtbot) as window:
        pointer.key("ctrl+1")
        qtbot.waitUntil(window.graph.hasFocus)
        pointer.key("ctrl+p")
        qtbot.waitUntil(window.palette_box.isVisible)
        app, stops = QApplication.instance(), list[QWidget | None]()
        assert isinstance(app, QApplication)
        app.focusChanged.connect(lambda _old, new: stops.append(new))

        pointer.key("Escape")

        qtbot.waitUntil(window.graph.hasFocus)
        assert stops == [window.graph]
