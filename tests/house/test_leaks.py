"""What the net under every test catches."""

from __future__ import annotations

import subprocess
import sys
import threading
from pathlib import Path

import pytest
from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QApplication, QWidget

from tests import leaks

AT_ONCE = 0.0


def test_a_thread_that_goes_on_is_named() -> None:
    before = leaks.look(at_qt=False)
    done = threading.Event()
    thread = threading.Thread(target=done.wait, name="forgotten", daemon=True)
    thread.start()

    left = leaks.left_behind(before, grace_s=AT_ONCE)

    assert left == ["thread forgotten"]
    done.set()
    thread.join()
    assert leaks.left_behind(before) == []


def test_a_child_process_that_goes_on_is_named_with_its_command() -> None:
    before = leaks.look(at_qt=False)
    child = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)

    left = leaks.left_behind(before, grace_s=AT_ONCE)

    child.communicate(b"\n")
    assert len(left) == 1
    assert left[0].startswith(f"child process {child.pid} (")
    assert leaks.left_behind(before) == []


def test_a_window_and_a_timer_that_go_on_are_named(qapp: QApplication) -> None:
    before = leaks.look(at_qt=True)
    window = QWidget()
    window.setObjectName("forgotten")
    timer = QTimer()
    timer.setObjectName("ticking")
    timer.start(1000)

    left = leaks.left_behind(before, grace_s=AT_ONCE)

    assert left == ["window QWidget 'forgotten'", "running timer QTimer 'ticking'"]
    timer.stop()
    window.deleteLater()
    assert leaks.left_behind(before) == []


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        ("import logging; logging.getLogger('x').warning('hm')", "unexpected log: WARNING x: hm"),
        ("import warnings; warnings.warn('hm')", "UserWarning: hm"),
        ("from PySide6.QtCore import qWarning; qWarning('hm')", "Qt messages with level WARNING"),
        ("import threading; threading.Thread(target=lambda: 1 / 0).start()", "ZeroDivisionError"),
    ],
)
def test_a_test_that_is_not_quiet_fails(body: str, reason: str, tmp_path: Path) -> None:
    """Runs one such test with this very configuration."""
    root = Path(__file__).parents[2]
    noisy = tmp_path / "test_noisy.py"
    noisy.write_text(f"def test_noisy(qtbot):\n    {body}\n")
    fixtures = "desktop, qapp_args, _no_unexpected_log, _nothing_left_behind"
    (tmp_path / "conftest.py").write_text(f"from tests.conftest import {fixtures}\n")
    options = ["-c", str(root / "pyproject.toml"), "-p", "no:cacheprovider"]

    run = subprocess.run(
        [sys.executable, "-m", "pytest", *options, str(noisy)], cwd=root, capture_output=True, text=True
    )

    assert run.returncode == 1, run.stdout + run.stderr
    assert reason in run.stdout
