"""Groves that cannot be opened, and the windows that say so."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from PySide6.QtCore import QCoreApplication
from PySide6.QtWidgets import QFileDialog, QLineEdit
from pytestqt.qtbot import QtBot

from loomapp.app import window_on
from loomapp.cli.groves import add_sample
from loomapp.store.grove.open import create_grove
from loomapp.ui.groves.window import OpeningWindow
from loomapp.ui.window.grove_opener import Build, Make, Opening
from loomapp.ui.window.main_window import MainWindow
from loomapp.ui.window.windows import Windows
from tests.kit.find import find

PAGE = 4096


def sample(path: Path) -> Path:
    """A grove with the sample tree."""
    with create_grove(path) as grove:
        add_sample(grove)
    return path


def damaged(path: Path) -> Path:
    """A grove whose last page is lost: most of it can be read."""
    sample(path)
    os.truncate(path, path.stat().st_size - PAGE)
    return path


@contextmanager
def windows_of(qtbot: QtBot, build: Build = window_on) -> Iterator[Windows]:
    """The windows of a program, all closed at the end."""
    windows = Windows(build)
    try:
        yield windows
    finally:
        for opening in windows.openings:
            opening.end()
        for window in windows.windows:
            window.close()
        qtbot.waitUntil(lambda: not windows.windows and not windows.openings)
        windows.deleteLater()
        QCoreApplication.processEvents()


def refused(
    windows: Windows, qtbot: QtBot, path: Path, make: Make | None = None
) -> tuple[Opening, OpeningWindow]:
    """Try to open what cannot be opened; the window that says so."""
    windows.open(path, make=make)
    (opening,) = windows.openings
    return opening, saying_why(opening, qtbot)


def saying_why(opening: Opening, qtbot: QtBot) -> OpeningWindow:
    """The window, once it says why the grove is not open."""
    qtbot.waitUntil(lambda: opening.window is not None and opening.window.is_showing_error, timeout=10_000)
    assert opening.window is not None
    return opening.window


def opened(windows: Windows, qtbot: QtBot, count: int = 1) -> MainWindow:
    """The newest window, once there are so many and nothing else is on its way."""
    qtbot.waitUntil(lambda: len(windows.windows) == count and not windows.openings, timeout=20_000)
    return windows.windows[-1]


def choose_file(qtbot: QtBot, parent: OpeningWindow | MainWindow, name: Path) -> None:
    """Type a name into the file dialog that was opened and accept it."""
    qtbot.waitUntil(lambda: parent.findChild(QFileDialog, "fileDialog") is not None)
    dialog = find(parent, QFileDialog, "fileDialog")
    qtbot.waitUntil(dialog.isVisible)
    find(dialog, QLineEdit, "fileNameEdit").setText(str(name))
    dialog.accept()
