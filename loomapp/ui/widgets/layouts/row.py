"""A row of a page: words at the left, something to do with at the right; where it is narrow, below them."""

from __future__ import annotations

from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from loomapp.ui.widgets.form import label
from loomapp.ui.widgets.layouts.flow import Flow

ROOMY_PX = 640  # of a page; from here on words have their full measure
STACKED_PX = 480  # of a page; below, nothing has room beside the words
LABELS_PX, NARROW_LABELS_PX = 256, 148
WIDEST_PX = 16_777_215  # Qt's own


class Row(QWidget):
    """Row with words at the left, and something to do with at the right."""

    def __init__(self, title: str, hint: str, parent: QWidget) -> None:
        super().__init__(parent)
        self._words = QWidget(self)
        self.title = label(title)
        column = QVBoxLayout(self._words)
        column.setContentsMargins(0, 0, 16, 0)
        column.setSpacing(0)
        column.addWidget(self.title)
        if hint:
            column.addWidget(label(hint, "small", "muted", wrap=True))
        column.addStretch(1)
        self.flow = Flow(gap_px=12)
        row = self._row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(0)
        row.addWidget(self._words)
        row.addLayout(self.flow, 1)

    def fit(self, page_px: int) -> None:
        """Let the words give way to the fields in a narrow page; in a very narrow one they stand
        above them.
        """
        stacked = page_px < STACKED_PX
        directions = QHBoxLayout.Direction
        self._row.setDirection(directions.TopToBottom if stacked else directions.LeftToRight)
        self._row.setSpacing(4 if stacked else 0)
        width_px = NARROW_LABELS_PX if page_px < ROOMY_PX else LABELS_PX
        self._words.setMinimumWidth(0 if stacked else width_px)
        self._words.setMaximumWidth(WIDEST_PX if stacked else width_px)
