"""The title of a section that folds what stands below it."""

from __future__ import annotations

from PySide6.QtCore import QEvent, Qt
from PySide6.QtWidgets import QToolButton, QWidget

from loomapp.ui.look import theme


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
        """Show whether anything stands below it."""
        self._is_folded = folded
        self.setIcon(theme.icon("chevron-right" if folded else "chevron-down", "text.muted", 12))

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange and hasattr(self, "_is_folded"):
            self.show_fold(folded=self._is_folded)
