"""Starting with a grove that cannot be opened: one line, a window with remedies, and what it comes to.

An ordinary run takes the most telling of these tests; the others are marked `slow`.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from tests.journeys.test_kept import xdotool
from tests.kit.desktop import Desktop, focus_program
from tests.kit.processes.command import loomapp, sha256
from tests.kit.refused_groves import damaged, sample


@contextmanager
def program(qtbot: QtBot, *arguments: Path) -> Iterator[subprocess.Popen[str]]:
    """The real program, with the keyboard once its first window stands."""
    command = [sys.executable, "-m", "loomapp", *map(str, arguments)]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env=dict(os.environ))
    try:
        focus_program(qtbot, "--class", "loomapp")
        yield process
    finally:
        process.kill()
        process.communicate()


def end_of(process: subprocess.Popen[str], qtbot: QtBot) -> tuple[int, str]:
    """The exit status and what was said on stderr."""
    qtbot.waitUntil(lambda: process.poll() is not None, timeout=20_000)
    assert process.stderr is not None
    return process.returncode, process.stderr.read()


@pytest.mark.slow
@pytest.mark.timeout(180)
def test_closing_the_window_without_a_remedy_is_exit_status_2(
    tmp_path: Path, qtbot: QtBot, desktop: Desktop
) -> None:
    assert desktop.display
    path = tmp_path / "letter.loom"
    path.write_text("Dear Marie")
    before = sha256(path)

    with program(qtbot, path) as process:
        xdotool(qtbot, "key", "ctrl+q")
        status, said = end_of(process, qtbot)

    assert (status, said) == (2, f"loomapp: {path} is not a grove; choose another file.\n")
    assert sha256(path) == before
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.slow
@pytest.mark.timeout(180)
def test_a_remedy_that_opens_a_grove_is_exit_status_0(tmp_path: Path, qtbot: QtBot, desktop: Desktop) -> None:
    assert desktop.display
    path = damaged(tmp_path / "a.loom")
    before = sha256(path)

    with program(qtbot, path) as process:
        xdotool(qtbot, "key", "space")  # the first remedy has the keyboard: open read only
        title = "Sample"
        focus_program(qtbot, "--name", title)
        xdotool(qtbot, "key", "ctrl+q")
        status, said = end_of(process, qtbot)

    assert (status, len(said.splitlines())) == (0, 1), said
    assert "is damaged" in said
    assert sha256(path) == before


@pytest.mark.parametrize("name", ["letter.loom", "letter.txt"])
def test_without_a_screen_there_is_the_one_line(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    path.write_text("Dear Marie")

    ran = loomapp(path, environment={"DISPLAY": None, "WAYLAND_DISPLAY": None, "QT_QPA_PLATFORM": None})

    assert (ran.status, ran.out) == (2, "")
    assert ran.complaint == f"loomapp: {path} is not a grove; choose another file."


@pytest.mark.slow
def test_a_file_of_another_kind_opens_no_window(tmp_path: Path, desktop: Desktop) -> None:
    path = tmp_path / "letter.txt"
    path.write_text("Dear Marie")

    ran = loomapp(path, environment=dict(desktop.environment()))
    unknown = loomapp(tmp_path / "nothing.txt", environment=dict(desktop.environment()))

    assert (ran.status, unknown.status) == (2, 2)
    assert "is not a grove" in ran.complaint
    assert "neither a command nor a grove" in unknown.complaint


@pytest.mark.timeout(180)
def test_the_program_ends_with_its_last_window(tmp_path: Path, qtbot: QtBot, desktop: Desktop) -> None:
    assert desktop.display
    path = sample(tmp_path / "a.loom")

    with program(qtbot, path) as process:
        assert (tmp_path / "a.loom.lock").exists()
        xdotool(qtbot, "key", "ctrl+q")
        status, said = end_of(process, qtbot)

    assert (status, said) == (0, "")
    assert not (tmp_path / "a.loom.lock").exists()
