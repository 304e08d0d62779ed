"""The context bar: how much of the model's window would be sent now, and what would be left out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from PySide6.QtCore import QPoint, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QEnterEvent, QFontMetrics, QPainter, QPaintEvent, QPen, QResizeEvent
from PySide6.QtWidgets import QAbstractButton, QSizePolicy, QWidget

from loomapp.core.context.report import Report, counted
from loomapp.core.economy.thresholds import ContextState, Level
from loomapp.core.errors import LoomError
from loomapp.ui import figures
from loomapp.ui.look import theme
from loomapp.ui.strings import told, tr
from loomapp.ui.widgets.budget_bar import Budget, BudgetBar
from loomapp.ui.widgets.error_strip import ErrorStrip
from loomapp.ui.widgets.words.context_words import estimator_words, nodes_sent, summed_reasons

STEPS_WIDTH_PX, STEPS_HEIGHT_PX = 18, 16
BAR_PX, STEP_PX = 3, 5  # the width of a bar, and from one to the next
HEIGHTS_PX = (5, 8, 11, 14)
STEPS: Mapping[Level, int] = {"green": 1, "yellow": 2, "orange": 3, "red": 4}
ROLES: Mapping[Level, str] = {
    "green": "level.roomy",
    "yellow": "level.half",
    "orange": "level.soft",
    "red": "level.hard",
}
ALARMING: frozenset[Level] = frozenset({"orange", "red"})  # whose word stands beside the numbers


def word_of(state: ContextState, report: Report | None) -> str:
    """The word that says how full a context is; one of which a part finds no room is not called full."""
    if state.ratio > 1 and (report is None or report.over_limit):
        return tr("too long")
    if state.ratio > 1 and report is not None and report.truncated:
        return tr("cut to fit")
    words = {"green": tr("roomy"), "yellow": tr("half full"), "orange": tr("nearly full"), "red": tr("full")}
    level = state.level
    if level == "red" and report is not None and not (report.truncated or report.over_limit):  # all is sent
        level = "orange" if report.after_tokens <= state.hard_threshold * report.available else level
    return words[level]


def lines_of(state: ContextState, word: str) -> list[str]:
    """The lines of a tool tip about a state: the indicator, what it means, and the totals of the path."""
    how = tr("measured") if state.measured else tr("estimated")
    lines = [told(state.indicator), f"{word[:1].upper()}{word[1:]}, {how}"]
    whole = round(state.size / state.ratio) if state.ratio > 0 else state.max_tokens
    if whole != state.max_tokens:
        words = tr(
            "The percentage is of {count} tokens, fewer than fit: it tells in time that a summary would help"
        )
        lines.append(words.format(count=figures.number(whole)))
    if state.total_input_tokens or state.total_output_tokens:
        words = tr("All calls of this path: {sent} tokens in, {received} out")
        sent = figures.number(state.total_input_tokens)
        lines.append(words.format(sent=sent, received=figures.number(state.total_output_tokens)))
    return lines


class ContextStateMark(QWidget):
    """Shows the level of a context, by shape and colour; its word is said beside it."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("contextState")
        self.setFixedSize(STEPS_WIDTH_PX, STEPS_HEIGHT_PX)
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.level: Level = "green"
        self.hide()

    def show_state(self, state: ContextState | None, word: str) -> None:
        """Show the level of a state and say its word; None: nothing is known of it."""
        self.setVisible(state is not None)
        self.level = "green" if state is None else state.level
        self.setAccessibleName(word)
        self.update()

    @property
    def filled(self) -> int:
        """The number of bars that are filled."""
        return STEPS[self.level]

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        for place, height in enumerate(HEIGHTS_PX):
            role = ROLES[self.level] if place < self.filled else "border.strong"
            painter.setBrush(theme.colour(role))
            top = STEPS_HEIGHT_PX - 1 - height
            painter.drawRoundedRect(QRectF(place * STEP_PX, top, BAR_PX, height), 1, 1)
        painter.end()


HEIGHT_PX, ICON_PX, GAP_PX = 36, 16, 10
MARK_PX = 18  # the widest of what stands at the left
NARROWEST_BAR_PX, WIDEST_BAR_PX = 24, 112


