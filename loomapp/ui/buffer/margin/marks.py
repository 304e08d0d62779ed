"""Marks beside the text: those of a passage, lines where the context begins or ends, chips of versions."""

from __future__ import annotations

from PySide6.QtCore import QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QFontMetricsF, QPainter, QPaintEvent, QPen, QWheelEvent
from PySide6.QtWidgets import QAbstractButton, QWidget

from loomapp.core.dataclass import dataclass
from loomapp.ui.look import theme
from loomapp.ui.widgets.labels import plain_tip

HEIGHT_PX = 24
ICON_PX = 12
PAD_PX = 7
TIGHT_PAD_PX = 3


@dataclass(frozen=True, slots=True)
class MarginMarks:
    """Marks beside one passage in view, in positions of the text.

    `hollow`: it is only offered. `dashed`: it is not sent. `mark` is an icon with its meaning in `tip`.
    """

    key: str
    begin: int
    end: int
    tint: QColor
    number: int = 0  # of `count` siblings, from 1; 0 if none of them is shown
    count: int = 0
    version: int = 0  # likewise among `versions`
    versions: int = 0
    hollow: bool = False
    dashed: bool = False
    interrupted: str = ""
    bookmarked: bool = False
    is_tail: bool = False


@dataclass(frozen=True, slots=True)
class CutLine:
    """Line where what is sent begins or ends for want of room."""

    position: int
    words: str
    short: str  # where there is no room for the words


class VersionChip(QAbstractButton):
    """Chip with the number of the version that is read; it opens their list."""

    stepped = Signal(int)  # -1: the one before, 1: the next; by the wheel

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("versionChip")
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.node_id = ""
        self._count = 0
        self._number = 0
        self._is_open = False
        self._tightness = 0
        self._keys = ("", "")

    def show_keys(self, before: str, after: str) -> None:
        """Say the keys that go to the version before and to the next; "" for one that has none."""
        if (before, after) != self._keys:
            self._keys = before, after
            self._say()

    def show_versions(self, node_id: str, number: int, count: int) -> None:
        """Show that the `number`th of `count` versions is read, counted from 1."""
        self.node_id, self._number, self._count = node_id, number, count
        self._say()
        self.setFixedSize(self.sizeHint())
        self.update()

    def _say(self) -> None:
        words = self.tr("Version {0} of {1}").format(self._number, self._count)
        self.setAccessibleName(words)
        tip = self.tr("{0}. Click for the list")
        if all(self._keys):
            tip = self.tr("{0}. Click for the list; {1} and {2} change it")
        self.setToolTip(plain_tip(tip.format(words, *self._keys)))

    def set_tight(self, tightness: int) -> None:
        """Leave words out where several chips stand in one line: 1 drops the sign of the list, 2 the icon."""
        if tightness != self._tightness:
            self._tightness = tightness
            self.setFixedSize(self.sizeHint())
            self.update()

    def set_open(self, is_open: bool) -> None:
        self._is_open = is_open
        self.update()

    def sizeHint(self) -> QSize:
        words = QFontMetricsF(theme.numbers("small")).horizontalAdvance(str(self._count))
        if self._tightness:
            icon = ICON_PX + 2 if self._tightness == 1 else 0
            return QSize(max(HEIGHT_PX, round(words) + icon + 2 * TIGHT_PAD_PX), HEIGHT_PX)
        return QSize(round(words) + 2 * ICON_PX + 2 * PAD_PX + 8, HEIGHT_PX)

    def wheelEvent(self, event: QWheelEvent) -> None:
        steps = event.angleDelta().y()
        if steps:
            self.stepped.emit(-1 if steps > 0 else 1)
        event.accept()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        lit = self._is_open or self.underMouse() or self.hasFocus()
        painter.setPen(QPen(theme.colour("accent.focus" if self.hasFocus() else "border.normal"), 1))
        painter.setBrush(theme.colour("accent.soft" if lit else "surface.raised"))
        radius = theme.metric("radius.chip")
        painter.drawRoundedRect(QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5), radius, radius)
        role = "accent.base" if lit else "text.secondary"
        top, left, right = (HEIGHT_PX - ICON_PX) / 2, TIGHT_PAD_PX, TIGHT_PAD_PX
        if self._tightness < 2:
            left = PAD_PX if self._tightness == 0 else TIGHT_PAD_PX
            theme.paint(painter, "history", role, QRectF(left, top, ICON_PX, ICON_PX))
            left += ICON_PX + (0 if self._tightness == 0 else 2)
        if self._tightness < 1:
            right = PAD_PX + ICON_PX - 2
            theme.paint(painter, "chevron-down", role, QRectF(self.width() - right, top, ICON_PX, ICON_PX))
        painter.setFont(theme.numbers("small"))
        painter.setPen(theme.colour(role))
        middle = self.rect().adjusted(left, 0, -right, 0)
        painter.drawText(middle, Qt.AlignmentFlag.AlignCenter, str(self._count))
        painter.end()
