"""Drafts of the answers that are being streamed, kept until they are committed."""

from __future__ import annotations

from PySide6.QtCore import QObject

from loomapp.session.journal.draft_queue import DraftQueue
from loomapp.session.requests.generator import Generator
from loomapp.session.requests.running_request import RunningRequest, maker_of
from loomapp.store.files.drafts import Slot

CUT_S = 0.02  # the text is cut in the file once the way back is on disk, or after so long


class AnswerDrafts(QObject):
    """Notes every answer that a generator streams in a queue, and takes it away once it has ended."""

    def __init__(self, generator: Generator, queue: DraftQueue, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._generator, self._queue = generator, queue
        # By run id, each with its state when noted.
        self._requests: dict[str, tuple[RunningRequest, tuple[object, ...]]] = {}
        generator.started.connect(self.on_started)
        generator.answers.drafts_changed.connect(self.note)
        generator.answers.drafts_grew.connect(self.note)

    def note(self) -> None:
        """Note the answers that came, grew or became nodes since the last time."""
        requests = {request.run.id: request for request in self._generator.answers.flights()}
        for run_id, request in requests.items():
            state = (*request.drafts.values(), request.read_index, request.evidence)
            known = self._requests.get(run_id)
            if known is None or known[1] != state:
                self._requests[run_id] = (request, state)
                self._queue.note(_slot(request), maker_of(request))
        for run_id in self._requests.keys() - requests.keys():
            request, _ = self._requests.pop(run_id)
            self._queue.forget(_slot(request))

    def on_started(self) -> None:
        """Keep a new request; if the text is to be cut for it, keep at once what was read until then: the
        file knows nothing but the cut. The window waits for that as long as nobody feels it.
        """
        self.note()
        cut = [_slot(request) for request, _ in self._requests.values() if request.place.back is not None]
        self._queue.write_and_wait(cut, CUT_S)


def _slot(request: RunningRequest) -> Slot:
    return Slot(request.tree.loom.id, "run", request.run.id)
