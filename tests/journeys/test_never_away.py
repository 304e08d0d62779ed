"""The window's thread is never away from its event loop for long, whatever is done in a large grove.

An ordinary run takes the most telling of these tests; the others are marked `slow`.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path
from typing import cast

import pytest
from PySide6.QtCore import QTimer
from pytestqt.qtbot import QtBot

from loomapp.app import keep_large_trees, keep_what_is_loaded
from loomapp.providers import registry
from loomapp.store.grove.open import open_grove
from tests.bench.groves import SHAPES, Shape, groves
from tests.journeys.further import FurtherTour
from tests.journeys.tour import OPENING, Tour, speaks
from tests.journeys.watchdog import Absence, Watchdog, table
from tests.kit.desktop import Desktop, Pointer
from tests.kit.servers.fake_server import FakeServer
from tests.kit.windows import open_window, turns_as_in_the_program
from tests.session.programs import ask_server

MOST_MS = 50.0
TOURS = 3  # at most: what keeps the window once may be another program's doing
FEW, MANY = 4_000, 100_000  # more than what is laid out at once; and what is meant


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeServer]:
    """A model on loopback that writes three answers."""
    monkeypatch.setitem(cast("dict[str, object]", registry.PROVIDERS), "scripted", None)
    with FakeServer(speaks) as server:
        yield server


@pytest.fixture(autouse=True)
def as_the_program_runs() -> Iterator[None]:
    with turns_as_in_the_program():
        yield


def toured(
    path: Path,
    server: FakeServer,
    qtbot: QtBot,
    quiet_ms: float,
    desktop: Desktop,
    tour: type[Tour] = Tour,
) -> list[Absence]:
    """The longest absence of each step, printed too."""
    with open_grove(path) as grove:
        ask_server(grove, server.url)
    with open_window(path, qtbot) as window, Watchdog(quiet_ms, desktop.pids) as dog:
        keep_what_is_loaded()  # as the program does once a window stands
        window.document.tree_opened.connect(keep_large_trees)
        dog.settle()
        try:
            tour(window, qtbot, Pointer(qtbot, waits=False), dog).walk()
        finally:
            print(f"\n{path.stem}\n{table(dog.worst())}")
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
    assert away.quiet_ms > MOST_MS, "it waited: that does not depend on the processor"


def test_a_slow_processor_is_no_excuse_for_waiting() -> None:
    busy = Absence("computed", own_ms=100.0, busy_ms=100.0, slowness=4.0)
    waited = Absence("waited", own_ms=100.0, busy_ms=0.0, slowness=4.0)

    assert (busy.quiet_ms, waited.quiet_ms) == (25.0, 100.0)


def test_only_as_long_as_others_stood_in_line_waiting_for_them_is_left_out() -> None:
    waited = Absence("waited", own_ms=100.0, busy_ms=20.0, lent_ms=30.0)
    busy = Absence("computed", own_ms=100.0, busy_ms=100.0, lent_ms=500.0)

    assert (waited.quiet_ms, busy.quiet_ms) == (70.0, 100.0)


@pytest.mark.slow
@pytest.mark.timeout(400)
@pytest.mark.parametrize("shape", SHAPES)
def test_everything_can_be_done_in_a_grove_of_thousands(
    shape: Shape, server: FakeServer, qtbot: QtBot, desktop: Desktop
) -> None:
    with groves() as made:
        steps = toured(made.fresh(shape, FEW), server, qtbot, 40, desktop)

    assert len(steps) > 40


@pytest.mark.slow
@pytest.mark.timeout(400)
def test_everything_else_can_be_done_in_a_grove_of_thousands(
    server: FakeServer, qtbot: QtBot, desktop: Desktop
) -> None:
    with groves() as made:
        steps = toured(made.fresh("bushy", FEW), server, qtbot, 40, desktop, tour=FurtherTour)

    assert len(steps) > 40


@pytest.mark.slow
@pytest.mark.timeout(2000)
@pytest.mark.parametrize("tour", [Tour, FurtherTour])
@pytest.mark.parametrize("shape", SHAPES)
def test_nothing_keeps_the_window_from_its_events(
    shape: Shape, tour: type[Tour], server: FakeServer, qtbot: QtBot, desktop: Desktop
) -> None:
    """A step is late if it is in every tour; opening a tree may take longer."""
    late: dict[str, Absence] = {}
    with groves() as made:
        for number in range(TOURS):
            steps = toured(made.fresh(shape, MANY), server, qtbot, 250, desktop, tour=tour)
            again = {step.step: step for step in steps if step.quiet_ms > MOST_MS}
            late = {name: step for name, step in again.items() if not number or name in late}
            late = {name: step for name, step in late.items() if not name.startswith(OPENING)}
            if not late:
                return
    assert not late, "\n" + table([*late.values()])
