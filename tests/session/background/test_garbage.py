"""Garbage is collected while nobody wants anything, and not while somebody does."""

from __future__ import annotations

import gc
import threading
import weakref
from collections.abc import Iterator

import pytest
from PySide6.QtCore import QObject
from pytestqt.qtbot import QtBot

from loomapp.app import keep_what_is_loaded
from loomapp.session.background import background_work
from loomapp.session.background.background_work import FEW, LATE, SOON, GarbageCollection


class Ring:
    """What nobody knows any more but itself."""

    def __init__(self) -> None:
        self.itself = self


@pytest.fixture
def house(qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> Iterator[GarbageCollection]:
    monkeypatch.setattr(background_work, "WORTH", 0)
    parent = QObject()
    gc.disable()
    yield GarbageCollection(parent)
    parent.deleteLater()


def test_what_is_new_is_looked_through_once_it_is_quiet(house: GarbageCollection) -> None:
    dropped = weakref.ref(Ring())
    for _ in range(SOON + 1):
        for _ in range(FEW + 1):
            house.on_waiting()
        house.on_look()
    assert dropped() is not None, "somebody is at work"

    for _ in range(SOON):
        house.on_look()

    assert dropped() is None


def test_many_new_objects_are_looked_through_also_while_somebody_is_at_work(
    house: GarbageCollection, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(background_work, "MANY", 1)
    dropped = weakref.ref(Ring())
    for _ in range(FEW + 1):
        house.on_waiting()

    house.on_look()

    assert dropped() is None


def test_no_other_thread_collects_once_a_window_stands() -> None:
    passes: list[int] = []
    gc.enable()
    keep_what_is_loaded()

    def note(phase: str, _info: dict[str, int]) -> None:
        passes.append(threading.get_ident())

    gc.callbacks.append(note)
    try:
        worker = threading.Thread(target=lambda: [[i] for i in range(2_000_000)])
        worker.start()
        worker.join()
    finally:
        gc.callbacks.remove(note)

    assert not passes


def test_what_is_old_is_looked_through_when_it_is_quiet_for_long(house: GarbageCollection) -> None:
    ring = Ring()
    gc.collect()
    dropped = weakref.ref(ring)
    del ring
    for _ in range(LATE - 1):
        house.on_look()
    assert dropped() is not None

    house.on_look()

    assert dropped() is None
