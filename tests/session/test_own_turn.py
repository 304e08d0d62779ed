"""Heavy work waits for a turn of the event loop in which nothing else took long, but never for good."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator

import pytest
from PySide6.QtCore import QObject, Qt, QTimer
from pytestqt.qtbot import QtBot

from loomapp.session.own_turn import MOST_PUT_OFF, ROOM_MS, OwnTurn

LONG_S = 2 * ROOM_MS / 1e3


@pytest.fixture
def parent(qtbot: QtBot) -> Iterator[QObject]:
    parent = QObject()
    yield parent
    parent.deleteLater()


def working(done: list[str], name: str) -> Callable[[], None]:
    def work() -> None:
        done.append(name)
        time.sleep(LONG_S)

    return work


def test_others_have_their_turn_between_two_that_take_long(parent: QObject, qtbot: QtBot) -> None:
    done: list[str] = []
    tick = QTimer(parent, interval=1)
    tick.setTimerType(Qt.TimerType.PreciseTimer)
    tick.timeout.connect(lambda: done.append("."))
    turns = [OwnTurn(parent) for _ in range(3)]
    for number, turn in enumerate(turns):
        turn.timeout.connect(working(done, str(number)))

    tick.start()
    for turn in turns:
        turn.start()
    time.sleep(LONG_S)
    qtbot.waitUntil(lambda: "2" in done)
    tick.stop()

    assert [name for name in done if name != "."] == ["0", "1", "2"]
    between = "".join(done).strip(".")
    assert "01" not in between
    assert "12" not in between


def test_it_is_active_until_it_has_timed_out_and_then_no_more(parent: QObject, qtbot: QtBot) -> None:
    done: list[str] = []
    turn = OwnTurn(parent)
    turn.timeout.connect(lambda: done.append("done"))

    turn.start()
    time.sleep(LONG_S)
    assert turn.isActive()
    qtbot.waitUntil(lambda: bool(done))
    qtbot.wait(20)

    assert done == ["done"]
    assert not turn.isActive()


def test_a_loop_that_never_has_room_keeps_nobody_waiting_for_good(parent: QObject, qtbot: QtBot) -> None:
    done: list[str] = []
    busy = QTimer(parent, interval=0)
    busy.timeout.connect(working(done, "busy"))
    turn = OwnTurn(parent)
    turn.timeout.connect(lambda: done.append("done"))

    busy.start()
    turn.start()
    qtbot.waitUntil(lambda: "done" in done)
    busy.stop()

    assert done.index("done") <= MOST_PUT_OFF + 2
