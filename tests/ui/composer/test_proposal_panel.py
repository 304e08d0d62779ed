"""Proposals of agents above the composer: a batch is shown at once, each with what it would do."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtWidgets import QLabel, QWidget
from pytestqt.qtbot import QtBot

from loomapp.runs.proposal import Proposal
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
        proposals.refuse_all(tree.loom.id)
        assert proposals.waiting == ()
