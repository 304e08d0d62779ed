"""Banners above everything: what could not be saved, until it is, and what one should know of this grove."""

from __future__ import annotations

from datetime import datetime

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QVBoxLayout, QWidget

from loomapp.core.errors import LoomError
from loomapp.ui.strings import tr
from loomapp.ui.widgets.error_strip import ErrorStrip


class Banner(QWidget):
    """Hidden while there is nothing to say. What is unsaved cannot be put away; a notice can."""

    retry_clicked = Signal()  # save again what could not be saved

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("banner")
        self.unsaved = ErrorStrip(self)
        self.unsaved.setObjectName("unsavedBanner")
        self.unsaved.action_clicked.connect(self.retry_clicked)
        self.notice = ErrorStrip(self, closable=True)
        self.notice.setObjectName("noticeBanner")
        self.notice.closed.connect(self._fit)
        column = QVBoxLayout(self)
        column.setContentsMargins(8, 4, 8, 4)
        column.setSpacing(4)
        column.addWidget(self.unsaved)
        column.addWidget(self.notice)
        self.hide()

    def show_unsaved(self, error: LoomError) -> None:
        """Something could not be saved, and why. Shown again, it says when it was tried."""
        tried = not self.unsaved.isHidden()
        kept = tr("What you wrote is kept here until it is saved.")
        words = f"{error.message} {kept}"
        if tried:
            now = datetime.now().astimezone().strftime("%H:%M:%S")
            words += " " + tr("Tried again at {time}.").format(time=now)
        self.unsaved.say(words, tr("Try again"))
        self._fit()

    def show_saved(self) -> None:
        """Everything is saved."""
        self.unsaved.clear()
        self._fit()

    def show_notice(self, sentence: str) -> None:
        """Something to know of this grove: that it is in a network folder, or was brought up to date."""
        if sentence:
            self.notice.say(sentence, tone="warning")
        else:
            self.notice.clear()
        self._fit()

    def _fit(self) -> None:
        self.setVisible(not (self.unsaved.isHidden() and self.notice.isHidden()))
