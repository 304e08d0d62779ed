"""The window's thread is never away from its event loop for long, whatever is done in a large grove."""

from __future__ import annotations

import gc
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import cast

import pytest
from PySide6.QtCore import QTimer
from pytestqt.qtbot import QtBot

from loomapp.app import SWITCH_INTERVAL_S, keep_large_trees, keep_what_is_loaded
from loomapp.providers import registry
from loomapp.store.grove import open_grove
from tests.bench.groves import Shape, groves
from tests.desktop import Pointer
from tests.fake_server import FakeServer
from tests.journeys.tour import OPENING, Tour, speaks
from tests.journeys.windows import open_window
from tests.session.programs import ask_server
from tests.watchdog import Absence, Watchdog, table

MOST_MS = 50.0
FEW, MANY = 4_000, 100_000  # more than what is laid out at once; and what is meant


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeServer]:
    """A model on loopback that writes three answers."""
    monkeypatch.setitem(cast("dict[str, object]", registry.PROVIDERS), "scripted", None)
    with FakeServer(speaks) as server:
        yield server


@pytest.fixture(autouse=True)
def as_the_program_runs() -> Iterator[None]:
    """Threads take turns as often as in the program; what the collector of garbage was told is taken back."""
    usual = sys.getswitchinterval()
    sys.setswitchinterval(SWITCH_INTERVAL_S)
    yield
    sys.setswitchinterval(usual)
    gc.unfreeze()


def toured(shape: Shape, count: int, server: FakeServer, qtbot: QtBot, quiet_ms: float) -> list[Absence]:
    """The longest absence of each step, printed too."""
    with groves() as made:
        path: Path = made.fresh(shape, count)
        with open_grove(path) as grove:
            ask_server(grove, server.url)
        with open_window(path, qtbot) as window, Watchdog(quiet_ms) as dog:
            keep_what_is_loaded()  # as the program does once a window stands
            window.document.tree_opened.connect(keep_large_trees)
            dog.settle()
            try:
                Tour(window, qtbot, Pointer(qtbot, waits=False), dog).walk()
            finally:
                print(f"\n{count:,} nodes, {shape}\n{table(dog.worst())}")
            assert dog.ticks > 100
            return dog.worst()


def test_the_watchdog_notices_who_stays_away(qtbot: QtBot) -> None:
    with Watchdog(quiet_ms=20) as dog:
        with dog.during("away"):
            QTimer.singleShot(0, lambda: time.sleep(2 * MOST_MS / 1e3))
        with dog.during("there"):
            pass

    away, there = dog.worst()
    assert (away.step, there.step) == ("away", "there")
    assert away.own_ms > MOST_MS


@pytest.mark.timeout(400)
def test_everything_can_be_done_in_a_grove_of_thousands(server: FakeServer, qtbot: QtBot) -> None:
    steps = toured("bushy", FEW, server, qtbot, quiet_ms=40)

    assert len(steps) > 40


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_nothing_keeps_the_window_from_its_events(server: FakeServer, qtbot: QtBot) -> None:
    steps = toured("bushy", MANY, server, qtbot, quiet_ms=250)

    late = [step for step in steps if step.own_ms > MOST_MS and not step.step.startswith(OPENING)]
    assert not late, "\n" + table(late)
