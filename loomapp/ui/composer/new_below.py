"""Rows below the text for what is further down: how much, what another program wrote of it, a way there."""

from __future__ import annotations

from PySide6.QtCore import QRectF, QSize, Signal
from PySide6.QtGui import QPaintEvent
from PySide6.QtWidgets import QWidget

from loomapp.ui.look import theme
from loomapp.ui.strings import tr
from loomapp.ui.widgets.buttons import push_button
from loomapp.ui.widgets.labels import ShortLabel, plain_tip
from loomapp.ui.widgets.layouts import horizontal

DOT_PX = 7
HEIGHT_PX = 32


class _Dot(QWidget):
    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setFixedSize(QSize(DOT_PX, DOT_PX))

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = theme.smooth_painter(self)
        theme.draw_in(painter, fill="accent.base")
        painter.drawEllipse(QRectF(self.rect()))
        painter.end()


class BelowRow(QWidget):
    """Hidden while there is nothing to read below; else words, and a link that leads there."""

    read_asked = Signal(str)  # node id

    def __init__(self, name: str, link: str, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName(name)
        self.setFixedHeight(HEIGHT_PX)
        self._node_id = ""
        self._words = ShortLabel(self)
        self._words.setObjectName(f"{name}Words")
        theme.set_look(self._words, tone="secondary")
        self._words.setFont(theme.font("small"))
        self._read = push_button(f"read{name[0].upper()}{name[1:]}", link, self, kind="link")
        self._read.setFont(theme.font("small"))
        self._read.clicked.connect(lambda: self.read_asked.emit(self._node_id))
        self._row = horizontal(self, (16, 0, 16, 0), spacing=8)
        self._row.addWidget(self._words, 1)
        self._row.addWidget(self._read)
        self.hide()

    def say(self, words: str, node_id: str) -> None:
        """Say what is below, and where it begins; without words, nothing."""
        self._node_id = node_id
        self._words.setText(words)
        self._words.setToolTip(plain_tip(words))
        self._read.setAccessibleName(f"{self._read.text()}: {words}")
        self.setVisible(bool(words))


class NewBelow(BelowRow):
    """Row for what is new, with a dot before it."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__("newBelow", tr("Read"), parent)
        self._row.insertWidget(0, _Dot(self))
