"""A watchdog: how long the window's thread stays away from its event loop, step by step."""

from __future__ import annotations

import gc
import os
import signal
import threading
import time
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import FrameType
from typing import Self

from PySide6.QtCore import QEventLoop, QObject, Qt, QTimer

TICK_MS = 2
LONG_MS = 25.0  # an absence from here on is looked into: what is the thread doing?
DEPTH = 5  # functions that are told of where it was
SCHEDULE = "/proc/thread-self/schedstat"
YARDSTICK = 20_000  # entries of a table that is made to see how fast the processor is just then


@dataclass(slots=True)
class Absence:
    """The longest time away in a step. `own_ms` leaves out what other programs had the processor for.

    They also slow it down while one has it: cores share their caches and more. `slowness` is how much longer
    a fixed piece of work took after this step than after the one where it was fastest.

    And they keep those from it whom it waits for: a worker that has the interpreter's lock, the server that
    draws. `lent_ms` is how long these stood in line for a processor meanwhile; of its waiting no more than
    that is left out. Waiting for a disk or for a lock counts, and so does all waiting on a machine with a
    processor to spare, where nobody stands in line.
    """

    step: str
    own_ms: float = 0.0
    wall_ms: float = 0.0
    busy_ms: float = 0.0  # of `own_ms`, what it had the processor for; the rest it waited: for a disk, a lock
    lent_ms: float = 0.0
    slowness: float = 1.0
    where: Counter[str] = field(default_factory=Counter)  # what it was seen at, and how often

    @property
    def quiet_ms(self) -> float:
        """What it would have been had no other program wanted a processor, and that been at its fastest."""
        busy_ms = min(self.busy_ms, self.own_ms)
        waited_ms = max(0.0, self.own_ms - busy_ms - self.lent_ms)
        return waited_ms + busy_ms / self.slowness

    def line(self) -> str:
        """A row of a table."""
        seen = "; ".join(f"{times} × {place}" for place, times in self.where.most_common(3))
        return f"{self.step:36} {self.quiet_ms:8.1f} {self.own_ms:8.1f} {self.wall_ms:8.1f}   {seen}"


class Watchdog(QObject):
    """Ticks in the thread that made it; the time between two ticks is what that thread was away for.

    A signal asks it where it is when it stays away, so that a failure says who is to blame.
    """

    def __init__(self, quiet_ms: float, served_by: Iterable[int] = ()) -> None:
        """`served_by` are the processes that draw what the window shows."""
        super().__init__()
        self._quiet_ms = quiet_ms  # without a long absence: the step is over
        self.ticks = 0
        self.steps: list[Absence] = []
        self._waits = _Waits()
        self._others = _Others([os.getpid(), *served_by])
        self._in_line = self._others.in_line()
        self._at, self._waited_ns = time.perf_counter(), self._waits.ns()
        self._busy_at = time.thread_time()
        self._long_at = self._at
        self._seen: Counter[str] = Counter()
        self._timer = QTimer(self, interval=TICK_MS)
        self._timer.setTimerType(Qt.TimerType.PreciseTimer)
        self._timer.timeout.connect(self.on_tick)

    def __enter__(self) -> Self:
        self._reset()
        self._before = signal.signal(signal.SIGVTALRM, self.on_long)
        self._timer.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._timer.stop()
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, self._before)
        self._waits.close()
        self._others.close()

    @contextmanager
    def during(self, step: str) -> Iterator[Absence]:
        """Measures what happens in the block and until it is quiet again."""
        absence = Absence(step)
        self._reset()
        first = len(self.steps)
        self.steps.append(absence)
        yield absence
        self.settle()
        slowness = yardstick_ms()
        for each in self.steps[first:]:
            each.slowness = slowness  # until the best of them is known
        self._reset()

    def settle(self) -> None:
        """Lets the event loop run until nothing has kept it for a while."""
        loop = QEventLoop()
        look = QTimer(loop, interval=20)
        look.timeout.connect(lambda: loop.quit() if self._is_quiet() else None)
        look.start()
        loop.exec()
        look.stop()

    def worst(self) -> list[Absence]:
        """The longest absence of each step by its name, in the order the steps began."""
        found: dict[str, Absence] = {}
        best = min((step.slowness for step in self.steps), default=1.0)
        for step in self.steps:
            fair = replace(step, slowness=step.slowness / best)
            if step.step not in found or found[step.step].quiet_ms < fair.quiet_ms:
                found[step.step] = fair
        return list(found.values())

    def on_tick(self) -> None:
        """Back in the event loop."""
        now, waited = time.perf_counter(), self._waits.ns()
        wall = (now - self._at) * 1e3
        own = max(0.0, wall - (waited - self._waited_ns) / 1e6 - TICK_MS)
        busy, self._busy_at = (time.thread_time() - self._busy_at) * 1e3, time.thread_time()
        self._at, self._waited_ns = now, waited
        self.ticks += 1
        signal.setitimer(signal.ITIMER_VIRTUAL, LONG_MS / 1e3, LONG_MS / 1e3)
        seen, self._seen = self._seen, Counter()
        in_line = self._others.in_line()
        lent, self._in_line = _more(self._in_line, in_line) / 1e6, in_line
        if own > LONG_MS:
            self._long_at = now
        if not self.steps:
            return
        last = self.steps[-1]
        if own > LONG_MS:  # which is the worst shows when the best processor is known
            self.steps.append(Absence(last.step, own, wall, busy, lent, last.slowness, seen))
        elif own > last.own_ms:
            last.own_ms, last.wall_ms, last.busy_ms, last.lent_ms, last.where = own, wall, busy, lent, seen

    def _reset(self) -> None:
        self._at, self._waited_ns = time.perf_counter(), self._waits.ns()
        self._busy_at = time.thread_time()
        self._in_line = self._others.in_line()
        self._long_at = self._at

    def _is_quiet(self) -> bool:
        return (time.perf_counter() - self._long_at) * 1e3 > self._quiet_ms

    def on_long(self, _number: int, frame: FrameType | None) -> None:
        """Notes where the thread is, which did not come back for long."""
        places: list[str] = []
        while frame is not None and len(places) < DEPTH:
            places.append(f"{Path(frame.f_code.co_filename).name}:{frame.f_lineno} {frame.f_code.co_name}")
            frame = frame.f_back
        self._seen[" < ".join(places)] += 1


