"""Notices: banners above everything, files under way, next steps, words for screen readers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime
from functools import partial
from typing import TypeAlias

from PySide6.QtCore import QObject, QTimer, Signal, SignalInstance
from PySide6.QtWidgets import QAbstractItemView, QApplication, QWidget

from loomapp.core.dataclass import dataclass
from loomapp.core.errors import AssemblyError, LoomError
from loomapp.core.generation.assemble_request import CONTINUED_PRUNED
from loomapp.core.model.change import Change
from loomapp.core.model.tree import Tree
from loomapp.session.document import Document
from loomapp.ui.strings import told, tr
from loomapp.ui.widgets.error_strip import ErrorStrip, StripPile, Tone
from loomapp.ui.widgets.layouts import fill, vertical
from loomapp.ui.widgets.rows import ProgressRow
from loomapp.ui.widgets.spoken import announce, tell_row


class Banner(QWidget):
    """Hidden while there is nothing to say. What is unsaved cannot be put away; a notice can."""

    retry_clicked = Signal()  # save again what could not be saved
    offer_clicked = Signal()  # take up what is offered
    other_clicked = Signal()  # of two things that are offered, the second
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
        self.offered.act_clicked.connect(self.on_act)
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

    def show_offer(self, sentence: str, action: str, other: str = "") -> None:
        """Offer something of the last session to be taken up, or the choice between two steps; an empty
        sentence hides the offer.
        """
        if sentence and other:
            self.offered.offer(sentence, [("take", action), ("other", other)], tone="warning", closable=True)
        elif sentence:
            self.offered.say(sentence, action, tone="warning")
        else:
            self.offered.clear()
        self._fit()

    def on_act(self, name: str) -> None:
        (self.other_clicked if name == "other" else self.offer_clicked).emit()

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
        app = QApplication.instance()
        assert isinstance(app, QApplication), "a window needs an application"
        app.focusChanged.connect(self.on_focus_changed)

    def on_focus_changed(self, _before: QWidget | None, now: QWidget | None) -> None:
        """Say the row of a list that the keyboard has come to."""
        if isinstance(now, QAbstractItemView) and self._window.isAncestorOf(now):
            QTimer.singleShot(0, now, partial(tell_row, now))  # once Qt has told of the list itself

    def say(self, words: str) -> None:
        """Say it when the reader has come to its end, without interrupting."""
        if words:
            announce(self._window, words)
            self.said.emit(words)

    def follow(self, started: SignalInstance, committed: SignalInstance) -> None:
        """Say that models are asked, and what came of it."""
        started.connect(self.on_started)
        committed.connect(self.on_committed)

    def on_started(self) -> None:
        self.say(tr("Asked; answers are on their way"))

    def on_committed(self, change: Change) -> None:
        count = len(change.added_nodes())
        if count:
            self.say(tr("1 branch ready") if count == 1 else tr("{count} branches ready").format(count=count))


Run: TypeAlias = Callable[[Callable[[], None]], None]


NextStep: TypeAlias = tuple[str, str, Callable[[], None]]  # the name, the words and the act of one of several


class NextSteps(QObject):
    """The newest sentence stands on top until it is closed, or something new is asked for."""

    def __init__(
        self,
        strip: StripPile,
        announcer: Announcer,
        bring_text: Callable[[], None],
        run: Run,
        parent: QObject,
    ) -> None:
        super().__init__(parent)
        self._strip, self._announcer, self._bring_text, self._run = strip, announcer, bring_text, run
        self._steps: dict[tuple[str, str], Callable[[], None]] = {}  # by sentence, and name of several
        self._of_answers: set[str] = set()  # sentences
        self._of_tree: set[str] = set()  # likewise, about what could not be sent
        self._tree_id = ""

    def follow(self, document: Document) -> None:
        """Drop what is said once it is no longer so, as the document tells."""
        document.tree_opened.connect(self.on_tree_opened)
        document.tree_changed.connect(self.on_tree_changed)
        document.place.current_changed.connect(self.on_moved)

    def show_error(self, error: LoomError) -> None:
        """Show what happened and its next step in one sentence; why a tree could not be sent, until another
        one is opened.
        """
        if isinstance(error, AssemblyError):
            self._of_tree.add(told(error.message))
        self._strip.say(told(error.message))
        self._bring_text()
        self._announcer.say(told(error.message))

    def show_failed(self, error: LoomError) -> None:
        """Show why an answer broke off, until the answer is gone."""
        self.note_failed(error)
        self.show_error(error)

    def note_failed(self, error: LoomError) -> None:
        """Note that an answer broke off: whoever says so, it is said until the answer is gone."""
        self._of_answers.add(told(error.message))

    def tell(self, sentence: str) -> None:
        """Tell, as a warning, what came of an answer that did not fail, with its next step in the same
        sentence, until the answer is gone.
        """
        self._of_answers.add(told(sentence))
        self._strip.say(told(sentence), tone="warning")
        self._bring_text()
        self._announcer.say(told(sentence))

    def offer(self, sentence: str, action: str, step: Callable[[], None], *, tone: Tone = "warning") -> None:
        self._strip.say(sentence, action, tone=tone)
        self._keep({(sentence, ""): step})
        self._bring_text()

    def offer_several(self, sentence: str, steps: Sequence[NextStep], *, tone: Tone = "warning") -> None:
        """A sentence with several next steps: the name, the words and the act of each."""
        acts = [(name, words) for name, words, _ in steps]
        self._strip.offer(sentence, acts, tone=tone, closable=True)
        self._keep({(sentence, name): step for name, _, step in steps})
        self._bring_text()

    def _keep(self, steps: dict[tuple[str, str], Callable[[], None]]) -> None:
        """Keep the steps of a sentence, and of the others that are still said."""
        said = self._strip.sentences
        self._steps = {key: step for key, step in (self._steps | steps).items() if key[0] in said}

    def on_tree_opened(self, tree: Tree) -> None:
        """Drop what is about another tree: its answers say it themselves, and what went well was read."""
        if tree.loom.id != self._tree_id:
            self._tree_id = tree.loom.id
            self._strip.drop_good_news()
            self._of_answers |= self._of_tree
            self._of_tree = set()
            self._drop_of_answers()

    def on_tree_changed(self, change: Change) -> None:
        if self._of_answers and change.removed_nodes():
            self._drop_of_answers()
        self.on_moved()

    def on_moved(self) -> None:
        """Drop why nothing could be continued where the writer was: there may be no reason any more."""
        self._strip.drop(tr(CONTINUED_PRUNED))

    def _drop_of_answers(self) -> None:
        about, self._of_answers = self._of_answers, set()
        for sentence in self._strip.sentences:
            if any(sentence == one or sentence.startswith(f"{one}\n") for one in about):  # a server's words
                self._strip.drop(sentence)

    def on_act(self, name: str) -> None:
        """Do one of several next steps; what only shows something leaves the others there."""
        step = self._steps.get((self._strip.text, name))
        if step is not None:
            self._run(step)

    def on_action(self) -> None:
        step = self._steps.pop((self._strip.text, ""), None)
        self._strip.clear()
        if step is not None:
            self._run(step)


@dataclass(eq=False, slots=True)
class FileWork:
    """A file that is read or written. `words` say so in the banner; empty: a page of its own tells of it."""

    words: str
    stop: Callable[[], None]


class FilesUnderWay(QObject):
    """At most one file has the banner; an import of the import page may run beside it."""

    whole = Signal()  # all that a closing window waits for came to where it was wanted

    def __init__(self, banner: Banner, parent: QObject) -> None:
        super().__init__(parent)
        self._banner = banner
        self._works: list[FileWork] = []
        self._waited_for: list[FileWork] = []  # by a window that is to be closed
        banner.work.cancel_clicked.connect(self.on_cancelled)

    def refuse_second(self) -> None:
        """Raises: LoomError if a file has the banner already."""
        if any(work.words for work in self._works):
            raise LoomError(tr("Another file is still being read or written. Wait for it, or cancel it."))

    def begin(self, words: str, stop: Callable[[], None]) -> FileWork:
        """Tell of a file; `stop` ends the work on it. Raises: LoomError if another one is told of."""
        if words:
            self.refuse_second()
        work = FileWork(words, stop)
        self._works.append(work)
        self._show()
        return work

    def finish(self, work: FileWork) -> None:
        """Tell that a file is whole where it was wanted."""
        was_waited_for = work in self._waited_for
        left = [it for it in self._waited_for if it is not work]
        self.end(work)
        self._waited_for = left
        self._show()
        if was_waited_for and not left:
            self.whole.emit()

    def end(self, work: FileWork) -> None:
        """Tell no more of a file. One that came to nothing keeps a window that waits for it open."""
        if work in self._works:
            self._works.remove(work)
            self._waited_for = []
            self._show()

    def wait(self) -> bool:
        """Tell that the window waits for what is under way; False if nothing is, or that was told before."""
        if all(work in self._waited_for for work in self._works):
            return False
        self._waited_for = [*self._works]
        self._show()
        return True

    def on_cancelled(self) -> None:
        for work in self._waited_for or [work for work in self._works if work.words]:
            work.stop()

    def _show(self) -> None:
        words = next((work.words for work in self._works if work.words), "")
        if self._waited_for:
            waits = (
                "A file is still on its way. Loomapp closes once it is done; close again to leave without it."
            )
            words = tr(waits)
        if words:
            self._banner.begin_work(words)
        else:
            self._banner.end_work()
