"""A buffer as far as it goes by now: write, continue, correct a passage; everything below follows."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtWidgets import QPlainTextEdit, QPushButton
from pytestqt.qtbot import QtBot

from tests.desktop import Pointer
from tests.journeys.outside import assembled, loomapp, new_tree
from tests.journeys.windows import card, open_window
from tests.ui.finding import find

ANSWER_TIMEOUT_MS = 90_000


@pytest.mark.timeout(240)
def test_prose_is_continued_and_corrected(tmp_path: Path, qtbot: QtBot, pointer: Pointer) -> None:
    grove = tmp_path / "prose.loom"
    tree_id, root = new_tree(grove, mode="buffer", text="Once upon a time ")

    with open_window(grove, qtbot) as window:
        document, tree = window.document, window.document.tree
        window.composer.set_count(2)
        pointer.click(window.composer.field)
        pointer.type_ascii("there was a lamp")
        qtbot.waitUntil(lambda: window.composer.text == "there was a lamp")
        window.preview.refresh_now()
        assert window.preview.last is not None
        assert window.preview.last.document == "Once upon a time there was a lamp"
        pointer.click(find(window, QPushButton, "generateButton"))
        qtbot.waitUntil(lambda: len(tree.children(root)) == 1)
        written = tree.children(root)[0]
        qtbot.waitUntil(lambda: len(tree.children(written)) == 2, timeout=ANSWER_TIMEOUT_MS)
        answer = document.path_ids[-1]
        said = tree.nodes[answer].text

        window.graph.fit_all()
        qtbot.wait(300)  # the camera's flight
        pointer.click(window.graph.viewport(), card(window, written))
        pointer.key("F2")
        qtbot.waitUntil(lambda: isinstance(window.focusWidget(), QPlainTextEdit))
        pointer.key("ctrl+a")
        pointer.type_ascii("there was a boat")
        pointer.key("ctrl+Return")
        qtbot.waitUntil(lambda: written not in document.path_ids)

        version = document.path_ids[-2]
        assert tree.nodes[version].edited_from == written
        assert document.path_ids == (root, version, answer)
        said_now = f"Once upon a time there was a boat{said}"
        assert assembled(grove, tree_id, answer)["document"] == said_now

    assert "failed" not in loomapp("verify", "--grove", grove)
