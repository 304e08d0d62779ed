"""Commands about groves as files: another one, a new one, one of the last, and the backups of this one."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from PySide6.QtCore import Qt
from PySide6.QtGui import QFontMetrics
from PySide6.QtWidgets import QMenu

from loomapp import places
from loomapp.core.times import Milliseconds
from loomapp.ui.commands import on_demand
from loomapp.ui.groves.ask_file import ask_grove, ask_new_grove, free_name
from loomapp.ui.strings import tr
from loomapp.ui.widgets.tips import plain_tip
from loomapp.ui.workbench import AtEnd, Workbench

if TYPE_CHECKING:
    from loomapp.ui.groves.backup_page import BackupPage

LONGEST_PX = 420

Then: TypeAlias = Callable[[], None]


def open_grove(bench: Workbench) -> None:
    ask_grove(bench.views.window, tr("Open a grove"), _folder_of(bench), bench.frame.open_grove)


def new_grove(bench: Workbench) -> None:
    suggestion = free_name(_folder_of(bench) / places.GROVE_NAME)
    ask_new_grove(bench.views.window, tr("New grove"), suggestion, bench.frame.new_grove)


def show_recent(bench: Workbench) -> None:
    menu = bench.actions.by_name["openRecent"].menu()
    if isinstance(menu, QMenu):
        menu.popup(bench.views.window.mapToGlobal(bench.views.header.rect().bottomLeft()))


def fill_recent(bench: Workbench, menu: QMenu) -> None:
    """The last groves, newest first. What is not there any more is greyed; what is open here is ticked."""
    menu.clear()
    for number, path in enumerate(places.recent_groves()):
        action = menu.addAction(_shortened(menu, path))
        action.setObjectName(f"recent{number}")
        action.setToolTip(plain_tip(str(path)))
        action.setCheckable(True)
        action.setChecked(path == bench.work.document.grove.path.absolute())
        action.setEnabled(_is_file(path))
        action.triggered.connect(partial(_open, bench, path))
    if menu.isEmpty():
        menu.addAction(tr("None yet")).setEnabled(False)


def restore_backup(bench: Workbench) -> None:
    _shown_backups(bench, bench.work.document.grove.path)


def open_backup(bench: Workbench, grove: Path, backup: Path, made_at: Milliseconds, then: Then) -> None:
    """Make a new grove of a backup of any grove, beside that, and open it; `then` is called once it is
    there.
    """
    page = _shown_backups(bench, grove)

    def on_restored(restored: Path) -> None:
        then()
        bench.frame.open_grove(restored)

    page.restore_to(backup, on_demand.backup_page.name_for(grove, made_at), on_restored)


def _shown_backups(bench: Workbench, grove: Path) -> BackupPage:
    make = on_demand.backup_page.BackupPage
    page = bench.parts.made(make)
    if page is None:
        page = bench.parts.one(make, partial(make, bench.views.pages))
        page.open_asked.connect(bench.frame.open_grove)
        page.close_asked.connect(partial(leave_backups, bench))
        bench.frame.keep_until_closed(AtEnd(page.end))
        bench.views.pages.addWidget(page)
    bench.views.pages.show_instead(page)
    page.show_backups_of(grove)
    return page


def leave_backups(bench: Workbench) -> None:
    bench.views.pages.show_graph()


def _open(bench: Workbench, path: Path) -> None:
    bench.frame.open_grove(path)


def _folder_of(bench: Workbench) -> Path:
    return bench.work.document.grove.path.absolute().parent


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
