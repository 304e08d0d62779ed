"""A chip: an icon and a few words in a small frame, for a state or for something attached."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QFontMetricsF, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QToolButton, QWidget

from loomapp.ui.look import theme
from loomapp.ui.widgets.tips import plain_tip

HEIGHT_PX = 20
PADDING_PX = 6
ICON_PX = 12
GAP_PX = 5


def chip_width(text: str, *, has_icon: bool = True) -> int:
    """How wide a chip with this text is, in px."""
    words = QFontMetricsF(theme.numbers("caption")).horizontalAdvance(text)
    return round(words + 2 * PADDING_PX + (ICON_PX + GAP_PX if has_icon else 0)) + 1


def paint_chip(
    painter: QPainter,
    rect: QRectF,
    icon: str,
    text: str,
    role: str = "text.secondary",
    *,
    kept_px: float = 0,
) -> None:
    """Draw a chip into a rectangle; the text is cut off with … when it does not fit."""
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(QPen(theme.colour("border.normal"), 1))
    painter.setBrush(theme.colour("surface.raised"))
    radius = theme.metric("radius.chip")
    painter.drawRoundedRect(rect.adjusted(0.5, 0.5, -0.5, -0.5), radius, radius)
    left = rect.left() + PADDING_PX
    if icon:
        top = rect.top() + (rect.height() - ICON_PX) / 2
        theme.paint(painter, icon, role, QRectF(left, top, ICON_PX, ICON_PX))
        left += ICON_PX + GAP_PX
    font = theme.numbers("caption")
    painter.setFont(font)
    painter.setPen(theme.colour(role))
    room = QRectF(left, rect.top(), rect.right() - PADDING_PX + 1 - left - kept_px, rect.height())
    words = QFontMetricsF(font).elidedText(text, Qt.TextElideMode.ElideRight, room.width())
    painter.drawText(room, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, words)
    painter.restore()


class Chip(QWidget):
    """A chip as a widget, with a small x if it can be taken away."""

    removed = Signal()

    def __init__(
        self, icon: str, text: str, parent: QWidget | None = None, *, removable: bool = False
    ) -> None:
        super().__init__(parent)
        self._icon = icon
        self._text = text
        self._close: QToolButton | None = None
        self.setAccessibleName(text)
        self.setToolTip(plain_tip(text))
        if removable:
            self._close = self._close_button()
        self.setFixedHeight(theme.px("control.hit"))

    def sizeHint(self) -> QSize:
        """Its words, and room for the x."""
        extra = theme.px("control.hit") - PADDING_PX if self._close else 0
        return QSize(chip_width(self._text) + extra, self.height())

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the frame and the words."""
        painter = QPainter(self)
        top = (self.height() - HEIGHT_PX) / 2
        kept_px = self._close.width() - PADDING_PX if self._close else 0
        rect = QRectF(0, top, self.width(), HEIGHT_PX)
        paint_chip(painter, rect, self._icon, self._text, kept_px=kept_px)
        painter.end()

    def resizeEvent(self, event: object) -> None:
        """Keep the x at the right end."""
        if self._close is not None:
            self._close.move(self.width() - self._close.width(), 0)

    def _close_button(self) -> QToolButton:
        button = QToolButton(self)
        button.setObjectName("removeChipButton")
        button.setIcon(theme.icon("x", "text.muted", 12))
        button.setIconSize(QSize(ICON_PX, ICON_PX))
        button.setFixedSize(theme.px("control.hit"), theme.px("control.hit"))
        name = QCoreApplication.translate("Chip", "Remove {text}").format(text=self._text)
        button.setAccessibleName(name)
        button.setToolTip(plain_tip(name))
        button.clicked.connect(self.removed)
        return button
