"""A grove is checked from its window: what is wrong is named by its tree, and that nothing is is said."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtWidgets import QPlainTextEdit
from pytestqt.qtbot import QtBot

from loomapp.ui.commands.trees.grove_check import (
    FileProblem,
    NodeFinding,
    PrintedFault,
    PrintedVerdicts,
    report,
)
from tests.kit.find import find
from tests.kit.processes.outside import new_tree
from tests.kit.windows import open_window

SOUND: PrintedVerdicts = {
    "summary": {"ok": 1200, "no evidence": 4},
    "findings": [],
    "faults": [],
    "head": "ab12",
}


def test_what_is_wrong_is_named_by_its_tree_and_node() -> None:
    findings: list[NodeFinding] = [
        {"treeId": "t", "localId": "A1", "verdict": "failed", "reason": "the text is another"},
        {"treeId": "t", "localId": "A2", "verdict": "no evidence", "reason": ""},
    ]
    problem: FileProblem = {"treeId": None, "message": "page 4 cannot be read"}
    fault: PrintedFault = {"treeId": "t", "reason": "a step is missing"}
    verified: PrintedVerdicts = {**SOUND, "findings": findings, "faults": [fault]}

    said, text = report(verified, {"problems": [problem, problem]}, {"t": "Birds"})

    assert "1,204 nodes" in said
    assert text.splitlines() == [
        "“Birds”, A1: the text is another",
        "“Birds”: a step is missing",
        "page 4 cannot be read",
    ]
    said, text = report(SOUND, {"problems": []}, {})
    assert text.startswith("Nothing is wrong")
    assert "For 4 nodes no response was kept" in text
    assert "ab12" in text


@pytest.mark.slow
def test_a_window_checks_its_grove_and_shows_what_was_found(tmp_path: Path, qtbot: QtBot) -> None:
    path = tmp_path / "g.loom"
    new_tree(path, text="What is the sea?")
    with open_window(path, qtbot) as window:
        window.actions_set.by_name["checkGrove"].trigger()
        assert window.banner.work.isVisible()
        window.banner.work.cancel_clicked.emit()
        assert not window.banner.work.isVisible()
        assert window.text_pane.errors.text == "", "who stops it knows why it says nothing"

        window.actions_set.by_name["checkGrove"].trigger()
        qtbot.waitUntil(lambda: window.findChild(QPlainTextEdit, "logText") is not None)
        assert "Nothing is wrong" in find(window, QPlainTextEdit, "logText").toPlainText()
        assert not window.banner.work.isVisible()

        window.actions_set.by_name["backUpNow"].trigger()
        qtbot.waitUntil(lambda: "Backed up to" in window.text_pane.errors.text)
        backup = Path(window.text_pane.errors.text.removeprefix("Backed up to ").removesuffix("."))
        assert backup.is_file()
