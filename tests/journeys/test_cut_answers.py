"""An answer that was cut by its limit says so below its text, and goes on from there."""

from __future__ import annotations

from pathlib import Path
from typing import cast

import pytest
from PySide6.QtWidgets import QPushButton, QSpinBox
from pytestqt.qtbot import QtBot

from loomapp.providers import registry
from loomapp.store.grove.open import create_grove
from loomapp.ui.commands import node_actions
from loomapp.ui.window.main_window import MainWindow
from tests.journeys.growing import grown
from tests.kit.desktop import Pointer
from tests.kit.find import find
from tests.kit.servers.fake_server import DONE, FakeServer, answers, chunk, says, usage
from tests.kit.windows import open_window
from tests.session.programs import ask_server

CUT = ("cut at 160 tokens",)


def test_an_answer_that_was_cut_goes_on_from_its_chip_and_says_so_again_after_undo_and_redo(
    tmp_path: Path, qtbot: QtBot, pointer: Pointer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(cast("dict[str, object]", registry.PROVIDERS), "scripted", None)
    path = tmp_path / "g.loom"
    cut = says(chunk("It is sal"), chunk(reason="length"), usage(7, 160), DONE)
    with FakeServer(cut, answers("ty.")) as server, create_grove(path) as grove:
        ask_server(grove, server.url)
        grown(grove)

        with open_window(path, qtbot) as window:
            find(window.composer, QSpinBox, "continuationCount").setValue(1)
            pointer.click(find(window.composer, QPushButton, "generateButton"))
            qtbot.waitUntil(lambda: shown(window) == CUT)
            first = window.document.current_id
            message, row = window.dialogue.message(first), window.graph._scene.row_of(first)
            assert message is not None
            assert row is not None
            assert any(badge.text == "cut" for badge in window.graph._scene.face(row).badges)
            pointer.click(find(message, QPushButton, "continueCutButton"))
            qtbot.waitUntil(lambda: window.document.current_id != first)
            last = window.document.current_id

            assert window.document.tree.incoming(last)[0].with_role("primary") == (first,)
            assert len(server.received) == 2
            qtbot.waitUntil(lambda: not find(message, QPushButton, "continueCutButton").isVisible())
            for _ in range(2):
                node_actions.undo(window.bench)
            node_actions.redo(window.bench)
            qtbot.waitUntil(lambda: shown(window) == CUT)


def shown(window: MainWindow) -> tuple[str, ...]:
    """The words under the last message."""
    message = window.dialogue.message(window.document.current_id)
    return () if message is None else message.foot.words
