"""The backups of a grove, and the way from one of them to a new file. No file that is there is written."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from functools import partial
from pathlib import Path

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QVBoxLayout, QWidget

from loomapp.core.errors import LoomError
from loomapp.core.progress import Progress
from loomapp.core.times import Milliseconds
from loomapp.session.background.background_work import BackgroundTask
from loomapp.store.backups.backup import backups_folder, backups_of, restore
from loomapp.store.backups.retention import Backup
from loomapp.ui.groves.ask_file import ask_new_grove, free_name
from loomapp.ui.groves.backup_list import BackupList
from loomapp.ui.look import theme
from loomapp.ui.strings import told, tr
from loomapp.ui.widgets.buttons import KeyButton
from loomapp.ui.widgets.error_strip import ErrorStrip
from loomapp.ui.widgets.labels import label
from loomapp.ui.widgets.page import Page
from loomapp.ui.widgets.rows import ProgressRow

COLUMN_PX = 680
MARGIN_PX, TOP_PX, BELOW_PX = 32, 28, 24


class BackupPage(Page):
    """Lists, restores on a thread of its own, and says what came of it in its place."""

    open_asked = Signal(object)  # Path: what was restored is to be opened

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("backupPage", tr("Restore a backup"), parent)
        self._grove = Path()
        self._restored: Path | None = None
        self._then: Callable[[Path], None] | None = None
        self._task: BackgroundTask | None = None
        self._sentence = label("", "ui", "secondary", wrap=True)
        self._sentence.setObjectName("backupSentence")
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
        self._close = QPushButton(tr("Back"), self)
        self._close.setObjectName("backupClose")
        self._close.clicked.connect(self.close_asked)
        theme.set_look(self._close, large=True, kind="plain")
        self._lay_out()

    def show_backups_of(self, grove: Path) -> None:
        """Show the backups of a grove."""
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
            self.progress.say(tr("Looking whether all of it is there…"))

    def on_restored(self, restored: Path) -> None:
        self._finish()
        self._restored = restored
        words = tr("{name} is restored and was looked through.").format(name=restored.name)
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
        inside = QVBoxLayout(column)
        inside.setContentsMargins(0, 0, 0, 0)
        inside.setSpacing(12)
        inside.addLayout(self.head(label(self.accessibleName(), "title"), "backupCross"))
        inside.addWidget(self._sentence)
        inside.addWidget(self.list, 100)
        for row in (self.fault, self.outcome, self.progress):
            inside.addWidget(row)
        buttons = QHBoxLayout()
        buttons.setSpacing(8)
        buttons.addWidget(self._restore)
        buttons.addWidget(self._close)
        buttons.addStretch(1)
        inside.addLayout(buttons)
        inside.addStretch(1)  # the list is no higher than its rows
        outside = QHBoxLayout(self)
        outside.setContentsMargins(MARGIN_PX, TOP_PX, MARGIN_PX, BELOW_PX)
        outside.addWidget(column, 100)
        outside.addStretch(0)


def name_for(grove: Path, made_at: Milliseconds) -> Path:
    """A name that is free, beside a grove, for what a backup of it held at a time."""
    day = datetime.fromtimestamp(made_at / 1000).astimezone().strftime("%Y-%m-%d %H.%M")
    return free_name(grove.absolute().with_name(f"{grove.stem} {day}.loom"))


def _restored(backup: Path, to: Path, progress: Progress) -> Path:
    restore(backup, to, progress)
    return to
