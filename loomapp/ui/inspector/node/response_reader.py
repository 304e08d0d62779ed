"""Reader of raw responses for the inspector: short ones at once, long ones on a thread of their own."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QObject, Signal

from loomapp.core.model.raw_response import Evidence
from loomapp.core.progress import Progress
from loomapp.core.response_text.body import ReadResponse, read_response
from loomapp.session.background.background_work import BackgroundTask

SHORT_BYTES = 48 << 10  # packed: some three thousand tokens, which are read in fifteen milliseconds


class ResponseReader(QObject):
    """The response that was read last; every node that rests on it is compared with that."""

    has_read = Signal()  # a long one, which was asked for

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._of: Evidence | None = None
        self._read: ReadResponse | None = None
        self._task: BackgroundTask | None = None

    def reads(self, evidence: Evidence) -> bool:
        """Read a response; False if it takes longer, and `has_read` is told then."""
        if self._of is None or self._of.body_gzip != evidence.body_gzip:
            self._leave()
            self._of, self._read = evidence, None
            if len(evidence.body_gzip) > SHORT_BYTES:
                self._task = BackgroundTask(partial(_work, evidence), self)
                self._task.done.connect(self.on_done)
                self._task.start()
            else:
                self._read = read_response(evidence)
        return self._task is None

    @property
    def read(self) -> ReadResponse | None:
        """Response that was read last; None if it cannot be unpacked any more."""
        return self._read

    def on_done(self, read: ReadResponse | None) -> None:
        self._leave()
        self._read = read
        self.has_read.emit()

    def _leave(self) -> None:
        if self._task is not None:
            self._task.cancel()
            self._task.deleteLater()
            self._task = None


def _work(evidence: Evidence, _progress: Progress) -> ReadResponse | None:
    return read_response(evidence)
