"""The body of a message: a document painted at its full height; the documents used last are kept ready."""

from __future__ import annotations

import math
from collections import OrderedDict
from collections.abc import Callable, Hashable, Sequence
from typing import NamedTuple, cast

from PySide6.QtCore import QEvent, QObject, QPoint, QPointF, QRect, QRectF, Qt, QTimer, Signal
from PySide6.QtGui import (
    QAbstractTextDocumentLayout,
    QAccessible,
    QHelpEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QRegion,
    QTextCharFormat,
    QTextCursor,
    QWheelEvent,
)
from PySide6.QtWidgets import QToolTip, QWidget

from loomapp.ui.dialogue.text.code import CodeBlocks
from loomapp.ui.dialogue.text.node_links import node_of_link
from loomapp.ui.dialogue.text.safe_document import SafeDocument, safe_link
from loomapp.ui.look import theme
from loomapp.ui.media.pictures import Thumbnails
from loomapp.ui.widgets.labels import plain_tip
from loomapp.ui.widgets.spoken import speak_as


class Span(NamedTuple):
    """Stretch of a document from one position up to another, in Qt's counting."""

    begin: int
    end: int


KEPT = 64


class Library(QObject):
    """A document for each message, at most `KEPT` of them; more than are ever on the screen at once.

    Documents belong to who refers to them, not to a QObject: one that a hidden widget still shows must not
    be deleted under it (Qt crashes when the widget then gets another).
    """

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self.open_reasoning: set[str] = set()  # of which messages it is read, as long as the window
        self.open_traces: set[str] = set()  # likewise
        self.continued = ""  # the message that Generate continues, where it is not the last one
        self.thumbnails: Thumbnails | None = None  # where pictures come from, once the window says
        self._documents: OrderedDict[str, tuple[Hashable, SafeDocument]] = OrderedDict()

    def document(self, key: str, made: Hashable, fill: Callable[[SafeDocument], None]) -> SafeDocument:
        """The document under a key; filled anew when `made`, which is all that it shows, differs."""
        before, document = self._documents.pop(key, (None, None))
        if document is None:
            document = SafeDocument()
        self._documents[key] = (made, document)
        if before != made:
            fill(document)
        while len(self._documents) > KEPT:
            self._documents.popitem(last=False)
        return document


CARET_WIDTH_PX = 2
CARET_HEIGHT_PX = 18


