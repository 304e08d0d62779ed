"""The row under a message that is not sent or was cut short: why, and what can be done about it."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QRect, QRectF, Signal
from PySide6.QtGui import QFont, QPainter, QPaintEvent
from PySide6.QtWidgets import QPushButton, QWidget

from loomapp.ui.dialogue.script.outcomes import FateChip
from loomapp.ui.look import theme
from loomapp.ui.widgets.chip import HEIGHT_PX as CHIP_PX
from loomapp.ui.widgets.chip import chip_width, paint_chip

GAP_PX = 4
BETWEEN_PX = 8


class FateRow(QWidget):
    """Chips, and two links for what is excluded: Include, and Read or Fold."""

    include_clicked = Signal()
    expand_clicked = Signal()

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._chips: list[tuple[QRect, FateChip]] = []
        self._include = self._link("includeButton", self.tr("Include"))
        self._include.clicked.connect(self.include_clicked)
        self._expand = self._link("expandButton", "")
        self._expand.clicked.connect(self.expand_clicked)

    def show_fates(self, chips: Sequence[FateChip], width_px: int, *, excluded: bool, expanded: bool) -> int:
        """Show chips at a width, with the links if something is excluded; the height it takes."""
        self._expand.setText(self.tr("Fold") if expanded else self.tr("Read"))
        self._expand.setAccessibleName(self._expand.text())
        self._include.setVisible(excluded)
        self._expand.setVisible(excluded)
        self._chips = []
        x, top = 0, 0
        for chip in chips:
            wide = min(width_px, chip_width(chip.text))
            x, top = self._next_place(x, top, wide, width_px)
            self._chips.append((QRect(x, top + 2, wide, CHIP_PX), chip))
            x += wide + BETWEEN_PX
        for link in (self._include, self._expand):
            if not link.isHidden():
                wide = link.sizeHint().width()
                x, top = self._next_place(x, top, wide, width_px)
                link.setGeometry(x, top, wide, theme.px("control.hit"))
                x += wide + GAP_PX
        self.update()
        return top + theme.px("control.hit")

    @property
    def words(self) -> tuple[str, ...]:
        return tuple(chip.text for _, chip in self._chips)

    @property
    def links(self) -> tuple[QPushButton, ...]:
        return self._include, self._expand

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        for rect, chip in self._chips:
            paint_chip(painter, QRectF(rect), chip.icon, chip.text, chip.role)
        painter.end()

    @staticmethod
    def _next_place(x: int, top: int, wide: int, width_px: int) -> tuple[int, int]:
        """Return the place of the next chip: on the same line if there is room, else at the beginning of the
        next one.
        """
        return (0, top + theme.px("control.hit")) if x and x + wide > width_px else (x, top)

    def _link(self, name: str, words: str) -> QPushButton:
        button = QPushButton(words, self)
        button.setObjectName(name)
        button.setAccessibleName(words)
        font = theme.font("small")
        font.setWeight(QFont.Weight.Medium)
        button.setFont(font)
        theme.set_look(button, kind="link")
        return button
