"""The settings page: found, changed, taken back, searched; keys given, refused and moved.

An ordinary run takes the most telling of these tests; the others are marked `slow`.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QFrame,
    QLabel,
    QLineEdit,
    QPushButton,
    QSpinBox,
    QToolButton,
    QWidget,
)
from pytestqt.qtbot import QtBot

from loomapp.store.files.settings_file import read_settings, settings_path
from loomapp.store.grove.open import create_grove
from loomapp.ui.commands import preferences
from loomapp.ui.look import theme
from loomapp.ui.settings.key_rows import KeyRow
from loomapp.ui.settings.page import SettingsPage
from loomapp.ui.widgets.error_strip import ErrorStrip
from loomapp.ui.widgets.layouts import ScrolledColumn
from loomapp.ui.window.main_window import MainWindow
from tests.kit.desktop import Pointer
from tests.kit.families import one_in
from tests.kit.find import find
from tests.kit.windows import open_window, tree_settings

MOST_WIDGETS = 500  # of a page with 190 rows


@pytest.fixture
def grove(tmp_path: Path) -> Path:
    path = tmp_path / "g.loom"
    create_grove(path).close()
    return path


def page_of(window: MainWindow, pointer: Pointer, qtbot: QtBot, words: str = "") -> SettingsPage:
    pointer.key("ctrl+comma")
    qtbot.waitUntil(lambda: window.app_settings is not None and window.app_settings.isVisible())
    page = window.app_settings
    assert page is not None
    qtbot.waitUntil(page.is_whole)
    if words:
        pointer.type_ascii(words)
        qtbot.waitUntil(lambda: find(page, QLineEdit, "settingsSearch").text() == words)
        qtbot.waitUntil(page.is_whole)
    return page


def shown_page(window: MainWindow, qtbot: QtBot, words: str = "") -> SettingsPage:
    """The page, or what of it has some words."""
    preferences.show_page(window.bench, words)
    page = window.app_settings
    assert page is not None
    qtbot.waitUntil(page.is_whole)
    return page


def scroll_to_the_end(page: SettingsPage, qtbot: QtBot) -> None:
    """It moves away while rows turn out to be higher than was thought."""
    bar = find(page, ScrolledColumn, "settingsArea").verticalScrollBar()

    def is_there() -> bool:
        bar.setValue(bar.maximum())
        return page.is_whole() and page.findChild(QPushButton, "key_about") is not None

    qtbot.waitUntil(is_there)


def key_row(page: SettingsPage, name: str) -> KeyRow:
    return next(row for row in page.findChildren(KeyRow) if row.binding.name == name)


def test_rows_are_made_where_one_looks_and_go_again_unless_something_is_typed_in_them(
    grove: Path, qtbot: QtBot
) -> None:
    with open_window(grove, qtbot) as window:
        page = shown_page(window, qtbot)
        assert len(page.findChildren(QWidget)) < MOST_WIDGETS
        assert not page.findChildren(KeyRow)

        page.search("marker")
        qtbot.waitUntil(page.is_whole)
        line = find(page, QLineEdit, "setting_dialogue_marker")
        line.setFocus()
        line.selectAll()
        QTest.keyClicks(line, "without a number")
        page.search("")
        page.setFocus()
        scroll_to_the_end(page, qtbot)
        assert find(page, QLineEdit, "setting_dialogue_marker").text() == "without a number"
        qtbot.waitUntil(lambda: page.findChild(QComboBox, "setting_theme") is None)
        assert len(page.findChildren(QWidget)) < MOST_WIDGETS
        keys = [row.binding.name for row in page.findChildren(KeyRow)]
        last = [binding.name for binding in window.actions_set.bindings][-len(keys) :]
        assert sorted(keys) == sorted(last)

        preferences.show_page(window.bench)
        search = find(page, QLineEdit, "settingsSearch")
        qtbot.waitUntil(lambda: not search.visibleRegion().isEmpty())  # the page was left at its end

        page.search("palette")
        qtbot.waitUntil(lambda: page.findChild(QPushButton, "key_commandPaletteAction") is not None)


def test_a_setting_is_found_changed_and_taken_back(grove: Path, qtbot: QtBot, pointer: Pointer) -> None:
    with open_window(grove, qtbot) as window:
        page = page_of(window, pointer, qtbot, "theme")
        box = find(page, QComboBox, "setting_theme")
        assert box.isVisible()
        qtbot.waitUntil(lambda: page.findChild(QSpinBox, "setting_scale_percent") is None)

        pointer.key("Tab", "Down")
        qtbot.waitUntil(lambda: read_settings().settings.theme == "dark")
        assert theme.current_name() == "dark"
        pointer.click(find(page, QPushButton, "setting_theme_back"))
        qtbot.waitUntil(lambda: read_settings().settings.theme == "system")

        pointer.key("Escape")
        qtbot.waitUntil(window.graph.isVisible)


@pytest.mark.slow
def test_what_trees_inherit_reaches_preview_and_tree_settings(
    grove: Path, qtbot: QtBot, pointer: Pointer
) -> None:
    with open_window(grove, qtbot) as window:
        window.preferences.put("token_buffer", 512)
        window.preferences.put("minimum_recent_nodes", 9)
        window.composer.set_text("Hello.")
        window.preview.refresh_now()
        assert window.preview.last is not None
        report = window.preview.last.report

        assert report.window - report.available == 512
        window.pages.show_settings()
        assert find(window.settings_page, QSpinBox, "tokenBuffer").value() == 512
        assert find(window.settings_page, QSpinBox, "minimumRecentNodes").value() == 9


@pytest.mark.slow
def test_enter_sends_and_the_usual_count_reach_the_composer(
    grove: Path, qtbot: QtBot, pointer: Pointer
) -> None:
    with open_window(grove, qtbot) as window:
        page = page_of(window, pointer, qtbot)
        enter_sends = find(page, QCheckBox, "setting_enter_sends")
        assert enter_sends.text() == "Off"
        enter_sends.click()
        assert enter_sends.text() == "On"
        find(page, QSpinBox, "setting_continuations").setValue(5)

        assert window.composer.field.enter_sends
        assert window.composer.count == 5
        window.composer.set_count(2)
        window.preferences.put("theme", "dark")
        assert window.composer.count == 2  # what was chosen in the composer stays


def test_a_file_that_is_edited_badly_is_told_with_its_line(
    grove: Path, qtbot: QtBot, pointer: Pointer
) -> None:
    with open_window(grove, qtbot) as window:
        settings_path().write_text("[appearance]\nscale = 1000\n")
        qtbot.waitUntil(lambda: "line 2" in window.text_pane.errors.text)
        pointer.click(find(window.text_pane.errors, QPushButton, "errorAction"))
        qtbot.waitUntil(lambda: window.app_settings is not None)
        page = window.app_settings
        assert page is not None
        assert "line 2" in find(page, ErrorStrip, "settingsProblems").text

        qtbot.waitUntil(page.is_whole)
        settings_path().write_text("oh dear")
        qtbot.waitUntil(lambda: "line 1" in find(page, ErrorStrip, "settingsProblems").text)
        find(page, QCheckBox, "setting_reduced_motion").click()

        assert settings_path().read_text() == "oh dear"
        assert "Not saved" in find(page, ErrorStrip, "settingsProblems").text
        assert not find(page, QCheckBox, "setting_reduced_motion").isChecked()


@pytest.mark.slow
def test_keys_written_by_hand_that_cannot_be_had_are_told_with_their_lines(grove: Path, qtbot: QtBot) -> None:
    with open_window(grove, qtbot) as window:
        written = '[keys.actions]\ngenerate = ["Ctrl+D"]\nbookmark = ["Ctrl+D"]\nnonsense = ["F7"]\n'
        settings_path().write_text(written)
        qtbot.waitUntil(lambda: len(window.preferences.every_problem) == 2)

        conflict, unknown = window.preferences.every_problem
        qtbot.waitUntil(lambda: "And 1 more." in window.text_pane.errors.text)
        assert "line 2" in window.text_pane.errors.text
        assert "line 2: keys.actions.generate" in conflict
        assert "line 4: keys.actions.nonsense" in unknown
        keys = [key.toString() for key in window.actions_set.by_name["generate"].shortcuts()]
        assert "Ctrl+Return" in keys
        assert "Ctrl+D" not in keys
        assert settings_path().read_text() == written


@pytest.mark.slow
def test_lines_that_are_no_longer_in_the_file_are_not_told(grove: Path, qtbot: QtBot) -> None:
    with open_window(grove, qtbot) as window:
        path, bad = settings_path(), '[keys.actions]\nnonsense = ["F7"]\n'
        path.write_text("\n" * 12 + bad)
        qtbot.waitUntil(lambda: "line 14" in "".join(window.preferences.every_problem))

        path.write_text("# mine\noh dear\n\n")
        qtbot.waitUntil(lambda: "line 2" in "".join(window.preferences.every_problem))
        assert len(window.preferences.every_problem) == 1

        path.write_text("\n" * 3 + bad)
        qtbot.waitUntil(lambda: "line 5" in "".join(window.preferences.every_problem))
        assert len(window.preferences.every_problem) == 1


@pytest.mark.slow
def test_nothing_is_missed_where_nothing_is_searched_and_what_is_found_first_has_no_line_above(
    grove: Path, qtbot: QtBot
) -> None:
    with open_window(grove, qtbot) as window:
        page = shown_page(window, qtbot)
        nothing = find(page, QLabel, "nothingFound")
        assert nothing.isHidden()

        page.search("no such words")
        assert nothing.isVisible()

        page.search("bookmark")
        qtbot.waitUntil(page.is_whole)
        assert nothing.isHidden()
        assert key_row(page, "bookmark").isVisible()
        assert not any(line.isVisible() for line in page.findChildren(QFrame, "sectionRule"))

        page.search("")
        qtbot.waitUntil(page.is_whole)
        lines = page.findChildren(QFrame, "sectionRule")
        assert sum(line.isVisible() for line in lines) == len(lines) - 1


def test_a_new_key_works_at_once_and_a_taken_one_names_its_owner(
    grove: Path, qtbot: QtBot, pointer: Pointer
) -> None:
    with open_window(grove, qtbot) as window:
        page = page_of(window, pointer, qtbot, "show deleted")
        row = key_row(page, "showPrunedAction")
        field = find(row, QPushButton, "key_showPrunedAction")
        pointer.click(field)
        pointer.key("F7")
        qtbot.waitUntil(lambda: read_settings().settings.keys == {"showPrunedAction": ("F7",)})
        pointer.key("F7")
        qtbot.waitUntil(lambda: window.display.is_showing_pruned)

        pointer.click(field)
        pointer.key("ctrl+d")
        says = find(row, QLabel, "key_showPrunedAction_says")
        qtbot.waitUntil(lambda: says.text() == "Ctrl+D is the key of “Bookmark”.")
        pointer.click(find(row, QPushButton, "key_showPrunedAction_take"))
        qtbot.waitUntil(lambda: read_settings().settings.keys.get("bookmark") == ())

        assert read_settings().settings.keys["showPrunedAction"] == ("F7", "Ctrl+D")
        assert window.focusWidget() is field, "the keyboard stays in the row"
        assert window.actions_set.by_name["bookmark"].shortcuts() == []


@pytest.mark.slow
def test_a_key_that_cannot_be_had_says_why_and_escape_leaves_it(
    grove: Path, qtbot: QtBot, pointer: Pointer
) -> None:
    with open_window(grove, qtbot) as window:
        page = page_of(window, pointer, qtbot, "quit")
        row = key_row(page, "quit")
        field = find(row, QPushButton, "key_quit")
        pointer.click(field)
        pointer.key("ctrl+e")
        says = find(row, QLabel, "key_quit_says")
        qtbot.waitUntil(lambda: "left to text fields" in says.text())

        pointer.click(field)
        pointer.key("Escape")

        assert page.isVisible()
        assert read_settings().settings.keys == {}


@pytest.mark.slow
@pytest.mark.parametrize("kind", one_in(2, ["dialogue", "buffer"]))
def test_generate_has_in_a_text_the_keys_that_are_chosen_and_the_buttons_name_them(
    grove: Path, qtbot: QtBot, kind: str
) -> None:
    with open_window(grove, qtbot) as window:
        window.actions_set.by_name["newDialogue" if kind == "dialogue" else "newBuffer"].trigger()
        field = window.composer.field if kind == "dialogue" else window.buffer.view.editor
        button = find(window.composer, QPushButton, "generateButton")
        ran: list[str] = []
        for name in ("generate", "bookmark"):
            action = window.actions_set.by_name[name]
            action.triggered.disconnect()
            action.triggered.connect(lambda _=False, n=name: ran.append(n))
            action.setEnabled(True)
        assert button.accessibleDescription() == "Ctrl+Enter"

        window.preferences.put_keys("generate", ("F8",))
        window.preferences.put_keys("stop", ())
        field.setFocus()
        QTest.keyClick(field, Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
        assert ran == []
        assert button.accessibleDescription() == "F8"
        assert find(window.composer, QPushButton, "stopButton").accessibleDescription() == ""

        window.preferences.put_keys("bookmark", ("Ctrl+Return",))
        QTest.keyClick(field, Qt.Key.Key_F8)
        QTest.keyClick(field, Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
        assert ran == ["generate", "bookmark"]


@pytest.mark.slow
def test_sentences_name_the_keys_that_are_chosen_now(grove: Path, qtbot: QtBot) -> None:
    with open_window(grove, qtbot) as window:

        def said() -> tuple[str, ...]:
            tips = find(window, QToolButton, "newTreeButton"), find(window, QToolButton, "treeSettingsButton")
            words = [label.text() for label in window.side_parts.findChildren(QLabel)]
            promise = find(tree_settings(window), QLabel, "treeSettingsPromise").text()
            return (*(tip.toolTip() for tip in tips), promise, *words)

        for words in ("Ctrl+N", "Ctrl+Shift+B", "Ctrl+Shift+T", "Ctrl+Z", "Ctrl+D marks"):
            assert words in " ".join(said())

        for name, key in (("newDialogue", "F3"), ("treeSettings", "F4"), ("bookmark", "F7"), ("undo", "F8")):
            window.preferences.put_keys(name, (key,))
        window.preferences.put_keys("newBuffer", ())

        for words in ("a dialogue (F3) or a buffer", "Tree settings (F4)", "F7 marks", "F8 undoes it"):
            assert words in " ".join(said())
        assert "Ctrl+" not in " ".join(said())


@pytest.mark.slow
@pytest.mark.parametrize("kind", one_in(2, ["dialogue", "buffer"], first=1))
def test_where_enter_sends_the_key_of_generate_with_ctrl_begins_a_line(
    grove: Path, qtbot: QtBot, kind: str
) -> None:
    with open_window(grove, qtbot) as window:
        window.actions_set.by_name["newDialogue" if kind == "dialogue" else "newBuffer"].trigger()
        field = window.composer.field if kind == "dialogue" else window.buffer.view.editor
        window.preferences.put("enter_sends", True)
        field.setFocus()

        QTest.keyClick(field, Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)

        assert field.toPlainText() == "\n"
        assert not window.generator.is_streaming()


@pytest.mark.slow
def test_presets_and_reset_change_all_keys(grove: Path, qtbot: QtBot, pointer: Pointer) -> None:
    with open_window(grove, qtbot) as window:
        page = page_of(window, pointer, qtbot, "preset")
        window.preferences.put("key_preset", "loomsidian")
        window.preferences.put_keys("quit", ("F4",))
        keys = [k.toString() for k in window.actions_set.by_name["generate"].shortcuts()]
        assert "Ctrl+Space" in keys

        find(page, QPushButton, "resetKeys").click()

        assert [k.toString() for k in window.actions_set.by_name["quit"].shortcuts()] == ["Ctrl+Q"]
        assert read_settings().settings.key_preset == "loomsidian"


def test_every_control_of_the_page_can_be_reached_and_is_named(
    grove: Path, qtbot: QtBot, pointer: Pointer
) -> None:
    with open_window(grove, qtbot) as window:
        page = page_of(window, pointer, qtbot)
        assert [row.objectName() for row in page.findChildren(KeyRow) if row.isHidden()] == []
        nameless = [
            widget.objectName() or type(widget).__name__
            for widget in page.findChildren(QWidget)
            if widget.focusPolicy() & Qt.FocusPolicy.TabFocus
            and widget.isVisible()
            and not (widget.accessibleName() or getattr(widget, "text", str)())
            and widget.focusProxy() is None
        ]

        assert nameless == []

        def pressed(key: Qt.Key) -> str:
            QTest.keyClick(window.focusWidget(), key)  # faster than rows come by themselves
            return window.focusWidget().objectName()

        assert "openSettingsFile" not in [pressed(Qt.Key.Key_Tab) for _ in range(30)]
        find(page, QPushButton, "openSettingsFile").setFocus()
        assert pressed(Qt.Key.Key_Backtab) == "key_about"


@pytest.mark.slow
def test_the_strip_follows_the_file_and_goes_when_it_is_mended(grove: Path, qtbot: QtBot) -> None:
    with open_window(grove, qtbot) as window:
        strip, path = window.text_pane.errors, settings_path()
        path.write_text("[appearance]\nscale = 1000\n")
        qtbot.waitUntil(lambda: "line 2" in strip.text)
        preferences.show_page(window.bench)

        path.write_text("\n\n[appearance]\nscale = 1000\n")
        qtbot.waitUntil(lambda: "line 4" in strip.text)
        path.write_text("[appearance]\n")
        qtbot.waitUntil(lambda: not strip.isVisible())

        window.pages.show_graph()
        path.unlink()
        path.mkdir()
        qtbot.waitUntil(lambda: "cannot be read" in strip.text)
        path.rmdir()
        qtbot.waitUntil(lambda: not strip.isVisible())


@pytest.mark.slow
def test_the_keyboard_goes_back_to_where_it_was_before_the_page(
    grove: Path, qtbot: QtBot, pointer: Pointer
) -> None:
    with open_window(grove, qtbot) as window:
        window.composer.field.setFocus()
        pointer.key("ctrl+shift+t")
        qtbot.waitUntil(lambda: window.pages.is_showing_settings)
        assert not window.composer.field.hasFocus()
        pointer.key("ctrl+p")
        qtbot.waitUntil(window.palette_box.isVisible)
        pointer.type_ascii(">tree settings")
        pointer.key("Return")
        qtbot.waitUntil(window.palette_box.isHidden)
        assert window.pages.is_showing_settings, "who looks for it does not close it"
        qtbot.waitUntil(lambda: window.pages.isAncestorOf(window.focusWidget() or window))

        pointer.key("Escape")

        qtbot.waitUntil(lambda: not window.pages.is_showing_settings)
        assert window.composer.field.hasFocus()


@pytest.mark.slow
def test_tab_takes_the_keys_of_a_row_as_they_are_read_and_a_conflict_has_its_remedy_beside_it(
    grove: Path, qtbot: QtBot, pointer: Pointer
) -> None:
    with open_window(grove, qtbot) as window:
        page = page_of(window, pointer, qtbot, "bookmark")
        row = key_row(page, "bookmark")
        field = find(row, QPushButton, "key_bookmark")

        field.setFocus()
        pointer.key("shift+Tab")
        qtbot.waitUntil(lambda: not field.hasFocus())

        assert window.focusWidget() is find(row, QToolButton, "removeChipButton")
        row.on_key_pressed("Ctrl+F")
        says, take = find(row, QLabel, "key_bookmark_says"), find(row, QPushButton, "key_bookmark_take")
        qtbot.waitUntil(lambda: take.isVisible() and take.x() > says.x())
        assert abs(take.geometry().center().y() - says.geometry().center().y()) <= 1
        assert take.parentWidget() is says.parentWidget()