class ContextBar(QAbstractButton):
    """Numbers that are always there; the bar beside them gives way first. A click asks for the inspector."""

    details_asked = Signal()
    warning_asked = Signal()  # what the strip above it says

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("contextBar")
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self._report: Report | None = None
        self._dropped: Counter[str] = Counter()  # of the report, by reason: counted once, said often
        self._error: LoomError | None = None
        self._whose = ""  # of several agents, the one with the least room
        self._images = ""  # what is said of those that go only by name
        self._state: ContextState | None = None
        self._mark = ContextStateMark(self)
        self._bar = BudgetBar(self)
        self._bar.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self._strip = ErrorStrip(self)
        self._strip.setObjectName("contextError")
        self._strip.action_clicked.connect(self.warning_asked)
        self.clicked.connect(self.details_asked)
        self.show_report(None)
        self._is_counted = False  # a window is seen before its first context is counted

    def show_report(
        self,
        report: Report | None,
        error: LoomError | None = None,
        *,
        whose: str = "",
        images: str = "",
        state: ContextState | None = None,
    ) -> None:
        """Show what an assembly says, and of several agents whose; or why there is none and what to do.

        `images` is what there is to say of images that go only by name, and of agents that are left out;
        `state` how full the context is.
        """
        self._state, self._error, self._is_counted = state, error, True
        self._word = "" if state is None else word_of(state, report)
        self._mark.show_state(state, self._word)
        self._report, self._whose, self._images = report, whose, images
        self._dropped = summed_reasons(report) if report else Counter()
        if error is not None:
            self._strip.say(told(error.message), self.tr("Show"), tone="warning")
        elif report is not None and report.over_limit:
            sentence = self.tr("The newest message alone is {0} tokens too long.")
            over = figures.number(report.after_tokens - report.available)
            self._strip.say(sentence.format(over), self.tr("Show"), tone="warning")
        else:
            self._say_images()
        self._bar.show_budget(budget_of(report), over=report is not None and report.over_limit)
        self._bar.setVisible(report is not None)
        self.setAccessibleName(self.spoken())
        exact = self.exact()
        self.setToolTip(exact)
        if exact != self.accessibleDescription():  # a reader is told of this one, not of another tip
            self.setAccessibleDescription(exact)
        self._arrange()
        self.updateGeometry()
        self.update()

    def _say_images(self) -> None:
        if self._images:
            self._strip.say(self._images, self.tr("Show"), tone="warning")
        else:
            self._strip.clear()

    # Its words.

    @property
    def numbers(self) -> str:
        """`1,658 / 3,072 tokens`; of an empty tree, which no model is asked for yet, only `0 tokens`. Words
        where there are no numbers: nothing is left of the window, or nothing was counted.
        """
        used: object
        available: object
        if self._report is not None:
            used, available = self._report.after_tokens, self._report.available
        elif self._error is not None:
            details = self._error.details
            used, available = details.get("needed"), details.get("available")
        else:
            return self.tr("0 tokens") if self._is_counted else ""
        if isinstance(used, int) and isinstance(available, int):
            return self.tr("{0} / {1} tokens").format(figures.number(used), figures.number(available))
        if isinstance(available, int) and available <= 0:
            return self.tr("no room for messages")
        return self.tr("nothing to send")

    @property
    def kept(self) -> str:
        """Return `kept 7 of 9`, and how many a summary stands for; of several agents after the name of the
        one it is about.
        """
        kept = self._kept_words()
        return f"{self._whose} · {kept}" if self._whose and kept else kept

    def _kept_words(self) -> str:
        report = self._report
        if report is None:
            return ""
        kept, whole = counted(report)
        reasons, threads = self._dropped, report.economy.threads
        if not whole and not reasons["branch_summarised"] + reasons["summarised"]:
            if report.after_tokens > report.system_tokens:
                return self.tr("only your new text")  # they are in no node yet, so none of them is counted
            return self.tr("system only") if report.system_tokens else self.tr("nothing yet")
        numbers = figures.number
        if threads is not None:
            words = self.tr("1 summary + {0} of {1}" if threads.depth == 1 else "{2} summaries + {0} of {1}")
            return words.format(*map(numbers, (kept, whole + reasons["branch_summarised"], threads.depth)))
        words, summarised = self.tr("kept {0} of {1}"), reasons["summarised"]
        words = self.tr("kept {0}") if summarised and kept == whole else words
        words = words.format(numbers(kept), numbers(whole))
        return self.tr("{0} · {1} summarised").format(words, numbers(summarised)) if summarised else words

    @property
    def alarm(self) -> str:
        """The word beside the numbers of a context that is nearly full, full or too long; else empty."""
        return self._word if self._state is not None and self._state.level in ALARMING else ""

    def spoken(self) -> str:
        """Return the numbers for a screen reader, and how full that is."""
        numbers = self._spoken_numbers()
        return numbers if self._state is None else f"{numbers}, {self._word}"

    def _spoken_numbers(self) -> str:
        if not self.kept:
            return self.tr("Context: {0}").format(self.numbers)
        return self.tr("Context: {0}, {1}").format(self.numbers, self.kept)

    def exact(self) -> str:
        """Return every number, one a line, for the tool tip."""
        report = self._report
        if report is None:
            return ""
        budget = budget_of(report)
        lines = [] if self._state is None else lines_of(self._state, self._word)
        lines += [self.tr("Least room: {0}").format(self._whose)] if self._whose else []
        lines += [
            self.tr("System: {0}").format(figures.number(budget.system)),
            self.tr("Messages: {0}").format(figures.number(budget.kept)),
            self.tr("Free: {0}").format(figures.number(budget.free)),
            self.tr("Kept for the answer: {0}").format(figures.number(budget.reserve)),
            self.tr("The model's context window: {0}").format(figures.number(budget.window)),
        ]
        if counted(report).whole:
            lines.append(nodes_sent(report))
        if report.partial is not None:
            gone = figures.number(report.partial.dropped_chars)
            lines.append(self.tr("Sent in part: 1, without its first {0} characters").format(gone))
        if report.economy.threads is not None:
            heads = figures.number(report.economy.threads.depth)
            lines.append(self.tr("Branches sent by their summaries: {0}").format(heads))
        for reason, words in self._reasons():
            count = self._dropped[reason]
            if count:
                lines.append(words.format(figures.number(count)))
        lines.append(estimator_words(report.estimator))
        return "\n".join(lines)

    def _reasons(self) -> tuple[tuple[str, str], ...]:
        return (
            ("truncated", self.tr("No room: {0}")),
            ("excluded", self.tr("Excluded: {0}")),
            ("pruned", self.tr("Deleted: {0}")),
            ("summarised", self.tr("In the summary: {0}")),
            ("branch_summarised", self.tr("In branch summaries: {0}")),
            ("empty", self.tr("Empty: {0}")),
            ("annotation", self.tr("Notes not sent: {0}")),
        )

    # Its shape.

    @property
    def _wraps(self) -> bool:
        """Return True where both texts do not fit side by side: the second goes below."""
        return self._numbers_width() + self._kept_width() + MARK_PX + 2 * GAP_PX > self.width()

    def _numbers_width(self) -> int:
        metrics = QFontMetrics(theme.numbers("small"))
        alarm = metrics.horizontalAdvance(self.alarm) + GAP_PX if self.alarm else 0
        return metrics.horizontalAdvance(self.numbers) + 8 + alarm

    def _kept_width(self) -> int:
        return QFontMetrics(theme.numbers("small")).horizontalAdvance(self.kept) + 2 * ICON_PX + 12

    def _row_height(self) -> int:
        return HEIGHT_PX + (16 if self._wraps else 0)

    def sizeHint(self) -> QSize:
        """Return one row, two where it is narrow, and the strip when there is something to say."""
        strip = 0 if self._strip.isHidden() else self._strip.heightForWidth(max(120, self.width())) + 4
        return QSize(380, self._row_height() + max(0, strip))

    def minimumSizeHint(self) -> QSize:
        """Return a size at which no number is cut off."""
        width = max(self._numbers_width(), self._kept_width())
        return QSize(width + MARK_PX + GAP_PX, self.sizeHint().height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        self._arrange()

    def _arrange(self) -> None:
        top = 0
        if not self._strip.isHidden():
            height = self._strip.heightForWidth(self.width())
            self._strip.setGeometry(0, 0, self.width(), height)
            top = height + 4
        beside = 0 if self._wraps else self._kept_width()
        room = self.width() - MARK_PX - 3 * GAP_PX - self._numbers_width() - beside
        width = min(WIDEST_BAR_PX, room)
        self._mark.move(0, top + (HEIGHT_PX - self._mark.height()) // 2)
        self._bar.setVisible(self._report is not None and width >= NARROWEST_BAR_PX)
        self._bar.setGeometry(
            MARK_PX + GAP_PX, top + (HEIGHT_PX - self._bar.height()) // 2, max(0, width), self._bar.height()
        )
        if self.height() != self.sizeHint().height():
            self.setFixedHeight(self.sizeHint().height())

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        top = self.height() - self._row_height()
        if self._state is None:
            theme.paint(painter, "layers", "text.secondary", QRectF(0, top + 10, ICON_PX, ICON_PX))
        left = self._bar.geometry().right() + 1 + GAP_PX if self._bar.isVisible() else MARK_PX + GAP_PX
        self._paint_numbers(painter, float(left), float(top))
        self._paint_kept(painter, float(top))
        if self.hasFocus():
            painter.setPen(QPen(theme.colour("accent.focus"), 2))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRoundedRect(
                QRectF(0, top, self.width(), self._row_height()).adjusted(1, 3, -1, -3), 6, 6
            )
        painter.end()

    def _paint_numbers(self, painter: QPainter, left: float, top: float) -> None:
        """Paint the numbers; the used one stands out, the rest is quiet."""
        used, _, rest = self.numbers.partition(" ")
        if not used[:1].isdigit():
            used, rest = "", self.numbers
        strong = theme.numbers("small")
        strong.setWeight(strong.Weight.DemiBold)
        rect = QRectF(left, top, self.width(), HEIGHT_PX)
        over = self._report is not None and self._report.over_limit
        painter.setFont(strong)
        painter.setPen(theme.colour("state.error" if over else "text.primary"))
        painter.drawText(rect, Qt.AlignmentFlag.AlignVCenter, used)
        left += QFontMetrics(strong).horizontalAdvance(used + " ") if used else 0
        painter.setFont(theme.numbers("small"))
        painter.setPen(theme.colour("text.secondary"))
        painter.drawText(QRectF(left, top, self.width(), HEIGHT_PX), Qt.AlignmentFlag.AlignVCenter, rest)
        if self._state is not None and self.alarm:
            left += QFontMetrics(painter.font()).horizontalAdvance(rest) + GAP_PX
            painter.setPen(theme.colour(ROLES[self._state.level]))
            rect = QRectF(left, top, self.width(), HEIGHT_PX)
            painter.drawText(rect, Qt.AlignmentFlag.AlignVCenter, self.alarm)

    def _paint_kept(self, painter: QPainter, top: float) -> None:
        font = theme.numbers("small")
        painter.setFont(font)
        width = QFontMetrics(font).horizontalAdvance(self.kept)
        left = float(self.width() - width - ICON_PX - 2)
        if self._wraps:
            top += 18
            left = float(MARK_PX + GAP_PX)
        rect = QRectF(left, top, width + 4, HEIGHT_PX)
        painter.setPen(theme.colour("text.secondary"))
        painter.drawText(rect, Qt.AlignmentFlag.AlignVCenter, self.kept)
        if self._report is not None and self._report.truncated and not self._wraps:
            theme.paint(painter, "scissors", "text.secondary", QRectF(left - 20, top + 11, 14, 14))
        theme.paint(painter, "chevron-right", "text.muted", QRectF(self.width() - ICON_PX, top + 10, 16, 16))

    def enterEvent(self, event: QEnterEvent) -> None:
        self.setCursor(Qt.CursorShape.PointingHandCursor)

    def hitButton(self, at: QPoint) -> bool:
        """Return True: all of it can be pressed, but for the strip."""
        return True


def budget_of(report: Report | None) -> Budget:
    """Return the parts of a model's window that a report tells."""
    if report is None:
        return Budget()
    return Budget(
        window=report.window,
        system=report.system_tokens,
        kept=max(0, report.after_tokens - report.system_tokens),
        reserve=max(0, report.window - report.available),
    )
