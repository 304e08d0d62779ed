"""The mirror folder while the window is open: brought up to date by a process beside it, never awaited."""

from __future__ import annotations

import threading
from contextlib import suppress
from pathlib import Path

from PySide6.QtCore import QObject, QTimer, Signal

from loomapp.core.errors import GroveError, LoomError
from loomapp.session.background.subprocess_command import SubprocessCommand, start_apart
from loomapp.session.document import Document
from loomapp.session.lifetime.backups import SMALL_BYTES, grove_bytes
from loomapp.store.files.settings_file import read_settings

EVERY_MS = 60_000  # at most so often
CLOSING_S = 0.3  # of the second in which quitting is promised; the next start makes up for what is missing
LET_GO_S = 2.0  # until a window that closes has let go of its grove


class Mirror(QObject):
    """Writes the mirror of a grove where the settings name a folder: a minute after a change at the latest,
    and at closing; of a large grove a process does that which goes on when the window is gone.
    """

    failed = Signal(object)  # LoomError: told once, until it works again

    def __init__(self, document: Document, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._grove = document.grove
        self._command: SubprocessCommand | None = None
        self._is_due = True  # what the last session left
        self._folder = ""
        self._is_failing = False
        self._timer = QTimer(self, interval=EVERY_MS)
        self._timer.timeout.connect(self.write)
        self._timer.start()
        document.saved.connect(self.on_saved)
        document.trees.changed.connect(self.on_saved)
        document.agents.changed.connect(self.on_saved)

    @property
    def is_under_way(self) -> bool:
        return self._command is not None

    def on_saved(self) -> None:
        self._is_due = True

    def write(self) -> None:
        """Begin to write what changed, if a folder is named and no other writing goes on."""
        if self._command is not None or (folder := self._due_folder()) is None:
            return
        self._is_due = False
        command = self._command = SubprocessCommand(self._line(folder), self)
        command.done.connect(self.on_done)
        command.failed.connect(self.on_failed)
        command.ended.connect(self.on_ended)
        command.start()

    def on_done(self, _printed: str) -> None:
        self._is_failing = False

    def on_failed(self, error: LoomError) -> None:
        """Tell what went wrong, once; it is tried again in a minute."""
        self._is_due = True
        if not self._is_failing:
            self.failed.emit(error)
        self._is_failing = True

    def on_ended(self) -> None:
        command, self._command = self._command, None
        if command is not None:
            command.deleteLater()

    def close(self) -> None:
        """Write what changed since, waiting for a small grove only."""
        self._timer.stop()
        if self._command is not None:
            self._is_due = True
            self._command.close()
        folder = self._due_folder()
        if folder is None:
            return
        if grove_bytes(self._grove.path) > SMALL_BYTES:
            start_apart([*self._line(folder), "--after", str(LET_GO_S)])
            return
        job = _Job(folder, self._grove.path)
        job.start()
        job.join(CLOSING_S)
        job.stop()
        job.join(CLOSING_S)

    def _line(self, folder: Path) -> list[str]:
        return ["mirror", "--grove", str(self._grove.path.absolute()), str(folder)]

    def _due_folder(self) -> Path | None:
        """The folder that is to be written now; None if there is none, or nothing to write."""
        named = read_settings().settings.mirror_folder
        if named != self._folder:
            self._folder, self._is_due = named, True
        if not named or not self._is_due or not self._is_in_place():
            return None
        from loomapp.mirror_folder import folder_of  # late: hardly anyone names a folder

        try:
            return folder_of(named).absolute()
        except LoomError as error:
            self.on_failed(error)
            return None

    def _is_in_place(self) -> bool:
        """Tell whether the file of the grove's name is the one that is open: no other is read beside it."""
        try:
            return self._grove.is_in_place()
        except GroveError:
            return False


class _Job(threading.Thread):
    """The writing at the end; it reads the grove by a connection of its own. What went wrong there, the next
    start tells.
    """

    def __init__(self, folder: Path, grove: Path) -> None:
        super().__init__(name="mirror", daemon=True)
        self._folder, self._grove = folder, grove
        self._stopped = threading.Event()

    def stop(self) -> None:
        """Write no further tree."""
        self._stopped.set()

    def run(self) -> None:
        """Write what changed."""
        from loomapp.mirror_folder import update

        with suppress(LoomError):
            update(self._folder, self._grove, self._stopped.is_set)
