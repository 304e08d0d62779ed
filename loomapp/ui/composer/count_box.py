"""Number of answers to ask for; letters typed there are left to where one writes."""

from __future__ import annotations

from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QSpinBox

from loomapp.ui.widgets.keyboard import is_word_key


class CountBox(QSpinBox):
    """Field for a number that takes figures, and no words."""

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if is_word_key(event) and not event.text().isdigit():
            event.ignore()  # the field would swallow it
            return
        super().keyPressEvent(event)
