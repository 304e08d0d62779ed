"""Thumbnails: images of the grove made small on a thread beside the window, the ones seen last kept."""

from __future__ import annotations

import time
from collections import OrderedDict
from functools import partial
from typing import NamedTuple

from PySide6.QtCore import QObject, QSize, Qt, Signal
from PySide6.QtGui import QImage

from loomapp.core.media import Media
from loomapp.core.progress import Progress
from loomapp.session.background.background_work import BackgroundTask
from loomapp.ui.media.attachment_reader import kind_of, reader_of, sound_size

SIDE_PX = 480  # device pixels: twice what is shown at most, for fine screens
MOST_BYTES = 96 * 2**20
AT_ONCE = 4
LOOK_AGAIN_S = 3.0  # for what was missing: somebody may put it back


class Thumbnail(NamedTuple):
    """An image made small; none if its file is missing, is not what it was, or cannot be decoded."""

    image: QImage | None
    looked_at_s: float


class Thumbnails(QObject):
    """Asked for by reference; `came` tells when what was not there is. Close it with the window."""

    came = Signal(str)  # reference of an image that can be shown now, or that is known to be missing now

    def __init__(self, media: Media, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._media = media
        self._known: OrderedDict[str, Thumbnail] = OrderedDict()
        self._bytes = 0
        self._wanted: dict[str, None] = {}
        self._task: BackgroundTask | None = None
        self._closed = False

    def image(self, ref: str) -> QImage | None:
        """The image made small; None while it is not there, or for good: see `is_missing`."""
        known = self._known.get(ref)
        if known is None or (known.image is None and time.monotonic() - known.looked_at_s > LOOK_AGAIN_S):
            self._want(ref)
        if known is None:
            return None
        self._known.move_to_end(ref)
        return known.image

    def is_missing(self, ref: str) -> bool:
        """Return True if the image was looked for and cannot be shown."""
        known = self._known.get(ref)
        return known is not None and known.image is None

    def close(self) -> None:
        """Close with the window: what is being decoded is not waited for."""
        self._closed = True
        self._wanted.clear()
        if self._task is not None:
            self._task.end()

    def _want(self, ref: str) -> None:
        if not self._closed:
            self._wanted.setdefault(ref)
            self._go_on()

    def _go_on(self) -> None:
        if self._task is not None or not self._wanted:
            return
        refs = tuple(self._wanted)[:AT_ONCE]
        for ref in refs:
            del self._wanted[ref]
        self._task = BackgroundTask(partial(_made_small, self._media, refs), self)
        self._task.done.connect(self.on_done)
        self._task.failed.connect(lambda _: self.on_done({}))
        self._task.start()

    def on_done(self, images: dict[str, QImage | None]) -> None:
        if self._task is not None:
            self._task.deleteLater()
            self._task = None
        for ref, image in images.items():
            before = self._known.pop(ref, None)
            self._bytes += _size(image) - _size(before.image if before is not None else None)
            self._known[ref] = Thumbnail(image, time.monotonic())
            if before is None or before.image != image:
                self.came.emit(ref)
        while self._bytes > MOST_BYTES and len(self._known) > 1:
            self._bytes -= _size(self._known.popitem(last=False)[1].image)
        self._go_on()


def _size(image: QImage | None) -> int:
    return 0 if image is None else image.sizeInBytes()


def _made_small(media: Media, refs: tuple[str, ...], progress: Progress) -> dict[str, QImage | None]:
    """Decode images and make them small, on the task's thread."""
    found: dict[str, QImage | None] = {}
    for number, ref in enumerate(refs):
        progress(number, len(refs))
        found[ref] = decoded(media.read(ref), SIDE_PX)
    return found


def decoded(data: bytes | None, side_px: int) -> QImage | None:
    """An image no larger than a square; None for what is none, or too large to be decoded."""
    kind = None if data is None else kind_of(data)
    if data is None or kind is None:
        return None
    reader, _buffer = reader_of(data, kind[0])
    size = sound_size(reader)
    if size is None:
        return None
    if max(size.width(), size.height()) > side_px:
        fitting = size.scaled(QSize(side_px, side_px), Qt.AspectRatioMode.KeepAspectRatio)
        reader.setScaledSize(fitting.expandedTo(QSize(1, 1)))
    image = reader.read()
    return None if image.isNull() else image
