"""Quitting is always possible: whatever streams, hangs or is locked, the process ends, nothing is lost."""

from __future__ import annotations

import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from loomapp.session.document import Document
from loomapp.session.journal import Journal
from loomapp.store.connections import connect
from loomapp.store.grove import create_grove, open_grove
from tests.desktop import Desktop
from tests.fake_server import Conversation, FakeServer, Script, chunk

READY_S = 100
ENOUGH_S = 20  # a second is promised and measured by the bench; a test must not depend on a busy machine


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "g.loom"
    with create_grove(path):
        pass
    return path


def endless(conversation: Conversation) -> None:
    conversation.head()
    pause = threading.Event()
    while not pause.wait(0.02):
        conversation.send(chunk("word "))


def silent(conversation: Conversation) -> None:
    conversation.wait_until_left()


def silent_in_the_middle(conversation: Conversation) -> None:
    conversation.head()
    conversation.send(chunk("Once upon"))
    conversation.wait_until_left()


@contextmanager
def busy_window(path: Path, desktop: Desktop, *arguments: str) -> Iterator[subprocess.Popen[str]]:
    """A window in a process of its own, with eight answers under way."""
    command = [sys.executable, "-m", "tests.journeys.leaving", str(path), *arguments]
    root, pipe = Path(__file__).parents[2], subprocess.PIPE
    with subprocess.Popen(
        command, stdin=pipe, stdout=pipe, text=True, cwd=root, env=desktop.environment()
    ) as window:
        try:
            assert window.stdout is not None
            assert window.stdout.readline() == "busy\n"
            yield window
        finally:
            window.kill()


def quit_time_s(window: subprocess.Popen[str]) -> float:
    """Closes the window and waits for the end of its process."""
    assert window.stdin is not None
    assert window.stdout is not None
    window.stdin.write("close\n")
    window.stdin.flush()
    asked_at = float(window.stdout.readline())
    assert window.wait(ENOUGH_S) == 0
    return time.monotonic() - asked_at


@pytest.mark.parametrize("script", [endless, silent, silent_in_the_middle])
def test_with_eight_answers_under_way(path: Path, desktop: Desktop, script: Script) -> None:
    waits_for = "nothing" if script is silent else "text"
    with (
        FakeServer(script) as server,
        busy_window(path, desktop, "scripted", server.url, waits_for) as window,
    ):
        print(f"{script.__name__}: {quit_time_s(window):.2f} s")

    with open_grove(path) as grove:
        tree = grove.load_tree(grove.trees()[0].id)
    answers = [node for node in tree.nodes.values() if node.author_type == "model"]
    assert {node.interrupted.reason for node in answers if node.interrupted} <= {"cancelled"}


def test_with_a_busy_engine(path: Path, desktop: Desktop) -> None:
    with busy_window(path, desktop, "local") as window:
        children = engine_processes(window.pid)

        print(f"engine: {quit_time_s(window):.2f} s")

    assert children
    for pid in children:
        assert not Path(f"/proc/{pid}").exists()


def engine_processes(pid: int) -> list[int]:
    """The children of a process."""
    tasks = Path(f"/proc/{pid}/task").glob("*/children")
    return [int(child) for task in tasks for child in task.read_text().split()]


def test_while_another_program_keeps_the_file_to_itself_and_nothing_is_lost(
    path: Path, desktop: Desktop, qtbot: QtBot
) -> None:
    with (
        FakeServer(silent_in_the_middle) as server,
        busy_window(path, desktop, "scripted", server.url) as window,
        closing(connect(path)) as other,
    ):
        other.execute("BEGIN IMMEDIATE")

        print(f"locked: {quit_time_s(window):.2f} s")
        other.execute("ROLLBACK")

    with open_grove(path) as grove:
        document = Document(grove)
        journal = Journal(document)
        journal.recover_runs()
        journal.close()
        answers = [node for node in document.tree.nodes.values() if node.author_type == "model"]
    assert [node.text for node in answers] == ["Once upon"] * 8
    assert {node.interrupted.reason for node in answers if node.interrupted} == {"cancelled"}
