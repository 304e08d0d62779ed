"""The list under the agent picker: rows stay where they are while boxes are ticked."""

from __future__ import annotations

from PySide6.QtCore import QPoint
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from loomapp.core.model.agent import Agent, Configuration
from loomapp.ui.agents.picker import MOST_ROWS, ROW_PX, AgentList, AgentPicker
from loomapp.ui.look import theme
from tests.kit.desktop import Pointer, show_active
from tests.kit.find import find


def test_a_tick_moves_no_row_of_a_long_list(qapp: QApplication, qtbot: QtBot, pointer: Pointer) -> None:
    theme.apply(qapp, theme.choice_of("light"))
    window = QWidget()
    qtbot.addWidget(window)
    picker = AgentPicker(window)
    agents = [
        Agent(f"01J0000000000000000000{i:04}", f"Agent {i}", "model", f"here:{i}", Configuration())
        for i in range(20)
    ]
    asked: list[tuple[str, ...]] = []
    picker.asked.connect(asked.append)
    picker.asked.connect(lambda ids: picker.show_agents(agents, [a for a in agents if a.id in ids]))
    picker.show_agents(agents, agents[:1])
    window.setGeometry(600, 200, 400, 300)
    show_active(qtbot, window)
    picker.click()
    shown = find(picker, AgentList, "agentList")
    rows = shown.rows
    assert rows.viewport().visibleRegion().boundingRect().height() >= MOST_ROWS * ROW_PX
    bar = rows.verticalScrollBar()
    bar.setValue(bar.maximum())
    before = bar.value()
    for y in (2, 4):
        pointer.click(rows.viewport(), QPoint(14, y * ROW_PX + 10))
    assert bar.value() == before
    assert rows.checked_ids() == (agents[0].id, agents[13].id, agents[15].id)
    index = rows.indexAt(QPoint(14, 4 * ROW_PX + 10))
    assert rows.act_words(index) == "do not ask this one"
    pointer.move(rows.viewport(), QPoint(90, 4 * ROW_PX + 10))
    qtbot.waitUntil(lambda: rows.act_words(index) == "ask only this one")
    pointer.click(rows.viewport(), QPoint(90, 4 * ROW_PX + 10), modifiers=["ctrl"])
    assert rows.checked_ids() == (agents[0].id, agents[13].id)
    pointer.click(rows.viewport(), QPoint(90, 4 * ROW_PX + 10))
    qtbot.waitUntil(lambda: asked[-1] == (agents[15].id,))
