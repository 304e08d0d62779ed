"""Journey 1: branching a chat with a real pointer, on the real engine, across a restart."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtWidgets import QPlainTextEdit, QPushButton
from pytestqt.qtbot import QtBot

from loomapp.ui.window.main_window import MainWindow
from tests.kit.desktop import Pointer, focus_program
from tests.kit.find import find
from tests.kit.processes import warm
from tests.kit.processes.outside import Said, loomapp, new_tree, sent
from tests.kit.windows import card, fit_all, open_window, preview, wait_for_rest

ANSWER_TIMEOUT_MS = 90_000
QUESTION = "Name one bird."
INSTEAD = "Name one fish."
ENOUGH_TOKENS = 12  # of each answer; how long it is matters to nobody


@pytest.fixture
def grove(tmp_path: Path) -> Path:
    return tmp_path / "journey.loom"


@pytest.fixture
def tree_id(grove: Path) -> str:
    return new_tree(grove)[0]


@pytest.fixture
def window(grove: Path, tree_id: str, qtbot: QtBot) -> Iterator[MainWindow]:
    assert tree_id
    with open_window(grove, qtbot) as window:
        yield window


def wait_for_answers(qtbot: QtBot, window: MainWindow, parent_id: str, count: int) -> tuple[str, ...]:
    def written() -> bool:
        return len(window.document.tree.children(parent_id)) == count and not window.generator.is_streaming()

    qtbot.waitUntil(written, timeout=ANSWER_TIMEOUT_MS)
    return window.document.tree.children(parent_id)[-count:]


@pytest.mark.timeout(400)
def test_a_chat_is_branched_undone_and_redone_after_a_restart(
    window: MainWindow, grove: Path, tree_id: str, qtbot: QtBot, pointer: Pointer
) -> None:
    document = window.document
    tree = document.tree
    graph = window.graph
    agent = document.agents.model()
    document.agents.put(replace(agent, configuration=replace(agent.configuration, max_tokens=ENOUGH_TOKENS)))

    def text(node_id: str) -> str:
        return tree.nodes[node_id].text.strip()

    def check(node_id: str, expected: Said) -> None:
        assert sent(grove, tree_id, node_id) == expected

    # type, three continuations
    pointer.click(window.composer.field)
    pointer.type_ascii(QUESTION)
    qtbot.waitUntil(lambda: window.composer.text == QUESTION)
    assert preview(window) == [("user", QUESTION)]
    window.composer.set_count(3)
    pointer.click(find(window, QPushButton, "generateButton"))
    qtbot.waitUntil(lambda: document.current_id != tree.root_id)
    question = tree.children(tree.root_id)[0]
    first, second, third = wait_for_answers(qtbot, window, question, 3)
    assert len({text(first), text(second), text(third)}) == 3
    assert document.path_ids[-1] == first
    check(first, [("user", "Name one bird."), ("assistant", text(first))])

    # double-click the second
    pointer.double_click(graph.viewport(), card(window, second))
    qtbot.waitUntil(lambda: document.path_ids[-1] == second)
    check(second, [("user", "Name one bird."), ("assistant", text(second))])
    assert preview(window)[:2] == [("user", "Name one bird."), ("assistant", text(second))]

    # + on its card
    pointer.move(graph.viewport(), card(window, second))
    pointer.click(graph.viewport(), graph.plus_rect(second).center())
    further = wait_for_answers(qtbot, window, second, 3)
    # the last message was an answer, so the model was asked to go on; that is not in the tree
    expected = [("user", "Name one bird."), ("assistant", f"{text(second)}\n\n{text(further[0])}")]
    check(further[0], expected)

    # edit an earlier message
    pointer.click(graph.viewport(), card(window, question))
    pointer.key("F2")
    qtbot.waitUntil(lambda: isinstance(window.focusWidget(), QPlainTextEdit))
    pointer.key("ctrl+a")
    pointer.type_ascii(INSTEAD)
    pointer.key("ctrl+Return")
    qtbot.waitUntil(lambda: len(tree.children(tree.root_id)) == 2)
    edited = tree.children(tree.root_id)[1]
    assert tree.nodes[edited].edited_from == question
    assert tree.children(edited) == ()
    assert document.path_ids == (tree.root_id, edited)
    check(edited, [("user", "Name one fish.")])

    # exclude a node
    fit_all(window, qtbot)
    pointer.double_click(graph.viewport(), card(window, further[0]))
    qtbot.waitUntil(lambda: document.path_ids[-1] == further[0])
    wait_for_rest(window, qtbot)
    pointer.click(graph.viewport(), card(window, second))
    pointer.key("x")
    qtbot.waitUntil(lambda: tree.nodes[second].metadata.excluded)
    check(further[0], [("user", "Name one bird."), ("assistant", text(further[0]))])

    # undo all
    said = {node_id: text(node_id) for node_id in (third, further[0])}
    pointer.key("ctrl+z")
    qtbot.waitUntil(lambda: not tree.nodes[second].metadata.excluded)
    check(further[0], expected)
    pointer.key("ctrl+z")
    qtbot.waitUntil(lambda: edited not in tree.nodes)
    pointer.key("ctrl+z")
    qtbot.waitUntil(lambda: tree.children(second) == ())
    check(second, [("user", "Name one bird."), ("assistant", text(second))])
    pointer.key("ctrl+z")
    qtbot.waitUntil(lambda: tree.children(question) == ())
    check(question, [("user", "Name one bird.")])
    pointer.key("ctrl+z")
    qtbot.waitUntil(lambda: tree.children(tree.root_id) == ())
    assert document.history.undo_label is None
    assert window.composer.text == QUESTION, "what was written is offered again"

    # restart: a new process; redo
    window.close()
    redo_in_a_new_process(grove, tree_id, [question, second, further[0], edited], qtbot)
    check(further[0], [("user", "Name one bird."), ("assistant", said[further[0]])])
    check(third, [("user", "Name one bird."), ("assistant", said[third])])
    check(edited, [("user", "Name one fish.")])
    assert "failed" not in loomapp("verify", "--grove", grove)


def redo_in_a_new_process(grove: Path, tree_id: str, node_ids: list[str], qtbot: QtBot) -> None:
    """Start the real program, press redo until nothing is left, quit by key."""
    process = subprocess.Popen(
        [sys.executable, "-m", "loomapp", str(grove), "--tree", tree_id],
        env=os.environ | {"PYTHONFAULTHANDLER": "1"},
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        focus_program(qtbot, "--class", "loomapp")
        for _ in range(5):
            xdotool(qtbot, "key", "ctrl+shift+z")
        qtbot.waitUntil(lambda: all(is_there(grove, tree_id, i) for i in node_ids), timeout=30_000)
        xdotool(qtbot, "key", "ctrl+q")
        qtbot.waitUntil(lambda: process.poll() is not None, timeout=10_000)
    finally:
        process.kill()
        _, complaint = process.communicate()
    assert process.returncode == 0, complaint
    assert complaint == ""


def is_there(grove: Path, tree_id: str, node_id: str) -> bool:
    """Whether the file holds a node, as the command line sees it."""
    asked = ["assemble", "--grove", str(grove), "--tree", tree_id, "--at", node_id]
    return warm.run(asked).returncode == 0


def xdotool(qtbot: QtBot, *words: str) -> None:
    """A command for the real pointer and keys, waited for."""
    process = subprocess.Popen(["xdotool", *words], stdout=subprocess.DEVNULL)
    qtbot.waitUntil(lambda: process.poll() is not None, timeout=30_000)
    assert process.returncode == 0
