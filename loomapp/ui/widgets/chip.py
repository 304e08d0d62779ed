"""A chip: an icon and a few words in a small frame; the mark of an agent: a letter on its tint."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, QSize, QSizeF, Qt, Signal
from PySide6.QtGui import (
    QFontMetricsF,
    QImage,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QResizeEvent,
)
from PySide6.QtWidgets import QAbstractButton, QToolButton, QWidget

from loomapp.core.model.agent import Agent
from loomapp.ui.look import theme
from loomapp.ui.strings import tr
from loomapp.ui.widgets.labels import plain_tip

SIZE_PX = 16
FILL = 0.26
FIGURE_FILL = 0.14


def paint_mark(painter: QPainter, rect: QRectF, agent: Agent | None) -> None:
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    if agent is None or agent.type == "human":
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(theme.translucent("text.primary", FIGURE_FILL))  # seen on every surface
        painter.drawEllipse(rect)
        inset = rect.width() * 0.2
        theme.paint(painter, "user", "text.secondary", rect.adjusted(inset, inset, -inset, -inset))
    else:
        role = theme.agent_role(agent)
        painter.setBrush(theme.translucent(role, FILL))
        painter.setPen(QPen(theme.colour(role), 1))
        painter.drawRoundedRect(rect.adjusted(0.5, 0.5, -0.5, -0.5), 4, 4)
        font = theme.font("caption")
        font.setPixelSize(round(rect.height() * 0.625))
        font.setWeight(font.Weight.DemiBold)
        painter.setFont(font)
        painter.setPen(theme.colour("text.primary"))
        painter.drawText(rect, Qt.AlignmentFlag.AlignCenter, letter(agent))
    painter.restore()


def letter(agent: Agent) -> str:
    """Return the first letter or digit of an agent's name."""
    return next((character.upper() for character in agent.name if character.isalnum()), "·")


class AgentMark(QWidget):
    """An agent's mark as a widget; it says nothing to a screen reader, the name beside it does."""

    def __init__(self, parent: QWidget | None = None, *, size_px: int = SIZE_PX) -> None:
        super().__init__(parent)
        self._agent: Agent | None = None
        self.setFixedSize(QSize(size_px, size_px))

    def show_agent(self, agent: Agent | None) -> None:
        self._agent = agent
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        paint_mark(painter, QRectF(self.rect()), self._agent)
        painter.end()


HEIGHT_PX = 20
PADDING_PX = 6
ICON_PX = 12
GAP_PX = 5
PICTURE_PX = 36
PICTURE_MARGIN_PX = 3
WIDEST_PX = 260


def chip_width(text: str) -> int:
    words = QFontMetricsF(theme.numbers("caption")).horizontalAdvance(text)
    return round(words + 2 * PADDING_PX + ICON_PX + GAP_PX) + 1


def paint_chip(
    painter: QPainter,
    rect: QRectF,
    icon: str,
    text: str,
    role: str = "text.secondary",
    *,
    kept_px: float = 0,
    left_px: float = 0,
    edge: str = "border.normal",
    ground: str = "surface.raised",
    ink: str = "",
) -> None:
    """Draw a chip into a rectangle; the text is cut off with … when it does not fit."""
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    theme.draw_in(painter, edge, ground)
    radius = theme.metric("radius.chip")
    painter.drawRoundedRect(rect.adjusted(0.5, 0.5, -0.5, -0.5), radius, radius)
    left = rect.left() + PADDING_PX + left_px
    if icon:
        top = rect.top() + (rect.height() - ICON_PX) / 2
        theme.paint(painter, icon, role, QRectF(left, top, ICON_PX, ICON_PX))
        left += ICON_PX + GAP_PX
    font = theme.numbers("caption")
    painter.setFont(font)
    painter.setPen(theme.colour(ink or role))
    room = QRectF(left, rect.top(), rect.right() - PADDING_PX + 1 - left - kept_px, rect.height())
    words = QFontMetricsF(font).elidedText(text, Qt.TextElideMode.ElideRight, room.width())
    painter.drawText(room, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, words)
    painter.restore()


def paint_picture(painter: QPainter, place: QRectF, picture: QImage) -> None:
    """Draw an image into a rectangle, as large as it goes in, and no larger than it is."""
    ratio = painter.device().devicePixelRatioF()
    size = QSizeF(picture.size()) / ratio
    if size.width() > place.width() or size.height() > place.height():
        size.scale(place.size(), Qt.AspectRatioMode.KeepAspectRatio)
    corner = place.center() - QPointF(size.width() / 2, size.height() / 2)
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
    painter.drawImage(QRectF(corner, size), picture, QRectF(picture.rect()))
    painter.restore()


