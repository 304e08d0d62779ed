"""A verdict: what verification says of a node, in words and with an icon."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QHBoxLayout, QLabel, QWidget

from loomapp.core.model.hashes import Finding
from loomapp.ui.widgets.form import IconLabel, label
from loomapp.ui.widgets.words.context_words import verdict_look, verdict_words


class VerdictRow(QWidget):
    """Row with a verdict, hidden while nothing was looked at."""

    def __init__(self, name: str) -> None:
        super().__init__()
        self.setObjectName(name)
        self._icon = IconLabel("info", "text.muted")
        self._words: QLabel = label("", "ui", wrap=True)
        self._words.setObjectName(f"{name}Words")
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(8)
        row.addWidget(self._icon, 0, Qt.AlignmentFlag.AlignTop)
        row.addWidget(self._words, 1)

    def show_finding(self, finding: Finding | None, *, is_model: bool) -> None:
        self.setVisible(finding is not None)
        if finding is None:
            return
        self._words.setText(verdict_words(finding, is_model=is_model))
        self._icon.show_icon(*verdict_look(finding.verdict))
