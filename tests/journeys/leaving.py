"""A window that is asked to close while it is busy: a program of its own, with GROVE MODEL [URL [nothing]].

Says `busy` when eight answers are under way, closes its window at the next line on stdin, and says when.
"""

from __future__ import annotations

import sys
import threading
import time
from pathlib import Path

from PySide6.QtCore import QObject, QTimer, Signal
from PySide6.QtWidgets import QApplication

from loomapp.app import build_window
from loomapp.core import edits
from loomapp.core.generation import Sources
from loomapp.providers.engine_state import Busy
from loomapp.ui.main_window import MainWindow
from tests.session.programs import ask_server

STREAMS = 8
LOOK_MS = 20


class Ear(QObject):
    """Hears a line on stdin without stopping the event loop."""

    heard = Signal()

    def listen(self) -> None:
        """On a thread of its own."""
        sys.stdin.readline()
        self.heard.emit()


def leave(path: str, model: str, url: str = "", waits_for: str = "text") -> int:
    """One window from its opening to its end; the exit status."""
    app = QApplication(["loomapp"])
    window = build_window(Path(path))
    assert isinstance(window, MainWindow)
    document = window.document
    if model == "scripted":
        ask_server(document.grove, url)
        document.forget_agents()
        document.choose_model_agent("scripted")
    window.show()
    document.commit(edits.add_node(document.tree, document.current_id, "Tell a long story.", document.pen()))
    for _ in range(STREAMS):
        window.generator.start(Sources(document.current_id), 1)
    ear = Ear()
    ear.heard.connect(lambda: (print(time.monotonic(), flush=True), window.close()))
    looking = QTimer()

    def look() -> None:
        drafts = window.generator.drafts(document.tree.loom.id)
        has_text = all(live.draft.text for live in drafts) or waits_for == "nothing"
        if has_text and (model == "scripted" or isinstance(window.generator.engine_state, Busy)):
            looking.stop()
            print("busy", flush=True)
            threading.Thread(target=ear.listen, daemon=True).start()

    looking.timeout.connect(look)
    looking.start(LOOK_MS)
    return app.exec()


if __name__ == "__main__":
    sys.exit(leave(*sys.argv[1:]))
