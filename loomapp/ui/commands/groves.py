"""Groves as files: opened, made, restored from backups; those moved or replaced while open are told of."""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from PySide6.QtCore import Qt
from PySide6.QtGui import QFontMetrics
from PySide6.QtWidgets import QMenu

from loomapp import places
from loomapp.core.times import Milliseconds
from loomapp.session.lifetime.grove_lock import is_held
from loomapp.store.backups.backup import backups_of
from loomapp.store.files import draft_folders
from loomapp.store.files.draft_folders import DisplacedGrove
from loomapp.store.grove.other_files import holds_all
from loomapp.ui import figures
from loomapp.ui.commands import on_demand
from loomapp.ui.groves.grove_files import ask_grove, ask_new_grove, free_name
from loomapp.ui.strings import tr
from loomapp.ui.unsaved.unsaved import Offer
from loomapp.ui.widgets.labels import plain_tip
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


def tell_of_displaced(bench: Workbench) -> None:
    """Tell what became of this window's grove, under the name it is open by, in an earlier session."""
    own = bench.work.document.grove.path
    for displaced in draft_folders.displaced_groves():
        if _is_same(displaced.grove, own):
            _tell_of_other_file(bench, displaced)
        elif displaced.moved is not None and _is_same(displaced.moved, own):
            _tell_of_old_name(bench, displaced)


def tell_of_others_displaced(bench: Workbench) -> None:
    """Tell what became of other groves, at the start of the program; a window that has one open does it."""
    own = bench.work.document.grove.path
    for displaced in draft_folders.displaced_groves():
        if not _is_same(displaced.grove, own) and not is_held(displaced.grove):
            _tell_of_other_file(bench, displaced)


def _tell_of_other_file(bench: Workbench, displaced: DisplacedGrove) -> None:
    if displaced.is_whole:
        _tell_of_backup(bench, displaced)
    else:
        _tell_of_overwritten(bench, displaced)


def _tell_of_overwritten(bench: Workbench, displaced: DisplacedGrove) -> None:
    """Tell of a file that was written over in its place, also where that was an older state of itself: what
    was saved after the last backup is in no file that can be opened.
    """
    grove, backup = displaced.grove, displaced.backup
    words = [tr("Another program wrote another file over {grove} while it was open on {day}.")]
    words[0] = words[0].format(grove=grove, day=_day(displaced))
    forget = partial(draft_folders.forget_displaced, displaced)
    action, step = "", forget
    if backup is not None and backup.exists():
        words.append(tr("The last backup from before is {backup}.").format(backup=backup))
        made_at = next((one.made_at for one in backups_of(grove) if _is_same(one.path, backup)), displaced.at)
        action, step = tr("Open it"), partial(open_backup, bench, grove, backup, made_at, forget)
    else:
        words.append(tr("There is no backup of it."))
    if displaced.wal is not None and displaced.wal.exists():
        kept = tr("What was saved last is kept in {wal}, which only belongs to the file as it was.")
        words.append(kept.format(wal=displaced.wal))
    bench.unfinished.offers.add(Offer(f"overwritten {grove}", " ".join(words), action, step, forget))


def _tell_of_backup(bench: Workbench, displaced: DisplacedGrove) -> None:
    grove, backup = displaced.grove, displaced.backup
    if backup is None or not backup.exists():  # on a disk that is not there just now, perhaps
        return
    if holds_all(grove, backup):
        draft_folders.forget_displaced(displaced)  # somebody put it back
        return
    words = tr(
        "Another file was put in the place of {grove} while it was open on {day}. All that you saved in it "
        "until then is whole in a backup: {backup}."
    )
    words = words.format(grove=grove, day=_day(displaced), backup=backup)
    forget = partial(draft_folders.forget_displaced, displaced)
    step = partial(open_backup, bench, grove, backup, displaced.at, forget)
    bench.unfinished.offers.add(Offer(f"displaced {backup}", words, tr("Open it"), step, forget))


def _tell_of_old_name(bench: Workbench, displaced: DisplacedGrove) -> None:
    """Offer the file under the old name if it may hold words that were written after the move."""
    here, grove = bench.work.document.grove.path, displaced.grove
    if not grove.exists() or holds_all(here, grove):
        draft_folders.forget_displaced(displaced)
        return
    words = tr(
        "{name} was moved here from {grove} while it was open on {day}. What was written after that is only "
        "in {grove}."
    )
    words = words.format(name=here.name, grove=grove, day=_day(displaced))

    def open_old() -> None:
        draft_folders.forget_displaced(displaced)
        bench.frame.open_grove(grove)

    forget = partial(draft_folders.forget_displaced, displaced)
    bench.unfinished.offers.add(Offer(f"displaced {grove}", words, tr("Open it"), open_old, forget))


def _day(displaced: DisplacedGrove) -> str:
    return figures.day(displaced.at)


def _is_same(one: Path, other: Path) -> bool:
    return os.path.realpath(one) == os.path.realpath(other)
