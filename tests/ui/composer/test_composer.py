"""The composer: typed into with real keys; undo belongs to the window; Generate and Stop ask."""

from __future__ import annotations

from functools import partial

import pytest
from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtGui import QAction, QGuiApplication, QInputMethodEvent, QKeyEvent, QKeySequence
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QPushButton, QSpinBox, QToolButton, QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from loomapp.ui.composer.composer import Composer
from loomapp.ui.composer.composer_parts import ComposerField, PendingSource
from loomapp.ui.look import theme
from loomapp.ui.widgets.buttons import KeyButton
from loomapp.ui.widgets.chip import Chip
from loomapp.ui.widgets.labels import ElidedLabel
from tests.kit.desktop import Pointer, show_active
from tests.kit.families import one_in
from tests.kit.find import find


@pytest.fixture
def shelter(qtbot: QtBot) -> QWidget:
    """The window around the composer, kept until the test is over."""
    window = QWidget()
    qtbot.addWidget(window)
    return window


@pytest.fixture
def composer(qtbot: QtBot, qapp: QApplication, shelter: QWidget) -> Composer:
    theme.apply(qapp, "dark")
    window = shelter
    column = QVBoxLayout(window)
    column.addStretch(1)
    composer = Composer(window)
    composer.show_keys((QKeySequence("Ctrl+Enter"), QKeySequence("Ctrl+Return")), (QKeySequence("Esc"),))
    column.addWidget(composer)
    window.resize(420, 420)
    show_active(qtbot, window)
    composer.setFocus()
    qtbot.waitUntil(composer.field.hasFocus)
    return composer


def test_what_is_typed_is_told(composer: Composer, pointer: Pointer) -> None:
    told: list[str] = []
    composer.text_changed.connect(told.append)

    pointer.type_ascii("The lamp")
    pointer.key("Return")
    pointer.paste("öl 10\u00a0000 — 🕯")

    assert composer.text == "The lamp\nöl 10\u00a0000 — 🕯"
    assert told[-1] == composer.text


@pytest.mark.parametrize("words", ["\ufeffone", "a\u00a0b\ufeff", "one\ntwo\u2028three"])
def test_words_are_copied_and_pasted_as_they_are(composer: Composer, words: str) -> None:
    composer.set_text(words)
    composer.field.selectAll()
    composer.field.copy()

    offered = QGuiApplication.clipboard().mimeData()
    kinds = ("text/plain", "text/plain;charset=utf-8")  # what other programs ask for
    assert [bytes(offered.data(kind).data()).decode() for kind in kinds] == [words, words]
    composer.field.clear()
    composer.field.paste()
    assert composer.text == words


def test_undo_and_redo_keys_reach_the_window(composer: Composer, pointer: Pointer) -> None:
    heard: list[str] = []
    for name, key in (("undo", "Ctrl+Z"), ("redo", "Ctrl+Shift+Z")):
        action = QAction(name, composer.window())
        action.setShortcut(key)
        action.triggered.connect(lambda _=False, n=name: heard.append(n))
        composer.window().addAction(action)
    pointer.type_ascii("words")

    pointer.key("ctrl+z", "ctrl+shift+z")

    assert heard == ["undo", "redo"]
    assert composer.text == "words"

    find(composer, QSpinBox, "continuationCount").setFocus()  # there the keyboard is after a click on Stop
    pointer.key("ctrl+z", "ctrl+shift+z")

    assert heard == ["undo", "redo"] * 2


def test_typing_is_taken_back_and_brought_back_with_its_cursor(composer: Composer, pointer: Pointer) -> None:
    composer.set_text("Dear father")
    pointer.key("Home")
    pointer.type_ascii("My ")

    assert composer.undo_typing()
    assert composer.text == "Dear father"
    assert composer.undo_typing()
    assert composer.text == ""
    assert not composer.undo_typing()
    assert composer.redo_typing()
    assert composer.redo_typing()
    assert composer.text == "My Dear father"
    assert composer.field.textCursor().position() == 3


def test_words_that_are_written_over_at_once_come_back(composer: Composer, pointer: Pointer) -> None:
    pointer.type_ascii("Dear mother")
    pointer.key("ctrl+a")
    pointer.type_ascii("Z")

    assert composer.undo_typing()
    assert composer.text == "Dear mother"


def test_a_fresh_start_forgets_what_was_typed(composer: Composer, pointer: Pointer) -> None:
    pointer.type_ascii("sent")

    composer.start_over()

    assert composer.text == ""
    assert not composer.undo_typing()


def test_a_key_pressed_once_too_often_asks_once(composer: Composer) -> None:
    asked: list[int] = []
    composer.generate_asked.connect(lambda: asked.append(1))
    key, control = Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier

    for _ in range(3):
        QTest.keyClick(composer.field, key, control)
    assert len(asked) == 1

    QTest.keyClicks(composer.field, "and")  # who writes meanwhile means it
    QTest.keyClick(composer.field, key, control)
    assert len(asked) == 2


