"""The watch: hears within a second what other programs commit to the open grove, or do to its file."""

from __future__ import annotations

from contextlib import suppress

from PySide6.QtCore import QElapsedTimer, QObject, QTimer, Signal

from loomapp.core.errors import GroveError
from loomapp.session.document import Document
from loomapp.store.files import draft_claims
from loomapp.store.files.drafts import Slot, drafts_folder
from loomapp.store.opening.file_names import last_written

LOOK_MS = 500
GLANCE_MS = 100  # between two glances whether the file was written: a look then comes at once
WAITS = "locked"  # another program, or a part of this one, is at the file: the next look will do
PARTED = "parted"  # it is in the file, and was told: only the trees have to be read again
# Of taking in, at each turn of the event loop, about three changes: what they lead to in the window comes on
# top, once, and costs more than two of them.
SLICE_MS = 40.0


class Watch(QObject):
    """Looks twice a second, and as soon as the file was written, whether it is still the one that is open,
    and whether the change log is longer than what was applied; and whether a command line left an answer
    that it could not add.

    `PRAGMA data_version` would be no cheaper and moves for our own commits too. The document tells the views,
    as it does of every change. It is as safe while answers stream: they are no part of the tree yet.
    """

    written_elsewhere = Signal(object)  # list of Change: what others did to trees that are not open
    agents_changed = Signal()  # an agent came, or is another now
    failed = Signal(object)  # GroveError: the file cannot be read at present; told once
    displaced = Signal(object)  # GroveError: what was saved is not in the grove's file; told once
    answers_left = Signal()  # a command line broke off, and what it had streamed lies beside the grove
    back_in_place = Signal()  # it is there again

    def __init__(self, document: Document, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._document = document
        self._sequence = document.grove.sequence()
        self._agents = document.grove.agents()
        self._is_failing = self._is_displaced = False
        self._left: set[Slot] = set()  # answers that were told of
        self._written = last_written(document.grove.path)
        self._since_look = QElapsedTimer()
        self._since_look.start()
        self._timer = QTimer(self)
        self._timer.setInterval(GLANCE_MS)
        self._timer.timeout.connect(self._glance)
        self._timer.start()
        self._go_on = QTimer(self)  # another program may have written hundreds of times since the last look
        self._go_on.setSingleShot(True)
        self._go_on.setInterval(0)
        self._go_on.timeout.connect(self.look)

    def look(self) -> None:
        """See that the file is still the one that is open, and take in now what others did."""
        self._written = last_written(self._document.grove.path)  # before it is read: what comes then is seen
        self._since_look.restart()
        if not self._is_in_place():
            return
        try:
            self._take_in()
        except GroveError as error:
            if not self._is_failing and error.code != WAITS:
                self._is_failing = True
                self.failed.emit(error)
        else:
            self._is_failing = False
            self._look_for_answers()

    @property
    def sequence(self) -> int:
        """The number of the newest change that was taken in."""
        return self._sequence

    def close(self) -> None:
        self._timer.stop()
        self._go_on.stop()

    def _glance(self) -> None:
        is_due = self._since_look.elapsed() >= LOOK_MS
        if is_due or last_written(self._document.grove.path) != self._written:
            self.look()

    def _is_in_place(self) -> bool:
        """Tell whether what was saved is in the grove's file, where it was brought if it was not."""
        try:
            self._document.grove.hold()
        except GroveError as error:
            if not self._is_displaced and error.code != PARTED:
                self._is_displaced = True
                self.displaced.emit(error)
            return False
        if self._is_displaced:
            self._is_displaced = False
            self.back_in_place.emit()
        return True

    def _look_for_answers(self) -> None:
        grove = self._document.grove
        if grove.read_only:
            return
        with suppress(GroveError):  # the journal tells of its folder
            left = {row.slot for row in draft_claims.left_behind(drafts_folder(grove.path))}
            is_more = not left <= self._left
            self._left = left
            if is_more:
                self.answers_left.emit()

    def _take_in(self) -> None:
        grove = self._document.grove
        agents = grove.agents()
        if agents != self._agents:
            self._agents = agents
            self._document.agents.forget()
            self.agents_changed.emit()
        sequence = grove.sequence()
        if sequence != self._sequence:
            if self._document.catch_up_for(SLICE_MS):
                elsewhere = grove.written_elsewhere(self._sequence, self._document.tree)
                self._sequence = sequence
                if elsewhere:
                    self.written_elsewhere.emit(elsewhere)
            else:
                self._go_on.start()
