"""Trace of a loom-aware agent under its answer: command lines and what came of them, folded when done."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QEvent, QPoint, QRectF, Qt, Signal
from PySide6.QtGui import QFontMetricsF, QHelpEvent, QKeyEvent, QMouseEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QToolTip, QWidget

from loomapp.core.generation.drafts import RunProgress
from loomapp.core.loom_commands.trace import WAITS, TraceEntry
from loomapp.runs.batch import DENIED, REFUSED
from loomapp.ui import figures
from loomapp.ui.dialogue.script.entries import Entry
from loomapp.ui.look import theme
from loomapp.ui.strings import tr
from loomapp.ui.widgets.chip import ChipButton
from loomapp.ui.widgets.labels import plain_tip

LINE_PX = 20
SIGN_PX = 14
MOST_LINES = 8  # of a run that goes on; the newest
LONGEST = 300  # characters of a line; more never fit


def refusal_words(code: str, result: str) -> str:
    """Return why a command was not carried out, for people."""
    first = result.partition("\n")[0].removeprefix(f"✗ {code}:").strip()
    if code != DENIED:
        return first or code
    if result.partition("\n")[0] == REFUSED:
        return tr("A person refused it")
    missing = first.rpartition(" ")[2]
    may_not = {
        "loom_write": tr("It may not write in the tree"),
        "loom_generate": tr("It may not ask models"),
        "doc_read": tr("It may not read documents"),
        "doc_write": tr("It may not write documents"),
    }
    return may_not.get(missing) or tr("It is not allowed: {0}").format(first)


def is_denied(entry: TraceEntry) -> bool:
    """True of a command that the agent's permissions do not allow; False where a person refused it."""
    return entry.code == DENIED and entry.result.partition("\n")[0] != REFUSED


def command_count(trace: Sequence[TraceEntry]) -> str:
    """Return how many commands a trace has, in words."""
    count = sum(entry.is_command for entry in trace)
    if count == 0:
        return tr("its thoughts")
    return tr("1 command") if count == 1 else tr("{0} commands").format(figures.number(count))


