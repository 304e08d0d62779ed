"""Attachments: what a clipboard or a drag offers, read one batch after the other beside the window."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Protocol, TypeAlias

from PySide6.QtCore import QMimeData, QObject, QTimer
from PySide6.QtGui import QImage

from loomapp.core.errors import GroveError, InvalidInput, LoomError
from loomapp.core.progress import Progress
from loomapp.core.sentences import worded
from loomapp.session.background.background_work import BackgroundTask
from loomapp.store.files.media import add_media
from loomapp.store.grove.grove import Grove
from loomapp.ui.media.attachment_reader import Attachment, Pasted, read_pasted, read_path
from loomapp.ui.strings import told, tr

Offered: TypeAlias = Path | Pasted
IMAGE_TYPES = ("image/png", "image/jpeg", "image/webp", "image/gif", "image/bmp", "image/tiff")


def offered_by(data: QMimeData) -> list[Offered]:
    """Return what can be attached of a drop or paste: its files, else its image. Nothing is fetched."""
    urls = data.urls()
    files: list[Offered] = [Path(url.toLocalFile()) for url in urls if url.isLocalFile()]
    if files:
        return files
    name = tr("Pasted image")
    for mime_type in IMAGE_TYPES:
        if data.hasFormat(mime_type):
            return [Pasted(name, bytes(data.data(mime_type).data()))]
    if data.hasImage():
        image = data.imageData()
        return [Pasted(name, image)] if isinstance(image, QImage) else []
    return []


def can_take(data: QMimeData) -> bool:
    """Return True if there are files or an image to attach; of what is text too, the text is meant."""
    if any(url.isLocalFile() for url in data.urls()):
        return True
    has_image = data.hasImage() or any(data.hasFormat(mime_type) for mime_type in IMAGE_TYPES)
    return has_image and not data.text().strip()


def is_only_linked(data: QMimeData) -> bool:
    """Return True if something of the web was dropped of which only the address is here."""
    return bool(data.urls()) and not can_take(data) and not offered_by(data)


Then: TypeAlias = Callable[[list[Attachment]], None]
MOST_AT_ONCE = 50


class Teller(Protocol):
    """Part of the window that says what came of an attachment and runs the next step."""

    def note(self, text: str) -> None: ...

    def forget_note(self, text: str) -> None:
        """Take back what was said, if it is said still."""

    def show_error(self, error: LoomError) -> None: ...

    def run_step(self, step: Callable[[], object]) -> None:
        """Take a step; an error of it is shown."""


class AttachmentQueue(QObject):
    """Reads what is offered to a window, one batch after the other; close it with the window."""

    def __init__(self, grove: Grove, frame: Teller, parent: QObject) -> None:
        super().__init__(parent)
        self._grove, self._frame = grove, frame
        self._errands: list[BackgroundTask] = []
        self.reading: list[str] = []  # names of what is being read
        self._said = ""  # of that, in the status bar

    def take(self, offered: Sequence[Offered], then: Then) -> None:
        """Read, put images into the media folder, and hand on what could be read; the rest gets a line.

        Raises: InvalidInput where nothing can be attached.
        """
        if self._grove.read_only:
            raise InvalidInput(tr("This grove is open for reading only: nothing can be attached."))
        if len(offered) > MOST_AT_ONCE:
            raise InvalidInput(
                worded(
                    "These are {count} files; {most} can be attached at once.",
                    count=len(offered),
                    most=MOST_AT_ONCE,
                )
            )
        task = BackgroundTask(partial(_read, self._grove.path, tuple(offered)), self)
        names = [offer.name for offer in offered]
        task.done.connect(partial(self._on_done, task, names, then))
        task.failed.connect(partial(self._on_failed, task, names))
        self._errands.append(task)
        self.reading += names
        task.start()
        QTimer.singleShot(SHOWN_AFTER_MS, self, partial(self.on_late, task))

    def close(self) -> None:
        for task in self._errands:
            task.end()

    def on_late(self, task: BackgroundTask) -> None:
        """Say what is being read, for it takes longer than one notices."""
        if task in self._errands:
            self._said = tr("Reading {names}…").format(names=", ".join(self.reading))
            self._frame.note(self._said)

    def _on_done(self, task: BackgroundTask, names: list[str], then: Then, read: Read) -> None:
        self._ended(task, names)
        attachments, errors = read
        if attachments:
            self._frame.run_step(partial(then, attachments))
        notes = [told(error.message) for error in errors]
        notes += [told(one.note) for one in attachments if one.note]
        if errors:
            self._frame.show_error(InvalidInput("\n".join(notes)))
        elif notes:
            self._frame.note(" ".join(notes))

    def _on_failed(self, task: BackgroundTask, names: list[str], error: LoomError) -> None:
        self._ended(task, names)
        self._frame.show_error(error)

    def _ended(self, task: BackgroundTask, names: list[str]) -> None:
        self._errands.remove(task)
        task.deleteLater()
        for name in names:
            self.reading.remove(name)
        if self._said and not self.reading:
            self._frame.forget_note(self._said)
            self._said = ""


SHOWN_AFTER_MS = 400
Read: TypeAlias = tuple[list[Attachment], list[LoomError]]


def _read(grove: Path, offered: Sequence[Offered], progress: Progress) -> Read:
    """Read attachments on the task's thread. The media first: nothing is attached of which there are no
    bytes.
    """
    attachments: list[Attachment] = []
    errors: list[LoomError] = []
    for number, offer in enumerate(offered):
        progress(number, len(offered))
        try:
            one = read_path(offer) if isinstance(offer, Path) else read_pasted(offer)
            add_media(grove, () if one.data is None else (one.data,))
            attachments.append(one)
        except GroveError:
            raise
        except LoomError as error:
            errors.append(error)
    return attachments, errors
