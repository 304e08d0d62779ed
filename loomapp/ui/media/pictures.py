"""Pictures: images of the grove made small on a thread, shown as buttons, and large in a window."""

from __future__ import annotations

import time
from collections import OrderedDict
from functools import partial
from typing import NamedTuple

from PySide6.QtCore import QObject, QPointF, QRectF, QSize, QSizeF, Qt, Signal
from PySide6.QtGui import QFontMetricsF, QGuiApplication, QImage, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QAbstractButton, QDialog, QHBoxLayout, QSizePolicy, QVBoxLayout, QWidget

from loomapp.core.model.content import Image, Media
from loomapp.core.progress import Progress
from loomapp.session.background.background_work import BackgroundTask
from loomapp.ui.look import theme
from loomapp.ui.media.attachment_reader import kind_of, reader_of, sound_size
from loomapp.ui.strings import tr
from loomapp.ui.widgets.buttons import push_button
from loomapp.ui.widgets.chip import paint_picture
from loomapp.ui.widgets.labels import label, plain_tip

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


WIDEST_PX, HIGHEST_PX = 240, 180
SMALLEST_PX = 56
UNKNOWN_PX = QSize(160, 120)
ICON_PX = 18


class Picture(QAbstractButton):
    """Picture whose size is known before its pixels are, so that nothing moves when they come."""

    def __init__(
        self, image: Image, thumbnails: Thumbnails, parent: QWidget, *, highest_px: int = HIGHEST_PX
    ) -> None:
        super().__init__(parent)
        self.setObjectName("picture")
        self.image = image
        self._thumbnails = thumbnails
        self.setFixedSize(shown_size(image, highest_px))
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setAccessibleName(tr("Image: {name}").format(name=name_of(image)))
        self._say()
        thumbnails.came.connect(self.on_came)

    def on_came(self, ref: str) -> None:
        if ref == self.image.ref:
            self._say()
            self.update()

    def _say(self) -> None:
        missing = self._thumbnails.is_missing(self.image.ref)
        self.setToolTip(plain_tip(missing_words(self.image) if missing else facts_of(self.image)))
        self.setAccessibleDescription(missing_words(self.image) if missing else "")

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = theme.smooth_painter(self)
        rect = QRectF(self.rect())
        picture = self._thumbnails.image(self.image.ref)
        paint_framed(painter, rect, self.image, picture, missing=self._thumbnails.is_missing(self.image.ref))
        if self.hasFocus():
            width = theme.metric("control.focus_width")
            theme.draw_in(painter, "accent.focus", width=width)
            inset = width / 2
            painter.drawRoundedRect(rect.adjusted(inset, inset, -inset, -inset), 4, 4)
        painter.end()


def paint_framed(
    painter: QPainter, rect: QRectF, image: Image, picture: QImage | None, *, missing: bool
) -> None:
    """An image in a thin frame; without its pixels a sign, and its name where it is missing."""
    pen = QPen(theme.colour("state.warning" if missing else "border.normal"), 1)
    if missing:
        pen.setStyle(Qt.PenStyle.DashLine)
    painter.setPen(pen)
    painter.setBrush(theme.colour("surface.raised"))
    painter.drawRoundedRect(rect.adjusted(0.5, 0.5, -0.5, -0.5), 4, 4)
    if picture is not None:
        paint_picture(painter, rect.adjusted(1, 1, -1, -1), picture)
        return
    role = "state.warning" if missing else "text.muted"
    middle = rect.center()
    up = 10 if missing and rect.height() > SMALLEST_PX - 1 else 0
    place = QRectF(middle.x() - ICON_PX / 2, middle.y() - ICON_PX / 2 - up, ICON_PX, ICON_PX)
    theme.paint(painter, "triangle-alert" if missing else "image", role, place)
    if up:
        font = theme.font("caption")
        painter.setFont(font)
        painter.setPen(theme.colour(role))
        words = tr("{name} is missing").format(name=name_of(image))
        room = QRectF(rect.left() + 4, middle.y() + 4, rect.width() - 8, 18)
        line = QFontMetricsF(font).elidedText(words, Qt.TextElideMode.ElideMiddle, room.width())
        painter.drawText(room, Qt.AlignmentFlag.AlignCenter, line)


