"""Parts of the composer: the text with keys and undo, the number of answers, and chips of sources."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QEvent, QMimeData, QPoint, Qt, Signal
from PySide6.QtGui import QImage, QKeyEvent, QKeySequence
from PySide6.QtWidgets import QFrame, QSpinBox, QWidget

from loomapp.core.dataclass import dataclass
from loomapp.core.paths.path import common_end, common_length
from loomapp.session.writing.typing_undo import UndoSteps
from loomapp.ui.keys import is_enter, is_one_of, is_undo
from loomapp.ui.look import theme
from loomapp.ui.media.attachment_queue import can_take
from loomapp.ui.widgets.chip import Chip
from loomapp.ui.widgets.fields import WrappingField, composes
from loomapp.ui.widgets.keyboard import RestAfterKey, is_word_key
from loomapp.ui.widgets.layouts import Flow


@dataclass(frozen=True, slots=True)
class Writing:
    """A text and where the cursor stands in it, in UTF-16 units as Qt counts them."""

    text: str = ""
    cursor: int = 0


class TypingHistory:
    """Steps of one field, and what it holds now."""

    def __init__(self) -> None:
        self._steps: UndoSteps[Writing] = UndoSteps()
        self._now = Writing()

    @property
    def now(self) -> Writing:
        return self._now

    @property
    def can_undo(self) -> bool:
        return self._steps.can_undo

    @property
    def can_redo(self) -> bool:
        return self._steps.can_redo

    def typed(self, writing: Writing, at_s: float) -> bool:
        """The field was changed by its user at a time in seconds. True if this began a new step."""
        before, self._now = self._now, writing
        if writing.text == before.text:
            return False
        characters = max(1, abs(len(writing.text) - len(before.text)))
        takes_words = _taken(before.text, writing.text) > 1
        starts_word = _starts_word(writing)
        return self._steps.stroke(before, at_s, characters, starts_word=starts_word, takes_words=takes_words)

    def end_step(self) -> None:
        self._steps.end_step()

    def undo(self) -> Writing | None:
        """Take the last step back: what the field is to hold, or None if there is nothing to take back."""
        return self._put(self._steps.undo(self._now))

    def redo(self) -> Writing | None:
        """Bring a step back: what the field is to hold, or None."""
        return self._put(self._steps.redo(self._now))

    def start_over(self, writing: Writing | None = None) -> None:
        """Forget all steps and begin with a text."""
        self._steps.start_over()
        self._now = writing or Writing()

    def _put(self, writing: Writing | None) -> Writing | None:
        if writing is not None:
            self._now = writing
        return writing


def _taken(before: str, after: str) -> int:
    """Return how many characters were taken away, whatever came in their place."""
    head = common_length(before, after)
    return len(before) - head - common_end(before, after, min(len(before), len(after)) - head)


def _starts_word(writing: Writing) -> bool:
    """Return True when the cursor has come to the beginning of a word."""
    units = writing.text.encode("utf-16-le", "surrogatepass")[: 2 * writing.cursor]
    written = units.decode("utf-16-le", "replace")
    return len(written) > 1 and written[-2].isspace() and not written[-1].isspace()


class ComposerField(WrappingField):
    """Text field without an undo of its own: the window's one history gets the keys."""

    generate_pressed = Signal()
    offered = Signal(object)  # QMimeData, while it is: files or an image, pasted or dropped

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("composer")
        self.setAccessibleName(self.tr("Message to the model"))
        self.setUndoRedoEnabled(False)
        self.setTabChangesFocus(True)
        self.setFont(theme.font("dialogue"))
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setProperty("bare", True)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.document().setDocumentMargin(0)
        self.rest = RestAfterKey()
        self.enter_sends = False
        self.generate_keys: tuple[QKeySequence, ...] = ()  # those of the window's action

    def event(self, event: QEvent) -> bool:
        """Leave undo and redo to the window, but not while an input method composes. The keys of Generate are
        kept.
        """
        is_key = event.type() == QEvent.Type.ShortcutOverride and not composes(self)
        if is_key and isinstance(event, QKeyEvent) and is_undo(event):
            event.ignore()
            return True
        if is_key and isinstance(event, QKeyEvent) and (self._is_line(event) or self._is_generate(event)):
            event.accept()
            return True
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Ask with a key of Generate; undo without a window action does nothing; the rest is typing.
        Shift+Enter is a line break like any other, not Qt's U+2028, which a model would be sent.
        """
        is_generate = not self._is_line(event) and self._is_generate(event)
        if not is_generate:
            self.rest.hear(event)
        if self._is_line(event):
            self.insertPlainText("\n")
        elif is_generate:
            if self.rest.counts(event):
                self.generate_pressed.emit()
        elif event.matches(QKeySequence.StandardKey.InsertLineSeparator) and not composes(self):
            self.insertPlainText("\n")
        elif is_undo(event):
            event.ignore()
        else:
            super().keyPressEvent(event)

    def canInsertFromMimeData(self, source: QMimeData) -> bool:
        """Tell whether something pasted or dropped is taken: texts, files and images."""
        return can_take(source) or super().canInsertFromMimeData(source)

    def insertFromMimeData(self, source: QMimeData) -> None:
        """Write a text; offer files and images to the owner."""
        if can_take(source):
            self.offered.emit(source)
        else:
            super().insertFromMimeData(source)

    def _is_generate(self, event: QKeyEvent) -> bool:
        enters = self.enter_sends and is_enter(event, Qt.KeyboardModifier.NoModifier)
        return not composes(self) and (enters or is_one_of(event, self.generate_keys))

    def _is_line(self, event: QKeyEvent) -> bool:
        """Tell whether a key begins a line: Ctrl+Enter where Enter sends, unless another action has it."""
        is_own = is_one_of(event, self.generate_keys) or event.type() != QEvent.Type.ShortcutOverride
        return self.enter_sends and is_own and is_enter(event, Qt.KeyboardModifier.ControlModifier)


class CountBox(QSpinBox):
    """Field for a number that takes figures, and no words. Undo and redo are the window's."""

    def event(self, event: QEvent) -> bool:
        is_key = event.type() == QEvent.Type.ShortcutOverride
        if is_key and isinstance(event, QKeyEvent) and is_undo(event):
            event.ignore()
            return True
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if is_word_key(event) and not event.text().isdigit():
            event.ignore()  # the field would swallow it
            return
        super().keyPressEvent(event)


