"""Reading what is attached: an image or a text, from a file or the clipboard; for threads beside the window.

Nothing here is trusted. What a file is, its first bytes say and not its name; its size, and the size of the
image in it, are looked at before a pixel is decoded; no drawing (SVG) is rendered, and nothing is fetched.
"""

from __future__ import annotations

import hashlib
import re
from pathlib import Path

from PySide6.QtCore import QBuffer, QByteArray, QIODevice, QSize, Qt
from PySide6.QtGui import QImage, QImageReader, QImageWriter

from loomapp.core.dataclass import dataclass
from loomapp.core.errors import InvalidInput
from loomapp.core.model.content import MOST_SENT_BYTES, AttachedDocument, Block, Image, well_formed
from loomapp.core.sentences import worded
from loomapp.files import refuse_open_here
from loomapp.ui import figures

MOST_IMAGE_BYTES = 100_000_000
MOST_PIXELS = 64_000_000  # four bytes each while they are decoded
MOST_SENT_SIDE_PX = 8000
MOST_PNG_PIXELS = 6_000_000  # of more, a photo would be too large after seconds of work (measured: 1.8 s)
SMALLER_SIDE_PX = 2048  # more than models look at
MOST_TEXT_BYTES = 1_000_000
MOST_DECODED_MIB = 320

_KINDS = (
    (re.compile(rb"\x89PNG\r\n\x1a\n"), "png", "image/png"),
    (re.compile(rb"\xff\xd8\xff"), "jpeg", "image/jpeg"),
    (re.compile(rb"GIF8[79]a"), "gif", "image/gif"),
    (re.compile(rb"RIFF....WEBP", re.DOTALL), "webp", "image/webp"),
    (re.compile(rb"BM.{12}[\x0c-\x7c]\x00\x00\x00", re.DOTALL), "bmp", "image/bmp"),
    (re.compile(rb"II\*\x00|MM\x00\*"), "tiff", "image/tiff"),
)
_SENT_AS_THEY_ARE = ("png", "jpeg", "gif", "webp")
_OTHER_IMAGES = re.compile(rb"....ftyp(?:heic|heix|hevc|mif1|msf1|avif|avis)", re.DOTALL)
_BOMS = ((b"\xef\xbb\xbf", "utf-8"), (b"\xff\xfe", "utf-16-le"), (b"\xfe\xff", "utf-16-be"))
_CONTROLS = re.compile(r"[\x00-\x08\x0e-\x1a\x1c-\x1f\x7f]")


@dataclass(frozen=True, slots=True)
class Attachment:
    """Something to attach; `data` are the bytes of an image, for the media folder. `note` is for the user."""

    block: Block
    data: bytes | None = None
    note: str = ""


@dataclass(frozen=True, slots=True)
class Pasted:
    """An image that came without a file: its bytes as the clipboard has them, or its pixels."""

    name: str
    image: bytes | QImage


def read_path(path: Path) -> Attachment:
    """Read a file as an attachment. Raises: InvalidInput with its name, and why it cannot be attached."""
    name = well_formed(path.name)
    try:
        if not path.exists():
            raise InvalidInput(
                worded(
                    "{name} is not there: it was moved, renamed or deleted. Nothing is attached.", name=name
                )
            )
        if not path.is_file():
            raise InvalidInput(
                worded("{name} is a folder or a device: only files can be attached.", name=name)
            )
        refuse_open_here(path)
        size = path.stat().st_size
        with path.open("rb") as file:
            start = file.read(64)
            most = MOST_IMAGE_BYTES if kind_of(start) else MOST_TEXT_BYTES
            if size > most and not _is_other(start):
                raise InvalidInput(_too_large(name, size, most, is_image=kind_of(start) is not None))
            data = start + file.read(most + 1)
    except OSError as error:
        raise InvalidInput(
            worded("{name} cannot be read: {why}", name=name, why=error.strerror or error)
        ) from error
    if not data:
        raise InvalidInput(worded("{name} is empty: nothing is attached.", name=name))
    return read_bytes(data, name)


def read_pasted(pasted: Pasted) -> Attachment:
    """Read an image of the clipboard. Raises: InvalidInput."""
    if isinstance(pasted.image, QImage):
        return _encoded(pasted.image, pasted.name)
    return read_bytes(pasted.image, pasted.name)


def read_bytes(data: bytes, name: str) -> Attachment:
    """Read bytes as an image or a text. Raises: InvalidInput with the name and the reason."""
    kind = kind_of(data)
    return _image(data, name, *kind) if kind is not None else Attachment(_document(data, name))


def kind_of(data: bytes) -> tuple[str, str] | None:
    """Qt's name of an image format and its type, by the first bytes; None for what is no image we know."""
    return next(((kind, mime) for start, kind, mime in _KINDS if start.match(data)), None)


def reader_of(data: bytes, kind: str) -> tuple[QImageReader, QBuffer]:
    """Return a reader of one certain format, with limits; the buffer must live as long."""
    QImageReader.setAllocationLimit(MOST_DECODED_MIB)
    buffer = QBuffer()
    buffer.setData(QByteArray(data))
    buffer.open(QIODevice.OpenModeFlag.ReadOnly)
    reader = QImageReader(buffer, QByteArray(kind.encode()))
    reader.setAutoDetectImageFormat(False)
    reader.setAutoTransform(True)
    return reader, buffer


