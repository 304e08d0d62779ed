"""Why no context can be assembled: what happened, the numbers, what to do, and the largest nodes to go to."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QPushButton, QVBoxLayout, QWidget

from loomapp.core.errors import LoomError
from loomapp.core.tree import Tree
from loomapp.ui.inspector.words import figures, next_step
from loomapp.ui.look import theme
from loomapp.ui.strings import told, tr
from loomapp.ui.widgets.error_strip import ErrorStrip
from loomapp.ui.widgets.form import label

WORDS_SHOWN = 40


class ContextError(QWidget):
    """The error in place of the rows."""

    node_clicked = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("contextError")
        self._strip = ErrorStrip(self)
        self._strip.setObjectName("contextErrorStrip")
        self._figures = label("", "ui", "primary", wrap=True)
        self._figures.setObjectName("contextErrorFigures")
        self._figures.setFont(theme.numbers("ui"))
        self._figures.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self._step = label("", "ui", "secondary", wrap=True)
        self._step.setObjectName("contextErrorStep")
        self._largest = QVBoxLayout()
        self._largest.setSpacing(0)
        column = QVBoxLayout(self)
        column.setContentsMargins(12, 12, 12, 12)
        column.setSpacing(10)
        for widget in (self._strip, self._figures, self._step):
            column.addWidget(widget)
        column.addLayout(self._largest)
        column.addStretch(1)

    def show_error(self, error: LoomError, tree: Tree | None) -> None:
        """Show an error; with the tree its largest nodes are named."""
        self._strip.say(told(error.message))
        numbers = figures(error)
        self._figures.setText("   ".join(f"{words} {value:,}" for words, value in numbers))
        self._figures.setVisible(bool(numbers))
        step = next_step(error)
        self._step.setText(step)
        self._step.setVisible(bool(step))
        self._show_largest(error, tree)

    def _show_largest(self, error: LoomError, tree: Tree | None) -> None:
        while (item := self._largest.takeAt(0)) is not None:
            widget = item.widget()
            if widget is not None:
                widget.deleteLater()
        largest = error.details.get("largest")
        for entry in largest if isinstance(largest, list) else ():
            if isinstance(entry, Mapping):
                self._add_node(str(entry.get("nodeId")), entry.get("tokens"), tree)

    def _add_node(self, node_id: str, tokens: object, tree: Tree | None) -> None:
        node = tree.nodes.get(node_id) if tree else None
        if node is None:
            return
        words = " ".join(node.text[:WORDS_SHOWN].split()) + "…" * (len(node.text) > WORDS_SHOWN)
        count = tr("{count} tokens").format(count=f"{tokens:,}") if isinstance(tokens, int) else ""
        button = QPushButton(f"{node.local_id}   {count}   {words}".replace("&", "&&"))
        button.setAccessibleName(tr("Go to {name}").format(name=node.local_id))
        theme.set_look(button, kind="link")
        button.clicked.connect(lambda: self.node_clicked.emit(node_id))
        self._largest.addWidget(button, 0, Qt.AlignmentFlag.AlignLeft)
