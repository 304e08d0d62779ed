"""The field in the header that opens the palette: it looks like a field and is a button."""

from __future__ import annotations

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QAction, QFontMetrics, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QAbstractButton, QSizePolicy, QWidget

from loomapp.ui.keys.keys import first_shown, with_key
from loomapp.ui.look import theme

WIDEST_PX, NARROWEST_PX = 392, 160
ICON_PX = 16
PADDING_PX = 9


class SearchField(QAbstractButton):
    """Icon, words, and the key that does the same; only the icon where there is no room."""

    def __init__(self, action: QAction, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("paletteField")
        self._action = action
        self._is_icon = False
        self.setAccessibleName(action.text().rstrip("…"))
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setFixedHeight(theme.px("control.height"))
        self.setCursor(Qt.CursorShape.IBeamCursor)
        self.clicked.connect(action.trigger)
        self.show_as_icon(False)

    def show_as_icon(self, is_icon: bool) -> None:
        """Show only the icon in a narrow window."""
        self._is_icon = is_icon
        self.setCursor(Qt.CursorShape.ArrowCursor if is_icon else Qt.CursorShape.IBeamCursor)
        self.setToolTip(self._tip())
        policy = QSizePolicy.Policy.Fixed if is_icon else QSizePolicy.Policy.Expanding
        self.setSizePolicy(policy, QSizePolicy.Policy.Fixed)
        self.setMinimumWidth(theme.px("control.height") if is_icon else NARROWEST_PX)
        self.setMaximumWidth(theme.px("control.height") if is_icon else WIDEST_PX)
        self.update()

    def sizeHint(self) -> QSize:
        height = theme.px("control.height")
        return QSize(height if self._is_icon else WIDEST_PX, height)

    def show_keys(self) -> None:
        self.setToolTip(self._tip())
        self.update()

    def _tip(self) -> str:
        return with_key(self.accessibleName(), self._keys())

    def _keys(self) -> str:
        return first_shown(self._action.shortcuts())

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        focused = self.hasFocus()
        edge = "accent.focus" if focused else "border.strong"
        width = theme.metric("control.focus_width") if focused else 1.0
        painter.setPen(QPen(theme.colour(edge if focused or not self._is_icon else "surface.window"), width))
        painter.setBrush(theme.colour("surface.hover" if self.underMouse() else self._ground()))
        half = width / 2
        radius = theme.metric("radius.control")
        painter.drawRoundedRect(QRectF(self.rect()).adjusted(half, half, -half, -half), radius, radius)
        left = (self.width() - ICON_PX) / 2 if self._is_icon else PADDING_PX
        theme.paint(
            painter, "search", "text.secondary", QRectF(left, (self.height() - ICON_PX) / 2, ICON_PX, ICON_PX)
        )
        if not self._is_icon:
            self._paint_words(painter)
        painter.end()

    def _ground(self) -> str:
        return "surface.window" if self._is_icon else "surface.raised"

    def _paint_words(self, painter: QPainter) -> None:
        small = theme.font("caption")
        keys = self._keys()
        key_width = QFontMetrics(small).horizontalAdvance(keys)
        box = self.rect().adjusted(PADDING_PX, 0, -PADDING_PX, 0)
        painter.setPen(theme.colour("text.muted"))
        painter.setFont(small)
        painter.drawText(box, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignRight, keys)
        painter.setFont(theme.font("ui"))
        room = box.adjusted(ICON_PX + 8, 0, -key_width - 8, 0)
        words = self.tr("Search, or type > for a command")
        shown = painter.fontMetrics().elidedText(words, Qt.TextElideMode.ElideRight, room.width())
        painter.drawText(room, Qt.AlignmentFlag.AlignVCenter, shown)
