"""Rows around the composer: what is further down, a question before sending much, a note one writes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

from PySide6.QtCore import QEvent, QObject, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QHideEvent, QPaintEvent, QResizeEvent, QShowEvent
from PySide6.QtWidgets import QAbstractButton, QApplication, QVBoxLayout, QWidget
from shiboken6 import isValid

from loomapp.core.context.assembly import Assembled
from loomapp.core.errors import LoomError
from loomapp.core.generation.assemble_request import AskedQuestion
from loomapp.core.sent.record import digest_of
from loomapp.session.workspace import Workspace
from loomapp.ui.composer.composer import Composer
from loomapp.ui.dialogue.message.editor import MessageEditor
from loomapp.ui.look import theme
from loomapp.ui.strings import tr
from loomapp.ui.widgets.buttons import push_button
from loomapp.ui.widgets.error_strip import StripPile
from loomapp.ui.widgets.labels import ElidedLabel, ShortLabel, set_tip
from loomapp.ui.widgets.layouts import horizontal

DOT_PX = 7
HEIGHT_PX = 32


class _Dot(QWidget):
    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setFixedSize(QSize(DOT_PX, DOT_PX))

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = theme.smooth_painter(self)
        theme.draw_in(painter, fill="accent.base")
        painter.drawEllipse(QRectF(self.rect()))
        painter.end()


class BelowRow(QWidget):
    """Hidden while there is nothing to read below; else words, and a link that leads there."""

    read_asked = Signal(str)  # node id

    def __init__(self, name: str, link: str, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName(name)
        self.setFixedHeight(HEIGHT_PX)
        self._node_id = ""
        self._words = ShortLabel(self)
        self._words.setObjectName(f"{name}Words")
        theme.set_look(self._words, tone="secondary")
        self._words.setFont(theme.font("small"))
        self._read = push_button(f"read{name[0].upper()}{name[1:]}", link, self, kind="link")
        self._read.setFont(theme.font("small"))
        self._read.clicked.connect(lambda: self.read_asked.emit(self._node_id))
        self._row = horizontal(self, (16, 0, 16, 0), spacing=8)
        self._row.addWidget(self._words, 1)
        self._row.addWidget(self._read)
        self.hide()

    def say(self, words: str, node_id: str) -> None:
        """Say what is below, and where it begins; without words, nothing."""
        self._node_id = node_id
        self._words.setText(words)
        set_tip(self._words, words)
        self._read.setAccessibleName(f"{self._read.text()}: {words}")
        self.setVisible(bool(words))


class NewBelow(BelowRow):
    """Row for what is new, with a dot before it."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__("newBelow", tr("Read"), parent)
        self._row.insertWidget(0, _Dot(self))


Outcomes: TypeAlias = Sequence[tuple[AskedQuestion, Assembled | LoomError]]


class Waiting(QObject):
    """The question above the composer whether something is to be sent although it is much. It is about what
    would be sent when it was asked, and goes away as soon as that is another: the next Generate asks again.
    """

    def __init__(self, work: Workspace, composer: Composer, errors: StripPile, parent: QObject) -> None:
        super().__init__(parent)
        self._work, self._composer, self._errors = work, composer, errors
        self._said = ""  # while it waits
        self._about: object = None

    def wire(self) -> None:
        """Follow all that can change the context that would be sent."""
        work = self._work
        work.preview.assembled.connect(self.on_context)
        work.preview.failed.connect(self.on_context)
        work.what_if.changed.connect(self.on_context)
        self._composer.count_changed.connect(self.on_context)
        work.document.tree_opened.connect(self.on_context)
        work.generator.started.connect(self.forget)

    def begin(self) -> None:
        """Tie the question above the composer to the context that would be sent now."""
        self._work.preview.settle()
        self._said, self._about = self._errors.text, self._context()

    def forget(self) -> None:
        """Drop the question: it is answered."""
        self._said, self._about = "", None

    def on_context(self) -> None:
        """Drop the question if another one is shown or the context that would be sent is another."""
        said = self._said
        if said and said not in self._errors.sentences:
            self.forget()  # it was put away
        elif said and self._context() != self._about:
            self.forget()
            self._errors.drop(said)

    def answer(self, step: Callable[[], None]) -> None:
        """Do what was asked for, unless what would be sent is another by now."""
        said, about = self._said, self._about
        self.forget()
        self._work.preview.settle()
        if about is not None and self._context() == about:
            step()
        else:
            self._errors.drop(said)

    def _context(self) -> object:
        """Return all that decides what would be sent, and for how many answers."""
        tree, preview, trying = self._work.document.tree, self._work.preview, self._work.what_if
        return (
            (tree.loom, tree.touches.mark, tree.included_annotations),
            (self._composer.count, trying.variants, trying.chosen),
            [question for question, _ in preview.outcomes],
            digests(preview.outcomes),
        )