def test_generate_is_asked_by_button_and_by_key(composer: Composer, pointer: Pointer) -> None:
    asked: list[int] = []
    composer.generate_asked.connect(lambda: asked.append(1))

    pointer.click(find(composer, QPushButton, "generateButton"))
    pointer.click(composer.field)
    pointer.key("ctrl+Return", "Return")

    assert len(asked) == 2
    assert composer.text == "\n"


def test_quick_clicks_ask_once(composer: Composer, qtbot: QtBot) -> None:
    asked: list[int] = []
    composer.generate_asked.connect(lambda: asked.append(1))
    button = find(composer, KeyButton, "generateButton")
    for rest_ms, expected in ((600_000, 1), (1, 3)):
        button.rest_after_clicks(rest_ms)
        QTest.mouseClick(button, Qt.MouseButton.LeftButton)
        if rest_ms == 1:
            qtbot.waitUntil(lambda: not button.is_resting)
        QTest.mouseClick(button, Qt.MouseButton.LeftButton)
        assert len(asked) == expected


def test_enter_sends_where_that_is_chosen(composer: Composer, pointer: Pointer) -> None:
    asked: list[int] = []
    composer.generate_asked.connect(lambda: asked.append(1))
    composer.set_enter_sends(True)

    pointer.type_ascii("a")
    pointer.key("Return", "ctrl+Return", "shift+Return")

    assert len(asked) == 1
    assert composer.text == "a\n\n"


@pytest.mark.parametrize("enter_sends", [False, True])
def test_a_key_that_is_held_down_asks_once(composer: Composer, enter_sends: bool) -> None:
    asked: list[int] = []
    composer.set_enter_sends(enter_sends)
    composer.generate_asked.connect(lambda: asked.append(1))
    held = Qt.KeyboardModifier.NoModifier if enter_sends else Qt.KeyboardModifier.ControlModifier

    for is_repeat in (False, True, True):
        event = QKeyEvent(QEvent.Type.KeyPress, Qt.Key.Key_Return, held, "\r", is_repeat)
        QApplication.sendEvent(composer.field, event)

    assert len(asked) == 1
    assert composer.text == ""


def test_generate_that_is_off_is_handed_on_by_its_key_so_that_it_is_said_why(
    composer: Composer, pointer: Pointer
) -> None:
    asked: list[int] = []
    composer.generate_asked.connect(lambda: asked.append(1))

    composer.set_generate(enabled=False, hint="No model is ready.")
    button = find(composer, QPushButton, "generateButton")
    pointer.click(button)
    assert asked == []
    composer.field.setFocus()
    pointer.key("ctrl+Return")

    assert asked == [1]
    assert "No model is ready." in button.toolTip()

    composer.set_generate(enabled=True)
    pointer.key("ctrl+Return")  # it is not the one before that asks

    assert asked == [1, 1]


def test_stop_is_there_while_something_streams(composer: Composer, pointer: Pointer) -> None:
    stop = find(composer, QPushButton, "stopButton")
    asked: list[int] = []
    composer.stop_asked.connect(lambda: asked.append(1))
    assert not stop.isVisible()

    composer.set_streaming(True)
    pointer.click(stop)

    assert asked == [1]


@pytest.mark.parametrize("width", one_in(2, [330, 380, 440, 700]))
@pytest.mark.parametrize("is_prose", [False, True])
def test_no_button_moves_when_answers_begin_or_end(
    composer: Composer, shelter: QWidget, qtbot: QtBot, width: int, is_prose: bool
) -> None:
    names = ("attachButton", "continuationCount", "generateButton")
    composer.set_prose(is_prose)
    composer.set_streaming(False)
    shelter.resize(width, shelter.height())
    qtbot.waitUntil(lambda: shelter.width() == width)
    QApplication.sendPostedEvents()
    places = [find(composer, QWidget, name).geometry() for name in names]
    assert find(composer, QPushButton, "generateButton").geometry().right() < composer.width()

    composer.set_streaming(True)

    QApplication.sendPostedEvents()
    assert [find(composer, QWidget, name).geometry() for name in names] == places
    stop = find(composer, QPushButton, "stopButton").geometry()
    assert not any(stop.intersects(place) for place in places)
    composer.set_streaming(False)
    QApplication.sendPostedEvents()
    assert [find(composer, QWidget, name).geometry() for name in names] == places


def test_a_late_click_on_stop_goes_nowhere(composer: Composer, pointer: Pointer) -> None:
    stop = find(composer, QPushButton, "stopButton")
    asked: list[int] = []
    composer.stop_asked.connect(lambda: asked.append(1))
    composer.generate_asked.connect(lambda: asked.append(2))
    composer.set_streaming(True)
    place = stop.mapTo(composer, stop.rect().center())
    composer.set_streaming(False)

    pointer.click(composer, place)
    pointer.click(composer, place)

    assert (asked, composer.count) == ([], 3)


