"""What is typed outlives a kill; another program's words appear; a second start brings the window forward.

An ordinary run takes the most telling of these tests; the others are marked `slow`.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QTextEdit
from pytestqt.qtbot import QtBot

from loomapp.core.generation.answers import CrashedRun, Sources
from loomapp.core.generation.drafts import Draft
from loomapp.session.recovery import run_row, settings_row
from loomapp.store.files import drafts
from loomapp.store.grove.open import open_grove
from tests.kit.desktop import Desktop, focus_program
from tests.kit.find import find
from tests.kit.processes.outside import loomapp, new_tree
from tests.kit.windows import open_window


@contextmanager
def program(grove: Path, qtbot: QtBot) -> Iterator[subprocess.Popen[str]]:
    """The real program with its window on the screen and the keyboard; killed at the end if it still runs."""
    process = subprocess.Popen(
        [sys.executable, "-m", "loomapp", str(grove)], stderr=subprocess.PIPE, text=True, env=dict(os.environ)
    )
    try:
        focus_program(qtbot, "--class", "loomapp")
        yield process
    finally:
        process.kill()
        process.communicate()


def xdotool(qtbot: QtBot, *words: str) -> None:
    process = subprocess.Popen(["xdotool", *words], stdout=subprocess.DEVNULL)
    qtbot.waitUntil(lambda: process.poll() is not None, timeout=30_000)
    assert process.returncode == 0


def drafts_of(grove: Path) -> list[object]:
    """The texts that would be offered again after a kill now: what is only half way to its name is not."""
    return [row.body.get("text") for row in drafts.read(drafts.drafts_folder(grove))]


def kept_words(grove: Path) -> str:
    """All that would be offered again after a kill now."""
    return "".join(str(row.body) for row in drafts.read(drafts.drafts_folder(grove)))


@pytest.mark.timeout(180)
def test_words_in_the_composer_outlive_a_kill(tmp_path: Path, qtbot: QtBot, desktop: Desktop) -> None:
    assert desktop.display
    grove = tmp_path / "g.loom"
    new_tree(grove, text="Hello.")

    with program(grove, qtbot) as process:
        xdotool(qtbot, "type", "--delay", "8", "Not yet said.")
        qtbot.waitUntil(lambda: drafts_of(grove) == ["Not yet said."], timeout=10_000)
        process.send_signal(signal.SIGKILL)
        qtbot.waitUntil(lambda: process.poll() is not None, timeout=10_000)

    with open_window(grove, qtbot) as window:
        assert window.composer.text == "Not yet said."
        window.composer.start_over()


@pytest.mark.slow
def test_what_the_command_line_writes_appears_by_itself(tmp_path: Path, qtbot: QtBot) -> None:
    grove = tmp_path / "g.loom"
    tree_id, root = new_tree(grove, text="Hello.")

    with open_window(grove, qtbot) as window:
        node_id = loomapp(
            "node", "add", "--grove", grove, "--tree", tree_id, "--parent", root, "--text", "From outside."
        ).strip()

        qtbot.waitUntil(lambda: node_id in window.document.tree.nodes, timeout=5000)
        qtbot.waitUntil(lambda: not window.graph.node_rect(node_id).isEmpty(), timeout=5000)
        assert "command line" in (window.document.history.undo_label or "")


@pytest.mark.timeout(180)
def test_a_second_start_brings_the_window_forward(tmp_path: Path, qtbot: QtBot, desktop: Desktop) -> None:
    assert desktop.display
    grove = tmp_path / "g.loom"
    new_tree(grove, text="Hello.")

    with program(grove, qtbot) as first:
        second = subprocess.Popen([sys.executable, "-m", "loomapp", str(grove)], stderr=subprocess.PIPE)
        qtbot.waitUntil(lambda: second.poll() is not None, timeout=30_000)
        _, complaint = second.communicate()

        assert second.returncode == 0
        assert complaint == b""
        assert first.poll() is None
        xdotool(qtbot, "key", "ctrl+q")
        qtbot.waitUntil(lambda: first.poll() is not None, timeout=10_000)
        assert first.returncode == 0


@pytest.mark.slow
def test_settings_that_were_saved_and_taken_back_are_not_typed_again_by_the_next_start(
    tmp_path: Path, qtbot: QtBot
) -> None:
    grove = tmp_path / "g.loom"
    new_tree(grove, text="Hello.")

    with open_window(grove, qtbot) as window:
        window.pages.show_settings()
        text = find(window, QTextEdit, "treeSystemContext")
        text.insertPlainText("You are a poet.")
        window.settings_page.flush()
        assert window.document.tree.loom.system_context == "You are a poet."
        window.document.history.undo(lambda _: None)

    assert "poet" not in kept_words(grove)
    with open_window(grove, qtbot) as window:
        assert window.document.tree.loom.system_context is None


@pytest.mark.slow
def test_an_answer_that_hangs_on_nothing_is_offered_until_it_was_copied(tmp_path: Path, qtbot: QtBot) -> None:
    grove = tmp_path / "g.loom"
    tree_id, _ = new_tree(grove, text="Hello.")
    run = CrashedRun("run", tree_id, Sources("gone"), "nobody", (Draft(0, "Because of the birds."),))
    drafts.keep(drafts.drafts_folder(grove), run_row(run, 1))

    second = CrashedRun("run2", tree_id, Sources("gone"), "nobody", (Draft(0, "And the sea of birds."),))
    drafts.keep(drafts.drafts_folder(grove), run_row(second, 2))

    with open_window(grove, qtbot):
        pass
    with open_window(grove, qtbot) as window:
        assert "1 of 2" in window.banner.offered.text
        window.banner.offered.action_clicked.emit()
        assert QGuiApplication.clipboard().text() == "Because of the birds."
        assert "And the sea of birds" in window.banner.offered.text
        window.banner.offered.action_clicked.emit()
        assert QGuiApplication.clipboard().text() == "And the sea of birds."
        assert "birds" in kept_words(grove), "the clipboard is no safe place"
        for _ in range(2):
            assert not window.banner.isHidden()
            window.banner.offered.action_clicked.emit()
        assert window.banner.isHidden()

    assert "birds" not in kept_words(grove)


@pytest.mark.slow
def test_settings_that_another_hand_changed_are_not_overwritten_but_offered(
    tmp_path: Path, qtbot: QtBot
) -> None:
    grove = tmp_path / "g.loom"
    tree_id, _ = new_tree(grove, text="Hello.")
    with open_grove(grove) as opened:
        loom = opened.load_tree(tree_id).loom
    row = settings_row(replace(loom, system_context="before"), {"system_context": "mine"}, 1)
    drafts.keep(drafts.drafts_folder(grove), row)

    with open_window(grove, qtbot) as window:
        window.settings_page.flush()
        assert window.document.tree.loom.system_context is None
        window.offers.take()
        window.settings_page.flush()
        assert window.document.tree.loom.system_context == "mine"