class ChipButton(QAbstractButton):
    """Chip that opens something: by a click, Enter or Space."""

    def __init__(self, icon: str, parent: QWidget) -> None:
        super().__init__(parent)
        self._icon = icon
        self.setFixedHeight(theme.px("control.hit"))
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)  # a click leaves the keyboard where it is
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)

    def set_icon(self, icon: str) -> None:
        self._icon = icon
        self.update()

    def show_words(self, words: str) -> None:
        self.setText(words)
        self.setAccessibleName(words)

    def sizeHint(self) -> QSize:
        return QSize(chip_width(self.text()), self.height())

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and not event.modifiers():
            self.click()
        else:
            super().keyPressEvent(event)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        rect = QRectF(0, (self.height() - HEIGHT_PX) / 2, self.width(), HEIGHT_PX)
        edge = (
            "accent.focus" if self.hasFocus() else "border.strong" if self.underMouse() else "border.normal"
        )
        paint_chip(painter, rect, self._icon, self.text(), edge=edge)
        painter.end()


class Chip(QWidget):
    """A chip as a widget, with a small x if it can be taken away; one with a `warning` looks and says so."""

    removed = Signal()
    clicked = Signal()

    def __init__(
        self,
        icon: str,
        text: str,
        parent: QWidget | None = None,
        *,
        removable: bool = False,
        warning: str = "",
    ) -> None:
        super().__init__(parent)
        self._icon = "triangle-alert" if warning else icon
        self._role = "state.warning" if warning else "text.secondary"
        self._text = text
        self._picture: QImage | None = None
        self._is_tall = False
        self._close: QToolButton | None = None
        self.setAccessibleName(text)
        self.setAccessibleDescription(warning)
        self.setToolTip(plain_tip(f"{text}\n{warning}" if warning else text))
        if removable:
            self._close = self._close_button()
        self.setFixedHeight(theme.px("control.hit"))

    @property
    def stop(self) -> QWidget:
        """Return the widget on it at which the keyboard stops: its x, if it has one."""
        return self._close or self

    def sizeHint(self) -> QSize:
        extra = theme.px("control.hit") - PADDING_PX if self._close else 0
        extra += PICTURE_PX + GAP_PX if self._is_tall else 0
        return QSize(min(chip_width(self._text) + extra, WIDEST_PX), self.height())

    def show_picture(self, picture: QImage | None, *, expected: bool = False) -> None:
        """Show a small image at the left; room is kept for one that is expected."""
        self._picture = picture
        if expected:
            self._is_tall = True
            self.setFixedHeight(PICTURE_PX + 2 * PICTURE_MARGIN_PX)
            self.updateGeometry()
        self.update()

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.LeftButton and self.rect().contains(event.position().toPoint()):
            self.clicked.emit()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        kept_px = self._close.width() - PADDING_PX if self._close else 0
        left_px = PICTURE_PX + PICTURE_MARGIN_PX if self._is_tall else 0
        high = self.height() if self._is_tall else HEIGHT_PX
        rect = QRectF(0, (self.height() - high) / 2, self.width(), high)
        paint_chip(painter, rect, self._icon, self._text, self._role, kept_px=kept_px, left_px=left_px)
        if self._picture is not None:
            place = QRectF(PICTURE_MARGIN_PX, PICTURE_MARGIN_PX, PICTURE_PX, PICTURE_PX)
            paint_picture(painter, place, self._picture)
        painter.end()

    def resizeEvent(self, event: QResizeEvent) -> None:
        if self._close is not None:
            self._close.move(self.width() - self._close.width(), (self.height() - self._close.height()) // 2)

    def _close_button(self) -> QToolButton:
        button = QToolButton(self)
        button.setObjectName("removeChipButton")
        button.setIcon(theme.icon("x", "text.muted", 12))
        button.setIconSize(QSize(ICON_PX, ICON_PX))
        button.setFixedSize(theme.px("control.hit"), theme.px("control.hit"))
        name = tr("Remove {text}").format(text=self._text)
        button.setAccessibleName(name)
        button.setToolTip(plain_tip(name))
        button.clicked.connect(self.removed)
        return button