def sound_size(reader: QImageReader) -> QSize | None:
    """The size of an image as its head tells it, in px; None if it tells none or one that is too large."""
    size = reader.size()
    return size if size.isValid() and 0 < size.width() * size.height() <= MOST_PIXELS else None


# Images


def _image(data: bytes, name: str, kind: str, mime_type: str) -> Attachment:
    reader, _buffer = reader_of(data, kind)
    told, size = reader.size(), sound_size(reader)
    if size is None and told.isValid() and told.width() * told.height() > MOST_PIXELS:
        raise InvalidInput(
            worded(
                "{name} has {width} × {height} pixels, which is too much: make it smaller first.",
                name=name,
                width=figures.number(told.width()),
                height=figures.number(told.height()),
            )
        )
    if size is not None and _decoded_bytes(reader, size) > MOST_DECODED_MIB << 20:
        raise InvalidInput(
            worded(
                "{name} takes too much memory to be read: make it smaller, or save it with 8 bits a colour.",
                name=name,
            )
        )
    image = reader.read() if size is not None else QImage()
    if size is None or image.isNull():
        raise InvalidInput(worded("{name} is a damaged image and cannot be attached.", name=name))
    is_small = len(data) <= MOST_SENT_BYTES and max(image.width(), image.height()) <= MOST_SENT_SIDE_PX
    if kind in _SENT_AS_THEY_ARE and is_small:
        return _attachment(data, mime_type, image, name)
    return _encoded(image, name)


def _decoded_bytes(reader: QImageReader, size: QSize) -> int:
    """Return the memory that the pixels will take, in bytes; 0 where the head does not tell."""
    bits = QImage.toPixelFormat(reader.imageFormat()).bitsPerPixel()
    return size.width() * size.height() * bits // 8


def _encoded(image: QImage, name: str) -> Attachment:
    """An image as PNG; where that is more than can be sent, smaller and as JPEG, and the user is told."""
    if image.isNull():
        raise InvalidInput(worded("{name} is a damaged image and cannot be attached.", name=name))
    side_px, pixels = max(image.width(), image.height()), image.width() * image.height()
    if side_px <= MOST_SENT_SIDE_PX and pixels <= MOST_PNG_PIXELS:
        data = _bytes_of(image, "PNG", -1)
        if len(data) <= MOST_SENT_BYTES:
            return _attachment(data, "image/png", image, name)
    smaller, side_px = image, SMALLER_SIDE_PX
    while True:
        if max(image.width(), image.height()) > side_px:
            smaller = image.scaled(
                side_px,
                side_px,
                Qt.AspectRatioMode.KeepAspectRatio,
                Qt.TransformationMode.SmoothTransformation,
            )
        see_through = smaller.hasAlphaChannel()
        data = _bytes_of(smaller, "PNG" if see_through else "JPEG", -1 if see_through else 90)
        if len(data) <= MOST_SENT_BYTES:
            break
        side_px //= 2
    note = worded(
        "{name} is attached smaller than it is, at {width} × {height}: models take no more.",
        name=name,
        width=smaller.width(),
        height=smaller.height(),
    )
    return _attachment(data, "image/png" if see_through else "image/jpeg", smaller, name, note)


def _attachment(data: bytes, mime_type: str, image: QImage, name: str, note: str = "") -> Attachment:
    ref = hashlib.sha256(data).hexdigest()
    return Attachment(Image(ref, mime_type, image.width(), image.height(), name), data, note)


def _bytes_of(image: QImage, kind: str, quality: int) -> bytes:
    buffer = QBuffer()
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    writer = QImageWriter(buffer, QByteArray(kind.encode()))
    writer.setQuality(quality)
    writer.write(image)
    return bytes(buffer.data().data())


# Texts


def _document(data: bytes, name: str) -> AttachedDocument:
    if _is_other(data):
        raise InvalidInput(
            worded(
                "{name} is an image of a kind that cannot be read here: save it as PNG or JPEG.", name=name
            )
        )
    if len(data) > MOST_TEXT_BYTES:
        raise InvalidInput(_too_large(name, len(data), MOST_TEXT_BYTES, is_image=False))
    import mimetypes  # late: only for files that are attached

    mime_type = mimetypes.guess_type(name)[0] or "text/plain"
    return AttachedDocument(name, mime_type, _text(data, name))


def _text(data: bytes, name: str) -> str:
    """The text in some bytes, its line ends as they are. Raises: InvalidInput for anything else."""
    mark, encoding = next(((m, e) for m, e in _BOMS if data.startswith(m)), (b"", "utf-8"))
    try:
        text = data.removeprefix(mark).decode(encoding)
    except UnicodeDecodeError:
        if not _CONTROLS.search(data.decode("latin-1")):
            raise InvalidInput(
                worded("{name} is a text, but not in UTF-8: save it as UTF-8, then attach it.", name=name)
            ) from None
        text = "\0"
    if _CONTROLS.search(text):
        raise InvalidInput(
            worded(
                "{name} is neither an image nor a text, and no model could read it: nothing is attached.",
                name=name,
            )
        )
    return text


def _is_other(data: bytes) -> bool:
    return _OTHER_IMAGES.match(data) is not None


def _too_large(name: str, size: int, most: int, *, is_image: bool) -> str:
    numbers = {"name": name, "size": figures.size(size), "most": figures.size(most)}
    if is_image:
        return worded("{name} has {size}; an image may have {most}. Make it smaller first.", **numbers)
    return worded("{name} has {size}; a text may have {most}, far more than models read at once.", **numbers)
