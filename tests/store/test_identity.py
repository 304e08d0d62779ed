"""Ids rise, whatever the clock does and however many threads ask."""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor

import pytest
from ulid import ULID

from loomapp.store import identity
from loomapp.store.identity import new_id, now


def test_ids_are_ulids_of_the_present_in_rising_order() -> None:
    ids = [new_id() for _ in range(2000)]

    assert ids == sorted(set(ids))
    assert all(len(name) == 26 for name in ids)
    assert abs(ULID.from_str(ids[0]).milliseconds - time.time() * 1000) < 60_000


def test_ids_rise_when_the_clock_is_set_back(monkeypatch: pytest.MonkeyPatch) -> None:
    before = new_id()
    monkeypatch.setattr(identity, "now", lambda: now() - 3_600_000)

    after = [new_id(), new_id()]

    assert before < after[0] < after[1]


def test_ids_of_several_threads_are_different() -> None:
    with ThreadPoolExecutor(4) as threads:
        ids = list(threads.map(lambda _: new_id(), range(2000)))

    assert len(set(ids)) == 2000
