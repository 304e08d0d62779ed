"""The composer: what is said next, how many answers are wanted, Generate and Stop."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

from PySide6.QtCore import QEvent, QMimeData, QObject, QPoint, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QImage,
    QKeyEvent,
    QKeySequence,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QResizeEvent,
)
from PySide6.QtWidgets import QFrame, QHBoxLayout, QSpinBox, QToolButton, QVBoxLayout, QWidget

from loomapp.ui.composer.typing_history import TypingHistory, Writing
from loomapp.ui.keys.keys import first_shown, is_one_of
from loomapp.ui.keys.text_keys import is_enter, is_undo
from loomapp.ui.look import theme
from loomapp.ui.media.offers import can_take
from loomapp.ui.widgets.chip import Chip
from loomapp.ui.widgets.elided_label import ElidedLabel
from loomapp.ui.widgets.key_button import KeyButton
from loomapp.ui.widgets.layouts.flow import Flow
from loomapp.ui.widgets.preedit import composes
from loomapp.ui.widgets.tips import plain_tip
from loomapp.ui.widgets.wrapped_field import WrappingField

FEWEST_LINES = 2
MOST_LINES = 8
MOST_CONTINUATIONS = 8
FRAME_PX = 12


@dataclass(frozen=True, slots=True)
class PendingSource:
    """What goes along with the next generation: a key of the owner's, its role, its title; an image also by
    reference. The role is `context`, `instruction`, or `message`: part of what is being written. `warning` is
    what the user would not expect of it.
    """

    key: str
    role: str
    title: str
    image_ref: str = ""
    warning: str = ""


class ComposerField(WrappingField):
    """Text without an undo of its own: the window's one history gets the keys."""

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
        self.enter_sends = False
        self.generate_keys: tuple[QKeySequence, ...] = ()  # those of the window's action

    def event(self, event: QEvent) -> bool:
        """Leave undo and redo to the window, but not while an input method composes. Of the keys of Generate
        the one that begins a line is kept.
        """
        is_key = event.type() == QEvent.Type.ShortcutOverride and not composes(self)
        if is_key and isinstance(event, QKeyEvent) and is_undo(event):
            event.ignore()
            return True
        if is_key and isinstance(event, QKeyEvent) and self._is_line(event):
            event.accept()
            return True
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """The generate key asks; undo without a window action does nothing; the rest is typing."""
        if self._is_line(event):
            self.insertPlainText("\n")
        elif self._is_generate(event):
            self.generate_pressed.emit()
        elif is_undo(event):
            event.ignore()
        else:
            super().keyPressEvent(event)

    def canInsertFromMimeData(self, source: QMimeData) -> bool:
        """Texts, files and images."""
        return can_take(source) or super().canInsertFromMimeData(source)

    def insertFromMimeData(self, source: QMimeData) -> None:
        """A text is written; files and images are offered."""
        if can_take(source):
            self.offered.emit(source)
        else:
            super().insertFromMimeData(source)

    def _is_generate(self, event: QKeyEvent) -> bool:
        enters = self.enter_sends and is_enter(event, Qt.KeyboardModifier.NoModifier)
        return not composes(self) and (enters or is_one_of(event, self.generate_keys))

    def _is_line(self, event: QKeyEvent) -> bool:
        """Where Enter sends, Ctrl+Enter is a new line; but not if another action has that key."""
        is_own = is_one_of(event, self.generate_keys) or event.type() != QEvent.Type.ShortcutOverride
        return self.enter_sends and is_own and is_enter(event, Qt.KeyboardModifier.ControlModifier)


