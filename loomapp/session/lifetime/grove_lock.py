"""One window a grove: its lock, the message that wakes it, and drafts adopted from another name of the grove.

The message is a file in the user's state folder, not a local socket: QtNetwork links to Kerberos, one more
library that a small Debian does not have.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import threading
import time
from contextlib import suppress
from pathlib import Path

from PySide6.QtCore import QLockFile, QObject, QTimer, Signal

from loomapp import places
from loomapp.core.dataclass import dataclass
from loomapp.core.errors import GroveError
from loomapp.core.sentences import worded
from loomapp.store.files import draft_folders, drafts
from loomapp.store.files.drafts import drafts_folder
from loomapp.store.grove.grove import Grove
from loomapp.store.grove.other_files import left_in, moved_here, unclaimed_in
from loomapp.store.identity import new_id
from loomapp.store.opening.file_names import file_lock, name_lock

LOOK_MS = 250
ANSWER_S = 3.0  # a window that is busy for longer is told of instead
LOOK_AGAIN_S = 0.05


@dataclass(frozen=True, slots=True)
class LockHolder:
    """The process that has a grove open."""

    pid: int
    host: str
    program: str
    lock: Path

    def error(self, grove: Path) -> GroveError:
        """Return the error to show where that process could not be woken."""
        here = self.host in ("", os.uname().nodename if hasattr(os, "uname") else self.host)
        where = worded("process {pid}", pid=self.pid)
        if not here:
            where = worded("process {pid} on {host}", pid=self.pid, host=self.host)
        text = worded(
            "{grove} is open in another window ({where}), which does not answer. Go there, or end it; if "
            "there is no such program any more, remove {lock}.",
            grove=grove,
            where=where,
            lock=self.lock,
        )
        return GroveError("openElsewhere", text, path=str(grove), pid=self.pid, host=self.host)


class GroveLock(QObject):
    """Lock of this window on one grove. Take it before the grove is opened, release it when it is closed."""

    opened_again = Signal(str)  # tree id, "" for none: the program was started again with this grove

    def __init__(self, grove: Path, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.grove = grove
        self._lock = _lock_of(name_lock(grove))
        self._file_lock: QLockFile | None = None
        self._timer = QTimer(self)
        self._timer.setInterval(LOOK_MS)
        self._timer.timeout.connect(self.look)

    def take(self) -> LockHolder | None:
        """Hold the grove; None if it is ours now, also where no lock can be written: then nobody writes."""
        if self._lock.tryLock(0):
            other = self._take_file()
            if other is not None:
                self._lock.unlock()
                return other
            for old in _messages(self.grove):  # nobody was there to read them
                _take_away(old)
            self._timer.start()
            return None
        if self._lock.error() != QLockFile.LockError.LockFailedError:
            return None
        return _holder(self._lock)

    def _take_file(self) -> LockHolder | None:
        """Hold the file itself too, which may have a second name; None if it is ours, or not there yet.

        Under each of its names SQLite would keep another -wal, and neither program would see the other's.
        Where another file has the name by now, as after the grove was moved and written again, that is held.
        """
        path = file_lock(self.grove)
        if path is None or (self._file_lock is not None and self._file_lock.fileName() == str(path)):
            return None
        with contextlib.suppress(OSError):
            path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        lock = _lock_of(path)
        if lock.tryLock(0):
            if self._file_lock is not None:
                self._file_lock.unlock()
            self._file_lock = lock
        elif lock.error() == QLockFile.LockError.LockFailedError:
            return _holder(lock)
        return None

    def release(self) -> None:
        self._timer.stop()
        self._lock.unlock()
        if self._file_lock is not None:
            self._file_lock.unlock()
            self._file_lock = None

    def look(self) -> None:
        """See whether the program was started again."""
        self._take_file()  # one that was made meanwhile
        for message in _messages(self.grove):
            try:
                tree_id = str(json.loads(message.read_text(encoding="utf-8"))["tree"])
            except (OSError, ValueError, KeyError, TypeError):
                tree_id = ""
            _take_away(message)  # that is the answer
            self.opened_again.emit(tree_id)


def is_held(grove: Path) -> bool:
    """Tell whether a window has a grove open under this name, also if its file is gone."""
    lock = _lock_of(name_lock(grove))
    if lock.tryLock(0):
        lock.unlock()
        return False
    return lock.error() == QLockFile.LockError.LockFailedError


def hand_over(grove: Path, tree_id: str = "") -> bool:
    """Ask the window that has a grove open to come forward; True if it does."""
    folder = _post_box(grove)
    message = folder / f"{new_id()}.json"
    part = message.with_suffix(".part")
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        part.write_text(json.dumps({"tree": tree_id}), encoding="utf-8")
        part.replace(message)
    except OSError:
        return False
    until = time.monotonic() + ANSWER_S
    pause = threading.Event()
    while message.exists() and time.monotonic() < until:
        pause.wait(LOOK_AGAIN_S)
    return not _take_away(message)


def _holder(lock: QLockFile) -> LockHolder:
    pid, host, program = lock.getLockInfo()
    return LockHolder(pid, host, program, Path(lock.fileName()))


def _lock_of(path: Path) -> QLockFile:
    lock = QLockFile(str(path))
    lock.setStaleLockTime(0)  # however long a window stays open; a dead process is noticed all the same
    return lock


def _post_box(grove: Path) -> Path:
    file = file_lock(grove)  # known by whatever name it is opened
    which = str(grove.resolve()) if file is None else file.stem
    name = hashlib.sha256(which.encode("utf-8", "surrogateescape")).hexdigest()[:24]
    return places.state_folder() / "opened-again" / name


def _messages(grove: Path) -> list[Path]:
    with contextlib.suppress(OSError):
        return sorted(_post_box(grove).glob("*.json"))
    return []


def _take_away(message: Path) -> bool:
    """Take the message away; return True if it was still there."""
    try:
        message.unlink()
    except OSError:
        return False
    return True


def adopt_drafts(grove: Grove) -> None:
    """Bring the drafts of this grove's trees under its name, where the journal looks for them.

    They are taken from folders whose own grove is gone, or has not such a tree, and copied from under the
    name that this grove had when it was moved while it was open: there it goes on as well. What a window or
    a command line still writes is left to it, and so is what is here under the same slot already.
    """
    if grove.read_only:
        return
    own, trees = drafts_folder(grove.path), {row.id for row in grove.known_trees()}
    for folder in draft_folders.other_folders(own):
        if not is_held(draft_folders.grove_of(folder)):
            with suppress(GroveError):  # what cannot be read or written stays where it is, for the next start
                for row in left_in(folder, grove.path, trees):
                    drafts.keep(own, row)
                    drafts.forget(folder, row.slot)
    for displaced in moved_here(grove.path):
        if not is_held(displaced.grove):
            with suppress(GroveError):
                for row in unclaimed_in(drafts_folder(displaced.grove), grove.path, trees):
                    drafts.keep(own, row)
                draft_folders.without_drafts(displaced)
