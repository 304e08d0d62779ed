"""Attachments that a clipboard or a drag offers: files, else an image. Nothing is read or fetched yet."""

from __future__ import annotations

from pathlib import Path
from typing import TypeAlias

from PySide6.QtCore import QMimeData
from PySide6.QtGui import QImage

from loomapp.ui.media.attachment_reader import Pasted
from loomapp.ui.strings import tr

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
