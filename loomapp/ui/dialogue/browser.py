"""The body of a message: text to read, select and copy; nothing in it acts by itself."""

from __future__ import annotations

import math

from PySide6.QtCore import QEvent, QMimeData, QRect, QRectF, Qt, QUrl, Signal
from PySide6.QtGui import (
    QContextMenuEvent,
    QFocusEvent,
    QImage,
    QKeyEvent,
    QKeySequence,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QTextCursor,
    QWheelEvent,
)
from PySide6.QtWidgets import QFrame, QTextBrowser, QTextEdit, QWidget

from loomapp.ui import theme
from loomapp.ui.dialogue.document import Mark, SafeDocument, exact_text, safe_link

OWN_KEYS = (
    QKeySequence.StandardKey.Copy,
    QKeySequence.StandardKey.SelectAll,
    QKeySequence.StandardKey.SelectNextChar,
    QKeySequence.StandardKey.SelectPreviousChar,
    QKeySequence.StandardKey.SelectNextWord,
    QKeySequence.StandardKey.SelectPreviousWord,
    QKeySequence.StandardKey.SelectNextLine,
    QKeySequence.StandardKey.SelectPreviousLine,
)
CARET_WIDTH_PX = 2


class Body(QTextBrowser):
    """Shows a SafeDocument at its full height; keys and the wheel that it has no use for go to its parent."""

    link_asked = Signal(str)  # the address; a person decides
    picked = Signal()  # clicked with Ctrl: select the node elsewhere

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("messageBody")
        self._growing = False
        self._shown: SafeDocument | None = None
        self.setOpenLinks(False)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setProperty("bare", True)
        self.viewport().setAutoFillBackground(False)
        self.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextSelectableByMouse
            | Qt.TextInteractionFlag.TextSelectableByKeyboard
            | Qt.TextInteractionFlag.LinksAccessibleByMouse
            | Qt.TextInteractionFlag.LinksAccessibleByKeyboard
        )
        self.setLineWrapMode(QTextEdit.LineWrapMode.FixedPixelWidth)
        self.anchorClicked.connect(self.on_anchor_clicked)

    def show_document(self, document: SafeDocument, width_px: int, *, growing: bool = False) -> int:
        """Show a document at a width; a growing one ends in a caret. The height it needs.

        The keyboard stops here only if there are links.
        """
        self._growing = growing
        if self._shown is not document:
            self.setDocument(document)
            self._shown = document  # only now may the one before go: the widget still used it to let go of it
        # A text widget puts its own font into its document when the application's font changes.
        self.setFont(document.defaultFont())
        # The width is said, not taken from the widget: a hidden one still has its old width, and would set
        # the document back to it whenever its height changes.
        self.setLineWrapColumnOrWidth(width_px)
        if document.textWidth() != width_px:
            document.setTextWidth(width_px)
        tab = Qt.FocusPolicy.StrongFocus if document.has_links else Qt.FocusPolicy.ClickFocus
        self.setFocusPolicy(tab)
        self.viewport().update()
        return math.ceil(document.size().height())

    def loadResource(self, kind: int, name: QUrl | str) -> object:
        """A blank image: the document does not load anything, and neither does its widget."""
        return QImage(1, 1, QImage.Format.Format_ARGB32_Premultiplied)

    def createMimeDataFromSelection(self) -> QMimeData:
        """The selected words as they stand, as plain text only."""
        data = QMimeData()
        data.setText(exact_text(self.textCursor().selection()))
        return data

    def caret_rect(self) -> QRect:
        """Where the caret of a growing text stands, in the viewport."""
        end = QTextCursor(self.document())
        end.movePosition(QTextCursor.MoveOperation.End)
        where = self.cursorRect(end)
        return QRect(where.left() + 1, where.bottom() - 18, CARET_WIDTH_PX, 18)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint what lies behind the text, the text, and the caret while it grows."""
        document = self.document()
        if isinstance(document, SafeDocument) and document.marks:
            painter = QPainter(self.viewport())
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            for mark in document.marks:
                self._paint_mark(painter, document, mark)
            painter.end()
        super().paintEvent(event)
        if self._growing:
            painter = QPainter(self.viewport())
            painter.fillRect(self.caret_rect(), theme.colour("state.streaming"))
            painter.end()

    def _paint_mark(self, painter: QPainter, document: SafeDocument, mark: Mark) -> None:
        layout = document.documentLayout()
        last = document.findBlockByNumber(mark.last)
        top = layout.blockBoundingRect(document.findBlockByNumber(mark.first)).top()
        line = last.layout().lineAt(max(0, last.layout().lineCount() - 1))
        # A line of fixed height stands at the bottom of its room; the block's own rectangle ends too early.
        bottom = layout.blockBoundingRect(last).top() + line.y() + line.height()
        if mark.kind == "quote":
            painter.fillRect(QRectF(0, top + 4, 3, bottom - top - 4), theme.colour("border.strong"))
            return
        ground = QRectF(0.5, round(top) - 7.5, self.viewport().width() - 1, round(bottom - top) + 17)
        painter.setPen(QPen(theme.colour("border.normal"), 1))
        painter.setBrush(theme.colour("surface.raised"))
        painter.drawRoundedRect(ground, 6, 6)

    def event(self, event: QEvent) -> bool:
        """Claim only copying and selecting; undo, Alt+arrows and all else belong to the window."""
        if event.type() == QEvent.Type.ShortcutOverride and isinstance(event, QKeyEvent):
            event.setAccepted(is_own_key(event))
            return True
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Copy, select, and walk links; anything else is the view's."""
        walks_links = self.focusPolicy() == Qt.FocusPolicy.StrongFocus and event.key() in (
            Qt.Key.Key_Return,
            Qt.Key.Key_Enter,
        )
        if is_own_key(event) or walks_links:
            super().keyPressEvent(event)
        else:
            event.ignore()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Ctrl+click picks the node; a plain press begins a selection."""
        if event.button() == Qt.MouseButton.LeftButton and event.modifiers() & (
            Qt.KeyboardModifier.ControlModifier
        ):
            self.picked.emit()
            return
        super().mousePressEvent(event)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        """One selection at a time: it goes when another text is clicked."""
        super().focusOutEvent(event)
        if event.reason() == Qt.FocusReason.MouseFocusReason:
            self.clear_selection()

    def clear_selection(self) -> None:
        """Select nothing."""
        cursor = self.textCursor()
        cursor.clearSelection()
        self.setTextCursor(cursor)

    def wheelEvent(self, event: QWheelEvent) -> None:
        """The whole dialogue scrolls."""
        event.ignore()

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        """The message has the menu."""
        event.ignore()

    def on_anchor_clicked(self, address: QUrl) -> None:
        """Ask about a link."""
        href = safe_link(address.toString())
        if href is not None:
            self.link_asked.emit(href)


def is_own_key(event: QKeyEvent) -> bool:
    """True for the keys by which text is selected and copied."""
    return any(event.matches(key) for key in OWN_KEYS)
