"""The heading of a section of the settings; a line parts it from what stands above."""

from __future__ import annotations

from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from loomapp.ui.widgets.labels import label, rule

GAP_PX = 20
BELOW_PX = 12


class Heading(QWidget):
    """Heading with room for a button beside it, and a line above, which the first that is shown has not."""

    def __init__(self, title: str, parent: QWidget) -> None:
        super().__init__(parent)
        self.title = title
        self._rule = rule()
        self._rule.setObjectName("sectionRule")
        self._name = QHBoxLayout()
        self._name.addWidget(label(title, "ui_strong"), 1)
        column = self._column = QVBoxLayout(self)
        column.setSpacing(GAP_PX)
        column.addWidget(self._rule)
        column.addLayout(self._name)
        self.set_first(False)

    def set_first(self, is_first: bool) -> None:
        """Leave out the rule and gap above the first heading."""
        self._rule.setVisible(not is_first)
        self._column.setContentsMargins(0, 0 if is_first else GAP_PX, 0, BELOW_PX)

    def add_button(self, button: QWidget) -> None:
        self._name.addWidget(button)
