"""Commands about groves as files: another one, a new one, one of the last, and the backups of this one."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtGui import QFontMetrics
from PySide6.QtWidgets import QMenu

from loomapp import places
from loomapp.ui import late
from loomapp.ui.groves.ask_file import ask_grove, ask_new_grove, free_name
from loomapp.ui.strings import tr
from loomapp.ui.widgets.tips import plain_tip

if TYPE_CHECKING:
    from loomapp.ui.window.main_window import MainWindow

LONGEST_PX = 420


def open_grove(window: MainWindow) -> None:
    """Ask for a grove and open it in a window of its own."""
    ask_grove(window, tr("Open a grove"), _folder_of(window), window.grove_wanted.emit)


def new_grove(window: MainWindow) -> None:
    """Ask for a name and open a new grove in a window of its own."""
    suggestion = free_name(_folder_of(window) / places.GROVE_NAME)
    ask_new_grove(window, tr("New grove"), suggestion, window.new_grove_wanted.emit)


def show_recent(window: MainWindow) -> None:
    """The list of the last groves, at the top of the window."""
    menu = window.actions_set.by_name["openRecent"].menu()
    if isinstance(menu, QMenu):
        menu.popup(window.mapToGlobal(window.header.rect().bottomLeft()))


def fill_recent(window: MainWindow, menu: QMenu) -> None:
    """The last groves, newest first. What is not there any more is greyed; what is open here is ticked."""
    menu.clear()
    for number, path in enumerate(places.recent_groves()):
        action = menu.addAction(_shortened(menu, path))
        action.setObjectName(f"recent{number}")
        action.setToolTip(plain_tip(str(path)))
        action.setCheckable(True)
        action.setChecked(path == window.document.grove.path.absolute())
        action.setEnabled(_is_file(path))
        action.triggered.connect(partial(_open, window, path))
    if menu.isEmpty():
        menu.addAction(tr("None yet")).setEnabled(False)


def restore_backup(window: MainWindow) -> None:
    """The backups of this grove, in the graph's place."""
    make = late.backup_page.BackupPage
    page = window.pages.findChild(make)
    if page is None:
        page = make(window.pages)
        page.open_asked.connect(window.grove_wanted)
        page.close_asked.connect(partial(leave_backups, window))
        window.closed.connect(page.end)
        window.pages.addWidget(page)
    window.pages.show_instead(page)
    page.show_backups_of(window.document.grove.path)


def leave_backups(window: MainWindow) -> None:
    """The graph again."""
    window.pages.show_graph()
    window.graph.setFocus()


def _open(window: MainWindow, path: Path) -> None:
    window.grove_wanted.emit(path)


def _folder_of(window: MainWindow) -> Path:
    return window.document.grove.path.absolute().parent


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except OSError:
        return False


def _shortened(menu: QMenu, path: Path) -> str:
    """`Notes.loom — /home/…/texts`, with no letter taken for a key."""
    folder = str(path.parent).replace(str(Path.home()), "~", 1)
    metrics = QFontMetrics(menu.font())
    words = metrics.elidedText(f"{path.name} — {folder}", Qt.TextElideMode.ElideMiddle, LONGEST_PX)
    return words.replace("&", "&&")
