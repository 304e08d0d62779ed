"""Backups and the mirror folder while the window is open: made beside it when one is due, never awaited."""

from __future__ import annotations

import threading
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer, Signal

from loomapp.core.errors import GroveError, LoomError
from loomapp.session.document import Document
from loomapp.store.backups.backup import back_up
from loomapp.store.files.settings_file import read_settings
from loomapp.store.grove.due_backup import is_due
from loomapp.store.identity import now
from loomapp.store.opening.file_names import is_networked

if TYPE_CHECKING:
    from loomapp.session.background.subprocess_command import SubprocessCommand

LOOK_MS = 30_000
PAUSE_S = 0.005  # again and again, so that the window has the interpreter in between
CLOSE_S = 0.3  # a disk that hangs does not keep the window open
CLOSING_S = 0.4  # for the one on closing, of the second in which quitting is promised
SMALL_BYTES = 4 * 1024 * 1024  # what is copied and proved in half of that
FIRST_LOOK_MS = 2_000  # what the last session left is backed up once the window stands


class Backups(QObject):
    """Looks now and then whether a backup is due. On closing a small grove is backed up; of a large one the
    next start makes it, of what this session left: closing does not wait. Nothing is done for a read-only
    grove.
    """

    beginning = Signal()  # what is written and not saved is to be in it
    failed = Signal(object)  # GroveError: told once, until a backup works again

    def __init__(self, document: Document, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._grove = document.grove
        self._job: _Job | None = None
        self._is_failing = False
        self._timer = QTimer(self)
        self._timer.setInterval(LOOK_MS)
        self._timer.timeout.connect(self.look)
        self._first = QTimer(self)  # a child, as QTimer.singleShot's own goes on when this is gone
        self._first.setSingleShot(True)
        self._first.setInterval(FIRST_LOOK_MS)
        self._first.timeout.connect(self.look)
        if not self._grove.read_only:
            self._timer.start()
            self._first.start()

    def look(self) -> None:
        """Look what became of the last backup, and begin one if it is due."""
        if self._job is not None:
            if self._job.is_alive():
                return
            self._hear(self._job.error)
            self._job = None
        try:
            every_ms = read_settings().settings.backup_minutes * 60_000
            due = self._timer.isActive() and self._grove.is_in_place()
            due = due and is_due(self._grove, now(), every_ms=every_ms)
        except GroveError as error:
            self._hear(error)
            return
        if due:
            self.beginning.emit()
            self._job = _Job(self._grove.path)
            self._job.start()

    def close(self) -> None:
        """Begin no more, stop one under way, and make the one on closing if that takes no time. One that does
        not stop at once ends with the process; what it leaves is cleared by the next.
        """
        for timer in (self._timer, self._first):
            timer.stop()
        if self._job is not None:
            self._job.stop()
            self._job.join(CLOSE_S)
        elif self._is_quick():
            job = _Job(self._grove.path, "closing")
            job.start()
            job.join(CLOSING_S)
            if job.is_alive():
                job.stop()
                job.join(CLOSE_S)

    def _is_quick(self) -> bool:
        """Return True if there is something to back up, and little of it."""
        grove = self._grove
        if grove.read_only or is_networked(grove.path) or not grove.is_in_place():
            return False
        if grove_bytes(grove.path) > SMALL_BYTES:
            return False
        try:
            return is_due(grove, now(), every_ms=0)
        except GroveError:
            return False

    def _hear(self, error: GroveError | None) -> None:
        if error is not None and not self._is_failing:
            self.failed.emit(error)
        self._is_failing = error is not None


class _Job(threading.Thread):
    """Backup in the making; it reads the file by a connection of its own."""

    def __init__(self, path: Path, reason: str = "") -> None:
        super().__init__(name="backup", daemon=True)
        self._path, self._reason = path, reason
        self._pause_s = 0 if reason else PAUSE_S
        self._stopped = threading.Event()
        self.error: GroveError | None = None

    def stop(self) -> None:
        """Make it no longer, if it is not there yet."""
        self._stopped.set()

    def run(self) -> None:
        """Make the backup; what went wrong is kept to be asked for."""
        try:
            back_up(self._path, reason=self._reason, stop=self._rest)
        except GroveError as error:
            self.error = error

    def _rest(self) -> bool:
        """Pause; return True if the backup is not wanted any more."""
        return self._stopped.wait(self._pause_s)


def grove_bytes(path: Path) -> int:
    """Return the size of a grove, and of what is written beside it and not in it yet."""
    total = 0
    for file in (path, path.with_name(f"{path.name}-wal")):
        with suppress(OSError):
            total += file.stat().st_size
    return total


EVERY_MS = 60_000  # at most so often
MIRROR_CLOSING_S = (
    0.3  # of the second in which quitting is promised; the next start makes up for what is missing
)
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
        from loomapp.session.background.subprocess_command import SubprocessCommand  # late: hardly ever

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
            from loomapp.session.background.subprocess_command import start_apart  # late: hardly ever

            start_apart([*self._line(folder), "--after", str(LET_GO_S)])
            return
        job = _MirrorJob(folder, self._grove.path)
        job.start()
        job.join(MIRROR_CLOSING_S)
        job.stop()
        job.join(MIRROR_CLOSING_S)

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


class _MirrorJob(threading.Thread):
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
        from loomapp.mirror_folder import update

        with suppress(LoomError):
            update(self._folder, self._grove, self._stopped.is_set)
