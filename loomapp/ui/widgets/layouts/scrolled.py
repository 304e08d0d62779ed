"""A part that scrolls up and down, without a frame or a ground of its own."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt
from PySide6.QtWidgets import QFrame, QScrollArea, QWidget


class Scrolled(QScrollArea):
    """Holds one widget, at its own width. It asks for no more room than it is given."""

    def __init__(self, ground: QWidget, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName(name)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setWidgetResizable(True)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setWidget(ground)
        for widget in (ground, self.viewport()):
            widget.setAutoFillBackground(False)

    def sizeHint(self) -> QSize:
        """Return a small size, less than it holds: it can be scrolled."""
        return QSize(280, 160)
