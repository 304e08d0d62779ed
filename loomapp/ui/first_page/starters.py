"""Starters under the sample: three lines to go on with, and how the model is, until somebody wrote there."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, Signal
from PySide6.QtWidgets import QWidget

from loomapp.ui.dialogue.empty import SuggestionButton
from loomapp.ui.first_page.model_pill import ModelPill
from loomapp.ui.strings import tr
from loomapp.ui.widgets.labels import label
from loomapp.ui.widgets.layouts import vertical

SAMPLE_TITLE = "Sample: a letter in a bottle"
MARGIN_PX = 16
PILL_PX = 392
LEAST_HEIGHT_PX = 700  # of the pane it stands in: what is read comes first


def lines() -> tuple[str, ...]:
    """Lines that go on from any place of the sample's story, each to be answered in several ways."""
    return (
        tr("Now the answer to this letter, three sentences."),
        tr("Read this as three different critics would."),
        tr("Tell it again, as the sea would tell it."),
    )


class Starters(QWidget):
    """Stands between the text and the composer. A line that is chosen is told; nothing is sent."""

    line_chosen = Signal(str)

    def __init__(self, pane: QWidget) -> None:
        super().__init__(pane)
        self._pane = pane
        self.setObjectName("starters")
        self.setAccessibleName(tr("Lines to go on with"))
        self.pill = ModelPill(self, widest_px=PILL_PX)
        self._wanted = False
        column = vertical(self, (MARGIN_PX, 8, MARGIN_PX, 8), spacing=6)
        column.addWidget(label(tr("Try one of these, or write a line of your own"), "ui_strong"))
        for line in lines():
            button = SuggestionButton(line, self)
            button.setFixedHeight(36)
            button.clicked.connect(self.on_clicked)
            column.addWidget(button)
        column.addSpacing(2)
        column.addWidget(self.pill)
        pane.installEventFilter(self)
        self.hide()

    def set_wanted(self, wanted: bool) -> None:
        """Show the starters if they are wanted and there is room."""
        self._wanted = wanted
        self._fit()

    def on_clicked(self) -> None:
        button = self.sender()
        if isinstance(button, SuggestionButton):
            self.line_chosen.emit(button.line)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Show or hide the starters: the pane became higher or lower."""
        if event.type() == QEvent.Type.Resize:
            self._fit()
        return False

    def _fit(self) -> None:
        self.setVisible(self._wanted and self._pane.height() >= LEAST_HEIGHT_PX)
