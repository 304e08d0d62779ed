"""Proposals of agents above the composer: a batch is shown at once, each with what it would do."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QEvent, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLabel, QPushButton, QScrollArea, QWidget
from pytestqt.qtbot import QtBot

from loomapp.runs.events import Proposal
from loomapp.ui.composer.proposal_panel import ProposalPanel
from tests.kit.find import find
from tests.kit.windows import open_window

LINE = "→ continue n: 3 using agent: Ada"


def test_a_batch_of_proposals_is_shown_at_once_with_what_they_would_do(tmp_path: Path, qtbot: QtBot) -> None:
    with open_window(tmp_path / "g.loom", qtbot) as window:
        tree, proposals = window.document.tree, window.generator.proposals
        here = tree.root_id
        for number in range(5):
            proposals.add(
                Proposal(f"p{number}", tree.loom.id, "claude", "run", LINE, "continue", here, here, here)
            )
        assert window.findChildren(QWidget, "proposalCard") == []
        qtbot.waitUntil(lambda: len(window.findChildren(QWidget, "proposalCard")) == 5)

        words = {label.text() for label in window.findChildren(QLabel, "proposalText")}
        assert words == {"continue n: 3 using agent: Ada"}

        # in a narrow panel the words have a line of their own
        panel = find(window, ProposalPanel, "proposalPanel")
        panel.resize(330, panel.height())
        said = panel.findChildren(QLabel, "proposalText")[0]
        qtbot.waitUntil(lambda: said.width() > 250)
        panel.resize(700, panel.height())

        # a double click decides about one, also if the next one has come into its place; so does Delete
        refused: list[str] = []
        panel.refuse_asked.connect(refused.append)
        QTest.mouseClick(panel.findChildren(QPushButton, "proposalRefuse")[0], Qt.MouseButton.LeftButton)
        qtbot.waitUntil(lambda: len(panel.findChildren(QWidget, "proposalCard")) == 4)
        QTest.mouseDClick(panel.findChildren(QPushButton, "proposalRefuse")[0], Qt.MouseButton.LeftButton)
        assert refused == ["p0"]

        # on its card Delete refuses and Enter accepts, and the keyboard goes on to the next
        graph = window.graph
        qtbot.waitUntil(lambda: len(graph._scene.drafts) == 4)
        graph.setFocus()
        graph._stand_on_draft("proposal:p2")
        QTest.keyClick(graph, Qt.Key.Key_Delete)
        assert [one.id for one in proposals.waiting] == ["p1", "p3", "p4"]
        assert graph._stop.key == "proposal:p3"
        accepted: list[str] = []
        graph.draft_asked.connect(lambda key, act: accepted.append(f"{act} {key}"))
        QTest.keyClick(graph, Qt.Key.Key_Return)
        assert accepted == ["accept proposal:p3"]

        # under the pointer it keeps its height: "Refuse all" does not come to where a row was refused
        area = find(panel, QScrollArea, "proposalArea")
        qtbot.waitUntil(lambda: len(panel.findChildren(QWidget, "proposalCard")) == 2)
        height = area.height()
        panel.setAttribute(Qt.WidgetAttribute.WA_UnderMouse)
        proposals.refuse("p1")
        qtbot.waitUntil(lambda: len(panel.findChildren(QWidget, "proposalCard")) == 1)
        assert area.height() == height
        QApplication.sendEvent(panel, QEvent(QEvent.Type.Leave))
        assert area.height() < height

        proposals.refuse_all(tree.loom.id)
        assert proposals.waiting == ()
