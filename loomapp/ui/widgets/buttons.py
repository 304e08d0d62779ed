"""Buttons: by words, an icon or a key, the title of a folding section, a few in a row, the sibling pager."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QEvent, QRect, QRectF, QSize, Qt, QTimer, Signal
from PySide6.QtGui import (
    QFont,
    QFontMetrics,
    QFontMetricsF,
    QIcon,
    QMouseEvent,
    QPainter,
    QPainterPath,
    QPaintEvent,
    QPen,
    QWheelEvent,
)
from PySide6.QtWidgets import (
    QAbstractButton,
    QButtonGroup,
    QHBoxLayout,
    QPushButton,
    QStyle,
    QStyleOptionButton,
    QStylePainter,
    QToolButton,
    QWidget,
)

from loomapp.ui import figures
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


HEIGHT_PX = 24
SIDE_PX = 10
UNDERLINE_PX = 2


class Segments(QWidget):
    """Choices by their values. Arrow keys go from one to the next."""

    chosen = Signal(str)  # value, by a person

    def __init__(self, name: str, title: str, choices: Sequence[tuple[str, str]]) -> None:
        super().__init__()
        self.setObjectName(name)
        self.setAccessibleName(title)
        self._group = QButtonGroup(self)
        self._buttons: dict[str, _Segment] = {}
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(0)
        for number, (value, words) in enumerate(choices):
            button = _Segment(words, is_first=number == 0, is_last=number == len(choices) - 1)
            button.setObjectName(f"{name}_{value}")
            button.setAccessibleName(f"{title}: {words}")
            self._buttons[value] = button
            self._group.addButton(button)
            row.addWidget(button)
        self._group.buttonClicked.connect(self.on_clicked)

    def value(self) -> str:
        return next((value for value, button in self._buttons.items() if button.isChecked()), "")

    def show_value(self, value: str) -> None:
        self._buttons[value].setChecked(True)

    def on_clicked(self) -> None:
        self.chosen.emit(self.value())


class _Segment(QAbstractButton):
    def __init__(self, words: str, *, is_first: bool, is_last: bool) -> None:
        super().__init__()
        self._is_first, self._is_last = is_first, is_last
        self.setText(words)
        self.setCheckable(True)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)

    def sizeHint(self) -> QSize:
        words = QFontMetrics(theme.font("ui_strong")).horizontalAdvance(self.text())
        return QSize(words + 2 * SIDE_PX, HEIGHT_PX)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the words in a frame that the neighbours share; the one that holds has a line below it."""
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        rect = QRectF(self.rect())
        corner = theme.metric("radius.control")
        whole = rect.adjusted(0 if self._is_first else -corner, 0, 0 if self._is_last else corner, 0)
        shape = QPainterPath()
        shape.addRoundedRect(whole.adjusted(0.5, 0.5, -0.5, -0.5), corner, corner)
        painter.setClipRect(rect)
        is_on = self.isChecked()
        ground = "surface.selected" if is_on else "surface.hover" if self.underMouse() else "surface.raised"
        painter.fillPath(shape, theme.colour(ground))
        painter.setPen(QPen(theme.colour("border.strong"), 1))
        painter.drawPath(shape)
        if not self._is_first:
            painter.drawLine(0, 0, 0, round(rect.height()))
        if is_on:
            line = QRectF(rect.left() + 1, rect.bottom() - UNDERLINE_PX, rect.width() - 2, UNDERLINE_PX)
            painter.fillRect(line, theme.colour("accent.base"))
        painter.setFont(theme.font("ui_strong" if is_on else "ui"))
        role = "text.primary" if is_on else "text.secondary"
        painter.setPen(theme.colour(role if self.isEnabled() else "text.muted"))
        painter.drawText(rect, Qt.AlignmentFlag.AlignCenter, self.text())
        if self.hasFocus():
            painter.setPen(QPen(theme.colour("accent.focus"), 2))
            painter.drawRoundedRect(rect.adjusted(1, 1, -1, -1), corner, corner)
        painter.end()


