"""The zoom bar: −, the zoom in per cent, +, and fit."""

from __future__ import annotations

from PySide6.QtCore import QRectF, Qt, Signal
from PySide6.QtGui import QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QHBoxLayout, QToolButton, QWidget

from loomapp.ui.look import theme

ICON_SIZE = 16


class ZoomBar(QWidget):
    """Buttons in a corner of the graph; what they want is said by signals."""

    zoom_in_asked = Signal()
    zoom_out_asked = Signal()
    full_size_asked = Signal()
    fit_asked = Signal()

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("graphZoomBar")
        self.setCursor(Qt.CursorShape.ArrowCursor)
        row = QHBoxLayout(self)
        row.setContentsMargins(2, 2, 2, 2)
        row.setSpacing(2)
        self._framed = True
        smaller = self._button("graphZoomOut", "minus", self.tr("Zoom out"))
        self._percent = self._button("graphZoomPercent", "", self.tr("Zoom to 100 %"))
        self._percent.setFixedWidth(56)
        larger = self._button("graphZoomIn", "plus", self.tr("Zoom in"))
        fit = self._button("graphFit", "scan", self.tr("Fit the whole tree"))
        self._steps = (smaller, larger)
        for button in (smaller, self._percent, larger, fit):
            row.addWidget(button)
        smaller.clicked.connect(self.zoom_out_asked)
        self._percent.clicked.connect(self.full_size_asked)
        larger.clicked.connect(self.zoom_in_asked)
        fit.clicked.connect(self.fit_asked)
        self.show_zoom(1.0)

    def show_zoom(self, zoom: float) -> None:
        percent = zoom * 100
        text = f"{percent:.0f} %" if percent >= 1 else f"{percent:.1f} %" if percent >= 0.1 else "< 0.1 %"
        if text != self._percent.text():
            self._percent.setText(text)

    def stand_in_row(self) -> None:
        """Drop the frame: it is part of a row that has a ground of its own."""
        self._framed = False
        self.update()

    def set_short(self, short: bool) -> None:
        """Hide the two steps, which wheel and keys do as well."""
        for button in self._steps:
            button.setHidden(short)

    def paintEvent(self, event: QPaintEvent) -> None:
        if not self._framed:
            return
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(theme.colour("border.normal"), 1))
        painter.setBrush(theme.colour("surface.panel"))
        painter.drawRoundedRect(QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5), 6, 6)

    def _button(self, name: str, icon: str, accessible: str) -> QToolButton:
        button = QToolButton(self)
        button.setObjectName(name)
        button.setAccessibleName(accessible)
        button.setToolTip(accessible)
        button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        if icon:
            button.setIcon(theme.icon(icon, size=ICON_SIZE))
        else:
            button.setFont(theme.numbers("small"))
        return button