class Composer(QWidget):
    """A framed field with its row of controls. It grows with its text up to eight lines."""

    text_changed = Signal(str)
    generate_asked = Signal()
    stop_asked = Signal()
    count_changed = Signal(int)
    source_removed = Signal(str)  # a pending source's key
    source_clicked = Signal(str, object)  # likewise, and QPoint: where on the screen
    attach_asked = Signal()  # files are to be chosen
    offered = Signal(object)  # QMimeData, while it is: files or an image

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("composerFrame")
        self.edits = TypingHistory()
        self._quiet = False
        self._is_prose = False
        self._is_streaming: bool | None = None  # until it is said first
        self._chips: list[Chip] = []
        self._sources: tuple[PendingSource, ...] = ()
        self._picture_of: Callable[[str], QImage | None] = _no_picture
        self._field = ComposerField(self)
        self._continuing = ElidedLabel(self)
        self._continuing.setObjectName("continuingLabel")
        self._continuing.setFont(theme.font("small"))
        theme.set_look(self._continuing, tone="warning")
        self._attach = self._attach_button()
        self._count = self._count_box()
        self._stop = KeyButton(self.tr("Stop"), parent=self)
        self._stop.setObjectName("stopButton")
        self._generate = KeyButton(self.tr("Generate"), parent=self, kind="primary")
        self._generate.setObjectName("generateButton")
        self._lay_out()
        self._margins()
        self._connect()
        self.set_continuing(None)
        self.set_streaming(False)
        self._grow()

    # What it holds.

    @property
    def text(self) -> str:
        """What is written, as it is written."""
        return self._field.exact_text

    def set_text(self, text: str) -> None:
        """Replace the text as one step of its history, the cursor at the end: for suggestions."""
        self.edits.end_step()
        self._put(Writing(text, utf16_length(text)))
        self._note_change()
        self.edits.end_step()

    def start_over(self, text: str = "") -> None:
        """Begin anew: after a commit, or with the text of another tree. Its history is forgotten."""
        writing = Writing(text, utf16_length(text))
        self.edits.start_over(writing)
        self._put(writing)
        self.text_changed.emit(self.text)

    def undo_typing(self) -> bool:
        """Take the last step of typing back. False if there is none: then undo is the tree's."""
        return self._restore(self.edits.undo())

    def redo_typing(self) -> bool:
        """Bring a step of typing back. False if there is none."""
        return self._restore(self.edits.redo())

    @property
    def count(self) -> int:
        """How many continuations are wanted."""
        return self._count.value()

    def set_count(self, count: int) -> None:
        """Choose how many, from 1 to 8."""
        self._count.setValue(count)

    @property
    def field(self) -> ComposerField:
        """The text field."""
        return self._field

    def set_prose(self, is_prose: bool) -> None:
        """Of a buffer only the controls are here: it is written in its own text."""
        self._is_prose = is_prose
        self._field.setVisible(not is_prose)
        self.setFocusProxy(self._count if is_prose else self._field)
        self._margins()
        self._grow()
        self.update()

    def add_control(self, control: QWidget) -> None:
        """Put something at the left of the controls."""
        self._controls.insertWidget(1, control, 20)  # all the room there is

    def set_continuing(self, title: str | None) -> None:
        """Name the node that Generate continues if it is not the end of the shown path."""
        self._continuing.setVisible(title is not None)
        if title is not None:
            words = self.tr("Continues “{0}”, not the end of this path")
            self._continuing.show_words(words, " ".join(title.split()))

    def set_streaming(self, streaming: bool) -> None:
        """Show Stop while something streams that it can stop."""
        if streaming == self._is_streaming:
            return
        self._is_streaming = streaming
        self._stop.setVisible(streaming)
        self._generate.show_key(self._key_words())
        self._settle()

    def set_generate(self, *, enabled: bool, hint: str = "") -> None:
        """Enable Generate; the hint says calls and tokens, or why it cannot be pressed."""
        self._generate.setEnabled(enabled)
        self._generate.setToolTip(plain_tip(hint))

    def set_placeholder(self, agent_name: str, *, is_prose: bool = False) -> None:
        """Say to whom one writes, or who writes on."""
        words = self.tr("Write on; {0} continues…") if is_prose else self.tr("Say something to {0}…")
        self._field.setPlaceholderText(words.format(agent_name))

    def set_read_only(self, read_only: bool) -> None:
        """Where nothing can be kept, nothing can be written that would be lost."""
        self._field.setReadOnly(read_only)
        self._attach.setEnabled(not read_only)
        if read_only:
            self._field.setPlaceholderText(self.tr("This grove is open for reading only."))

    def set_enter_sends(self, enter_sends: bool) -> None:
        """Enter sends and Ctrl+Enter is a new line, or the other way round."""
        self._field.enter_sends = enter_sends
        self._generate.show_key(self._key_words())

    def show_keys(self, generate: tuple[QKeySequence, ...], stop: tuple[QKeySequence, ...]) -> None:
        """Take the keys that these actions have now, and say them."""
        self._field.generate_keys = generate
        self._stop.show_key(first_shown(stop))
        self._generate.show_key(self._key_words())

    def set_sources(self, sources: tuple[PendingSource, ...]) -> None:
        """Show what goes along with the next generation."""
        if sources == self._sources:
            return
        self._sources = sources
        for chip in self._chips:
            chip.hide()
            chip.deleteLater()
        self._chips = [self._chip(source) for source in sources]
        for chip in self._chips:
            self._chip_row.addWidget(chip)
            chip.show()
        self._settle()

    def set_pictures(self, picture_of: Callable[[str], QImage | None]) -> None:
        """Where small images are, by reference."""
        self._picture_of = picture_of

    def show_picture(self, ref: str) -> None:
        """A small image has come."""
        for chip in self._chips:
            if chip.property("imageRef") == ref:
                chip.show_picture(self._picture_of(ref))

    # Inside.

    def _settle(self) -> None:
        """Lay the parts out now, not when the event loop comes to it."""
        layout = self.layout()
        if layout is not None:
            layout.activate()

    def _chip(self, source: PendingSource) -> Chip:
        words = {
            "context": self.tr("Context: {0}"),
            "instruction": self.tr("Instruction: {0}"),
            "message": self.tr("With the message: {0}"),
        }[source.role]
        icon = {"context": "layers", "instruction": "sticky-note", "message": "paperclip"}[source.role]
        text = source.title if source.role == "message" else words.format(source.title)
        chip = Chip(icon, text, self, removable=True, warning=source.warning)
        chip.setAccessibleName(words.format(source.title))
        chip.setProperty("sourceKey", source.key)
        if source.image_ref:
            chip.setProperty("imageRef", source.image_ref)
            chip.show_picture(self._picture_of(source.image_ref), expected=True)
        chip.clicked.connect(self.on_chip_clicked)
        chip.removed.connect(self.on_chip_removed)
        return chip

    def on_chip_removed(self) -> None:
        """A source was taken away."""
        chip = self.sender()
        if chip is not None:
            self.source_removed.emit(str(chip.property("sourceKey")))

    def on_chip_clicked(self) -> None:
        """What is it to be?"""
        chip = self.sender()
        if isinstance(chip, Chip):
            at = chip.mapToGlobal(QPoint(0, chip.height()))
            self.source_clicked.emit(str(chip.property("sourceKey")), at)

    def _note_change(self) -> None:
        cursor = self._field.textCursor().position()
        self.edits.typed(Writing(self.text, cursor), time.monotonic())
        self.text_changed.emit(self.text)
        self._grow()

    def on_text_changed(self) -> None:
        """Somebody typed."""
        if not self._quiet:
            self._note_change()

    def _restore(self, writing: Writing | None) -> bool:
        if writing is None:
            return False
        self._put(writing)
        self.text_changed.emit(self.text)
        return True

    def _put(self, writing: Writing) -> None:
        self._quiet = True
        self._field.setPlainText(writing.text)
        self._quiet = False
        cursor = self._field.textCursor()
        cursor.setPosition(min(writing.cursor, self._field.document().characterCount() - 1))
        self._field.setTextCursor(cursor)
        self._grow()

    def _grow(self) -> None:
        """As many lines as are written, within limits; beyond them the field scrolls."""
        line = theme.line_height("dialogue")
        lines = FEWEST_LINES
        block = self._field.document().firstBlock()
        written = 0
        while block.isValid() and written < MOST_LINES:
            written += max(1, block.layout().lineCount())
            block = block.next()
        lines = max(FEWEST_LINES, min(MOST_LINES, written))
        policy = Qt.ScrollBarPolicy.ScrollBarAsNeeded
        self._field.setVerticalScrollBarPolicy(
            policy if written >= MOST_LINES else Qt.ScrollBarPolicy.ScrollBarAlwaysOff
        )
        if self._field.height() != lines * line:
            self._field.setFixedHeight(lines * line)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Another width, other lines."""
        self._grow()

    def _key_words(self) -> str:
        if self._stop.isVisibleTo(self):
            return ""
        return self.tr("Enter") if self._field.enter_sends else first_shown(self._field.generate_keys)

    def _count_box(self) -> QSpinBox:
        box = QSpinBox(self)
        box.setObjectName("continuationCount")
        box.setAccessibleName(self.tr("Continuations"))
        box.setToolTip(self.tr("How many answers to ask for"))
        box.setRange(1, MOST_CONTINUATIONS)
        box.setSuffix(" ×")
        box.setValue(3)
        box.lineEdit().setTextMargins(8, 0, 0, 0)
        box.setFont(theme.numbers("ui_strong"))
        box.setFixedSize(QSize(72, theme.px("control.height_primary")))
        return box

    def _attach_button(self) -> QToolButton:
        button = QToolButton(self)
        button.setObjectName("attachButton")
        button.setIcon(theme.icon("paperclip", "text.secondary"))
        button.setAccessibleName(self.tr("Attach files"))
        button.setToolTip(plain_tip(self.tr("Attach images or texts; pasting and dropping them does it too")))
        button.setAutoRaise(True)
        side = theme.px("control.height_primary")
        button.setFixedSize(side, side)
        return button

    def _lay_out(self) -> None:
        self._chip_row = Flow(gap_px=theme.px("space.xs"))
        self._controls = controls = QHBoxLayout()
        controls.setSpacing(theme.px("space.s"))
        controls.addWidget(self._attach)
        controls.addStretch(1)
        for widget in (self._count, self._stop, self._generate):
            controls.addWidget(widget)
        column = QVBoxLayout(self)
        column.setSpacing(theme.px("space.xs"))
        column.addWidget(self._continuing)
        column.addLayout(self._chip_row)
        column.addWidget(self._field)
        column.addSpacing(theme.px("space.xs"))
        column.addLayout(controls)
        QWidget.setTabOrder(self._field, self._attach)
        QWidget.setTabOrder(self._attach, self._count)
        QWidget.setTabOrder(self._count, self._stop)
        QWidget.setTabOrder(self._stop, self._generate)
        self.setFocusProxy(self._field)

    def _margins(self) -> None:
        frame, edge = (0, 0) if self._is_prose else (FRAME_PX, theme.px("space.s"))
        column = self.layout()
        if column is not None:
            column.setContentsMargins(frame, frame, edge, edge)

    def _connect(self) -> None:
        self._field.textChanged.connect(self.on_text_changed)
        self._field.generate_pressed.connect(self.on_generate)
        self._field.offered.connect(self.offered)
        self._attach.clicked.connect(self.attach_asked)
        self._generate.clicked.connect(self.on_generate)
        self._stop.clicked.connect(self.stop_asked)
        self._count.valueChanged.connect(self.count_changed)
        self._field.installEventFilter(self)

    def on_generate(self) -> None:
        """Generate was pressed."""
        if self._generate.isEnabled():
            self.generate_asked.emit()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Draw the frame anew when the field gets or loses the keyboard."""
        if event.type() in (QEvent.Type.FocusIn, QEvent.Type.FocusOut):
            self.update()
        return False

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """A click anywhere in the frame is a click into the field."""
        if not self._is_prose:
            self._field.setFocus(Qt.FocusReason.MouseFocusReason)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the frame of the field, if there is one."""
        if self._is_prose:
            return
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        focused = self._field.hasFocus()
        width = theme.metric("control.focus_width") if focused else 1.0
        painter.setPen(QPen(theme.colour("accent.focus" if focused else "border.strong"), width))
        painter.setBrush(theme.colour("surface.raised"))
        rect = QRectF(self.rect()).adjusted(width / 2, width / 2, -width / 2, -width / 2)
        radius = theme.metric("radius.card")
        painter.drawRoundedRect(rect, radius, radius)
        painter.end()


def _no_picture(_ref: str) -> QImage | None:
    return None


def utf16_length(text: str) -> int:
    """The length of a text as Qt counts it."""
    return len(text.encode("utf-16-le", "surrogatepass")) // 2
