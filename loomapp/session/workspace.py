"""The workspace: the living state of one open grove, and the settings while the program runs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path

from PySide6.QtCore import QFileSystemWatcher, QObject, QTimer, Signal

from loomapp.core.dataclass import dataclass
from loomapp.core.settings.registry import FIELDS
from loomapp.core.settings.setting import Number, Value
from loomapp.session.context.preview import Preview
from loomapp.session.context.token_counter import TokenCounter
from loomapp.session.context.what_if import WhatIf
from loomapp.session.document import Document
from loomapp.session.reading_place import VisitHistory
from loomapp.session.requests.generator import Generator
from loomapp.session.writing.buffer_session import BufferSession
from loomapp.store.files.settings_file import (
    Complaint,
    ParsedSettings,
    forget_keys,
    key_complaints,
    read_settings,
    settings_path,
    write_keys,
    write_setting,
)


@dataclass(frozen=True, slots=True)
class Workspace:
    """The document and what is done beside it: requests, the coming context, writing, the way one went."""

    document: Document
    generator: Generator
    preview: Preview
    writing: BufferSession
    what_if: WhatIf
    counting: TokenCounter
    visits: VisitHistory
    preferences: Preferences


SETTLE_MS = 80  # editors write in several steps


class Preferences(QObject):
    """The user's settings, always as the file says. Methods that write raise SettingsError."""

    changed = Signal(object)  # Settings
    problems_found = Signal(tuple)  # tuple[str, ...]: what of the file cannot be used; empty if all is well

    def __init__(self, parent: QObject | None = None, path: Path | None = None) -> None:
        super().__init__(parent)
        self.path = path or settings_path()
        with suppress(OSError):
            self.path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)  # else it cannot be watched
        reading = read_settings(self.path)
        self.settings, self.complaints = reading.settings, reading.complaints
        self._was_sound = reading.is_sound  # once: from then on there are settings in use to keep
        self.key_complaints: tuple[Complaint, ...] = ()  # the window knows which keys can be had
        self._key_faults: dict[str, str] = {}
        self._soon = QTimer(self)
        self._soon.setSingleShot(True)
        self._soon.setInterval(SETTLE_MS)
        self._soon.timeout.connect(self.read_again)
        self._watcher = QFileSystemWatcher(self)
        self._watcher.fileChanged.connect(self.on_file_touched)
        self._watcher.directoryChanged.connect(self.on_file_touched)
        self._watch()

    def put(self, field: str, value: Value | None) -> None:
        """Change a setting; None gives it its usual value again."""
        self._write(lambda: write_setting(field, value, self.path))

    def step(self, field: str, by: int) -> None:
        """Change a number by so much, as far as its range goes."""
        kind, now = FIELDS[field].kind, self.settings.value(field)
        assert isinstance(kind, Number), "only numbers have steps"
        assert isinstance(now, int), "numbers are whole"
        wanted = max(kind.lowest, min(kind.highest, now + by))
        if wanted != now:
            self.put(field, wanted)

    def put_keys(self, action: str, keys: tuple[str, ...] | None) -> None:
        """Give an action other keys; None gives it those of the preset again."""
        self._write(lambda: write_keys(action, keys, self.path))

    def reset_keys(self) -> None:
        self._write(lambda: forget_keys(self.path))

    def read_again(self) -> None:
        """Take in what the file says now. What could be used stays in use while the file is no TOML."""
        reading = read_settings(self.path, self.settings if self._was_sound else None)
        self._was_sound = self._was_sound or reading.is_sound
        self._watch()
        told = self.every_problem
        self.complaints = reading.complaints
        self.key_complaints = self._still_complained_of(reading) if reading.is_sound else ()
        if self.every_problem != told:
            self.problems_found.emit(self.every_problem)
        if reading.is_sound and reading.settings != self.settings:
            self.settings = reading.settings
            self.changed.emit(reading.settings)

    @property
    def every_problem(self) -> tuple[str, ...]:
        """The complaints about the file, in the order of its lines."""
        return tuple(complaint.words for complaint in sorted((*self.complaints, *self.key_complaints)))

    def note_key_problems(self, faults: Mapping[str, str]) -> None:
        """Note why some keys of the file cannot be had, by their names in the file."""
        self._key_faults = dict(faults)
        with suppress(OSError, UnicodeDecodeError):
            found = key_complaints(faults, self.path) if faults else ()
            if found != self.key_complaints:
                self.key_complaints = found
                self.problems_found.emit(self.every_problem)

    def _still_complained_of(self, reading: ParsedSettings) -> tuple[Complaint, ...]:
        """Return complaints about keys that stand in the file as before, by the lines where they are now."""
        now, before = reading.settings.keys, self.settings.keys
        faults = {name: why for name, why in self._key_faults.items() if now.get(name) == before.get(name)}
        try:
            return key_complaints(faults, self.path) if faults else ()
        except (OSError, UnicodeDecodeError):
            return ()  # it went meanwhile, and is read again

    def on_file_touched(self, _path: str) -> None:
        """Read the file again soon: somebody wrote to it or its folder."""
        self._soon.start()

    def _write(self, write: Callable[[], None]) -> None:
        write()
        self.read_again()

    def _watch(self) -> None:
        """File and folder: editors replace files, and then the old one is not heard of any more."""
        folder = self.path.parent
        missing = [str(place) for place in (self.path, folder) if place.exists()]
        new = [
            place for place in missing if place not in (*self._watcher.files(), *self._watcher.directories())
        ]
        if new:
            self._watcher.addPaths(new)
