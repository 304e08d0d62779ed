"""Choice of the agent whose coming context is shown, where several are asked."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from loomapp.core.model.agent import Agent
from loomapp.ui.strings import tr, unsteered
from loomapp.ui.widgets.form import ChoiceField
from loomapp.ui.widgets.labels import label
from loomapp.ui.widgets.layouts import horizontal


class AgentChoice(QWidget):
    """A line with the names of the agents that are asked; not there while there is nothing to choose."""

    chosen = Signal(str)  # agent id

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._names = ChoiceField(())
        self._names.setObjectName("contextAgent")
        self._names.setAccessibleName(tr("Agent whose context is shown"))
        self._names.activated.connect(lambda at: self.chosen.emit(self._names.itemData(at)))
        row = horizontal(self, spacing=6)
        row.addWidget(label(tr("Sent to"), "small", "muted"))
        row.addWidget(self._names, 1)
        self._is_coming = True
        self._listed: list[tuple[str, str]] = []
        self.hide()

    def show_agents(self, agents: Sequence[Agent], agent_id: str) -> None:
        """Show who is asked, and whose context is shown."""
        listed = [(agent.id, unsteered(agent.name)) for agent in agents]
        if listed != self._listed:  # else it may just be open
            self._listed = listed
            self._names.clear()
            for key, name in listed:
                self._names.addItem(name, key)
        self._names.setCurrentIndex(self._names.findData(agent_id))
        self._refresh()

    def set_coming(self, is_coming: bool) -> None:
        """Say whether a coming context is shown, or one of the past or one that is tried."""
        self._is_coming = is_coming
        self._refresh()

    def _refresh(self) -> None:
        self.setVisible(self._is_coming and self._names.count() > 1)
