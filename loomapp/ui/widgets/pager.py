"""The sibling pager: ‹ 2/3 ›."""

from __future__ import annotations

from PySide6.QtCore import QRectF, QSize, Qt, Signal
from PySide6.QtGui import QFont, QFontMetricsF, QPainter, QPaintEvent, QWheelEvent
from PySide6.QtWidgets import QToolButton, QWidget

from loomapp.ui import figures
from loomapp.ui.look import theme
from loomapp.ui.widgets.buttons import icon_button

BUTTON_PX = 24  # the smallest clickable square
NOTCH = 120
NONE = "\N{EN DASH}"  # in the number's place while none of them is read


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
        self._wheel = 0
        self._before = self._button("siblingBefore", "chevron-left", self.tr("Previous sibling"))
        self._after = self._button("siblingAfter", "chevron-right", self.tr("Next sibling"))
        self._before.pressed.connect(self.on_before_pressed)
        self._after.pressed.connect(self.on_after_pressed)
        self._place = _PagerNumber(self)  # above the buttons: their hovered ground reaches below the digits

    def show_place(self, number: int, count: int) -> None:
        """Show that this is the `number`th of `count`, counted from 1; 0 if none of them is read."""
        self._number, self._count = number, count
        self._before.setEnabled(number > 1)
        self._after.setEnabled(number < count)
        if number:
            words = self.tr("Sibling {0} of {1}").format(figures.number(number), figures.number(count))
        else:
            words = self.tr("None of {0} siblings").format(figures.number(count))
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
        number = figures.number(self._number) if self._number else NONE
        return f"{number}/{figures.number(self._count)}"

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
