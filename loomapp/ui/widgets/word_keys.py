"""Letters and spaces typed at a list of a page: words for where one writes, no search for a row."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QAbstractItemView

from loomapp.ui.widgets.keyboard import is_word_key


class WordKeys(QObject):
    """Filter that leaves keys of words to the window, except in a cell that is written in."""

    def __init__(self, view: QAbstractItemView) -> None:
        super().__init__(view)
        self._view = view
        view.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() != QEvent.Type.KeyPress or not isinstance(event, QKeyEvent) or not is_word_key(event):
            return False
        if self._view.currentIndex().flags() & Qt.ItemFlag.ItemIsEditable:
            return False
        event.ignore()
        return True
