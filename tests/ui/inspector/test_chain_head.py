"""The head of the chain in the Provenance tab: it follows each change, and is copied whole."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QLabel, QLineEdit, QPushButton, QWidget
from pytestqt.qtbot import QtBot

from loomapp.core.edits import node_edits
from loomapp.store.checks.grove_verification import verify_grove
from loomapp.store.grove.open import open_grove
from loomapp.ui.inspector.node.provenance_panel import ChainHeadLine
from tests.kit.desktop import Pointer, show_active
from tests.kit.find import find
from tests.kit.groves import written
from tests.kit.windows import open_window


@pytest.mark.desktop
def test_the_head_is_shown_follows_changes_and_is_copied_for_verify(tmp_path: Path, qtbot: QtBot) -> None:
    path = written(tmp_path / "g.loom", ("Name a bird.", ""), ("Wren.", "Name a bird."))
    with open_window(path, qtbot) as window:
        window.bring_inspector()
        window.inspector.show_tab("provenancePanel")
        field = find(window, QLineEdit, "chainHeadField")
        before = field.text()
        document = window.document

        document.commit(node_edits.add_node(document.tree, document.current_id, "Lark.", document.pen()))
        qtbot.waitUntil(lambda: field.text() != before)
        Pointer(qtbot).click(find(window, QPushButton, "copyHeadButton"))

        qtbot.waitUntil(lambda: QGuiApplication.clipboard().text() == field.text())
        assert find(window, QLabel, "chainHeadWords").text().startswith("Head of ")
    with open_grove(path) as grove:
        assert verify_grove(grove, witness=before).since
        verified = verify_grove(grove, witness=QGuiApplication.clipboard().text())
        assert verified.since is not None


def test_a_grove_without_a_chain_says_so_and_offers_nothing_to_copy(qtbot: QtBot) -> None:
    head = ChainHeadLine()
    qtbot.addWidget(head)

    head.show_head(None)
    show_active(qtbot, head)

    assert find(head, QLabel, "chainHeadWords").text() == "This grove is not sealed yet."
    assert not find(head, QWidget, "copyHeadButton").isVisible()
