"""The code in a body: its grounds, its colours, a button to copy each block, and bars to scroll wide ones."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QPainter, QPen
from PySide6.QtWidgets import QScrollBar, QToolButton, QWidget

from loomapp.ui.dialogue.text.code_colours import CodeColours
from loomapp.ui.dialogue.text.safe_document import CODE_HEAD_PX, CODE_PX, Mark, SafeDocument
from loomapp.ui.look import theme
from loomapp.ui.strings import tr
from loomapp.ui.widgets.clipboard import copy as copy_words

BELOW_PX = 10  # of the ground, below the last line
BAR_PX = 10
STEP_PX = 40
ROUNDED_PX = 2  # by which a wrapped line may seem too wide
MOST_BUTTONS = 40  # blocks with a button and a bar; a text with more is no text to read


class CodeBlocks:
    """Places and paints what belongs to the code of one body. `place` counts the blocks from 0."""

    def __init__(self, body: QWidget) -> None:
        self._body = body
        self._document = SafeDocument()
        self._marks: tuple[Mark, ...] = ()
        self._rects: list[QRect] = []
        self._bars: dict[int, QScrollBar] = {}
        self._buttons: dict[int, QToolButton] = {}
        self._shows_buttons = False
        self._colouring = CodeColours(body)

    def show_document(self, document: SafeDocument, width_px: int, *, growing: bool) -> None:
        """Find the code of a document that is laid out at a width."""
        same = document is self._document
        self._document = document
        marks = (mark for mark in document.marks if mark.kind == "code" and document.is_laid(mark))
        self._marks = tuple(marks)[:MOST_BUTTONS]
        self._rects = [self._ground(mark, width_px) for mark in self._marks]
        for place in range(len(self._marks)):
            self._place_bar(place, keep=same)
        for place in [p for p in self._bars if p >= len(self._marks)]:
            self._drop_bar(place)
        self._place_buttons()
        self._colouring.begin(document, self._marks, growing=growing)

    @property
    def rects(self) -> tuple[QRect, ...]:
        """Return the grounds of the blocks, from the top down."""
        return tuple(self._rects)

    @property
    def bottom_px(self) -> int:
        """Return the bottom of the lowest ground, in px."""
        return max((rect.bottom() + 2 for rect in self._rects), default=0)

    def _ground(self, mark: Mark, width_px: int) -> QRect:
        top, bottom = self._document.span_of(mark)
        y = round(top) - CODE_HEAD_PX
        return QRect(0, y, width_px, round(bottom) - y + BELOW_PX)

    # Wide code is scrolled, not wrapped.

    def _inside(self, place: int) -> QRect:
        """Return the rectangle in which code can be seen."""
        return self._rects[place].adjusted(CODE_PX - 2, CODE_HEAD_PX - 4, -CODE_PX + 2, 0)

    def _place_bar(self, place: int, *, keep: bool) -> None:
        over = round(self._document.code_width(self._marks[place])) - (
            self._rects[place].width() - 2 * CODE_PX
        )
        if over <= ROUNDED_PX:
            self._drop_bar(place)
            return
        bar = self._bars.get(place)
        if bar is None:
            bar = self._bars[place] = QScrollBar(Qt.Orientation.Horizontal, self._body)
            bar.setObjectName("codeScrollBar")
            bar.setAccessibleName(tr("Scroll the code sideways"))
            bar.setFocusPolicy(Qt.FocusPolicy.TabFocus)
            bar.setSingleStep(STEP_PX)
            bar.valueChanged.connect(self._body.update)
        rect = self._rects[place]
        bar.setPageStep(rect.width() - 2 * CODE_PX)
        bar.setRange(0, over)
        if not keep:
            bar.setValue(0)
        bar.setGeometry(4, rect.bottom() - BAR_PX, rect.width() - 8, BAR_PX)
        bar.show()

    def _drop_bar(self, place: int) -> None:
        bar = self._bars.pop(place, None)
        if bar is not None:
            bar.hide()
            bar.deleteLater()

    def _shift_at(self, y: float) -> int:
        for place, bar in self._bars.items():
            if self._rects[place].top() <= y <= self._rects[place].bottom():
                return bar.value()
        return 0

    def unscrolled(self, point: QPointF) -> QPointF:
        """Return the point of the document that is seen at a point of the body."""
        return QPointF(point.x() + self._shift_at(point.y()), point.y())

    def scrolled(self, rect: QRectF) -> QRectF:
        """Return the rectangle in which a place of the document is seen in the body."""
        return rect.translated(-self._shift_at(rect.center().y()), 0)

    def scroll_at(self, point: QPointF, by: int) -> bool:
        """Scroll the code under a point; False if there is none that is too wide."""
        for place, bar in self._bars.items():
            if self._rects[place].contains(point.toPoint()):
                bar.setValue(bar.value() + by)
                return True
        return False

    def moved_rects(self) -> list[QRect]:
        """Return the rectangles in which code is painted apart from the rest, since it may be scrolled."""
        return [self._inside(place) for place in self._bars]

    def moved_shifts(self) -> list[int]:
        """Return the distances by which it is scrolled there, in the same order."""
        return [bar.value() for bar in self._bars.values()]

    # Grounds, names and buttons.

    def paint_grounds(self, painter: QPainter) -> None:
        painter.setFont(theme.font("caption"))
        for mark, rect in zip(self._marks, self._rects, strict=True):
            painter.setPen(QPen(theme.colour("border.normal"), 1))
            painter.setBrush(theme.colour("surface.raised"))
            painter.drawRoundedRect(QRectF(rect).adjusted(0.5, 0.5, -0.5, -0.5), 6, 6)
            painter.setPen(theme.colour("text.muted"))
            head = QRectF(CODE_PX, rect.top(), rect.width() / 2, CODE_HEAD_PX)
            painter.drawText(head, Qt.AlignmentFlag.AlignVCenter, mark.language or tr("code"))

    def show_buttons(self, shown: bool) -> None:
        """Offer to copy each block, while the pointer or the keyboard is at the message."""
        self._shows_buttons = shown
        self._place_buttons()

    def _place_buttons(self) -> None:
        wanted = range(len(self._marks) if self._shows_buttons else 0)
        for place in [p for p in self._buttons if p not in wanted]:
            button = self._buttons.pop(place)
            button.hide()
            button.deleteLater()
        for place in wanted:
            button = self._buttons.get(place) or self._new_button(place)
            rect = self._rects[place]
            button.move(rect.right() - button.width() - 3, rect.top() + 2)
            button.show()

    def _new_button(self, place: int) -> QToolButton:
        button = self._buttons[place] = QToolButton(self._body)
        button.setObjectName("copyCodeButton")
        button.setIcon(theme.icon("copy"))
        button.setIconSize(QSize(14, 14))
        button.setFixedSize(24, 24)
        button.setCursor(Qt.CursorShape.ArrowCursor)
        button.setToolTip(tr("Copy code"))
        button.setAccessibleName(tr("Copy code"))
        button.clicked.connect(lambda: self.copy(place))
        return button

    def copy(self, place: int) -> None:
        copy_words(self._document.code_to_copy(self._marks[place]))
        button = self._buttons.get(place)
        if button is not None:
            button.setIcon(theme.icon("check", "state.success"))
            button.setToolTip(tr("Copied"))
            button.setAccessibleName(tr("Copied"))

    def tab_stops(self) -> list[QWidget]:
        """Return the widgets at which the keyboard stops, from the top down."""
        stops: list[QWidget] = []
        for place in range(len(self._marks)):
            stops += [w for w in (self._buttons.get(place), self._bars.get(place)) if w is not None]
        return stops
