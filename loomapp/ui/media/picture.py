"""A picture: an image of the grove made small, as a button that shows it large."""

from __future__ import annotations

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QFontMetricsF, QImage, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QAbstractButton, QWidget

from loomapp.core.model.content import Image
from loomapp.ui.look import theme
from loomapp.ui.media.thumbnails import Thumbnails
from loomapp.ui.strings import tr
from loomapp.ui.widgets.chip import paint_picture
from loomapp.ui.widgets.tips import plain_tip

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
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        rect = QRectF(self.rect())
        picture = self._thumbnails.image(self.image.ref)
        paint_framed(painter, rect, self.image, picture, missing=self._thumbnails.is_missing(self.image.ref))
        if self.hasFocus():
            width = theme.metric("control.focus_width")
            painter.setPen(QPen(theme.colour("accent.focus"), width))
            painter.setBrush(Qt.BrushStyle.NoBrush)
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
