"""Notices: banners above everything, next steps above the composer, announcements for screen readers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import TypeAlias

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QAccessible, QAccessibleAnnouncementEvent
from PySide6.QtWidgets import QWidget

from loomapp.core.errors import LoomError
from loomapp.core.model.change import Change
from loomapp.ui.strings import told, tr
from loomapp.ui.widgets.error_strip import ErrorStrip
from loomapp.ui.widgets.layouts import fill, vertical
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
        column = vertical(self, (8, 4, 8, 4), spacing=4)
        fill(column, self.unsaved, self.offered, self.notice)
        fill(column, self.work, self.opening)
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


class Announcer(QObject):
    said = Signal(str)

    def __init__(self, window: QWidget) -> None:
        super().__init__(window)
        self._window = window

    def say(self, words: str) -> None:
        """Say it when the reader has come to its end, without interrupting."""
        if words:
            QAccessible.updateAccessibility(QAccessibleAnnouncementEvent(self._window, words))
            self.said.emit(words)

    def on_committed(self, change: Change) -> None:
        count = len(change.added_nodes())
        if count:
            self.say(tr("1 branch ready") if count == 1 else tr("{count} branches ready").format(count=count))


Run: TypeAlias = Callable[[Callable[[], None]], None]


class NextSteps(QObject):
    """The newest sentence stands there until it is closed, or something new is asked for."""

    def __init__(
        self,
        strip: ErrorStrip,
        announcer: Announcer,
        bring_text: Callable[[], None],
        run: Run,
        parent: QObject,
    ) -> None:
        super().__init__(parent)
        self._strip, self._announcer, self._bring_text, self._run = strip, announcer, bring_text, run
        self._step: Callable[[], None] | None = None
        self._steps: dict[str, Callable[[], None]] = {}  # of several, by name

    def show_error(self, error: LoomError) -> None:
        """Show what happened and its next step in one sentence."""
        self._step = None
        self._strip.say(told(error.message))
        self._bring_text()
        self._announcer.say(told(error.message))

    def tell(self, sentence: str) -> None:
        """Tell, as a warning, of something that is no fault, with its next step in the same sentence."""
        self._step = None
        self._strip.say(told(sentence), tone="warning")
        self._bring_text()
        self._announcer.say(told(sentence))

    def offer(self, sentence: str, action: str, step: Callable[[], None]) -> None:
        """Offer a next step to press, with a sentence."""
        self._step = step
        self._strip.say(sentence, action, tone="warning")
        self._bring_text()

    def offer_several(self, sentence: str, steps: Sequence[tuple[str, str, Callable[[], None]]]) -> None:
        """A sentence with several next steps: the name, the words and the act of each."""
        self._steps = {name: step for name, _, step in steps}
        acts = [(name, words) for name, words, _ in steps]
        self._strip.offer(sentence, acts, tone="warning", closable=True)
        self._bring_text()

    def on_act(self, name: str) -> None:
        """Do one of several next steps; what only shows something leaves the others there."""
        step = self._steps.get(name)
        if step is not None:
            self._run(step)

    def on_action(self) -> None:
        self._strip.clear()
        step, self._step = self._step, None
        if step is not None:
            self._run(step)