class _Waits:
    """How long the thread that asks was kept waiting for a processor; 0 where the system does not say."""

    def __init__(self) -> None:
        try:
            self._file: int | None = os.open(SCHEDULE, os.O_RDONLY)
        except OSError:
            self._file = None

    def ns(self) -> int:
        if self._file is None:
            return 0
        return int(os.pread(self._file, 100, 0).split()[1])

    def close(self) -> None:
        if self._file is not None:
            os.close(self._file)
            self._file = None


class _Others:
    """The other threads of some processes, which the thread that asks may be waiting for."""

    def __init__(self, pids: Iterable[int]) -> None:
        self._folders = [f"/proc/{pid}/task" for pid in pids]
        self._files: dict[str, int] = {}

    def in_line(self) -> dict[str, int]:
        """How many ns each of them has been kept waiting for a processor; none where the system won't say."""
        own = str(threading.get_native_id())
        found: dict[str, int] = {}
        for folder in self._folders:
            with suppress(OSError):
                for thread in os.listdir(folder):  # noqa: PTH208 - it is asked at every tick
                    if thread != own:
                        with suppress(OSError):
                            found[thread] = self._ns(folder, thread)
        return found

    def _ns(self, folder: str, thread: str) -> int:
        if thread not in self._files:
            self._files[thread] = os.open(f"{folder}/{thread}/schedstat", os.O_RDONLY)
        try:
            return int(os.pread(self._files[thread], 100, 0).split()[1])
        except OSError:  # it has ended
            os.close(self._files.pop(thread))
            raise

    def close(self) -> None:
        while self._files:
            os.close(self._files.popitem()[1])


def _more(before: dict[str, int], after: dict[str, int]) -> int:
    return sum(ns - before.get(thread, 0) for thread, ns in after.items())


def yardstick_ms() -> float:
    """The time a fixed piece of work takes this thread; a pass of the garbage collector is no part of it."""
    collects = gc.isenabled()
    gc.disable()
    begun = time.thread_time()
    {str(number): (number,) for number in range(YARDSTICK)}
    taken = time.thread_time() - begun
    if collects:
        gc.enable()
    return taken * 1e3


def table(steps: list[Absence]) -> str:
    """The steps, the worst first."""
    ordered = sorted(steps, key=lambda step: -step.quiet_ms)
    head = f"{'step':36} {'quiet ms':>8} {'own ms':>8} {'wall ms':>8}   where"
    return "\n".join([head, *(step.line() for step in ordered)])
