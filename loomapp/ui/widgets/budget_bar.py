"""The budget bar: how full a model's window is, and the room kept for the answer. Always beside numbers."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QLineF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QPainter, QPainterPath, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy, QWidget

from loomapp.core.dataclass import dataclass
from loomapp.ui.look import theme

SMALL_PX = 8
LARGE_PX = 16
HATCH_PX = 5
SHARE_OPACITY = 0.85


@dataclass(frozen=True, slots=True)
class Budget:
    """The parts of a window in tokens, from left to right; what remains between them is free."""

    window: int = 0
    system: int = 0
    kept: int = 0
    reserve: int = 0

    @property
    def free(self) -> int:
        """Tokens neither sent nor kept for the answer; never negative."""
        return max(0, self.window - self.system - self.kept - self.reserve)


class BudgetBar(QWidget):
    """Bar of a model's window: system, kept, free, and hatched the room for the answer."""

    def __init__(self, parent: QWidget | None = None, *, height_px: int = SMALL_PX) -> None:
        super().__init__(parent)
        self.setObjectName("budgetBar")
        self._budget = Budget()
        self._over = False
        self._shares: tuple[tuple[QColor, int], ...] = ()
        self.setFixedHeight(height_px)
        self.setMinimumWidth(24)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def show_budget(self, budget: Budget, *, over: bool = False) -> None:
        """Show the parts; `over` marks a request that does not fit."""
        self._budget = budget
        self._over = over
        self._shares = ()
        self.update()

    def show_shares(self, shares: Sequence[tuple[QColor, int]]) -> None:
        """Show the shares of the kept part, by colour and tokens, from left to right; without them it has one
        colour.
        """
        self._shares = tuple(shares)
        self.update()

    @property
    def budget(self) -> Budget:
        return self._budget

    def sizeHint(self) -> QSize:
        return QSize(112, self.height())

    def segments(self) -> tuple[QRectF, QRectF, QRectF]:
        """Return the rectangles of system, kept and the hatched reserve; a part that exists is at least 2 px
        wide.
        """
        budget = self._budget
        whole = max(1, budget.window, budget.system + budget.kept + budget.reserve)
        width, height = float(self.width()), float(self.height())

        def length(tokens: int) -> float:
            return max(2.0, width * tokens / whole) if tokens else 0.0

        system, kept, reserve = length(budget.system), length(budget.kept), length(budget.reserve)
        return (
            QRectF(0, 0, system, height),
            QRectF(system, 0, kept, height),
            QRectF(max(system + kept, width - reserve), 0, reserve, height),
        )

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = theme.smooth_painter(self)
        shape = QPainterPath()
        radius = min(4.0, self.height() / 2)
        shape.addRoundedRect(QRectF(self.rect()), radius, radius)
        painter.setClipPath(shape)
        painter.fillRect(self.rect(), theme.colour("state.bar_track"))
        system, kept, reserve = self.segments()
        painter.fillRect(system, theme.colour("state.bar_system"))
        painter.fillRect(kept, theme.colour("state.error" if self._over else "state.bar_kept"))
        if not self._over:
            self._paint_shares(painter, kept)
        if system.width() and kept.width():
            painter.fillRect(QRectF(kept.left(), 0, 1, self.height()), theme.colour("surface.panel"))
        self._hatch(painter, reserve)
        painter.end()

    def _paint_shares(self, painter: QPainter, kept: QRectF) -> None:
        whole = max(1, sum(tokens for _, tokens in self._shares), self._budget.kept)
        left = kept.left()
        for tint, tokens in self._shares:
            width = kept.width() * tokens / whole
            shown = QColor(tint)
            shown.setAlphaF(SHARE_OPACITY)
            painter.fillRect(QRectF(left, 0, width, kept.height()), theme.colour("surface.panel"))
            painter.fillRect(QRectF(left, 0, max(width - 1, 0.5), kept.height()), shown)
            left += width

    def _hatch(self, painter: QPainter, rect: QRectF) -> None:
        painter.fillRect(rect, theme.colour("state.bar_reserve"))
        painter.save()
        painter.setClipRect(rect, Qt.ClipOperation.IntersectClip)
        painter.setPen(QPen(theme.colour("border.strong"), 1))
        x = rect.left() - rect.height()
        while x < rect.right():
            painter.drawLine(QLineF(x, rect.bottom(), x + rect.height(), rect.top()))
            x += HATCH_PX
        painter.restore()
