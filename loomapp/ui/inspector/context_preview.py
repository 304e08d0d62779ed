"""The context preview: what would be sent now, as rows, as JSON, or why nothing can be."""

from __future__ import annotations

import json
from collections.abc import Mapping

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QResizeEvent, QShowEvent
from PySide6.QtWidgets import QFrame, QGridLayout, QStackedWidget, QWidget

from loomapp.core.context.assembly import Assembled, to_json
from loomapp.core.errors import LoomError
from loomapp.core.tree import Agent, Tree
from loomapp.ui import theme
from loomapp.ui.form import label
from loomapp.ui.inspector.context_error import ContextError
from loomapp.ui.inspector.context_list import ContextList, copy
from loomapp.ui.inspector.context_rows import ContextRows
from loomapp.ui.inspector.context_summary import ContextSummary
from loomapp.ui.inspector.plain_view import PlainView
from loomapp.ui.inspector.words import next_step
from loomapp.ui.strings import tr

SIDE_FROM_PX = 640  # wide and low: the numbers stand beside the rows
SIDE_BELOW_PX = 360
SIDE_WIDTH_PX = 232
QWIDGETSIZE_MAX = (1 << 24) - 1


class ContextPreview(QWidget):
    """Shows an `Assembled`; draws only while it is seen."""

    node_clicked = Signal(str)  # node id
    include_asked = Signal(str)  # node id of an excluded node

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("contextInspector")
        self.setAccessibleName(tr("Context: what will be sent"))
        self._assembled: Assembled | None = None
        self._error: LoomError | None = None
        self._tree: Tree | None = None
        self._agents: Mapping[str, Agent] = {}
        self._stale = True
        self.rows = ContextList(self)
        self._raw = PlainView(tr("The context as JSON"))
        self._raw.setObjectName("rawContext")
        self._raw.setContentsMargins(12, 10, 12, 10)
        self._failure = ContextError(self)
        self._nothing = label(tr("Open a tree to see what would be sent."), "ui", "muted", wrap=True)
        self._nothing.setObjectName("contextEmpty")
        self._nothing.setContentsMargins(12, 12, 12, 12)
        self._nothing.setAlignment(Qt.AlignmentFlag.AlignTop)
        self._pages = QStackedWidget(self)
        for page in (self._nothing, self.rows, self._raw, self._failure):
            self._pages.addWidget(page)
        self._summary = ContextSummary(self)
        self._line = QFrame(self)
        theme.set_look(self._line, line=True)
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setSpacing(0)
        self._beside: bool | None = None
        self._arrange(beside=False)
        self._connect()
        self.setFocusProxy(self.rows)

    def show_assembled(self, assembled: Assembled, tree: Tree, agents: Mapping[str, Agent]) -> None:
        """Show what would be sent from this tree."""
        self._assembled, self._error = assembled, None
        self._tree, self._agents = tree, agents
        self._refresh_if_seen()

    def show_error(self, error: LoomError, tree: Tree | None = None) -> None:
        """Show why nothing can be sent, and what to do."""
        self._assembled, self._error = None, error
        self._tree = tree or self._tree
        self._refresh_if_seen()

    # Showing

    def _refresh_if_seen(self) -> None:
        self._stale = True
        if self.isVisible():
            self._refresh()

    def _refresh(self) -> None:
        self._stale = False
        assembled, tree = self._assembled, self._tree
        self._summary.show_report(assembled.report if assembled else None)
        self._summary.setVisible(assembled is not None)
        self._line.setVisible(assembled is not None)
        if self._error is not None and self._error.code == "EMPTY_CONTEXT":
            self._nothing.setText(
                tr("Nothing to send yet.") + " " + next_step(self._error)
            )  # no fault of anyone
            self._pages.setCurrentWidget(self._nothing)
        elif self._error is not None:
            self._failure.show_error(self._error, tree)
            self._pages.setCurrentWidget(self._failure)
        elif assembled is None or tree is None:
            self._pages.setCurrentWidget(self._nothing)
        elif self._summary.raw_button.isChecked():
            self._raw.show_text(as_text(assembled))
            self._pages.setCurrentWidget(self._raw)
        else:
            self.rows.show_rows(ContextRows(assembled, tree, self._agents))
            self._pages.setCurrentWidget(self.rows)

    def on_raw_toggled(self) -> None:
        """Rows or JSON."""
        self._refresh_if_seen()

    def on_copy_asked(self) -> None:
        """All of it, however much is shown."""
        if self._assembled is not None:
            copy(as_text(self._assembled))

    def showEvent(self, event: QShowEvent) -> None:
        """Catch up with what was not drawn while hidden."""
        super().showEvent(event)
        if self._stale:
            self._refresh()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Numbers above the rows, or beside them where it is wide and low."""
        super().resizeEvent(event)
        self._arrange(beside=self.width() >= SIDE_FROM_PX and self.height() < SIDE_BELOW_PX)

    def _arrange(self, *, beside: bool) -> None:
        if beside == self._beside:
            return
        self._beside = beside
        grid = self._grid
        if beside:
            grid.addWidget(self._pages, 0, 0)
            grid.addWidget(self._line, 0, 1)
            grid.addWidget(self._summary, 0, 2, Qt.AlignmentFlag.AlignTop)
        else:
            grid.addWidget(self._summary, 0, 0)
            grid.addWidget(self._line, 1, 0)
            grid.addWidget(self._pages, 2, 0)
        for row in range(3):
            grid.setRowStretch(row, int(row == (0 if beside else 2)))
        grid.setColumnStretch(0, 1)
        self._summary.setMaximumWidth(SIDE_WIDTH_PX if beside else QWIDGETSIZE_MAX)
        self._summary.setMinimumWidth(SIDE_WIDTH_PX if beside else 0)
        self._summary.set_narrow(SIDE_WIDTH_PX if beside else None)
        self.rows.set_low(beside)
        theme.set_look(self._line, line="upright" if beside else True)

    def _connect(self) -> None:
        self.rows.node_clicked.connect(self.node_clicked)
        self.rows.include_asked.connect(self.include_asked)
        self._failure.node_clicked.connect(self.node_clicked)
        self._summary.raw_toggled.connect(self.on_raw_toggled)
        self._summary.copy_asked.connect(self.on_copy_asked)


def as_text(assembled: Assembled) -> str:
    """The whole context as JSON for reading: what `loomapp assemble` prints."""
    return json.dumps(to_json(assembled), ensure_ascii=False, indent=2)
