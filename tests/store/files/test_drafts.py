"""The writer of drafts: what takes long to put into words is written less often, other drafts as ever."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from loomapp.store.files import drafts
from loomapp.store.files.drafts import DraftRow, DraftWriter, Make, Slot

PATIENCE_S = 20
BUSY_S = 0.01


def test_what_took_long_to_put_into_words_waits_longer_the_next_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in (("PAUSE_S", 600.0), ("MOST_S", 600.0), ("SHARE", 100_000)):
        monkeypatch.setattr(drafts, name, value)
    long, short = (Slot("t", "run", name) for name in ("long", "short"))
    written: list[str] = []

    def made(slot: Slot, busy_s: float) -> Make:
        def make() -> DraftRow:
            until = time.thread_time() + busy_s
            while time.thread_time() < until:
                pass
            written.append(slot.key)
            return DraftRow(slot, 1, {"n": len(written)})

        return make

    def wait_for(count: int) -> None:
        until = time.monotonic() + PATIENCE_S
        while len(written) < count and time.monotonic() < until:
            time.sleep(0.005)

    writer = DraftWriter(tmp_path)
    writer.put(long, made(long, BUSY_S))
    wait_for(1)
    while not writer.outcomes():
        time.sleep(0.001)
    writer.put(long, made(long, 0))
    writer.put(short, made(short, 0))
    wait_for(2)
    assert written == ["long", "short"]

    assert writer.close(PATIENCE_S)
    assert written == ["long", "short", "long"]
    assert {row.slot: row.body["n"] for row in drafts.read(tmp_path)} == {long: 3, short: 2}
