"""A row of the settings page that leads to a page of its own."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QPushButton, QWidget

from loomapp.ui.strings import tr
from loomapp.ui.widgets.rows import Row


class LinkRow(Row):
    asked = Signal(str)  # name of an action

    def __init__(self, action: str, title: str, hint: str, parent: QWidget) -> None:
        super().__init__(title, hint, parent)
        self.searched = f"{title} {hint}"
        button = QPushButton(tr("Open"), self)
        button.setObjectName(f"open_{action}")
        button.setAccessibleName(tr("Open: {title}").format(title=title))
        button.clicked.connect(lambda: self.asked.emit(action))
        self.flow.addWidget(button)


def model_links() -> tuple[tuple[str, str, str], ...]:
    """Return the pages of models: action, title and hint."""
    return (
        ("agents", tr("Agents"), tr("Who is asked: model, prompt, sampling, colour")),
        ("endpoints", tr("Endpoints and keys"), tr("Where models are reached: addresses, API keys, a test")),
        ("usage", tr("Usage and prices"), tr("Tokens and money by message, path, tree and day")),
    )
