"""Windows of the whole program for journeys, and what is asked of them."""

from __future__ import annotations

import gc
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from PySide6.QtCore import QPoint
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from loomapp.app import SWITCH_INTERVAL_S, build_window
from loomapp.ui.trees.tree_settings import TreeSettingsPage
from loomapp.ui.window.main_window import MainWindow
from tests.kit.desktop import show_active
from tests.kit.processes import leaks
from tests.kit.processes.outside import Said


@contextmanager
def open_window(grove: Path, qtbot: QtBot) -> Iterator[MainWindow]:
    """The program's window on a grove, active; closed and gone at the end."""
    window = build_window(grove)
    assert isinstance(window, MainWindow)
    show_active(qtbot, window)
    try:
        yield window
    finally:
        window.close()
        window.deleteLater()


@contextmanager
def unseen_window(grove: Path) -> Iterator[MainWindow]:
    """The same, but never on the screen: who makes many changes, or many windows, and sends keys to a widget
    pays half.
    """
    window = build_window(grove)
    assert isinstance(window, MainWindow)
    try:
        yield window
    finally:
        window.close()
        window.deleteLater()


@contextmanager
def turns_as_in_the_program() -> Iterator[None]:
    """Let threads take turns as often as in the program; what the collector was told ends with it."""
    usual = sys.getswitchinterval()
    sys.setswitchinterval(SWITCH_INTERVAL_S)
    try:
        yield
    finally:
        sys.setswitchinterval(usual)
        gc.unfreeze()
        leaks.set_aside()


def wait_for_backup(qtbot: QtBot) -> None:
    """A backup that is being proved when its window closes ends with the process; a test waits for it."""
    qtbot.waitUntil(lambda: all(thread.name != "backup" for thread in threading.enumerate()))


def fit_all(window: MainWindow, qtbot: QtBot) -> None:
    """Show the whole tree, and be there: cards and camera are on their way no longer."""
    window.graph.fit_all()
    wait_for_rest(window, qtbot)


def wait_for_rest(window: MainWindow, qtbot: QtBot) -> None:
    """Cards and camera are on their way no longer: a click hits what stood there before it."""
    graph = window.graph
    qtbot.waitUntil(lambda: graph._flight.end is None and not graph._glide.under_way)


def tree_settings(window: MainWindow) -> TreeSettingsPage:
    """The page of the tree's settings with its fields, which are made when it is first shown."""
    if window.settings_page.layout() is None:
        window.pages.show_settings()
        window.pages.show_graph()
    while not window.settings_page.is_whole:
        QApplication.processEvents()
    return window.settings_page


def card(window: MainWindow, node_id: str) -> QPoint:
    """The middle of a card that must be on the screen."""
    rect = window.graph.node_rect(node_id)
    assert not rect.isEmpty(), "the card is on the screen"
    return rect.center()


def preview(window: MainWindow) -> Said:
    """The messages that the window shows as what would be sent."""
    window.preview.refresh_now()
    context = window.preview.last
    return [] if context is None else [(m.role, m.text) for m in context.messages]
