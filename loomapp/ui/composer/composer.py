"""The composer: what is said next, how many answers are wanted, Generate and Stop."""

from __future__ import annotations

import time
from collections.abc import Callable

from PySide6.QtCore import QEvent, QObject, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QImage,
    QKeySequence,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QResizeEvent,
    QShowEvent,
)
from PySide6.QtWidgets import QHBoxLayout, QSizePolicy, QSpinBox, QToolButton, QVBoxLayout, QWidget

from loomapp.ui.composer.composer_parts import (
    ComposerField,
    CountBox,
    PendingSource,
    SourceChips,
    TypingHistory,
    Writing,
)
from loomapp.ui.keys import first_shown
from loomapp.ui.look import theme
from loomapp.ui.strings import utf16_length
from loomapp.ui.widgets.buttons import KeyButton
from loomapp.ui.widgets.labels import ElidedLabel, plain_tip

FEWEST_LINES = 2
MOST_LINES = 8
MOST_CONTINUATIONS = 8
FRAME_PX = 12
ROW_PX = 392  # of its width, for all controls in one row


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
        self._extra: QWidget | None = None
        self._is_key_elsewhere = False
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
        self._generate.rest_after_clicks()
        self._lay_out()
        self._margins()
        self._connect()
        self.set_continuing(None)
        self.set_streaming(False)
        self._grow()

    # What it holds.

    @property
    def text(self) -> str:
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
        return self._count.value()

    def set_count(self, count: int) -> None:
        """Choose how many, from 1 to 8."""
        self._count.setValue(count)

    @property
    def field(self) -> ComposerField:
        return self._field

    def set_prose(self, is_prose: bool) -> None:
        """Show only the controls for a buffer: it is written in its own text."""
        self._is_prose = is_prose
        self._field.setVisible(not is_prose)
        self.setFocusProxy(self._count if is_prose else self._field)
        self._margins()
        self._grow()
        self.update()

    def add_control(self, control: QWidget) -> None:
        self._extra = control
        self._controls.insertWidget(1, control, 20)  # all the room there is
        self._place_extra()

    def _place_extra(self) -> None:
        """Let an added control stand in a row of its own where the others leave it no room."""
        extra, column = self._extra, self.layout()
        if extra is None or not isinstance(column, QVBoxLayout):
            return
        is_narrow = self.width() < ROW_PX
        if is_narrow != (self._controls.indexOf(extra) < 0):
            if is_narrow:
                self._controls.removeWidget(extra)
                column.insertWidget(column.count() - 1, extra)
            else:
                column.removeWidget(extra)
                self._controls.insertWidget(1, extra, 20)

    def set_continuing(self, title: str | None) -> None:
        """Name the node that Generate continues if it is not the end of the shown path."""
        self._continuing.setVisible(title is not None)
        if title is not None:
            words = self.tr("Generate continues from “{0}”, not from the end")
            self._continuing.show_words(words, " ".join(title.split()))

    def set_streaming(self, streaming: bool) -> None:
        """Show Stop while something streams that it can stop; else its place is empty."""
        self._stop.setVisible(streaming)

    def set_generate(self, *, enabled: bool, hint: str = "", answers: int = 0) -> None:
        """Enable Generate; the hint says calls and tokens, or why it cannot be pressed. More answers than the
        number beside it, for several agents are asked, stand on the button.
        """
        words = self.tr("Generate")
        if answers > self.count:
            words = self.tr("Generate {0}").format(answers)
        self._generate.setText(words)
        self._generate.setAccessibleName(words)
        self._generate.setEnabled(enabled)
        self._generate.setToolTip(plain_tip(hint))

    def set_placeholder(self, agent_name: str, *, is_prose: bool = False) -> None:
        words = self.tr("Write on; {0} continues…") if is_prose else self.tr("Say something to {0}…")
        self._field.setPlaceholderText(words.format(agent_name))
        self._field.viewport().update()  # WORKAROUND: Qt paints it anew only where words come or go

    def set_read_only(self, read_only: bool) -> None:
        """Let nothing be written where nothing can be kept: it would be lost."""
        self._field.setReadOnly(read_only)
        self._attach.setEnabled(not read_only)
        if read_only:
            self._field.setPlaceholderText(self.tr("This grove is open for reading only."))

    def set_enter_sends(self, enter_sends: bool) -> None:
        """Let Enter send and Ctrl+Enter begin a line, or the other way round."""
        self._field.enter_sends = enter_sends
        self._generate.show_key(self._key_words())

    def on_keyboard_elsewhere(self, is_elsewhere: bool) -> None:
        """Show no key on Generate while it would do something else: it saves the note that is written."""
        self._is_key_elsewhere = is_elsewhere
        self._generate.show_key(self._key_words())

    def show_keys(self, generate: tuple[QKeySequence, ...], stop: tuple[QKeySequence, ...]) -> None:
        self._field.generate_keys = generate
        self._stop.show_key(first_shown(stop))
        self._generate.show_key(self._key_words())

    def set_sources(self, sources: tuple[PendingSource, ...]) -> None:
        if self._chips.show_sources(sources):
            self._settle()

    def set_pictures(self, picture_of: Callable[[str], QImage | None]) -> None:
        self._chips.set_pictures(picture_of)

    def show_picture(self, ref: str) -> None:
        self._chips.show_picture(ref)

    # Inside.

    def _settle(self) -> None:
        """Lay the parts out now, not when the event loop comes to it."""
        layout = self.layout()
        if layout is not None:
            layout.activate()

    def _note_change(self) -> None:
        cursor = self._field.textCursor().position()
        self.edits.typed(Writing(self.text, cursor), time.monotonic())
        self.text_changed.emit(self.text)
        self._grow()

    def on_text_changed(self) -> None:
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

    def fit_text(self) -> None:
        """Write in the size that the theme has for messages now."""
        self._field.setFont(theme.font("dialogue"))
        self._grow()

    def _grow(self) -> None:
        """Be as high as the lines that are written, within limits; beyond them the field scrolls."""
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
        self._place_extra()
        self._grow()

    def showEvent(self, event: QShowEvent) -> None:
        self._grow()  # the field has its width only by now

    def _key_words(self) -> str:
        if self._is_key_elsewhere:
            return ""
        return self.tr("Enter") if self._field.enter_sends else first_shown(self._field.generate_keys)

    def _count_box(self) -> QSpinBox:
        box = CountBox(self)
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
        self._chips = SourceChips(self)
        self._controls = controls = QHBoxLayout()
        controls.setSpacing(theme.px("space.s"))
        controls.addWidget(self._attach)
        controls.addStretch(1)
        narrow = QSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)  # without its key
        self._generate.setSizePolicy(narrow)
        narrow.setRetainSizeWhenHidden(True)  # or the row moves, and a second click stops what it asked for
        self._stop.setSizePolicy(narrow)
        for widget in (self._stop, self._count, self._generate):
            controls.addWidget(widget)
        column = QVBoxLayout(self)
        column.setSpacing(theme.px("space.xs"))
        column.addWidget(self._continuing)
        column.addLayout(self._chips)
        column.addWidget(self._field)
        column.addSpacing(theme.px("space.xs"))
        column.addLayout(controls)
        QWidget.setTabOrder(self._field, self._attach)
        QWidget.setTabOrder(self._attach, self._stop)
        QWidget.setTabOrder(self._stop, self._count)
        QWidget.setTabOrder(self._count, self._generate)
        self.setFocusProxy(self._field)

    def _margins(self) -> None:
        frame, edge = (0, 0) if self._is_prose else (FRAME_PX, theme.px("space.s"))
        column = self.layout()
        if column is not None:
            column.setContentsMargins(frame, frame, edge, edge)

    def _connect(self) -> None:
        self._field.textChanged.connect(self.on_text_changed)
        self._field.generate_pressed.connect(self.on_generate_pressed)
        self._field.offered.connect(self.offered)
        self._chips.removed.connect(self.source_removed)
        self._chips.clicked.connect(self.source_clicked)
        self._attach.clicked.connect(self.attach_asked)
        self._generate.clicked.connect(self.generate_asked)
        self._stop.clicked.connect(self.stop_asked)
        self._count.valueChanged.connect(self.count_changed)
        self._field.installEventFilter(self)

    def on_generate_pressed(self) -> None:
        """Ask, also while Generate is off: it is said why then, and the next press counts."""
        if not self._generate.isEnabled():
            self._field.rest.end()
        self.generate_asked.emit()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Draw the frame anew when the field gets or loses the keyboard."""
        if event.type() in (QEvent.Type.FocusIn, QEvent.Type.FocusOut):
            self.update()
        return False

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Go to the field: a click anywhere in the frame is one into it."""
        if not self._is_prose:
            self._field.setFocus(Qt.FocusReason.MouseFocusReason)

    def paintEvent(self, event: QPaintEvent) -> None:
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