def shown_size(image: Image, highest_px: int = HIGHEST_PX) -> QSize:
    """Return the size at which a picture is shown, in px; no larger than the image is."""
    if not image.width or not image.height or min(image.width, image.height) < 1:
        return UNKNOWN_PX.boundedTo(QSize(WIDEST_PX, highest_px))
    size = QSize(image.width, image.height)
    bounds = QSize(WIDEST_PX, highest_px)
    if size.width() > bounds.width() or size.height() > bounds.height():
        size.scale(bounds, Qt.AspectRatioMode.KeepAspectRatio)
    return size.expandedTo(QSize(SMALLEST_PX, SMALLEST_PX).boundedTo(bounds))


def name_of(image: Image) -> str:
    """Return the alternative text of an image, or a word for any image."""
    return " ".join((image.alt_text or "").split()) or tr("Image")


def facts_of(image: Image) -> str:
    """`cat.png, 640 × 480, PNG`."""
    kind = image.mime_type.partition("/")[2].upper()
    size = f"{image.width} × {image.height}" if image.width and image.height else ""
    return ", ".join(part for part in (name_of(image), size, kind) if part)


def missing_words(image: Image) -> str:
    """Return words on an image whose bytes are not there, and what can be done."""
    words = tr(
        "{name} is missing from the media folder beside this grove, or is not what it was. "
        "Put the file {ref} back, and it is shown again."
    )
    return words.format(name=name_of(image), ref=image.ref)


LARGE_SIDE_PX = 3000
LARGEST = 0.8  # of the screen


class ImageViewer(QDialog):
    """Window of one image; not modal: several can be looked at beside the text."""

    def __init__(self, image: Image, media: Media, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("imageViewer")
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle(name_of(image))
        self._image = image
        self._canvas = _Canvas(self)
        self._canvas.setAccessibleName(facts_of(image))
        self._words = label(facts_of(image), "small", "secondary", wrap=True)
        self._copy = push_button("copyImage", tr("Copy image"), self)
        self._copy.setEnabled(False)
        self._copy.clicked.connect(self.on_copy)
        foot = QHBoxLayout()
        foot.addWidget(self._words, 1)
        foot.addWidget(self._copy)
        column = QVBoxLayout(self)
        column.addWidget(self._canvas, 1)
        column.addLayout(foot)
        self.resize(self._fitting())
        self._task = BackgroundTask(partial(_decode, media, image.ref), self)
        self._task.done.connect(self.on_decoded)
        self._task.start()
        self.finished.connect(lambda _: self._task.cancel())

    def on_decoded(self, found: list[QImage]) -> None:
        if found:
            self._canvas.show_image(found[0])
            self._copy.setEnabled(True)
        else:
            self._words.setText(missing_words(self._image))

    def on_copy(self) -> None:
        if self._canvas.image is not None:
            QGuiApplication.clipboard().setImage(self._canvas.image)

    def _fitting(self) -> QSize:
        screen = self.screen().availableSize() * LARGEST
        size = QSize(self._image.width or 480, self._image.height or 360)
        if size.width() > screen.width() or size.height() > screen.height():
            size.scale(screen, Qt.AspectRatioMode.KeepAspectRatio)
        return (size + QSize(24, 80)).expandedTo(QSize(360, 240))


class _Canvas(QWidget):
    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.image: QImage | None = None
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)

    def show_image(self, image: QImage) -> None:
        self.image = image
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        rect = QRectF(self.rect())
        if self.image is not None:
            paint_picture(painter, rect, self.image)
        else:
            corner = rect.center() - QPointF(12, 12)
            theme.paint(painter, "image", "text.muted", QRectF(corner, QSizeF(24, 24)))
        painter.end()


def _decode(media: Media, ref: str, _progress: Progress) -> list[QImage]:
    image = decoded(media.read(ref), LARGE_SIDE_PX)
    return [] if image is None else [image]
