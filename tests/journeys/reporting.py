"""The program's window in a process of its own, which says what it shows: started with what `loomapp` takes.

It is driven from outside, by the keyboard. On stdout it gives a line of JSON each time what it shows is
another than before: see `Seen`.
"""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field

from PySide6.QtCore import QCoreApplication, QObject, Qt, QTimer
from PySide6.QtWidgets import QApplication

from loomapp.__main__ import main as loomapp_main
from loomapp.ui.window.main_window import MainWindow
from tests.journeys.browsing import the_window

LOOK_MS = 20


@dataclass(frozen=True)
class Seen:
    """What a window on a buffer shows."""

    before: str  # the answer that streams, or all of the text
    shown: str = ""  # the node that this answer will be
    behind: str = ""  # words after it
    answers: dict[str, str] = field(default_factory=dict)  # as far as they came, by the nodes they will be
    dialog: str = ""  # the name of one that is open and has the keys
    is_ready: bool = False  # for keys: they go into the text


@dataclass(frozen=True)
class Line:
    """What was seen when, by the monotonic clock, and for how long the disk had not written what it had."""

    at: float
    held: float
    seen: Seen


def read(line: str) -> Line:
    """A line as it was said."""
    at, held, seen = json.loads(line)
    return Line(at, held, Seen(**seen))


class Report(QObject):
    """Says what is shown, for as long as the process lives."""

    def __init__(self, application: QCoreApplication) -> None:
        super().__init__(application)
        self._last: Seen | None = None
        self._asked_at: float | None = None
        self._timer = QTimer(self, interval=LOOK_MS)
        self._timer.setTimerType(Qt.TimerType.PreciseTimer)
        self._timer.timeout.connect(self.on_look)
        self._timer.start()

    def on_look(self) -> None:
        """See whether anything is another than before."""
        window = the_window()
        if window is None or window.journal is None:
            return
        at = time.monotonic()
        if not window.journal.is_writing:
            self._asked_at = None
        elif self._asked_at is None:
            self._asked_at = at
        seen = seen_in(window)
        if seen != self._last:
            self._last = seen
            held = 0.0 if self._asked_at is None else at - self._asked_at
            print(json.dumps([at, held, asdict(seen)]), flush=True)


def seen_in(window: MainWindow) -> Seen:
    """What stands in a window."""
    editor, shown, tree = window.buffer.view.editor, window.buffer.tail.shown, window.document.tree
    at = len(editor.text) if shown is None else editor.tail_at
    lives = window.generator.drafts(tree.loom.id)
    dialog = QApplication.activeModalWidget()
    return Seen(
        before=editor.text[:at],
        shown="" if shown is None or shown.live is None else shown.live.node_id,
        behind=editor.text[at:],
        answers={live.node_id: live.draft.text for live in lives},
        dialog=dialog.objectName() if dialog is not None and dialog.isActiveWindow() else "",
        is_ready=window.isActiveWindow() and editor.hasFocus(),
    )


def begin() -> None:
    """On a thread of its own: has the window looked at, once there is something to look with."""
    pause = threading.Event()
    while (application := QCoreApplication.instance()) is None:
        pause.wait(0.01)
    QTimer.singleShot(0, application, lambda: Report(application))


def main(arguments: Sequence[str]) -> int:
    """Be the program."""
    threading.Thread(target=begin, daemon=True).start()
    return loomapp_main(arguments)
