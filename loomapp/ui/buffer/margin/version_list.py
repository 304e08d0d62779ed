"""The list of a passage's versions: each with what is different in it; a press puts it into the text."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QEvent, QLineF, QPoint, QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QFocusEvent, QFontMetricsF, QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QFrame, QPushButton, QWidget

from loomapp.core.dataclass import dataclass
from loomapp.core.model.agent import Agent
from loomapp.core.text.diff import DiffRun, compare
from loomapp.ui.look import theme
from loomapp.ui.strings import tr
from loomapp.ui.widgets.chip import SIZE_PX, paint_mark
from loomapp.ui.widgets.keyboard import focused_beside

WIDTH_PX = 296
ROW_PX = 44
HEAD_PX = 32
FOOT_PX = 36
PAD_PX = 12
MOST_SHOWN = 7
LONGEST_WORD = 12  # letters, of what stands between two differences
LONGEST_SAME = 60  # characters, of a text without a difference
LONGEST_GONE = 24  # characters, of what stood in the place of a difference


@dataclass(frozen=True, slots=True)
class VersionRow:
    """One version: its node, who wrote it and when, and its words around what is different."""

    node_id: str
    agent: Agent | None
    name: str
    when: str
    runs: tuple[DiffRun, ...]
    note: str = ""

    @property
    def words(self) -> str:
        return self.note or "".join(run.text for run in self.runs if run.differs).strip()


class VersionList(QFrame):
    """Opens below a passage, never over it. Up and down choose, Enter and Esc close."""

    chosen = Signal(str)  # node id
    compare_asked = Signal()
    closed = Signal()

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("versionList")
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAccessibleName(self.tr("Versions"))
        self.setMouseTracking(True)
        self.key = ""
        self._rows: tuple[VersionRow, ...] = ()
        self._current = 0
        self._first = 0
        self._hovered = -1
        self._keys = ""
        self._compare = QPushButton(self.tr("Compare word by word"), self)
        self._compare.setObjectName("compareVersions")
        theme.put_beside_words(self._compare, "diff")
        self._compare.clicked.connect(self.compare_asked)
        theme.set_look(self._compare, kind="quiet")
        self.hide()

    def show_keys(self, before: str, after: str) -> None:
        """Show the keys that go to the version before and to the next."""
        self._keys = " ".join(filter(None, (before, after)))
        self.update()

    def open(self, key: str, rows: Sequence[VersionRow], current: int) -> None:
        """Show the versions of a passage, newest first."""
        self.key = key
        self.show_rows(rows, current)
        self.show()
        self.raise_()
        self.setFocus(Qt.FocusReason.PopupFocusReason)

    def show_rows(self, rows: Sequence[VersionRow], current: int) -> None:
        """List the versions of the passage and describe the current one to screen readers."""
        self._rows, self._current = tuple(rows), current
        self._bring_into_view()
        self.resize(self.sizeHint())
        self._compare.setGeometry(4, self.height() - FOOT_PX + 2, WIDTH_PX - 8, FOOT_PX - 6)
        row = self._rows[current]
        self.setAccessibleDescription(f"{row.name}, {row.when}: {row.words}")
        self.update()

    @property
    def rows(self) -> tuple[VersionRow, ...]:
        return self._rows

    def sizeHint(self) -> QSize:
        return QSize(WIDTH_PX, HEAD_PX + ROW_PX * min(MOST_SHOWN, len(self._rows)) + FOOT_PX)

    def row_rect(self, index: int) -> QRect:
        return QRect(4, HEAD_PX + (index - self._first) * ROW_PX, WIDTH_PX - 8, ROW_PX)

    def leave(self) -> None:
        if not self.isHidden():
            self.hide()
            self.key = ""
            self.closed.emit()

    def _bring_into_view(self) -> None:
        self._first = min(self._first, self._current)
        self._first = max(self._first, self._current - MOST_SHOWN + 1, 0)

    def _choose(self, index: int) -> None:
        if 0 <= index < len(self._rows) and index != self._current:
            self._current = index
            self._bring_into_view()
            self.update()
            self.chosen.emit(self._rows[index].node_id)

    def event(self, event: QEvent) -> bool:
        """Keep the keys that choose from the window."""
        own = (Qt.Key.Key_Escape, Qt.Key.Key_Up, Qt.Key.Key_Down, Qt.Key.Key_Return, Qt.Key.Key_Enter)
        if event.type() == QEvent.Type.ShortcutOverride and isinstance(event, QKeyEvent):
            plain = event.modifiers() in (Qt.KeyboardModifier.NoModifier, Qt.KeyboardModifier.KeypadModifier)
            if plain and event.key() in own:
                event.accept()
                return True
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Put another version into the text at once, with up and down."""
        match event.key():
            case Qt.Key.Key_Escape | Qt.Key.Key_Return | Qt.Key.Key_Enter:
                self.leave()
            case Qt.Key.Key_Up:
                self._choose(self._current - 1)
            case Qt.Key.Key_Down:
                self._choose(self._current + 1)
            case _:
                event.ignore()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        """Leave when something else is used, but for its own button."""
        super().focusOutEvent(event)
        focused = focused_beside(self)
        if event.reason() != Qt.FocusReason.ActiveWindowFocusReason and focused is not self._compare:
            self.leave()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        self._hovered = self._row_at(event.position().toPoint())
        self.update()

    def leaveEvent(self, event: QEvent) -> None:
        self._hovered = -1
        self.update()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Choose a row; elsewhere in the list a press does nothing."""
        index = self._row_at(event.position().toPoint())
        if index >= 0:
            self._choose(index)
        event.accept()

    def _row_at(self, at: QPoint) -> int:
        shown = range(self._first, min(len(self._rows), self._first + MOST_SHOWN))
        return next((i for i in shown if self.row_rect(i).contains(at)), -1)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(theme.colour("border.strong"), 1))
        painter.setBrush(theme.colour("surface.overlay"))
        painter.drawRoundedRect(QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5), 8, 8)
        head = QRectF(PAD_PX, 0, WIDTH_PX - 2 * PAD_PX, HEAD_PX)
        painter.setFont(theme.font("ui_strong"))
        painter.setPen(theme.colour("text.primary"))
        painter.drawText(head, Qt.AlignmentFlag.AlignVCenter, self.tr("Versions"))
        head.setLeft(head.left() + painter.fontMetrics().horizontalAdvance(self.tr("Versions")) + PAD_PX)
        painter.setFont(theme.font("caption"))
        painter.setPen(theme.colour("text.muted"))
        right = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignRight
        keys = painter.fontMetrics().elidedText(self._keys, Qt.TextElideMode.ElideRight, int(head.width()))
        painter.drawText(head, right, keys)
        for index in range(self._first, min(len(self._rows), self._first + MOST_SHOWN)):
            self._paint_row(painter, index)
        painter.end()

    def _paint_row(self, painter: QPainter, index: int) -> None:
        row, rect = self._rows[index], QRectF(self.row_rect(index))
        if index == self._current or index == self._hovered:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(theme.colour("surface.selected" if index == self._current else "surface.raised"))
            painter.drawRoundedRect(rect, 4, 4)
        left = rect.left() + PAD_PX - 4
        paint_mark(painter, QRectF(left, rect.top() + 5, SIZE_PX, SIZE_PX), row.agent)
        left += SIZE_PX + 8
        name = theme.font("ui_strong")
        painter.setFont(name)
        painter.setPen(theme.colour(theme.agent_role(row.agent)))
        painter.drawText(QRectF(left, rect.top() + 3, 160, 20), Qt.AlignmentFlag.AlignVCenter, row.name)
        when = left + QFontMetricsF(name).horizontalAdvance(row.name) + 6
        painter.setFont(theme.numbers("small"))
        painter.setPen(theme.colour("text.muted"))
        painter.drawText(QRectF(when, rect.top() + 3, 90, 20), Qt.AlignmentFlag.AlignVCenter, row.when)
        room = rect.right() - left - (24 if index == self._current else 4)
        self._paint_words(painter, row, QRectF(left, rect.top() + 22, room, 18))
        if index == self._current:
            theme.paint(painter, "check", "accent.base", QRectF(rect.right() - 22, rect.top() + 14, 16, 16))

    def _paint_words(self, painter: QPainter, row: VersionRow, rect: QRectF) -> None:
        font = theme.font("small")
        by_model = row.agent is not None and row.agent.type == "model"
        ink = theme.agent_role(row.agent) if by_model else "text.primary"
        x = rect.left()
        for text, differs in [(row.note, False)] if row.note else [(r.text, r.differs) for r in row.runs]:
            painter.setFont(font)
            painter.setPen(theme.colour(ink if differs else "text.muted"))
            shown = " ".join(text.split("\n"))
            words = QFontMetricsF(font).elidedText(shown, Qt.TextElideMode.ElideRight, rect.right() - x)
            painter.drawText(
                QRectF(x, rect.top(), rect.right() - x + 2, rect.height()),
                Qt.AlignmentFlag.AlignVCenter,
                words,
            )
            width = QFontMetricsF(font).horizontalAdvance(words)
            if differs and not by_model:
                painter.setPen(QPen(theme.colour(ink), 1, Qt.PenStyle.DotLine))
                painter.drawLine(QLineF(x, rect.bottom() - 0.5, x + width, rect.bottom() - 0.5))
            x += width
            if words != shown or x >= rect.right():
                return


def _first_word(text: str) -> str:
    """Return the first word with the space before it; of a very long one, its beginning."""
    words = text.split(maxsplit=1)
    end = text.index(words[0]) + len(words[0]) if words else 0
    return text[: end if end <= LONGEST_WORD else 4]


def what_changed(text: str, before: str) -> tuple[DiffRun, ...]:
    """Return the words that are new in a version, and those of the one before it that they replace."""
    now, then = compare((text, before))
    came = [run.text.strip() for run in now.runs if run.differs]
    went = [run.text.strip() for run in then.runs if run.differs]
    if len(went) != 1 or len(came) > 1 or len(went[0]) > LONGEST_GONE:
        return around_differences(now.runs)
    if not came:
        return (DiffRun(tr("without {old}").format(old=went[0]), differs=False),)
    new, _, old = tr("{new} for {old}").partition("{new}")
    return tuple(
        run
        for run in (DiffRun(new, False), DiffRun(came[0], True), DiffRun(old.format(old=went[0]), False))
        if run.text
    )


def not_in(text: str, other: str) -> tuple[DiffRun, ...]:
    """The words of a text that another does not have; its beginning, if it has all of them."""
    return around_differences(compare((text, other))[0].runs)


def around_differences(runs: Sequence[DiffRun]) -> tuple[DiffRun, ...]:
    """The words that differ and a little of what stands between them: what a row has room for."""
    found: list[DiffRun] = []
    for index, run in enumerate(runs):
        if run.differs:
            found.append(run)
        elif found and any(later.differs for later in runs[index + 1 :]):
            text = run.text if len(run.text) < 12 else f"{_first_word(run.text)} … "
            found.append(DiffRun(text, differs=False))
        elif not found and any(later.differs for later in runs):
            found.append(DiffRun("… " if len(run.text) > 12 else run.text, differs=False))
    if not found:
        return (DiffRun(" ".join("".join(run.text for run in runs).split())[:LONGEST_SAME], differs=False),)
    return tuple(found)
