"""Buttons: by words, by an icon, one that says its key, and the title of a section that folds."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QRect, QRectF, QSize, Qt, QTimer
from PySide6.QtGui import QFont, QFontMetrics, QIcon, QMouseEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QPushButton, QStyle, QStyleOptionButton, QStylePainter, QToolButton, QWidget

from loomapp.ui.look import theme
from loomapp.ui.widgets.labels import plain_tip

GAP_PX = 10
PADDING_PX = 16
REST_MS = 700  # in which a second click is taken for one of a double click


class KeyButton(QPushButton):
    """Words and, smaller beside them, a key, where there is room for both. The key is only shown; an action
    or the owner handles it.
    """

    def __init__(
        self, words: str, key: str = "", parent: QWidget | None = None, *, kind: str = "plain"
    ) -> None:
        super().__init__(words, parent)
        self._key = key
        self._rest: QTimer | None = None
        theme.set_look(self, kind=kind, large=True)
        self.setFixedHeight(theme.px("control.height_primary"))
        self.setAccessibleName(words)
        self.setAccessibleDescription(key)

    def show_key(self, key: str) -> None:
        if key == self._key:
            return
        self._key = key
        self.setAccessibleDescription(key)
        self.updateGeometry()
        self.update()

    def sizeHint(self) -> QSize:
        hint = self.minimumSizeHint()
        if self._key:
            key_px = QFontMetrics(theme.font("caption")).horizontalAdvance(self._key)
            hint.setWidth(hint.width() + key_px + GAP_PX)
        return hint

    def minimumSizeHint(self) -> QSize:
        """Return the size of the words alone, which are never cut off."""
        width = QFontMetrics(_words_font()).horizontalAdvance(self.text()) + 2 * PADDING_PX
        return QSize(width, theme.px("control.height_primary"))

    def paintEvent(self, event: QPaintEvent) -> None:
        option = QStyleOptionButton()
        self.initStyleOption(option)
        option.text = ""
        primary = self.property("kind") == "primary"
        painter = QStylePainter(self)
        painter.drawControl(QStyle.ControlElement.CE_PushButton, option)
        if self.hasFocus() and primary:
            self._paint_ring(painter)
        words, key = QFontMetrics(_words_font()), QFontMetrics(theme.font("caption"))
        shown = self._key if self.width() >= self.sizeHint().width() else ""
        gap = GAP_PX if shown else 0
        left = (self.width() - words.horizontalAdvance(self.text()) - gap - key.horizontalAdvance(shown)) // 2
        role = "text.on_accent" if primary else "text.primary"
        role = "text.muted" if self.is_resting else role
        painter.setPen(theme.colour(role if self.isEnabled() else "text.disabled"))
        painter.setFont(_words_font())
        painter.drawText(
            QRect(left, 0, self.width(), self.height()), Qt.AlignmentFlag.AlignVCenter, self.text()
        )
        if shown:
            left += words.horizontalAdvance(self.text()) + gap
            painter.setFont(theme.font("caption"))
            painter.drawText(
                QRect(left, 0, self.width(), self.height()), Qt.AlignmentFlag.AlignVCenter, shown
            )
        painter.end()

    # Rest after a click

    def rest_after_clicks(self, rest_ms: int = REST_MS) -> None:
        """Take no click for a moment after one, for a button that spends money."""
        self._rest = QTimer(self)
        self._rest.setSingleShot(True)
        self._rest.setInterval(rest_ms)
        self._rest.timeout.connect(self._show_rest)

    @property
    def is_resting(self) -> bool:
        """True for a moment after a click of the mouse: a second one does nothing."""
        return self._rest is not None and self._rest.isActive()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if not self.is_resting:
            super().mousePressEvent(event)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """Rest from a click on."""
        is_click = self.isDown() and self.rect().contains(event.position().toPoint())
        if is_click and self._rest is not None:
            self._rest.start()
            self._show_rest()
        super().mouseReleaseEvent(event)

    def _show_rest(self) -> None:
        theme.set_look(self, resting=self.is_resting)
        self.update()

    def _paint_ring(self, painter: QPainter) -> None:
        """Paint the ring; on the accent only a light line inside is seen in both themes."""
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        theme.draw_in(painter, "text.on_accent", width=1.5)
        painter.drawRoundedRect(QRectF(self.rect()).adjusted(3, 3, -3, -3), 4, 4)


def _words_font() -> QFont:
    font = theme.font("ui_strong")
    font.setWeight(QFont.Weight.Medium)
    return font


class SectionHead(QToolButton):
    """Heading with a chevron; checked while the section is unfolded."""

    def __init__(self, name: str, title: str, parent: QWidget) -> None:
        super().__init__(parent)
        self._is_folded = False
        self.setObjectName(f"{name}Head")
        self.setText(title)
        self.setAccessibleName(title)
        self.setCheckable(True)
        self.setChecked(True)
        self.setAutoRaise(True)
        self.setFont(theme.font("ui_strong"))
        self.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        theme.set_look(self, head=True)
        self.show_fold(folded=False)

    def show_fold(self, *, folded: bool) -> None:
        """Show whether anything stands below it."""
        self._is_folded = folded
        self.setIcon(theme.icon("chevron-right" if folded else "chevron-down", "text.muted", 12))

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange and hasattr(self, "_is_folded"):
            self.show_fold(folded=self._is_folded)


def push_button(name: str, words: str = "", parent: QWidget | None = None, *, kind: str = "") -> QPushButton:
    """Return a button by its object name, in a kind of the style sheet: link, quiet, primary, plain."""
    button = QPushButton(words, parent)
    button.setObjectName(name)
    if kind:
        theme.set_look(button, kind=kind)
    return button


def icon_button(name: str, icon: QIcon, words: str, parent: QWidget | None = None) -> QToolButton:
    """Return a button with an icon alone; the words are its tool tip, and what a screen reader says."""
    button = QToolButton(parent)
    button.setObjectName(name)
    button.setIcon(icon)
    button.setAccessibleName(words)
    button.setToolTip(plain_tip(words))
    return button
