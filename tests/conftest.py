"""The test run's own world: sealed home, own screen, and nothing left behind by any test."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.kit.processes import sealed_home

HOME = sealed_home.seal()  # before any import of loomapp

from loomapp.core.dataclass import guard_values  # noqa: E402

guard_values()  # before any value is declared

import gc  # noqa: E402
import logging  # noqa: E402
import os  # noqa: E402
import signal  # noqa: E402
import sys  # noqa: E402
from pathlib import Path  # noqa: E402
from typing import TYPE_CHECKING  # noqa: E402

from tests.kit import chance  # noqa: E402
from tests.kit.desktop import Desktop, DesktopMissing, Pointer, running_desktop  # noqa: E402
from tests.kit.processes import leaks, warm  # noqa: E402

if TYPE_CHECKING:
    from PySide6.QtWidgets import QApplication
    from pytestqt.qtbot import QtBot

MANY_OBJECTS = 100_000
SCREEN = Path(__file__).parent / "kit" / "screen.json"  # as large as the desktop's
ON_THE_DESKTOP = {"desktop", "pointer"}
"""Fixtures that are of use on a desktop only: see `pytest_collection_modifyitems`."""

_desktop_pids: list[int] = []


def pytest_configure(config: pytest.Config) -> None:
    """What random tests draw is settled before they are imported."""
    chance.begin(config.getoption("markexpr"))
    signal.signal(signal.SIGHUP, signal.SIG_DFL)  # `nohup` has it ignored, by all that is started here too
    signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's `&` likewise
    gc.disable()  # as in the program: a pass on a worker's thread can lock the window for good


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark whoever asks for a real pointer or a real screen as one that needs the desktop."""
    for item in items:
        if ON_THE_DESKTOP.intersection(getattr(item, "fixturenames", ())):
            item.add_marker("desktop")


@pytest.hookimpl(trylast=True)
def pytest_collection_finish() -> None:
    leaks.set_aside()  # modules and tests: a quarter of a second for every look through all of them


@pytest.fixture(scope="session")
def desktop() -> Iterator[Desktop]:
    """The screen of this run, started at its first use; DISPLAY points at it from then on."""
    try:
        with running_desktop() as desktop:
            _desktop_pids.extend(desktop.pids)
            os.environ.update(DISPLAY=desktop.display, QT_QPA_PLATFORM="xcb")
            yield desktop
    except DesktopMissing as error:
        pytest.fail(str(error), pytrace=False)


@pytest.fixture(scope="session")
def qapp_args(request: pytest.FixtureRequest) -> Iterator[list[str]]:
    """The QApplication's arguments; asking for them chooses its platform, before it exists.

    A process has one: a single test that needs the desktop decides for all. The clipboard is emptied at the
    end: offscreen, what was copied last would be destroyed after Python is gone, and end the run by a signal.
    """
    if any(item.get_closest_marker("desktop") for item in request.session.items):
        request.getfixturevalue("desktop")
    else:
        os.environ["QT_QPA_PLATFORM"] = f"offscreen:configfile={SCREEN}"
    from PySide6.QtGui import QGuiApplication  # late: after the platform is chosen

    yield ["loomapp"]

    QGuiApplication.clipboard().clear()


@pytest.fixture(autouse=True)
def _no_pause_by_chance(monkeypatch: pytest.MonkeyPatch) -> None:
    """A test that waits is no writer who pauses: who tests that says when."""
    open_buffer = sys.modules.get("loomapp.session.writing.open_buffer")
    if open_buffer is not None:
        monkeypatch.setattr(open_buffer, "SAVE_AFTER_MS", 0)


@pytest.fixture(autouse=True)
def _garbage_is_collected_between_tests() -> Iterator[None]:
    yield

    if gc.get_count()[0] >= MANY_OBJECTS:
        gc.collect(1)


@pytest.fixture(scope="session", autouse=True)
def _no_warm_process_left() -> Iterator[None]:
    yield

    warm.end()


@pytest.fixture
def qtbot(qapp: QApplication, request: pytest.FixtureRequest) -> QtBot:
    """pytest-qt's own, but for the time that it waits."""
    from tests.kit.condition_wait import PatientBot  # late: it brings Qt

    return PatientBot(request)


@pytest.fixture
def pointer(qtbot: QtBot) -> Pointer:
    """A real mouse and keyboard."""
    return Pointer(qtbot)


@pytest.fixture(autouse=True)
def _nothing_left_behind(request: pytest.FixtureRequest) -> Iterator[None]:
    """Fails a test after which threads, child processes, windows or timers go on; empties its home."""
    before = leaks.look(at_qt="qapp" in request.fixturenames)

    yield

    left = leaks.left_behind(before, known_children=[*_desktop_pids, *warm.pids()])
    sealed_home.empty(HOME)
    if left:
        pytest.fail("left behind: " + "; ".join(left), pytrace=False)


@pytest.fixture(autouse=True)
def _no_unexpected_log(caplog: pytest.LogCaptureFixture) -> Iterator[None]:
    """Fails a test that logged at WARNING or above; one that expects it asserts on caplog and clears it."""
    yield

    records = [record for when in ("setup", "call") for record in caplog.get_records(when)]
    loud = [f"{r.levelname} {r.name}: {r.getMessage()}" for r in records if r.levelno >= logging.WARNING]
    if loud:
        pytest.fail("unexpected log: " + "; ".join(loud), pytrace=False)
