"""The queue of drafts on their way to disk: the newest of each, written soon, tried again after a fault."""

from __future__ import annotations

import time
from collections.abc import Collection, Iterator
from functools import partial
from pathlib import Path

from PySide6.QtCore import QObject, QTimer, Signal

from loomapp.core.errors import GroveError
from loomapp.core.times import Milliseconds
from loomapp.runs.events import Proposal
from loomapp.session.requests.generator import Generator
from loomapp.session.requests.running_request import RunningRequest, maker_of
from loomapp.store.files.drafts import DraftRow, DraftWriter, Make, Slot
from loomapp.store.identity import now

LOOK_MS = 50  # while something is not on disk
RETRY_MS = 2000
CLOSE_S = 0.5  # a disk that hangs does not keep the window open


class DraftQueue(QObject):
    """Hands the newest of each draft to a writer thread and hears what became of it. Without a folder nothing
    is written. All methods belong to the GUI thread.
    """

    failed = Signal(object)  # GroveError: a draft is not on disk; it is kept in memory and tried again
    fault_ended = Signal()  # everything is on disk again
    written = Signal(object)  # Slot: the newest of it is on disk, or taken away

    def __init__(self, folder: Path | None, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._wishes: dict[Slot, Make | None] = {}  # the newest of each, until it is on disk; None: gone
        self._asked: dict[Slot, Make | None] = {}  # what the writer has
        self._faulty: set[Slot] = set()
        self._look = QTimer(self)
        self._look.setInterval(LOOK_MS)
        self._look.timeout.connect(self.on_look)
        self._retry = QTimer(self)
        self._retry.setSingleShot(True)
        self._retry.setInterval(RETRY_MS)
        self._retry.timeout.connect(self.retry)
        self._writer = None if folder is None else DraftWriter(folder)

    @property
    def is_faulty(self) -> bool:
        return bool(self._faulty)

    @property
    def is_writing(self) -> bool:
        return self._writer is not None and self._writer.is_busy

    @property
    def is_settled(self) -> bool:
        return not self._asked and not self._faulty

    def unwritten(self) -> Iterator[DraftRow]:
        return (make() for make in self._wishes.values() if make is not None)

    def note(self, slot: Slot, make: Make) -> None:
        """Have the newest of a draft written soon: a pause after the last key, a ceiling after the first."""
        if self._writer is not None:
            self._wishes[slot] = make
            self._ask(slot)

    def forget(self, slot: Slot) -> None:
        """Take a draft away at once: it is in the file, and must not be offered again."""
        if self._writer is not None:
            self._wishes[slot] = None
            self._ask(slot)

    def write(self, slot: Slot) -> None:
        """Have a draft that was just noted written at once."""
        if self._writer is not None:
            self._writer.hurry((slot,))

    def write_and_wait(self, slots: Collection[Slot], timeout_s: float) -> None:
        """Have those of some drafts that are due written at once, and wait for so long until they are."""
        due = self._asked.keys() & set(slots)
        if self._writer is not None:
            self._writer.hurry(due)
        until = time.monotonic() + timeout_s
        while due & self._asked.keys() and time.monotonic() < until:
            time.sleep(0.001)
            self.on_look()

    def write_now(self) -> None:
        """Have all that was noted written at once."""
        if self._writer is not None:
            self._writer.hurry(self._asked.keys())

    def retry(self) -> None:
        """Try again what could not be written; that is also tried every two seconds."""
        for slot in self._faulty & self._wishes.keys():
            self._ask(slot)
        self.write_now()

    def on_look(self) -> None:
        faults: list[GroveError] = []
        was_faulty = self.is_faulty
        for outcome in self._writer.outcomes() if self._writer else []:
            slot, is_newest = outcome.slot, self._wishes.get(outcome.slot) is outcome.make
            if self._asked.get(slot) is outcome.make:
                self._asked.pop(slot, None)
            if outcome.error is not None:
                faults.append(outcome.error)
                self._faulty.add(slot)
                continue
            self._faulty.discard(slot)
            if is_newest:
                self._wishes.pop(slot, None)
                self.written.emit(slot)
        if not self._asked:
            self._look.stop()
        if self._faulty and not self._retry.isActive():
            self._retry.start()
        if faults and not was_faulty:
            self.failed.emit(faults[0])
        elif was_faulty and not self._faulty:
            self.fault_ended.emit()

    def settle(self, timeout_s: float) -> bool:
        """Write what is left, and wait for so long; True if everything that was noted is on disk."""
        self.write_now()
        until = time.monotonic() + timeout_s
        while self._asked and time.monotonic() < until:
            self.on_look()
            time.sleep(0.005)  # the window closes: nothing else may run before the words are on disk
        return self.is_settled

    def close(self) -> None:
        """Write what is left and end; after half a second without it: quitting is always possible."""
        self.write_now()
        for timer in (self._look, self._retry):
            timer.stop()
        if self._writer is not None:
            self._writer.close(CLOSE_S)
            self._writer = None

    def _ask(self, slot: Slot) -> None:
        if self._writer is None:
            return
        make = self._asked[slot] = self._wishes[slot]
        if make is None:
            self._writer.forget(slot)
        else:
            self._writer.put(slot, make)
        if not self._look.isActive():
            self._look.start()


CUT_S = 0.02  # the text is cut in the file once the way back is on disk, or after so long


class AnswerDrafts(QObject):
    """Notes every answer that a generator streams in a queue, and takes it away once it has ended."""

    def __init__(self, generator: Generator, queue: DraftQueue, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._generator, self._queue = generator, queue
        # By their slots, each with its state when noted; a run of an agent has another slot in each step.
        self._requests: dict[Slot, tuple[RunningRequest, tuple[object, ...]]] = {}
        self._proposals: set[Slot] = set()
        generator.started.connect(self.on_started)
        generator.proposals.changed.connect(self.on_proposals_changed)
        generator.answers.drafts_changed.connect(self.note)
        generator.answers.drafts_grew.connect(self.note)

    def note(self) -> None:
        """Note the answers that came, grew or became nodes since the last time."""
        requests = {_slot(request): request for request in self._generator.answers.flights()}
        for slot, request in requests.items():
            state = (*request.drafts.values(), request.read_index, request.evidence, request.trace)
            known = self._requests.get(slot)
            if known is None or known[1] != state:
                self._requests[slot] = (request, state)
                self._queue.note(slot, maker_of(request))
        for slot in self._requests.keys() - requests.keys():
            del self._requests[slot]
            self._queue.forget(slot)

    def on_proposals_changed(self) -> None:
        """Keep what waits for a person, and let go of what was decided."""
        waiting = {Slot(one.tree_id, "proposal", one.id): one for one in self._generator.proposals.waiting}
        for slot in waiting.keys() - self._proposals:
            self._queue.note(slot, partial(_proposal_row, slot, waiting[slot], now()))
        for slot in self._proposals - waiting.keys():
            self._queue.forget(slot)
        self._proposals = set(waiting)

    def on_started(self) -> None:
        """Keep a new request; if the text is to be cut for it, keep at once what was read until then: the
        file knows nothing but the cut. The window waits for that as long as nobody feels it.
        """
        self.note()
        cut = [slot for slot, (request, _) in self._requests.items() if request.place.back is not None]
        self._queue.write_and_wait(cut, CUT_S)


def _proposal_row(slot: Slot, proposal: Proposal, at: Milliseconds) -> DraftRow:
    return DraftRow(slot, at, proposal.to_json())


def _slot(request: RunningRequest) -> Slot:
    return Slot(request.tree.loom.id, "run", request.run.id)
