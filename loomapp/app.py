"""The window's composition root: the only module that knows every part."""

from __future__ import annotations

import gc
import linecache
import os
import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from pathlib import Path

from PySide6.QtCore import (
    QEventLoop,
    QMessageLogContext,
    QTimer,
    QtMsgType,
    qInstallMessageHandler,
)
from PySide6.QtWidgets import QApplication, QMainWindow

from loomapp.core.errors import GroveError, LoomError
from loomapp.core.model.tree import Tree
from loomapp.core.sentences import worded
from loomapp.core.settings.setting import DEFAULTS, Settings
from loomapp.providers.engine.engine import Engine
from loomapp.session.background.background_work import GarbageCollection
from loomapp.session.context.preview import Preview
from loomapp.session.document import Document
from loomapp.session.journal.journal import Journal
from loomapp.session.lifetime.backups import Backups, Mirror
from loomapp.session.lifetime.crashes import Session, end_process, ended_by_signals
from loomapp.session.lifetime.foreign_writes import Watch
from loomapp.session.lifetime.grove_lock import adopt_drafts
from loomapp.session.requests.generator import Generator
from loomapp.store.files.settings_file import SettingsError, read_settings, settings_path, write_setting
from loomapp.store.grove.grove import Grove
from loomapp.store.grove.open import create_grove, open_as_far_as_possible
from loomapp.store.opening.look import is_there
from loomapp.temporary import sweep_folders, usual_place
from loomapp.ui.commands.groves import tell_of_others_displaced
from loomapp.ui.commands.save.journal import keep, tell_of_crash, tell_of_fault
from loomapp.ui.look import icons, theme
from loomapp.ui.look.layout_memory import window_settings
from loomapp.ui.trees.tree_loader import TreeArrival
from loomapp.ui.window.grove_opener import Make
from loomapp.ui.window.main_window import SIZE_PX, MainWindow
from loomapp.ui.window.windows import Windows

NOTHING_OPENED = 2  # the exit status of bad input
SETTLE_MS = 600  # until the camera rests
SWITCH_INTERVAL_S = 0.0005  # frames beside a busy worker: p95 7 ms instead of 29 (design measurements)
QUIET_AFTER_MS = 3_000  # of a start; by then the window is quiet
MANY_NODES = 10_000  # from here on a pass of the garbage collector is felt


def build_window(grove: Path) -> QMainWindow:
    """The whole window on a grove, not shown yet. The caller has made the QApplication.

    Raises: GroveError if the grove cannot be opened.
    """
    window = window_on(opened(grove))
    windows = Windows(window_on, QApplication.instance())  # for the groves that are opened from it
    windows.adopt(window)
    windows.emptied.connect(windows.deleteLater)
    return window


def opened(path: Path) -> Grove:
    """The grove in a file: made if there is none, for reading only if it can't be written.

    Raises: GroveError if it cannot be opened at all.
    """
    return open_as_far_as_possible(path) if is_there(path) else create_grove(path)


def window_on(grove: Grove, arrival: TreeArrival | None = None) -> MainWindow:
    """The window on an open grove; it closes the grove when it closes. `arrival` is the first tree, if it is
    there already.
    """
    adopt_drafts(grove)
    document = Document(grove, first=None if arrival is None else arrival.opened)
    ahead = None if arrival is None else arrival.ahead
    window = MainWindow(document, Generator(document, Engine()), Preview(document), ahead)
    keep(window.bench, Journal(document), Watch(document), Backups(document), Mirror(document))
    return window


def run(
    grove: Path,
    tree_id: str | None = None,
    arguments: list[str] | None = None,
    *,
    make: Make = create_grove,
    told: Callable[[LoomError], None] | None = None,
) -> int:
    """Open the window and stay until the last one is closed; the exit status.

    If another process has the grove already, its window comes forward instead. If it cannot be opened,
    `told` hears why and a window shows it with its remedies; the status is 2 if none of them led anywhere.
    `make` makes the grove if there is none.
    """
    sys.setswitchinterval(SWITCH_INTERVAL_S)
    app = make_application(arguments or sys.argv[:1])
    app.setQuitOnLastWindowClosed(False)  # one may close while another is on its way
    life = _Life(told)
    GarbageCollection(app)
    windows = Windows(window_on, app)
    windows.began.connect(life.begin)
    windows.opened.connect(life.on_opened)
    windows.refused.connect(life.on_refused)
    windows.handed_over.connect(life.on_handed_over)
    windows.emptied.connect(app.quit)
    try:
        with ended_by_signals(windows.end_all):
            windows.open(grove, tree_id or "", make)
            keep_what_is_loaded()
            QTimer.singleShot(QUIET_AFTER_MS, app, finish_start)
            app.exec()
    finally:
        life.end()
    app.shutdown()  # Qt hands what was copied to the desktop's clipboard, which outlives the window
    icons.forget_files()
    return end_process(life.status)