def test_one_to_eight_continuations(composer: Composer, pointer: Pointer) -> None:
    count = find(composer, QSpinBox, "continuationCount")
    told: list[int] = []
    composer.count_changed.connect(told.append)

    pointer.wheel(count, notches=1)

    assert composer.count == 4
    assert told == [4]
    composer.set_count(99)
    assert composer.count == 8
    composer.set_count(0)
    assert composer.count == 1


def test_it_is_as_high_as_words_that_stood_in_it_before_it_was_seen(shelter: QWidget, qtbot: QtBot) -> None:
    composer = Composer(shelter)
    composer.start_over("Words that a kill left. " * 12)
    column = QVBoxLayout(shelter)
    column.addWidget(composer)
    shelter.resize(420, 420)

    shelter.show()

    lines = composer.field.document().firstBlock().layout().lineCount()
    assert 3 < lines < 8
    assert composer.field.height() == lines * theme.line_height("dialogue")


def test_it_grows_to_eight_lines_and_then_scrolls(composer: Composer, pointer: Pointer) -> None:
    line = theme.line_height("dialogue")
    assert composer.field.height() == 2 * line

    composer.set_text("\n".join("abcd"))
    assert composer.field.height() == 4 * line
    composer.set_text("\n".join("abcdefghijkl"))

    assert composer.field.height() == 8 * line
    composer.start_over()
    assert composer.field.height() == 2 * line


def test_long_lines_count_as_the_lines_they_take(composer: Composer) -> None:
    composer.set_text("the lamp was lit and the oil came up the hill again and again, " * 4)

    assert composer.field.height() >= 4 * theme.line_height("dialogue")


def test_the_node_that_is_continued_is_named_when_it_is_not_the_end(composer: Composer) -> None:
    label = find(composer, ElidedLabel, "continuingLabel")
    assert not label.isVisible()

    composer.set_continuing("She has read the logbook. " * 10)

    assert label.isVisible()
    assert label.text().startswith("Generate continues from “She has read")
    assert label.text().endswith("”, not from the end")
    composer.set_continuing(None)
    assert not label.isVisible()


def test_sources_are_chips_that_can_be_taken_away(composer: Composer, pointer: Pointer, qtbot: QtBot) -> None:
    removed: list[str] = []
    composer.source_removed.connect(removed.append)
    composer.set_sources(
        (
            PendingSource("img", "context", "ar-men.jpg"),
            PendingSource("note", "instruction", "No sea similes"),
        )
    )
    qtbot.waitUntil(lambda: composer.height() >= composer.sizeHint().height())

    second = composer.findChildren(Chip)[1]
    pointer.click(find(second, QToolButton, "removeChipButton"))

    assert removed == ["note"]
    assert second.accessibleName() == "Instruction: No sea similes"


def test_every_control_has_a_name_and_is_reached_by_tab(composer: Composer, pointer: Pointer) -> None:
    composer.set_streaming(True)
    composer.set_text("x")
    visited: list[str] = []

    for _ in range(5):
        widget = QApplication.focusWidget()
        assert widget is not None
        assert widget.accessibleName()
        visited.append(widget.objectName())
        pointer.key("Tab")

    assert visited == [
        "composer", "attachButton", "stopButton", "continuationCount", "generateButton",
    ]  # fmt: skip


def test_another_name_in_an_empty_field_is_painted_where_nobody_writes(
    composer: Composer, qtbot: QtBot
) -> None:
    field = find(composer, ComposerField, "composer")
    find(composer, QPushButton, "generateButton").setFocus()
    painted: list[str] = []

    class Painted(QObject):
        """Notes what an empty field says when it is painted."""

        def eventFilter(self, watched: QObject, event: QEvent) -> bool:
            if event.type() == QEvent.Type.Paint:
                painted.append(field.placeholderText())
            return False

    def was_painted(words: str) -> bool:
        return painted[-1:] == [words]

    watch = Painted(composer)
    field.viewport().installEventFilter(watch)

    for name in ("Marie", "Claude"):
        composer.set_placeholder(name)
        said = f"Say something to {name}…"
        qtbot.waitUntil(partial(was_painted, said))


def test_the_field_keeps_no_undo_of_its_own(composer: Composer) -> None:
    field = find(composer, ComposerField, "composer")

    assert not field.isUndoRedoEnabled()


def test_the_windows_keys_wait_while_an_input_method_composes(composer: Composer, pointer: Pointer) -> None:
    heard: list[str] = []
    action = QAction("undo", composer.window())
    action.setShortcut("Ctrl+Z")
    action.triggered.connect(lambda: heard.append("undo"))
    composer.window().addAction(action)
    composer.generate_asked.connect(lambda: heard.append("generate"))
    QApplication.sendEvent(composer.field, QInputMethodEvent("に", []))

    pointer.key("ctrl+Return")
    pointer.key("ctrl+z")
    pointer.type_ascii("x")

    assert heard == []
    QApplication.sendEvent(composer.field, QInputMethodEvent())
    pointer.key("ctrl+Return")
    assert heard == ["generate"]