BUTTON_PX = 24  # the smallest clickable square
NOTCH = 120


class SiblingPager(QWidget):
    """Shows which of several siblings is read. Its two buttons, and the wheel over it, ask for another.

    The buttons act when they are pressed, as those of a spin box do: until they are let go, an answer that
    grows or another program may have moved or replaced what is under the pointer.
    """

    turned = Signal(int)  # -1: the one before, +1: the next

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("siblingPager")
        self._number = 1
        self._count = 1
        self._none = ""
        self._wheel = 0
        self._before = self._button("siblingBefore", "chevron-left", self.tr("Previous sibling"))
        self._after = self._button("siblingAfter", "chevron-right", self.tr("Next sibling"))
        self._before.pressed.connect(self.on_before_pressed)
        self._after.pressed.connect(self.on_after_pressed)
        self._place = _PagerNumber(self)  # above the buttons: their hovered ground reaches below the digits

    def show_place(self, number: int, count: int, *, none: str = "") -> None:
        """Show that this is the `number`th of `count`, counted from 1; 0 if none of them is read, but what
        the words `none` say.
        """
        self._number, self._count, self._none = number, count, none
        self._before.setEnabled(number > 1)
        self._after.setEnabled(number < count)
        if number:
            words = self.tr("Sibling {0} of {1}").format(figures.number(number), figures.number(count))
        elif count == 1:
            words = self.tr("1 sibling, not read now")
        else:
            words = self.tr("{0} siblings, none of them read now").format(figures.number(count))
        self.setAccessibleName(words)
        self.setToolTip(self.accessibleName())
        self.resize(self.sizeHint())
        self._after.move(self.width() - BUTTON_PX, 0)
        self._place.setGeometry(self.rect())
        self._place.show_words(self.text, self._font_of_numbers())

    def set_neighbours(self, *, before: bool, after: bool) -> None:
        """Tell whether something stands beside it, also if it is not counted; right after `show_place`."""
        self._before.setEnabled(before)
        self._after.setEnabled(after)

    @property
    def text(self) -> str:
        if self._none and not self._number:
            return self._none
        count = figures.number(self._count)
        return f"{figures.number(self._number)}/{count}" if self._number else f"+{count}"

    @property
    def before_button(self) -> QToolButton:
        return self._before

    @property
    def after_button(self) -> QToolButton:
        return self._after

    def sizeHint(self) -> QSize:
        words = QFontMetricsF(self._font_of_numbers()).horizontalAdvance(self.text)
        return QSize(round(words) + 2 * BUTTON_PX - 8, BUTTON_PX)

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Step one sibling a notch."""
        self._wheel += event.angleDelta().y()
        while abs(self._wheel) >= NOTCH:
            step = -1 if self._wheel > 0 else 1
            self._wheel += NOTCH * step
            if (self._before if step < 0 else self._after).isEnabled():
                self.turned.emit(step)
        event.accept()

    def on_before_pressed(self) -> None:
        self.turned.emit(-1)

    def on_after_pressed(self) -> None:
        self.turned.emit(1)

    @staticmethod
    def _font_of_numbers() -> QFont:
        font = theme.numbers("small")
        font.setWeight(font.Weight.DemiBold)
        return font

    def _button(self, name: str, icon: str, title: str) -> QToolButton:
        button = icon_button(name, theme.icon(icon, "text.muted", 14), title, self)
        button.setIconSize(QSize(14, 14))
        button.setFixedSize(BUTTON_PX, BUTTON_PX)
        return button


class _PagerNumber(QWidget):
    """The words in the middle of a pager; the mouse goes through it."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self._words, self._font = "", QFont()

    def show_words(self, words: str, font: QFont) -> None:
        self._words, self._font = words, font
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setFont(self._font)
        painter.setPen(theme.colour("accent.base"))
        painter.drawText(QRectF(self.rect()), Qt.AlignmentFlag.AlignCenter, self._words)
        painter.end()
