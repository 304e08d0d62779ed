"""The screen, the pointer and the seal that every other test relies on."""

from __future__ import annotations

import os
from pathlib import Path

from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QGuiApplication, QMouseEvent, QWheelEvent
from PySide6.QtWidgets import QLineEdit, QMainWindow, QPlainTextEdit, QPushButton, QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from tests.conftest import HOME
from tests.kit.desktop import Desktop, Pointer, screenshot, show_active


class Desk(QMainWindow):
    """A window with a button, a line and a page, which notes what the mouse did."""

    def __init__(self) -> None:
        super().__init__()
        middle = QWidget()
        self.button = QPushButton("Press")
        self.line = QLineEdit()
        self.page = QPlainTextEdit()
        layout = QVBoxLayout(middle)
        for widget in (self.button, self.line, self.page):
            layout.addWidget(widget)
        self.setCentralWidget(middle)
        self.resize(600, 400)


class Pad(QWidget):
    """Notes the drags and double clicks it gets."""

    def __init__(self) -> None:
        super().__init__()
        self.moves: list[QPoint] = []
        self.released = 0
        self.doubled = 0
        self.turned = 0
        self.resize(400, 300)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        self.moves.append(event.position().toPoint())

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        self.released += 1

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        self.doubled += 1

    def wheelEvent(self, event: QWheelEvent) -> None:
        self.turned += event.angleDelta().y()


def test_a_click_and_typed_text_arrive_in_a_real_window(qtbot: QtBot, pointer: Pointer) -> None:
    desk = Desk()
    qtbot.addWidget(desk)
    show_active(qtbot, desk)

    with qtbot.waitSignal(desk.button.clicked):
        pointer.click(desk.button)
    pointer.click(desk.line)
    pointer.type_ascii("Hello, loom")

    qtbot.waitUntil(lambda: desk.line.text() == "Hello, loom")


def test_pasted_text_keeps_every_character(qtbot: QtBot, pointer: Pointer) -> None:
    desk = Desk()
    qtbot.addWidget(desk)
    show_active(qtbot, desk)

    pointer.click(desk.page)
    pointer.paste("schön — 織物 🧵")

    qtbot.waitUntil(lambda: desk.page.toPlainText() == "schön — 織物 🧵")


def test_a_drag_moves_in_steps_and_ends_where_it_should(qtbot: QtBot, pointer: Pointer) -> None:
    pad = Pad()
    qtbot.addWidget(pad)
    show_active(qtbot, pad)

    pointer.drag((pad, QPoint(20, 30)), (pad, QPoint(220, 130)), steps=5)

    qtbot.waitUntil(lambda: pad.released == 1)
    assert pad.moves  # of five: a busy machine tells of several at once
    assert pad.moves[-1] == QPoint(220, 130)


def test_double_click_and_wheel_arrive(qtbot: QtBot, pointer: Pointer) -> None:
    pad = Pad()
    qtbot.addWidget(pad)
    show_active(qtbot, pad)

    pointer.double_click(pad)
    pointer.wheel(pad, notches=3)

    qtbot.waitUntil(lambda: pad.doubled == 1 and pad.turned == 3 * 120)


def test_modifiers_are_held_during_a_click_and_let_go_after_it(qtbot: QtBot, pointer: Pointer) -> None:
    desk = Desk()
    qtbot.addWidget(desk)
    show_active(qtbot, desk)
    seen: list[Qt.KeyboardModifier] = []
    desk.button.clicked.connect(lambda: seen.append(QGuiApplication.keyboardModifiers()))

    pointer.click(desk.button, modifiers=("ctrl",))
    pointer.click(desk.button)

    qtbot.waitUntil(lambda: len(seen) == 2)
    assert seen == [Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.NoModifier]


def test_the_screen_can_be_seen_with_its_frames(qtbot: QtBot, tmp_path: Path) -> None:
    desk = Desk()
    qtbot.addWidget(desk)
    show_active(qtbot, desk)

    whole = screenshot(QGuiApplication.primaryScreen(), tmp_path / "screen.png")
    alone = screenshot(desk, tmp_path / "window.png")

    assert whole.stat().st_size > 1000
    assert alone.stat().st_size > 1000
    assert desk.frameGeometry().height() > desk.geometry().height()


def test_tests_live_in_a_home_of_their_own(desktop: Desktop) -> None:
    import platformdirs

    for path in (platformdirs.user_data_dir("x"), platformdirs.user_config_dir("x"), str(Path.home())):
        assert Path(path).is_relative_to(HOME)
    assert os.environ["DISPLAY"] == desktop.display
    assert not [name for name in os.environ if name.lower().endswith("_proxy")]
