"""Head start: what asked a model shows itself before a long request takes the time of the window."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator

from PySide6.QtCore import QObject, QTimer

from loomapp.core.generation.events import Provider, StreamEvent
from loomapp.core.generation.request import Request, Stop

LONG = 200  # messages, from which on the work on a request is felt
HEAD_START_S = 0.1
LONGEST_S = 0.25  # a window that is busy with something else keeps nobody waiting


class HeadStart:
    """A provider that begins a moment later: when the window has `shown` what was asked for, and where there
    is much to put together a tenth of a second after that.

    Python runs one thread at a time: while a worker loads an SDK or turns thousands of messages into a
    request, everything that the window does takes two or three times as long, and just then it shows the new
    cards.
    """

    def __init__(self, provider: Provider, shown: threading.Event) -> None:
        self._provider = provider
        self._shown = shown

    def stream(self, request: Request, stop: Stop) -> Iterator[StreamEvent]:
        """One attempt; see `core.generation.Provider`."""
        self._shown.wait(LONGEST_S)
        if len(request.messages) >= LONG:
            time.sleep(HEAD_START_S)  # on a worker; nothing tells when the cards have been painted
        yield from self._provider.stream(request, stop)


class Showing(QObject):
    """The window shows what was asked: it `begins` to, and a turn of the event loop later it does."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._shown = threading.Event()
        self._painted = QTimer(self)
        self._painted.setSingleShot(True)
        self._painted.setInterval(0)
        self._painted.timeout.connect(self.let_begin)

    @property
    def shown(self) -> threading.Event:
        """Flag for the last request: set once the window shows it."""
        return self._shown

    def begins(self) -> None:
        """Note that the cards are told of; they are painted in this turn."""
        self._painted.start()

    def let_begin(self) -> None:
        """Let the workers begin: the drafts are on the screen, so that nothing need hold back any longer."""
        self._painted.stop()
        self._shown.set()
        self._shown = threading.Event()
