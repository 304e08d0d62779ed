"""What a test may not leave behind: threads, child processes, windows, running timers."""

from __future__ import annotations

import gc
import os
import sys
import threading
import time
import weakref
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from PySide6.QtCore import QObject, QTimer

MANY_OBJECTS = 20_000
"""Of so many that came since the last time, a look through all of them is as long as a small test."""

GRACE_S = 20.0
"""How long something that is already ending may take; nothing left ends it at once."""

QT_OWN_WINDOWS = {"QTipLabel", "QComboBoxPrivateContainer", "QDesktopScreenWidget"}
"""Windows that Qt keeps for itself."""


_timers_aside: list[weakref.ref[QTimer]] = []


@dataclass(frozen=True, slots=True)
class Running:
    """What runs at one moment."""

    at_qt: bool
    threads: frozenset[threading.Thread]
    children: frozenset[int]
    windows: frozenset[int]
    timers: frozenset[int]


def set_aside() -> None:
    """What there is now stays: who looks for garbage, or for timers, need not go through it again.

    Its timers are remembered: one that runs later is found all the same.
    """
    gc.collect()
    _timers_aside[:] = map(weakref.ref, _all_timers())
    gc.freeze()


def look(*, at_qt: bool) -> Running:
    """Takes stock before a test; at_qt: at windows and timers too."""
    if at_qt and len(gc.get_objects()) >= MANY_OBJECTS:
        set_aside()
    return Running(
        at_qt,
        frozenset(threading.enumerate()),
        frozenset(_children()),
        frozenset(map(_address, _windows())) if at_qt else frozenset(),
        frozenset(id(timer) for timer in _timers()) if at_qt else frozenset(),
    )


def left_behind(
    before: Running, *, known_children: Iterable[int] = (), grace_s: float = GRACE_S
) -> list[str]:
    """What runs now and did not before, one line each, after a short grace."""
    known = before.children | set(known_children)
    searches: list[Callable[[], list[str]]] = [
        lambda: [f"thread {t.name}" for t in threading.enumerate() if t not in before.threads],
        lambda: [f"child process {_command(pid)}" for pid in _children() if pid not in known],
    ]
    if before.at_qt:
        searches += [
            lambda: [f"window {_name(w)}" for w in _windows() if _address(w) not in before.windows],
            lambda: [f"running timer {_name(t)}" for t in _timers() if id(t) not in before.timers],
        ]
        _let_go()
    deadline = time.monotonic() + grace_s
    return [line for search in searches for line in _lasting(search, deadline)]


def _lasting(search: Callable[[], list[str]], deadline: float) -> list[str]:
    """What is still found when the grace is over; nothing found ends it at once."""
    left = search()
    while left and time.monotonic() < deadline:
        gc.collect()
        _let_go()
        time.sleep(0.01)
        left = search()
    return left


def _let_go() -> None:
    """Carries out Qt's deferred deletions."""
    qt = sys.modules.get("PySide6.QtCore")
    if qt is not None and qt.QCoreApplication.instance() is not None:
        qt.QCoreApplication.sendPostedEvents(None, qt.QEvent.Type.DeferredDelete.value)
        qt.QCoreApplication.processEvents()


def _children() -> list[int]:
    lists = Path("/proc/self/task").glob("*/children")
    pids: list[int] = []
    for entry in lists:
        try:
            pids += map(int, entry.read_text().split())
        except OSError:  # the thread ended between the listing and the reading
            continue
    return pids


def _command(pid: int) -> str:
    try:
        words = Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
    except OSError:
        words = []
    return f"{pid} ({os.fsdecode(b' '.join(words)).strip() or 'ended, but nobody waited for it'})"


def _windows() -> list[QObject]:
    widgets = sys.modules.get("PySide6.QtWidgets")
    if widgets is None or widgets.QApplication.instance() is None:
        return []
    return [
        w for w in widgets.QApplication.topLevelWidgets() if w.metaObject().className() not in QT_OWN_WINDOWS
    ]


def _timers() -> list[QTimer]:
    """The timers made in Python that are running."""
    return [timer for timer in _all_timers() if sys.modules["shiboken6"].isValid(timer) and timer.isActive()]


def _all_timers() -> list[QTimer]:
    """The timers made in Python; Qt has no list of its own."""
    qt = sys.modules.get("PySide6.QtCore")
    if qt is None or qt.QCoreApplication.instance() is None:
        return []
    kinds = _kinds_of(qt.QTimer)  # `isinstance` would ask objects that load what they stand for when asked
    found = {id(o): o for o in gc.get_objects() if type(o) in kinds}
    found |= {id(timer): timer for timer in (ref() for ref in _timers_aside) if timer is not None}
    return list(found.values())


def _kinds_of(kind: type) -> set[type]:
    found = [kind]
    for one in found:  # grows while it is walked
        found += one.__subclasses__()
    return set(found)


def _address(window: QObject) -> int:
    """Python's wrapper of a window may be made anew at each look, Qt's own object is not."""
    address: int = sys.modules["shiboken6"].getCppPointer(window)[0]
    return address


def _name(thing: QObject) -> str:
    return f"{type(thing).__name__} {thing.objectName()!r}"