class TraceLines(QWidget):
    """Lines of a trace, painted; a click on one goes to the node that it is about."""

    node_clicked = Signal(str)
    allow_asked = Signal()  # the agent's permissions are to be shown: it was refused one
    hovered = Signal(str)  # the node of the line under the pointer; "" for none

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("runLines")
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self._lines: list[tuple[TraceEntry | None, str, str]] = []  # entry, words, kind
        self._now = 0  # the line that the keyboard stands on

    def show_lines(self, trace: Sequence[TraceEntry], *, now: str = "", most: int | None = None) -> int:
        """Show entries, the newest so many of them, and the line that is being carried out; the height."""
        hidden = 0 if most is None else max(0, len(trace) - most + bool(now))
        lines: list[tuple[TraceEntry | None, str, str]] = []
        if hidden:
            lines.append((None, tr("+{0} earlier").format(figures.number(hidden)), "earlier"))
        for entry in trace[hidden:]:
            words = " ".join(entry.line[:LONGEST].split())
            lines.append((entry, words, "line" if entry.is_command else "said"))
            if entry.code is not None:
                lines.append((entry, refusal_words(entry.code, entry.result), "refusal"))
        if now:
            lines.append((None, " ".join(now[:LONGEST].split()), "now"))
        if lines != self._lines:
            self._lines = lines
            self._now = min(self._now, max(0, len(lines) - 1))
            self.setAccessibleName(tr("Commands"))
            self.setAccessibleDescription("\n".join(_spoken(*line) for line in lines))
            self.update()
        return LINE_PX * len(lines)

    def _node_at(self, place: int) -> str:
        if not 0 <= place < len(self._lines):
            return ""
        entry = self._lines[place][0]
        return "" if entry is None else next(iter(entry.node_ids), "")

    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            place = event.pos().y() // LINE_PX
            entry = self._lines[place][0] if 0 <= place < len(self._lines) else None
            if entry is not None:
                QToolTip.showText(event.globalPos(), plain_tip(f"{entry.line}\n{entry.result}".strip()), self)
            return True
        return super().event(event)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        place = event.position().toPoint().y() // LINE_PX
        node_id = self._node_at(place)
        leads = node_id or self._is_denied(place)
        self.setCursor(Qt.CursorShape.PointingHandCursor if leads else Qt.CursorShape.ArrowCursor)
        self.hovered.emit(node_id)

    def leaveEvent(self, event: QEvent) -> None:
        self.hovered.emit("")

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        self._go(event.position().toPoint())

    def _go(self, at: QPoint) -> None:
        if self.rect().contains(at):
            self._follow(at.y() // LINE_PX)

    def _follow(self, place: int) -> None:
        """Go to the node of a line, or to what would have allowed it."""
        if node_id := self._node_at(place):
            self.node_clicked.emit(node_id)
        elif self._is_denied(place):
            self.allow_asked.emit()

    def _is_denied(self, place: int) -> bool:
        """True of a line that says that the agent has not the permission."""
        if not 0 <= place < len(self._lines):
            return False
        entry, _, kind = self._lines[place]
        return kind == "refusal" and entry is not None and is_denied(entry)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Walk the lines, and go to the node of one."""
        match event.key():
            case Qt.Key.Key_Down if self._now < len(self._lines) - 1:
                self._now += 1
            case Qt.Key.Key_Up if self._now > 0:
                self._now -= 1
            case Qt.Key.Key_Return | Qt.Key.Key_Enter if not event.modifiers():
                self._follow(self._now)
            case _:
                event.ignore()
                return
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = theme.smooth_painter(self)
        for place, (entry, words, kind) in enumerate(self._lines):
            self._paint_line(painter, QRectF(0, place * LINE_PX, self.width(), LINE_PX), entry, words, kind)
        if self.hasFocus() and self._lines:
            theme.draw_in(painter, "accent.focus")
            painter.drawRoundedRect(
                QRectF(0.5, self._now * LINE_PX + 0.5, self.width() - 1, LINE_PX - 1), 4, 4
            )
        painter.end()

    def _paint_line(
        self, painter: QPainter, rect: QRectF, entry: TraceEntry | None, words: str, kind: str
    ) -> None:
        is_command = kind in ("line", "now")
        font = theme.font("mono" if is_command else "small")
        painter.setFont(font)
        role = {"refusal": "state.error", "said": "text.secondary"}.get(kind, "text.muted")
        painter.setPen(theme.colour(role))
        left = 14.0 if kind == "refusal" else 0.0
        metrics = QFontMetricsF(font)
        right = SIGN_PX + 8 if is_command else 0
        if kind == "refusal" and entry is not None and is_denied(entry):
            right = round(metrics.horizontalAdvance(tr("Allow…"))) + 12
        room = rect.adjusted(left, 0, -right, 0)
        shown = metrics.elidedText(words, Qt.TextElideMode.ElideRight, room.width())
        painter.drawText(room, Qt.AlignmentFlag.AlignVCenter, shown)
        if kind == "refusal" and entry is not None and is_denied(entry):
            painter.setPen(theme.colour("text.link"))
            after = room.adjusted(metrics.horizontalAdvance(shown) + 8, 0, 0, 0)
            painter.drawText(after, Qt.AlignmentFlag.AlignVCenter, tr("Allow…"))
        if not is_command:
            return
        sign, sign_role = ("loader-circle", "accent.base")
        if entry is not None:
            sign, sign_role = ("check", "state.success") if entry.code is None else ("x", "state.error")
        if entry is not None and entry.result == WAITS:
            sign, sign_role = ("hand", "state.warning")
        place = QRectF(metrics.horizontalAdvance(shown) + 8, rect.top() + 3, SIGN_PX, SIGN_PX)
        theme.paint(painter, sign, sign_role, place)


def _spoken(entry: TraceEntry | None, words: str, kind: str) -> str:
    if kind == "line" and entry is not None and entry.result == WAITS:
        return f"{words}, {tr('waits for you')}"
    if kind == "refusal" and entry is not None and is_denied(entry):
        return f"{words}, {tr('Allow…')}"
    if kind == "line":
        return f"{words}, {tr('done') if entry is None or entry.code is None else tr('refused')}"
    return words


class RunTrace(QWidget):
    """The trace of one message: a chip that folds it out, or its newest lines while the run goes on."""

    toggled = Signal()
    node_clicked = Signal(str)
    allow_asked = Signal()
    hovered = Signal(str)

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("runTrace")
        self._chip = ChipButton("chevron-right", self)
        self._chip.setObjectName("runTraceChip")
        self._chip.setToolTip(tr("What the agent did before it answered. It is never sent again."))
        self._chip.clicked.connect(self.toggled)
        self._lines = TraceLines(self)
        self._lines.node_clicked.connect(self.node_clicked)
        self._lines.hovered.connect(self.hovered)
        self._lines.allow_asked.connect(self.allow_asked)

    def show_entry(self, entry: Entry, width_px: int, *, is_open: bool) -> int:
        """Show the trace of an entry at a width; the height it takes, nothing where there is none."""
        trace, run = entry.trace, entry.run
        if run is not None:
            return self._show_run(run, width_px)
        if not trace:
            return 0
        self._chip.set_icon("chevron-down" if is_open else "chevron-right")
        self._chip.show_words(command_count(trace))
        self._chip.setGeometry(0, 0, self._chip.sizeHint().width(), self._chip.height())
        self._chip.show()
        self._lines.setVisible(is_open)
        if not is_open:
            return self._chip.height()
        height = self._lines.show_lines(trace)
        self._lines.setGeometry(0, self._chip.height(), width_px, height)
        return self._chip.height() + height

    def _show_run(self, run: RunProgress, width_px: int) -> int:
        self._chip.hide()
        height = self._lines.show_lines(run.lines, now=run.now, most=MOST_LINES)
        self._lines.setGeometry(0, 0, width_px, height)
        self._lines.show()
        return height

    def tab_stops(self) -> list[QWidget]:
        return [self._chip, self._lines]