@dataclass(frozen=True, slots=True)
class PendingSource:
    """Source that goes along with the next generation: a key of the owner's, its role, its title; an image
    also by reference. The role is `context`, `instruction`, or `message`: part of what is being written.
    `warning` says how it is sent otherwise than the user would expect, or why it is not.
    """

    key: str
    role: str
    title: str
    image_ref: str = ""
    warning: str = ""
    is_sent: bool = True


class SourceChips(Flow):
    """Row of chips, one for each source; the chips belong to the widget whose layout this is part of."""

    removed = Signal(str)  # a pending source's key
    clicked = Signal(str, object)  # likewise, and QPoint: where on the screen

    def __init__(self, owner: QWidget) -> None:
        super().__init__(gap_px=theme.px("space.xs"))
        self._owner = owner
        self._chips: list[Chip] = []
        self._sources: tuple[PendingSource, ...] = ()
        self._picture_of: Callable[[str], QImage | None] = _no_picture

    def show_sources(self, sources: tuple[PendingSource, ...]) -> bool:
        if sources == self._sources:
            return False
        self._sources = sources
        for chip in self._chips:
            chip.hide()
            chip.deleteLater()
        self._chips = [self._chip(source) for source in sources]
        for chip in self._chips:
            self.addWidget(chip)
            chip.show()
        return True

    def set_pictures(self, picture_of: Callable[[str], QImage | None]) -> None:
        self._picture_of = picture_of

    def show_picture(self, ref: str) -> None:
        for chip in self._chips:
            if chip.property("imageRef") == ref:
                chip.show_picture(self._picture_of(ref))

    def _chip(self, source: PendingSource) -> Chip:
        words = {
            "context": self.tr("Context: {0}"),
            "instruction": self.tr("Instruction: {0}" if source.is_sent else "Instruction, not sent: {0}"),
            "message": self.tr("With the message: {0}"),
        }[source.role]
        icon = {"context": "layers", "instruction": "sticky-note", "message": "paperclip"}[source.role]
        text = source.title if source.role == "message" else words.format(source.title)
        chip = Chip(icon, text, self._owner, removable=True, warning=source.warning)
        chip.setAccessibleName(words.format(source.title))
        chip.setProperty("sourceKey", source.key)
        if source.image_ref:
            chip.setProperty("imageRef", source.image_ref)
            chip.show_picture(self._picture_of(source.image_ref), expected=True)
        chip.clicked.connect(self.on_chip_clicked)
        chip.removed.connect(self.on_chip_removed)
        return chip

    def on_chip_removed(self) -> None:
        chip = self.sender()
        if chip is not None:
            self.removed.emit(str(chip.property("sourceKey")))

    def on_chip_clicked(self) -> None:
        chip = self.sender()
        if isinstance(chip, Chip):
            at = chip.mapToGlobal(QPoint(0, chip.height()))
            self.clicked.emit(str(chip.property("sourceKey")), at)


def _no_picture(_ref: str) -> QImage | None:
    return None