def digests(outcomes: Outcomes) -> list[object]:
    """Return digests of what would be sent, to the character, or the reason why it can't be."""
    return [digest_of(one) if isinstance(one, Assembled) else one.message for _, one in outcomes]


MARGIN_PX = 16


class NoteBox(QWidget):
    """Hidden until a note is asked for. It blocks nothing: one goes on reading while it is open."""

    written = Signal(str, str)  # node id, the note
    typed = Signal(str, str)  # node id, the note as far as it is
    closed = Signal(str)  # node id: its words wait
    left = Signal(str)  # node id: it is not wanted
    visibility_changed = Signal(bool)
    keyboard_came = Signal(bool)  # False: it went

    def __init__(self, go_on: Callable[[], None], parent: QWidget | None = None) -> None:
        """`go_on` gives the keyboard to where one writes."""
        super().__init__(parent)
        self.setObjectName("noteBox")
        self._go_on = go_on
        self._node_id = ""
        self._came_from: QWidget | None = None
        self._title = ElidedLabel(self)
        self._title.setFont(theme.font("small"))
        theme.set_look(self._title, tone="muted")
        self.editor = MessageEditor(self.tr("Add note"), self)
        self.editor.field.setAccessibleName(self.tr("Note"))
        self.editor.field.installEventFilter(self)
        self.editor.committed.connect(self.on_committed)
        self.editor.typed.connect(self.on_typed)
        self.editor.closed.connect(self.on_closed)
        self.editor.discarded.connect(self.on_discarded)
        self.editor.height_changed.connect(self.fit)
        column = QVBoxLayout(self)
        column.setContentsMargins(MARGIN_PX, 8, MARGIN_PX, 8)
        column.setSpacing(theme.px("space.xs"))
        column.addWidget(self._title)
        column.addWidget(self.editor)
        self.hide()

    def open(self, node_id: str, title: str, begun: str = "") -> None:
        """Begin a note on a node, or go on with the one that was begun there."""
        self._title.show_words(self.tr("Note on “{0}”, not sent unless you include it"), title)
        self.editor.show_save_words(self.tr("Add note"))
        self._open(node_id, "", begun)

    def open_written(self, note_id: str, title: str, text: str, begun: str | None) -> None:
        """Edit a note that is there, or go on with an edit that was begun."""
        self._title.show_words(self.tr("Edit of the note “{0}”"), title)
        self.editor.show_save_words(self.tr("Save note"))
        self._open(note_id, text, begun)

    def _open(self, node_id: str, text: str, begun: str | None) -> None:
        self.leave()
        self._came_from = QApplication.focusWidget()
        self._node_id = node_id
        self.show()
        self.editor.open(text, begun)
        self.fit()

    def leave(self) -> None:
        """Close, for another thing is shown: the words were told, and wait for their node."""
        self._close()

    def forget(self, node_id: str) -> None:
        """Close if the note on this node is open: it is saved."""
        if self._node_id == node_id:
            self._close()

    def on_typed(self) -> None:
        self.typed.emit(self._node_id, self.editor.text)

    def on_committed(self, text: str) -> None:
        """Hand the note on, unless there is nothing in it."""
        self._close()
        if text.strip():
            self.written.emit(self._node_id, text)

    def on_closed(self) -> None:
        self._close()
        self.closed.emit(self._node_id)

    def on_discarded(self) -> None:
        self._close()
        self.left.emit(self._node_id)

    def _close(self) -> None:
        focused, came_from, self._came_from = QApplication.focusWidget(), self._came_from, None
        if focused is not None and self.isAncestorOf(focused):
            is_there = came_from is not None and isValid(came_from) and came_from.isVisible()
            if came_from is None or not is_there or isinstance(came_from, QAbstractButton):
                self._go_on()  # a button would take the space of the next words as a press
            else:
                came_from.setFocus(Qt.FocusReason.OtherFocusReason)
        self.hide()

    def fit(self) -> None:
        self.editor.fit(self.width() - 2 * MARGIN_PX)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.visibility_changed.emit(True)

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self.visibility_changed.emit(False)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Tell whether keys are for the note: another part of the window may have one of them."""
        if event.type() in (QEvent.Type.FocusIn, QEvent.Type.FocusOut):
            self.keyboard_came.emit(event.type() == QEvent.Type.FocusIn)
        return super().eventFilter(watched, event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.fit()
