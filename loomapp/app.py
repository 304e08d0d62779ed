"""The window's composition root: the only module that knows every part."""

from __future__ import annotations

import os
import sys
from functools import partial
from pathlib import Path

from PySide6.QtCore import (
    QEventLoop,
    QMessageLogContext,
    QSettings,
    QTimer,
    QtMsgType,
    qInstallMessageHandler,
)
from PySide6.QtWidgets import QApplication, QMainWindow

from loomapp.core.errors import GroveError
from loomapp.providers.engine import Engine
from loomapp.session.backups import Backups
from loomapp.session.crashes import Session, ended_by_signals
from loomapp.session.document import Document
from loomapp.session.ending import end_process
from loomapp.session.generator import Generator
from loomapp.session.journal import Journal
from loomapp.session.preview import Preview
from loomapp.session.single import Single, hand_over
from loomapp.session.watch import Watch
from loomapp.store.grove import Grove, open_or_create, read_grove
from loomapp.ui import theme
from loomapp.ui.keeping import keep, tell_of_crash, tell_of_fault
from loomapp.ui.main_window import SIZE_PX, MainWindow

SETTLE_MS = 600  # until the camera rests
SWITCH_INTERVAL_S = 0.0005  # frames beside a busy worker: p95 7 ms instead of 29 (design measurements)


def build_window(grove: Path) -> QMainWindow:
    """The whole window on a grove, not shown yet. The caller has made the QApplication.

    Raises: GroveError if the grove cannot be opened.
    """
    return window_on(opened(grove))


def opened(path: Path) -> Grove:
    """The grove in a file: made if there is none, for reading only if it can't be written.

    Raises: GroveError if it cannot be opened at all.
    """
    try:
        return open_or_create(path)
    except GroveError as error:
        if error.code != "readOnly" or not path.exists():
            raise
        return read_grove(path)


def window_on(grove: Grove) -> MainWindow:
    """The window on an open grove; it closes the grove when it closes."""
    document = Document(grove)
    window = MainWindow(document, Generator(document, Engine()), Preview(document))
    keep(window, Journal(document), Watch(document), Backups(document))
    return window


def run(grove: Path, tree_id: str | None = None, arguments: list[str] | None = None) -> int:
    """Open the window, stay until it is closed, and end the process with it.

    If another window has the grove already, it comes forward instead, and this gives the exit status.
    Raises: GroveError.
    """
    sys.setswitchinterval(SWITCH_INTERVAL_S)
    app = make_application(arguments or sys.argv[:1])
    single = Single(grove)
    holder = single.take()
    if holder is not None:
        if hand_over(grove, tree_id or ""):
            return 0
        raise holder.error(grove)
    session = Session()
    try:
        window = window_on(opened(grove))
        if tree_id is not None:
            window.document.open_tree(tree_id)
        if session.last is not None:
            tell_of_crash(window, session.last)
        session.fault_found.connect(partial(tell_of_fault, window))
        single.opened_again.connect(partial(come_forward, window))
        with ended_by_signals(partial(close, window)):
            window.show()
            status = app.exec()
    finally:
        single.release()
        session.close()
    app.shutdown()  # Qt hands what was copied to the desktop's clipboard, which outlives the window
    return end_process(status)


def close(window: MainWindow) -> None:
    """End as a person would."""
    window.close()


def come_forward(window: MainWindow, tree_id: str) -> None:
    """The program was started again with this grove: show the tree that was asked for."""
    if tree_id:
        window.run_command(lambda it: it.document.open_tree(tree_id))
    window.showNormal() if window.isMinimized() else window.show()
    window.raise_()
    window.activateWindow()


def save_picture(grove: Path, picture: Path) -> None:
    """A PNG of the window on a grove, drawn without a screen.

    Raises: GroveError if the grove cannot be opened, or the picture not written.
    """
    os.environ["QT_QPA_PLATFORM"] = "offscreen"
    qInstallMessageHandler(on_qt_message)
    app = make_application(sys.argv[:1])
    window = window_on(opened(grove))
    window.setMinimumSize(*SIZE_PX)  # the screen that is not there is small
    window.show()
    settled = QEventLoop()
    QTimer.singleShot(SETTLE_MS, settled.quit)
    settled.exec()
    saved = window.grab().save(str(picture))
    window.close()
    app.processEvents()
    if not saved:
        raise GroveError("readOnly", f"{picture} cannot be written; choose another folder with --to.")


def on_qt_message(_kind: QtMsgType, _context: QMessageLogContext, message: str) -> None:
    """Pass on what Qt says, but for what drawing without a screen can't do and a picture does not need."""
    if not message.startswith("This plugin does not support"):
        sys.stderr.write(f"{message}\n")


def make_application(arguments: list[str]) -> QApplication:
    """The QApplication with name, fonts and theme."""
    app = QApplication(arguments)
    app.setApplicationName("loomapp")
    app.setApplicationDisplayName("Loomapp")
    app.setDesktopFileName("loomapp")
    settings = QSettings(QSettings.Format.IniFormat, QSettings.Scope.UserScope, "loomapp", "window")
    chosen = str(settings.value("theme", "system"))
    theme.apply(app, "dark" if chosen == "dark" else "light" if chosen == "light" else "system")
    return app
