"""What the net under every test catches."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import threading
from pathlib import Path

from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QApplication, QWidget

from tests.kit.processes import leaks

AT_ONCE = 0.0


class OwnTimer(QTimer):
    """As parts of the program have them."""


class Standing:
    """Stands for a module that is loaded when the object is asked what it is."""

    def __init__(self) -> None:
        self.was_asked = False

    @property  # type: ignore[misc]
    def __class__(self) -> type:
        self.was_asked = True
        return Standing


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


def test_looking_loads_nothing(qapp: QApplication) -> None:
    standing = Standing()

    leaks.left_behind(leaks.look(at_qt=True))

    assert not standing.was_asked


def test_a_window_and_a_timer_that_go_on_are_named(qapp: QApplication) -> None:
    before = leaks.look(at_qt=True)
    window = QWidget()
    window.setObjectName("forgotten")
    timer = OwnTimer()
    timer.setObjectName("ticking")
    timer.start(1000)

    left = leaks.left_behind(before, grace_s=AT_ONCE)

    assert left == ["window QWidget 'forgotten'", "running timer OwnTimer 'ticking'"]
    timer.stop()
    window.deleteLater()
    assert leaks.left_behind(before) == []


def test_a_timer_that_was_set_aside_is_named_when_it_runs(qapp: QApplication) -> None:
    timer = OwnTimer()
    timer.setObjectName("ticking")
    leaks.set_aside()
    before = leaks.look(at_qt=True)
    timer.start(1000)

    left = leaks.left_behind(before, grace_s=AT_ONCE)

    assert left == ["running timer OwnTimer 'ticking'"]
    timer.stop()
    assert leaks.left_behind(before) == []


NOISES = {
    "import logging; logging.getLogger('x').warning('hm')": "unexpected log: WARNING x: hm",
    "import warnings; warnings.warn('hm')": "UserWarning: hm",
    "from PySide6.QtCore import qWarning; qWarning('hm')": "Qt messages with level WARNING",
    "import threading; threading.Thread(target=lambda: 1 / 0).start()": "ZeroDivisionError",
}


def test_a_test_that_is_not_quiet_fails(tmp_path: Path) -> None:
    """Runs some such tests with this very configuration."""
    root = Path(__file__).parents[2]
    noisy = tmp_path / "test_noisy.py"
    bodies = (f"def test_noise_{i}(qtbot):\n    {body}\n" for i, body in enumerate(NOISES))
    noisy.write_text("\n".join(bodies))
    fixtures = "desktop, qapp_args, _no_unexpected_log, _nothing_left_behind"
    (tmp_path / "conftest.py").write_text(f"from tests.conftest import {fixtures}\n")
    options = ["-c", str(root / "pyproject.toml"), "-p", "no:cacheprovider"]

    run = subprocess.run(
        [sys.executable, "-m", "pytest", *options, str(noisy)],
        cwd=root,
        env={**os.environ, "PYTEST_ADDOPTS": ""},  # those of this run may hide what is looked for
        capture_output=True,
        text=True,
    )

    assert run.returncode == 1, run.stdout + run.stderr
    told = re.split(r"\n_+ .*test_noise_\d.*_+\n", run.stdout)[1:]
    missed = {reason for reason in NOISES.values() if not any(reason in one for one in told)}
    assert missed == set(), run.stdout
    assert run.stdout.count("\nFAILED ") + run.stdout.count("\nERROR ") >= len(NOISES)
