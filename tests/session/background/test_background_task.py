"""Errands: long work beside the window, which is told how far it is, may end it, and hears of every end."""

from __future__ import annotations

import threading

import pytest
from pytestqt.exceptions import capture_exceptions
from pytestqt.qtbot import QtBot

from loomapp.core.errors import GroveError
from loomapp.core.progress import Progress
from loomapp.session.background.background_work import BackgroundTask, Cancelled


def test_it_tells_how_far_it_is_and_what_came_of_it(qtbot: QtBot) -> None:
    def work(progress: Progress) -> str:
        progress(1, 2)
        return threading.current_thread().name

    told: list[tuple[int, int]] = []
    task = BackgroundTask(work)
    task.progressed.connect(lambda done, of: told.append((done, of)))

    with qtbot.waitSignal(task.done) as came:
        task.start()

    assert came.args == ["errand"]
    assert told == [(1, 2)]
    assert not task.is_under_way


def test_what_the_user_can_act_on_is_told(qtbot: QtBot) -> None:
    error = GroveError("full", "There is no room.")

    def work(_: Progress) -> None:
        raise error

    task = BackgroundTask(work)
    with qtbot.waitSignal(task.failed) as failed:
        task.start()

    assert failed.args == [error]


def test_a_mistake_of_ours_is_told_and_raised_where_it_is_noticed(qtbot: QtBot) -> None:
    def work(_: Progress) -> None:
        raise RuntimeError("a comet")

    task = BackgroundTask(work)
    with capture_exceptions() as raised, qtbot.waitSignal(task.failed) as failed:
        task.start()

    qtbot.waitUntil(lambda: len(raised) == 1)
    assert failed.args is not None
    assert "fault in Loomapp" in failed.args[0].message
    assert str(raised[0][1]) == "a comet"


def test_cancelled_work_ends_where_it_tells_its_progress_and_nothing_more_is_heard(qtbot: QtBot) -> None:
    begun, go_on, ended = threading.Event(), threading.Event(), threading.Event()

    def work(progress: Progress) -> None:
        begun.set()
        go_on.wait(60)
        try:
            progress(1, 2)
        except Cancelled:
            ended.set()
            raise

    heard: list[object] = []
    task = BackgroundTask(work)
    for signal in (task.done, task.failed, task.progressed):
        signal.connect(heard.append)
    task.start()
    qtbot.waitUntil(begun.is_set)

    task.cancel()
    go_on.set()

    qtbot.waitUntil(ended.is_set)
    task.on_look()
    assert heard == []
    assert not task.is_under_way


@pytest.mark.parametrize("is_finished", [True, False])
def test_what_comes_too_late_is_put_away_once(qtbot: QtBot, is_finished: bool) -> None:
    go_on = threading.Event()
    put_away: list[str] = []

    def work(_: Progress) -> str:
        go_on.wait(60)
        return "late"

    task = BackgroundTask(work, discard=put_away.append)
    task.start()
    task._timer.stop()
    if is_finished:
        go_on.set()
        task._job.join()
    task.cancel()
    go_on.set()
    task.end()

    qtbot.waitUntil(lambda: not task._job.is_alive())
    assert put_away == ["late"]


def test_what_was_taken_is_not_put_away(qtbot: QtBot) -> None:
    put_away: list[str] = []
    task = BackgroundTask(lambda _: "in time", discard=put_away.append)
    with qtbot.waitSignal(task.done):
        task.start()

    task.end()

    assert put_away == []
