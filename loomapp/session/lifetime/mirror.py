"""The mirror folder while the window is open: brought up to date on a thread of its own, never awaited."""

from __future__ import annotations

import threading
from pathlib import Path

from PySide6.QtCore import QObject, QTimer, Signal

from loomapp.core.errors import GroveError, LoomError
from loomapp.session.document import Document
from loomapp.session.lifetime.mirror_folder import update
from loomapp.store.files.settings_file import read_settings

EVERY_MS = 60_000  # at most so often
LOOK_MS = 500  # what became of a thread
CLOSING_S = 0.3  # of the second in which quitting is promised; the next start makes up for what is missing


class Mirror(QObject):
    """Writes the mirror of a grove where the settings name a folder: a minute after a change at the latest,
    and at closing.
    """

    failed = Signal(object)  # LoomError: told once, until it works again

    def __init__(self, document: Document, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._grove = document.grove
        self._job: _Job | None = None
        self._is_due = True  # what the last session left
        self._folder = ""
        self._is_failing = False
        self._timer = QTimer(self, interval=EVERY_MS)
        self._timer.timeout.connect(self.write)
        self._timer.start()
        self._look = QTimer(self, interval=LOOK_MS)
        self._look.timeout.connect(self.on_look)
        document.saved.connect(self.on_saved)
        document.trees.changed.connect(self.on_saved)

    def on_saved(self) -> None:
        self._is_due = True

    def write(self) -> None:
        """Begin to write what changed, if a folder is named and no other writing goes on."""
        folder = read_settings().settings.mirror_folder
        if folder != self._folder:
            self._folder, self._is_due = folder, True
        if self._is_due and folder and self._job is None and self._is_in_place():
            self._is_due = False
            self._job = _Job(Path(folder).expanduser(), self._grove.path)
            self._job.start()
            self._look.start()

    def _is_in_place(self) -> bool:
        """Tell whether the file of the grove's name is the one that is open: no other is read beside it."""
        try:
            return self._grove.is_in_place()
        except GroveError:
            return False

    def on_look(self) -> None:
        """Hear what became of the writing, once it ends."""
        if self._job is None or self._job.is_alive():
            return
        error, self._job = self._job.error, None
        self._look.stop()
        self._is_due = self._is_due or error is not None
        if error is not None and not self._is_failing:
            self.failed.emit(error)
        self._is_failing = error is not None

    def close(self) -> None:
        """Write what changed since, as far as that takes no time."""
        for timer in (self._timer, self._look):
            timer.stop()
        if self._job is None:
            self.write()
            self._look.stop()
        if self._job is not None:
            self._job.join(CLOSING_S)
            self._job.stop()
            self._job.join(CLOSING_S)


class _Job(threading.Thread):
    """One writing; it reads the grove by a connection of its own."""

    def __init__(self, folder: Path, grove: Path) -> None:
        super().__init__(name="mirror", daemon=True)
        self._folder, self._grove = folder, grove
        self._stopped = threading.Event()
        self.error: LoomError | None = None

    def stop(self) -> None:
        """Write no further tree."""
        self._stopped.set()

    def run(self) -> None:
        """Write; what went wrong is kept to be asked for."""
        try:
            update(self._folder, self._grove, self._stopped.is_set)
        except LoomError as error:
            self.error = error
