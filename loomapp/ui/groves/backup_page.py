"""The backups of a grove: when each was made and why, and the way from one of them to a new file."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime
from functools import partial
from pathlib import Path

from PySide6.QtCore import QDateTime, QEvent, QLocale, QSize, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QHBoxLayout, QHeaderView, QTreeWidget, QTreeWidgetItem, QWidget

from loomapp.core.errors import LoomError
from loomapp.core.progress import Progress
from loomapp.core.times import Milliseconds
from loomapp.session.background.background_work import BackgroundTask
from loomapp.store.backups.backup import (
    BEFORE_VERSION,
    TAKEN_AWAY,
    Backup,
    backups_folder,
    backups_of,
    restore,
)
from loomapp.ui import figures
from loomapp.ui.groves.grove_files import ask_new_grove, free_name
from loomapp.ui.look import theme
from loomapp.ui.strings import told, tr
from loomapp.ui.widgets.buttons import KeyButton, push_button
from loomapp.ui.widgets.error_strip import ErrorStrip
from loomapp.ui.widgets.keyboard import WordKeys
from loomapp.ui.widgets.labels import label, plain_tip
from loomapp.ui.widgets.layouts import fill, horizontal, vertical
from loomapp.ui.widgets.page import Page
from loomapp.ui.widgets.rows import ProgressRow

ROW_PX = 32


class BackupList(QTreeWidget):
    """Backups, newest first; the newest is chosen to begin with."""

    backup_chosen = Signal(object)  # Backup, or None where there is none

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("backupList")
        WordKeys(self)
        self.setAccessibleName(tr("Backups, newest first"))
        self.setHeaderLabels([tr("Made"), tr("Why"), tr("Size")])
        self.headerItem().setTextAlignment(2, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        self.setRootIsDecorated(False)
        self.setUniformRowHeights(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFont(theme.font("ui"))
        header = self.header()
        header.setStretchLastSection(False)
        header.setSectionResizeMode(0, QHeaderView.ResizeMode.ResizeToContents)
        header.setSectionResizeMode(1, QHeaderView.ResizeMode.Stretch)
        header.setSectionResizeMode(2, QHeaderView.ResizeMode.ResizeToContents)
        header.setSectionsClickable(False)
        self._backups: tuple[Backup, ...] = ()
        self.currentItemChanged.connect(self.on_current_changed)

    def show_backups(self, backups: Sequence[Backup]) -> None:
        self._backups = tuple(backups)
        self.clear()
        for backup in self._backups:
            row = QTreeWidgetItem([moment(backup.made_at), why(backup), size(backup.size)])
            row.setTextAlignment(2, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
            row.setSizeHint(1, QSize(0, ROW_PX))
            row.setToolTip(1, plain_tip(why(backup)))
            self.addTopLevelItem(row)
        self._fit()
        first = self.topLevelItem(0)
        if first is not None:
            self.setCurrentItem(first)
        self.on_current_changed()

    @property
    def chosen(self) -> Backup | None:
        at = self.currentIndex()
        return self._backups[at.row()] if at.isValid() else None

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.StyleChange:
            self._fit()

    def _fit(self) -> None:
        """Make the list no higher than its rows: what is done with them stands below them."""
        rows = max(1, len(getattr(self, "_backups", ())))
        self.setMaximumHeight(self.header().sizeHint().height() + rows * ROW_PX + 2 * self.frameWidth())

    def on_current_changed(self) -> None:
        self.backup_chosen.emit(self.chosen)


def moment(milliseconds: int) -> str:
    """`21 Nov 2026, 11:40`, or `Today, 11:40`."""
    then = QDateTime.fromMSecsSinceEpoch(milliseconds)
    clock = figures.locale().toString(then.time(), "HH:mm")
    if then.date() == QDateTime.currentDateTime().date():
        return tr("Today, {time}").format(time=clock)
    return f"{figures.date(then.date())}, {clock}"


def why(backup: Backup) -> str:
    """Return why the backup was made, and what is wrong with it."""
    if backup.reason.startswith(BEFORE_VERSION):
        words = tr("Before the file was brought up to date")
    elif backup.reason == TAKEN_AWAY:
        words = tr("When another program took its file away")
    elif backup.reason:
        words = backup.reason.replace("-", " ").capitalize()
    else:
        words = tr("Made automatically")
    if backup.damaged == 1:
        return tr("{why}; 1 node in it is damaged").format(why=words)
    if backup.damaged:
        return tr("{why}; {count} nodes in it are damaged").format(
            why=words, count=figures.number(backup.damaged)
        )
    return words


def size(count_bytes: int) -> str:
    """`1.2 MB`."""
    return figures.locale().formattedDataSize(count_bytes, 1, QLocale.DataSizeFormat.DataSizeSIFormat)


COLUMN_PX = 680
BELOW_PX = 24


class BackupPage(Page):
    """Lists, restores on a thread of its own, and says what came of it in its place."""

    open_asked = Signal(object)  # Path: what was restored is to be opened

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("backupPage", tr("Restore a backup"), parent)
        self._grove = Path()
        self._restored: Path | None = None
        self._then: Callable[[Path], None] | None = None
        self._task: BackgroundTask | None = None
        self._sentence = label("", "ui", "secondary", wrap=True, name="backupSentence")
        self.list = BackupList(self)
        self.list.backup_chosen.connect(self.on_backup_chosen)
        self.fault = ErrorStrip(self, closable=True)
        self.fault.setObjectName("restoreFault")
        self.outcome = ErrorStrip(self)
        self.outcome.setObjectName("restoreOutcome")
        self.outcome.action_clicked.connect(self.on_open_clicked)
        self.progress = ProgressRow(self)
        self.progress.cancel_clicked.connect(self.on_cancel_clicked)
        self._restore = KeyButton(tr("Restore to a new file…"), parent=self, kind="primary")
        self._restore.setObjectName("restoreButton")
        self._restore.clicked.connect(self.on_restore_clicked)
        self._close = push_button("backupClose", tr("Back"), self)
        self._close.clicked.connect(self.close_asked)
        theme.set_look(self._close, large=True, kind="plain")
        self._lay_out()

    def show_backups_of(self, grove: Path) -> None:
        self._grove = grove
        self.fault.clear()
        self.outcome.clear()
        backups = backups_of(grove)
        if backups:
            words = tr("A backup of {name} becomes a grove of its own, in a new file. {name} stays as it is.")
        else:
            words = tr(
                "There is no backup of {name} yet. They are made automatically, beside it, in {folder}."
            )
        self._sentence.setText(words.format(name=grove.name, folder=backups_folder(grove).name))
        self.list.show_backups(backups)
        self.list.setVisible(bool(backups))
        (self.list if backups else self._close).setFocus(Qt.FocusReason.OtherFocusReason)

    def restore_to(self, backup: Path, to: Path, then: Callable[[Path], None] | None = None) -> None:
        """Make a new grove of a backup, and say what came of it; `then` is called once it is there."""
        self._then = then
        self.fault.clear()
        self.outcome.clear()
        self._task = BackgroundTask(partial(_restored, backup, to), self)
        self._task.progressed.connect(self.on_progressed)
        self._task.done.connect(self.on_restored)
        self._task.failed.connect(self.on_failed)
        self.progress.begin(tr("Copying the backup to {name}…").format(name=to.name))
        self._restore.setEnabled(False)
        self._task.start()

    def end(self) -> None:
        if self._task is not None:
            self._task.end()
        self._finish()

    def on_backup_chosen(self, backup: Backup | None) -> None:
        self._restore.setEnabled(backup is not None and not self._is_busy())

    def on_restore_clicked(self) -> None:
        backup = self.list.chosen
        if backup is not None:
            suggestion = name_for(self._grove, backup.made_at)
            restore_to = partial(self.restore_to, backup.path)
            ask_new_grove(self, tr("Restore to a new file"), suggestion, restore_to)

    def on_progressed(self, done: int, of: int) -> None:
        """Show the progress of the copy, then that it is being checked."""
        self.progress.show_progress(done, of)
        if of == 0:
            self.progress.say(tr("Checking that it is complete…"))

    def on_restored(self, restored: Path) -> None:
        self._finish()
        self._restored = restored
        words = tr("{name} is restored and was checked.").format(name=restored.name)
        self.outcome.say(words, tr("Open it"), tone="success")
        if self._then is not None:
            self._then(restored)

    def on_failed(self, error: LoomError) -> None:
        self._finish()
        self.fault.say(told(error.message))

    def on_cancel_clicked(self) -> None:
        """Cancel; nothing is left of what was copied so far."""
        if self._task is not None:
            self._task.cancel()
        self._finish()

    def on_open_clicked(self) -> None:
        if self._restored is not None:
            self.open_asked.emit(self._restored)

    def event(self, event: QEvent) -> bool:
        """End what is under way with Esc, before it closes the page."""
        is_escape = isinstance(event, QKeyEvent) and event.key() == Qt.Key.Key_Escape
        if is_escape and event.type() == QEvent.Type.KeyPress and self._is_busy():
            self.on_cancel_clicked()
            return True
        return super().event(event)

    def _is_busy(self) -> bool:
        return self._task is not None and self._task.is_under_way

    def _finish(self) -> None:
        self.progress.end()
        self._restore.setEnabled(self.list.chosen is not None)

    def _lay_out(self) -> None:
        column = QWidget(self)
        column.setMaximumWidth(COLUMN_PX)
        inside = vertical(column, spacing=12)
        inside.addWidget(self._sentence)
        inside.addWidget(self.list, 100)
        fill(inside, self.fault, self.outcome, self.progress)
        buttons = QHBoxLayout()
        buttons.setSpacing(8)
        fill(buttons, self._restore, self._close)
        buttons.addStretch(1)
        inside.addLayout(buttons)
        inside.addStretch(1)  # the list is no higher than its rows
        below = horizontal()
        below.addWidget(column, 100)
        below.addStretch(0)
        whole = vertical(self, spacing=12)
        self.frame(whole, below_px=BELOW_PX)
        whole.addLayout(self.head(label(self.accessibleName(), "title"), "backupCross"))
        whole.addLayout(below, 1)


def name_for(grove: Path, made_at: Milliseconds) -> Path:
    """A name that is free, beside a grove, for what a backup of it held at a time."""
    day = datetime.fromtimestamp(made_at / 1000).astimezone().strftime("%Y-%m-%d %H.%M")
    return free_name(grove.absolute().with_name(f"{grove.stem} {day}.loom"))


def _restored(backup: Path, to: Path, progress: Progress) -> Path:
    restore(backup, to, progress)
    return to
