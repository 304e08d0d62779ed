"""Heavy work waits for a turn of the event loop in which nothing else took long, but never for good."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator

import pytest
from PySide6.QtCore import QCoreApplication, QObject, Qt, QTimer
from pytestqt.qtbot import QtBot

from loomapp.session.background import background_work
from loomapp.session.background.background_work import MOST_PUT_OFF, ROOM_MS, IdleTimer, IdleWork

LONG_S = 2 * ROOM_MS / 1e3


@pytest.fixture
def parent(qtbot: QtBot) -> Iterator[QObject]:
    for before in QCoreApplication.instance().findChildren(background_work._LoopClock):  # type: ignore[union-attr]
        before.setParent(None)
    parent = QObject()
    yield parent
    parent.deleteLater()


class Clock:
    """Goes on only with what is done here: other programs on the machine take nothing of it."""

    def __init__(self) -> None:
        self.seconds = time.perf_counter()  # who looked at the true time before is not ahead of it

    def perf_counter(self) -> float:
        return self.seconds

    def work(self) -> None:
        time.sleep(LONG_S)
        self.seconds += LONG_S


@pytest.fixture(autouse=True)
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    monkeypatch.setattr(background_work, "time", clock)
    return clock


def working(done: list[str], name: str, clock: Clock) -> Callable[[], None]:
    def work() -> None:
        done.append(name)
        clock.work()

    return work


@pytest.mark.parametrize("has_looked", [False, True])
def test_others_have_their_turn_between_two_that_take_long(
    has_looked: bool, parent: QObject, qtbot: QtBot, clock: Clock
) -> None:
    if has_looked:  # before now, for somebody else: all of them are put off at first
        background_work._loop_clock()
    done: list[str] = []
    tick = QTimer(parent, interval=1)
    tick.setTimerType(Qt.TimerType.PreciseTimer)
    tick.timeout.connect(lambda: done.append("."))
    turns = [IdleTimer(parent) for _ in range(3)]
    for number, turn in enumerate(turns):
        turn.timeout.connect(working(done, str(number), clock))

    tick.start()
    for turn in turns:
        turn.start()
    clock.work()
    qtbot.waitUntil(lambda: "2" in done)
    tick.stop()

    assert [name for name in done if name != "."] == ["0", "1", "2"]
    between = "".join(done).strip(".")
    assert "01" not in between
    assert "12" not in between


def test_it_is_active_until_it_has_timed_out_and_then_no_more(
    parent: QObject, qtbot: QtBot, clock: Clock
) -> None:
    done: list[str] = []
    turn = IdleTimer(parent)
    turn.timeout.connect(lambda: done.append("done"))

    turn.start()
    clock.work()
    assert turn.isActive()
    qtbot.waitUntil(lambda: bool(done))
    qtbot.wait(20)

    assert done == ["done"]
    assert not turn.isActive()


def test_a_loop_that_never_has_room_keeps_nobody_waiting_for_good(
    parent: QObject, qtbot: QtBot, clock: Clock
) -> None:
    done: list[str] = []
    busy = QTimer(parent, interval=0)
    busy.timeout.connect(working(done, "busy", clock))
    turn = IdleTimer(parent)
    turn.timeout.connect(lambda: done.append("done"))

    busy.start()
    turn.start()
    qtbot.waitUntil(lambda: "done" in done)
    busy.stop()

    assert done.index("done") <= MOST_PUT_OFF + 2


def test_work_goes_on_by_slices_until_it_is_done_or_other_work_begins(
    parent: QObject, qtbot: QtBot, clock: Clock
) -> None:
    done: list[str] = []

    def steps(name: str) -> Iterator[None]:
        for _ in range(3):
            clock.work()
            done.append(name)
            yield

    def on_advanced() -> None:
        done.append("." if work.isActive() else "!")
        if done == ["a", "."]:
            work.begin(steps("b"))

    work = IdleWork(parent)
    work.advanced.connect(on_advanced)
    work.begin(steps("a"))
    qtbot.waitUntil(lambda: not work.isActive())

    assert done == ["a", ".", "b", ".", "b", ".", "b", ".", "!"]