class Body(QWidget):
    """Shows a SafeDocument. The mouse is the view's, for what is selected may span several messages."""

    laid_on = Signal()  # more of its text is laid out: it needs more height

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("messageBody")
        speak_as(self, QAccessible.Role.Paragraph)
        self._laying = QTimer(self)
        self._laying.timeout.connect(self.on_turn)
        self.setMouseTracking(True)
        self._document = SafeDocument()
        self._growing = False
        self._selected: Span | None = None
        self._found: Sequence[Span] = ()
        self._found_now: int | None = None
        self._code = CodeBlocks(self)

    def on_turn(self) -> None:
        if self._document.is_laid_out:
            self._laying.stop()
        else:
            self._document.lay_on()
            self.laid_on.emit()

    def spoken_words(self) -> str:
        """Return the words that a screen reader reads: all of them, laid out or not."""
        return self._document.toPlainText()

    def document(self) -> SafeDocument:
        return self._document

    @property
    def code(self) -> CodeBlocks:
        return self._code

    def show_document(self, document: SafeDocument, width_px: int, *, growing: bool = False) -> int:
        """Show a document at a width; a growing one ends in a caret. The height of what is laid out: of long
        texts only the beginning; `laid_on` tells of more.
        """
        self._growing = growing
        if self._document is not document:
            self._document = document
            self._selected, self._found = None, ()
        needed = math.ceil(document.lay_out(width_px, whole=growing))
        if not document.is_laid_out:
            self._laying.start()
        self._code.show_document(document, width_px, growing=growing)
        self.update()
        return max(needed, self._code.bottom_px)

    # Where things are.

    def position_at(self, at: QPoint) -> int:
        """Return the position nearest to a point, for selecting."""
        point = self._code.unscrolled(QPointF(at))
        return self._document.documentLayout().hitTest(point, Qt.HitTestAccuracy.FuzzyHit)

    def link_at(self, at: QPoint) -> str | None:
        """Return the link under a point: to a node, or an address that a person may be asked about."""
        point = self._code.unscrolled(QPointF(at))
        href = self._document.documentLayout().anchorAt(point)
        return safe_link(href) if node_of_link(href) is None else href

    def link_under(self, widget: QWidget, at: QPoint) -> str | None:
        """Return the link under a point of a widget around it, if the point is in this text."""
        place = self.mapFrom(widget, at)
        return self.link_at(place) if self.isVisible() and self.rect().contains(place) else None

    def line_rect(self, position: int) -> QRect:
        """Return a rectangle of almost no width at a position, as high as its line."""
        block = self._document.findBlock(position)
        top = self._document.documentLayout().blockBoundingRect(block).topLeft()
        line = block.layout().lineForTextPosition(position - block.position())
        if not line.isValid():
            return QRect(round(top.x()), round(top.y()), 1, CARET_HEIGHT_PX)
        x = cast("tuple[float, int]", line.cursorToX(position - block.position()))[0]
        rect = QRectF(top.x() + x, top.y() + line.y(), 1, line.height())
        return self._code.scrolled(rect).toRect()

    def caret_rect(self) -> QRect:
        """Return the rectangle of the caret of a growing text."""
        where = self.line_rect(max(0, self._document.characterCount() - 1))
        bottom = where.bottom() - 3
        return QRect(where.left() + 1, bottom - CARET_HEIGHT_PX, CARET_WIDTH_PX, CARET_HEIGHT_PX)

    # What is marked in it.

    @property
    def selected(self) -> Span | None:
        return self._selected

    def select(self, span: Span | None) -> None:
        if span is not None and span.begin >= span.end:
            span = None
        if span != self._selected:
            self._selected = span
            self.update()

    def show_found(self, spans: Sequence[Span], now: int | None = None) -> None:
        if (spans, now) != (self._found, self._found_now):
            self._found, self._found_now = spans, now
            self.update()

    @property
    def found(self) -> Sequence[Span]:
        return self._found

    def tab_stops(self) -> list[QWidget]:
        return self._code.tab_stops()

    # Painting.

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint what lies behind the text, the text, code that is scrolled, and the caret."""
        painter = QPainter(self)
        painter.setClipRect(event.rect())
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        self._paint_quotes(painter)
        self._code.paint_grounds(painter)
        moved = self._code.moved_rects()
        whole = still = QRegion(event.rect())
        for rect in moved:
            still = still.subtracted(QRegion(rect))
        painter.setClipRegion(still)
        self._draw(painter, QRectF(event.rect()))
        for rect, shift in zip(moved, self._code.moved_shifts(), strict=True):
            painter.save()
            painter.setClipRect(rect)
            painter.translate(-shift, 0)
            self._draw(painter, QRectF(rect).translated(shift, 0))
            painter.restore()
        painter.setClipRegion(whole)
        if self._growing:
            painter.fillRect(self.caret_rect(), theme.colour("state.streaming"))
        painter.end()

    def _draw(self, painter: QPainter, clip: QRectF) -> None:
        context = QAbstractTextDocumentLayout.PaintContext()
        context.clip = clip
        context.palette = self.palette()
        context.selections = self._marks()
        self._document.documentLayout().draw(painter, context)

    def _marks(self) -> list[QAbstractTextDocumentLayout.Selection]:
        marks = [
            self._mark(span, "accent.fill" if i == self._found_now else "state.warning", i == self._found_now)
            for i, span in enumerate(self._found)
        ]
        if self._selected is not None:
            marks.append(self._mark(self._selected, "accent.fill", whole=True))
        return marks

    def _mark(self, span: Span, role: str, whole: bool) -> QAbstractTextDocumentLayout.Selection:
        mark = QAbstractTextDocumentLayout.Selection()
        last = max(0, self._document.characterCount() - 1)
        cursor = QTextCursor(self._document)
        cursor.setPosition(min(span.begin, last))
        cursor.setPosition(min(span.end, last), QTextCursor.MoveMode.KeepAnchor)
        style = QTextCharFormat()
        if whole:
            style.setBackground(theme.colour(role))
            style.setForeground(theme.colour("text.on_accent"))
        else:
            style.setBackground(theme.translucent(role, 0.3))
        mark.cursor, mark.format = cursor, style
        return mark

    def _paint_quotes(self, painter: QPainter) -> None:
        for mark in self._document.marks:
            if mark.kind == "quote":
                top, bottom = self._document.span_of(mark)
                painter.fillRect(QRectF(0, top + 4, 3, bottom - top - 4), theme.colour("border.strong"))

    # The pointer.

    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            link = self.link_at(event.pos())
            if link is not None and node_of_link(link) is None:
                QToolTip.showText(event.globalPos(), plain_tip(link), self)
                return True
        return super().event(event)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        link = self.link_at(event.position().toPoint())
        self.setCursor(Qt.CursorShape.PointingHandCursor if link else Qt.CursorShape.IBeamCursor)
        event.ignore()

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Scroll code sideways; all else is the view's."""
        sideways = event.angleDelta().x() or (
            event.angleDelta().y() if event.modifiers() & Qt.KeyboardModifier.ShiftModifier else 0
        )
        if sideways and self._code.scroll_at(event.position(), -sideways):
            event.accept()
        else:
            event.ignore()