def finish_start() -> None:
    """Load the formats and delete old temporary folders beside the window: no start has to wait for that, and
    the first drag or Import would wait for the formats.
    """
    threading.Thread(target=_load_formats_and_sweep, name="formats", daemon=True).start()


def _load_formats_and_sweep() -> None:
    import loomapp.formats.registry  # noqa: F401 - loaded, not used

    # WORKAROUND for https://bugreports.qt.io/browse/PYSIDE-2029: PySide reads the source of every module
    # that is imported, and keeps it. Without this line that is some 10 MB.
    linecache.clearcache()
    sweep_folders(usual_place())


def keep_what_is_loaded() -> None:
    """Look for garbage only in what is made from now on.

    A pass over a tree of 100,000 nodes holds the window up for 0.2 s and finds nothing: trees are no cycles.
    One over what is new looks through every list of a long path again: it waits until nobody wants anything,
    see `GarbageCollection`.
    """
    gc.freeze()
    gc.disable()  # passes are made on this thread alone


def keep_large_trees(tree: Tree) -> None:
    """Exempt a large tree, opened later, from passes of the garbage collector."""
    if len(tree.nodes) >= MANY_NODES:
        keep_what_is_loaded()


class _Life:
    """Course of one start of the program, from its first window to its exit status."""

    def __init__(self, told: Callable[[LoomError], None] | None) -> None:
        self.status = NOTHING_OPENED
        self._told = told
        self._session: Session | None = None

    def begin(self) -> None:
        """The grove is not for another process to open: from here on a bad end is noted."""
        if self._session is None:
            self._session = Session()

    def on_opened(self, window: MainWindow) -> None:
        """Follow a new window; the first one tells of how the last session ended."""
        keep_what_is_loaded()
        window.document.tree_opened.connect(keep_large_trees)
        session = self._session
        if session is None:
            return
        if self.status == NOTHING_OPENED:
            tell_of_others_displaced(window.bench)
            if session.last is not None:
                tell_of_crash(window.bench, session.last)
        self.status = 0
        session.fault_found.connect(partial(tell_of_fault, window.bench))

    def on_refused(self, error: LoomError) -> None:
        """Say the error on the command line, once; the window has the rest."""
        told, self._told = self._told, None
        if told is not None:
            told(error)

    def on_handed_over(self) -> None:
        self.status = 0

    def end(self) -> None:
        if self._session is not None:
            self._session.close()


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
        raise GroveError(
            "readOnly",
            worded("{picture} cannot be written; choose another folder with --to.", picture=picture),
        )


def on_qt_message(_kind: QtMsgType, _context: QMessageLogContext, message: str) -> None:
    """Pass on what Qt says, but for what drawing without a screen can't do and a picture does not need."""
    if not message.startswith("This plugin does not support"):
        sys.stderr.write(f"{message}\n")


def make_application(arguments: list[str]) -> QApplication:
    """Return the QApplication with name, fonts, scale and theme, as the settings say."""
    settings = first_settings()
    if settings.scale_percent != DEFAULTS.scale_percent:
        os.environ.setdefault("QT_SCALE_FACTOR", f"{settings.scale_percent / 100:g}")  # read as Qt starts
    app = QApplication(arguments)
    app.setApplicationName("loomapp")
    app.setApplicationDisplayName("Loomapp")
    app.setDesktopFileName("loomapp")
    theme.set_text(settings)
    theme.apply(app, theme.choice_of(settings.theme))
    return app


def first_settings() -> Settings:
    """The settings as the program starts; a theme that was chosen before there was a file moves into it."""
    remembered = window_settings()
    before = remembered.value("theme")
    if before in ("dark", "light") and not settings_path().exists():
        with suppress(SettingsError):
            write_setting("theme", str(before))
            remembered.remove("theme")
    return read_settings().settings
