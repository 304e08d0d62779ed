"""The backups of a grove as rows: when each was made, why, and how large it is."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QDateTime, QEvent, QLocale, QSize, Qt, Signal
from PySide6.QtWidgets import QHeaderView, QTreeWidget, QTreeWidgetItem, QWidget

from loomapp.store.backups.retention import BEFORE_VERSION, TAKEN_AWAY, Backup
from loomapp.ui import figures
from loomapp.ui.look import theme
from loomapp.ui.strings import tr
from loomapp.ui.widgets.keyboard import WordKeys
from loomapp.ui.widgets.tips import plain_tip

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
    return f"{figures.locale().toString(then.date(), 'd MMM yyyy')}, {clock}"


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
