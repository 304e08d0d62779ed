"""Banners above everything: what could not be saved, until it is, and what one should know of this grove."""

from __future__ import annotations

from datetime import datetime

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QVBoxLayout, QWidget

from loomapp.core.errors import LoomError
from loomapp.ui.strings import told, tr
from loomapp.ui.widgets.error_strip import ErrorStrip
from loomapp.ui.widgets.rows import ProgressRow


class Banner(QWidget):
    """Hidden while there is nothing to say. What is unsaved cannot be put away; a notice can."""

    retry_clicked = Signal()  # save again what could not be saved
    offer_clicked = Signal()  # take up what is offered
    offer_closed = Signal()  # not now

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("banner")
        self.unsaved = ErrorStrip(self)
        self.unsaved.setObjectName("unsavedBanner")
        self.unsaved.action_clicked.connect(self.retry_clicked)
        self.offered = ErrorStrip(self, closable=True)
        self.offered.setObjectName("offerBanner")
        self.offered.action_clicked.connect(self.offer_clicked)
        self.offered.closed.connect(self.offer_closed)
        self.notice = ErrorStrip(self, closable=True)
        self.notice.setObjectName("noticeBanner")
        self.notice.closed.connect(self._fit)
        self._told_of_place = ""
        self.work = ProgressRow(self)
        self.opening = ProgressRow(self)
        self.opening.setObjectName("openingRow")
        column = QVBoxLayout(self)
        column.setContentsMargins(8, 4, 8, 4)
        column.setSpacing(4)
        for strip in (self.unsaved, self.offered, self.notice):
            column.addWidget(strip)
        column.addWidget(self.work)
        column.addWidget(self.opening)
        self.hide()

    def show_unsaved(
        self, error: LoomError, what: str = "", *, has_words: bool = True, was_tried: bool = False
    ) -> None:
        """Show what could not be saved, and why; `has_words` if the user wrote it, or a model for them."""
        words = tr("Not saved: {what}.").format(what=what) + " " if what else ""
        words += told(error.message)
        if has_words:
            words += " " + tr("What you wrote is kept here until it is saved.")
        if was_tried:
            now = datetime.now().astimezone().strftime("%H:%M:%S")
            words += " " + tr("Tried again at {time}.").format(time=now)
        self.unsaved.say(words, tr("Try again"))
        self._fit()

    def show_saved(self) -> None:
        self.unsaved.clear()
        self._fit()

    def show_notice(self, sentence: str) -> None:
        """Show a fact on this grove: that it is in a network folder, or was brought up to date."""
        if sentence:
            self.notice.say(sentence, tone="warning")
        else:
            self.notice.clear()
        self._fit()

    def tell_of_place(self, sentence: str) -> None:
        """Show the place of this grove and what was saved, until it lies elsewhere."""
        self._told_of_place = sentence
        self.show_notice(sentence)

    def drop_told_of_place(self) -> None:
        """Drop the notice of another place; any other notice stays."""
        if self._told_of_place and self.notice.text == self._told_of_place:
            self.show_notice("")
        self._told_of_place = ""

    def show_offer(self, sentence: str, action: str) -> None:
        """Offer something of the last session to be taken up; an empty sentence hides the offer."""
        if sentence:
            self.offered.say(sentence, action, tone="warning")
        else:
            self.offered.clear()
        self._fit()

    def begin_work(self, words: str) -> None:
        """Show that work is under way that a person may want to end."""
        self.work.begin(words)
        self._fit()

    def end_work(self) -> None:
        self.work.end()
        self._fit()

    def begin_opening(self, words: str) -> None:
        """Show that a tree is on its way; the one that is shown stays until it is there."""
        self.opening.begin(words)
        self._fit()

    def end_opening(self) -> None:
        if not self.opening.isHidden():
            self.opening.end()
            self._fit()

    def _fit(self) -> None:
        strips = (self.unsaved, self.offered, self.notice, self.work, self.opening)
        self.setVisible(not all(strip.isHidden() for strip in strips))
