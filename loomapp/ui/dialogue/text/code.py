"""Code in a body: its grounds, its colours read in slices while idle, buttons to copy, bars to scroll it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QPointF, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QPainter, QTextCharFormat, QTextLayout
from PySide6.QtWidgets import QScrollBar, QToolButton, QWidget

from loomapp.session.background.background_work import IdleWork
from loomapp.ui.dialogue.text.safe_document import CODE_HEAD_PX, CODE_PX, Mark, SafeDocument, Stretch
from loomapp.ui.look import theme
from loomapp.ui.strings import tr, utf16_length
from loomapp.ui.widgets.clipboard import copy as copy_words

if TYPE_CHECKING:
    from pygments.lexer import Lexer


MOST_READ = 20_000  # characters of a block that are coloured; the rest stays plain

# A token's colour by the longest of these names that its own begins with; what has none stays ink.
ROLES = {
    "Comment": "code.comment",
    "Comment.Preproc": "code.keyword",
    "Keyword": "code.keyword",
    "Keyword.Type": "code.type",
    "Operator.Word": "code.keyword",
    "Literal.String": "code.string",
    "Literal.Number": "code.number",
    "Literal.Date": "code.number",
    "Name.Builtin": "code.type",
    "Name.Class": "code.type",
    "Name.Constant": "code.number",
    "Name.Decorator": "code.function",
    "Name.Exception": "code.type",
    "Name.Function": "code.function",
    "Name.Tag": "code.keyword",
    "Name.Attribute": "code.function",
    "Generic.Deleted": "code.deleted",
    "Generic.Inserted": "code.inserted",
    "Generic.Heading": "code.function",
    "Generic.Subheading": "code.function",
}


def lexer_for(language: str) -> Lexer | None:
    """The reader of a language by its name in the text; None if it is not known. Nothing is guessed."""
    # Imported here: a window without code on the screen starts without it.
    from pygments.lexers import get_lexer_by_name
    from pygments.util import ClassNotFound

    if not language:
        return None
    try:
        return get_lexer_by_name(language.lower(), stripnl=False, ensurenl=False)
    except ClassNotFound:
        return None


def role_of(token: str) -> str | None:
    """Return the role of a token by its name, as in `Literal.String.Double`."""
    while token:
        if token in ROLES:
            return ROLES[token]
        token = token.rpartition(".")[0]
    return None


def stretches(text: str, language: str) -> Iterator[Stretch | None]:
    """The coloured stretches of a code, in order; None for what has no colour, so that one can stop there."""
    lexer = lexer_for(language)
    if lexer is None:
        return
    for begin, token, words in lexer.get_tokens_unprocessed(text[:MOST_READ]):
        role = role_of(".".join(token))
        yield Stretch(begin, begin + len(words), role) if role and words.strip() else None


class CodeColours(QObject):
    """Colours the code of one document after the other, a few milliseconds at a time."""

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._work = IdleWork(self)
        self._document: SafeDocument | None = None

    def begin(self, document: SafeDocument, marks: Sequence[Mark], *, growing: bool) -> None:
        """Colour what is not coloured yet. A block that grows is read again when it has another line."""
        waiting = []
        for place, mark in enumerate(marks):
            if mark.language and place not in document.coloured:
                text, found = document.read.get(place, ("", ()))
                now = document.code_text(mark)
                if found and now.startswith(text):
                    paint_code(document, mark, found)
                if now != text and not (growing and found and now.count("\n") == text.count("\n")):
                    waiting.append(place)
        if waiting:
            self._document = document
            self._work.begin(self._colour(document, marks, waiting))
        elif document is not self._document:
            self._work.stop()

    @staticmethod
    def _colour(document: SafeDocument, marks: Sequence[Mark], places: Sequence[int]) -> Iterator[None]:
        for place in places:
            text = document.code_text(marks[place])
            found: list[Stretch] = []
            for stretch in stretches(text, marks[place].language):
                if stretch is not None:
                    found.append(stretch)
                yield
            # The document may have been filled anew meanwhile; then this is asked for again.
            if marks[place] in document.marks and document.code_text(marks[place]) == text:
                document.read[place] = (text, tuple(found))
                document.coloured.add(place)
                paint_code(document, marks[place], found)
            yield


def paint_code(document: SafeDocument, mark: Mark, found: Sequence[Stretch]) -> None:
    """Give the lines of a block their colours; the text and its layout stay as they are."""
    first = line = document.findBlockByNumber(mark.first)
    begin = 0
    rest = list(reversed(found))
    for _ in range(mark.first, mark.last + 1):
        text = line.text()
        end = begin + len(text)
        ranges = []
        while rest and rest[-1].begin < end:
            stretch = rest[-1]
            ranges.append(
                _range(text, max(stretch.begin, begin) - begin, min(stretch.end, end) - begin, stretch.role)
            )
            if stretch.end > end:
                break
            rest.pop()
        if ranges:
            line.layout().setFormats(ranges)
        begin, line = end + 1, line.next()
    last = document.findBlockByNumber(mark.last)
    document.markContentsDirty(first.position(), last.position() + last.length() - first.position() - 1)


def _range(text: str, begin: int, end: int, role: str) -> QTextLayout.FormatRange:
    found = QTextLayout.FormatRange()
    found.start = utf16_length(text[:begin])
    found.length = utf16_length(text[begin:end])
    style = QTextCharFormat()
    style.setForeground(theme.colour(role))
    found.format = style
    return found


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
            theme.draw_in(painter, "border.normal", "surface.raised")
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
