"""What is attached is looked at before it is believed: images by their bytes, texts by their encoding."""

from __future__ import annotations

import hashlib
import os
import stat
import struct
import zlib
from pathlib import Path

import pytest
from PySide6.QtCore import QBuffer, QByteArray, QMimeData, QUrl
from PySide6.QtGui import QColor, QImage, QImageWriter

from loomapp.core.errors import InvalidInput
from loomapp.core.model.content import MOST_SENT_BYTES, AttachedDocument, Image
from loomapp.ui.media.attachment_queue import can_take, is_only_linked, offered_by
from loomapp.ui.media.attachment_reader import Pasted, read_bytes, read_pasted, read_path
from loomapp.ui.media.pictures import decoded


def image_bytes(kind: str = "PNG", width: int = 30, height: int = 20) -> bytes:
    image = QImage(width, height, QImage.Format.Format_RGB32)
    image.fill(QColor("teal"))
    buffer = QBuffer()
    buffer.open(QBuffer.OpenModeFlag.WriteOnly)
    assert QImageWriter(buffer, QByteArray(kind.encode())).write(image)
    return bytes(buffer.data().data())


def bomb(width: int, height: int, bits: int = 8) -> bytes:
    """A small PNG that says it is huge."""

    def chunk(name: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))

    head = struct.pack(">IIBBBBB", width, height, bits, 2, 0, 0, 0)
    return (
        b"\x89PNG\r\n\x1a\n"
        + chunk(b"IHDR", head)
        + chunk(b"IDAT", zlib.compress(b"\0" * 9))
        + chunk(b"IEND", b"")
    )


@pytest.mark.parametrize(
    ("kind", "mime_type"), [("PNG", "image/png"), ("JPEG", "image/jpeg"), ("WEBP", "image/webp")]
)
def test_an_image_is_kept_as_it_is_whatever_it_is_called(tmp_path: Path, kind: str, mime_type: str) -> None:
    data = image_bytes(kind)
    (tmp_path / "photo.txt").write_bytes(data)

    attached = read_path(tmp_path / "photo.txt")

    ref = hashlib.sha256(data).hexdigest()
    assert attached.block == Image(ref, mime_type, 30, 20, "photo.txt")
    assert attached.data == data


@pytest.mark.parametrize("kind", ["BMP", "TIFF"])
def test_what_no_model_takes_becomes_a_png(kind: str) -> None:
    attached = read_bytes(image_bytes(kind), "scan")

    assert isinstance(attached.block, Image)
    assert attached.block.mime_type == "image/png"
    assert attached.data is not None
    assert decoded(attached.data, 480) is not None


def test_pixels_of_the_clipboard_become_a_png() -> None:
    attached = read_pasted(Pasted("Pasted image", QImage.fromData(image_bytes())))

    assert isinstance(attached.block, Image)
    assert (attached.block.width, attached.block.height) == (30, 20)
    assert attached.block.alt_text == "Pasted image"


def test_a_photo_that_is_larger_than_models_take_is_attached_smaller_and_says_so() -> None:
    noise = QImage.fromData(image_bytes("PNG", 8100, 40))

    attached = read_pasted(Pasted("wide.png", noise))

    assert isinstance(attached.block, Image)
    assert attached.block.width == 2048
    assert attached.data is not None
    assert len(attached.data) <= MOST_SENT_BYTES
    assert "attached smaller than it is, at 2048 × 10" in attached.note


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (bomb(60_000, 60_000), "60,000 × 60,000 pixels"),
        (bomb(300, 300)[:40], "damaged image"),
        (bomb(7000, 6500, 16), "too much memory"),
        (b"\x89PNG\r\n\x1a\n" + b"x" * 50, "damaged image"),
        (b"\0\0\0\x20ftypheic" + b"\0" * 40, "save it as PNG or JPEG"),
        (b"%PDF-1.4 \xe2\xe3\x00\x01", "neither an image nor a text"),
        ("naïve café".encode("latin-1"), "not in UTF-8"),
        (b"word " * 300_000, "1.5 MB"),
    ],
)
def test_what_cannot_be_attached_is_refused_with_its_name_and_the_reason(data: bytes, why: str) -> None:
    with pytest.raises(InvalidInput, match=r"thing\.x") as refused:
        read_bytes(data, "thing.x")

    assert why in refused.value.message


def test_a_file_that_is_too_large_is_not_read(tmp_path: Path) -> None:
    with (tmp_path / "long.txt").open("wb") as file:
        file.truncate(40_000_000_000)  # it takes no room on the disk
    with pytest.raises(InvalidInput, match=r"long\.txt has 40(\.0)? GB"):
        read_path(tmp_path / "long.txt")
    with pytest.raises(InvalidInput, match="only files"):
        read_path(tmp_path)


@pytest.mark.parametrize("kind", ["pipe", "socket", "endless"])
def test_what_is_no_file_is_not_opened(tmp_path: Path, kind: str) -> None:
    path = tmp_path / "it.png"
    if kind == "endless":
        path.symlink_to("/dev/zero")
    else:
        os.mknod(path, 0o600 | (stat.S_IFIFO if kind == "pipe" else stat.S_IFSOCK))

    with pytest.raises(InvalidInput, match="only files can be attached"):
        read_path(path)


def test_a_file_that_is_empty_or_missing_is_called_so(tmp_path: Path) -> None:
    (tmp_path / "empty.txt").touch()

    with pytest.raises(InvalidInput, match=r"empty\.txt is empty: nothing is attached"):
        read_path(tmp_path / "empty.txt")
    with pytest.raises(InvalidInput, match=r"missing\.txt is not there"):
        read_path(tmp_path / "missing.txt")


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_a_text_is_kept_whole(encoding: str) -> None:
    text = "Ein Wort\r\n\tund 日本 🌊\n"

    attached = read_bytes(text.encode(encoding), "notes.csv")

    assert attached.block == AttachedDocument("notes.csv", "text/csv", text)


def test_a_drawing_is_attached_as_the_text_that_it_is() -> None:
    svg = '<svg xmlns="http://www.w3.org/2000/svg"><image href="http://example.org/x.png"/></svg>'

    assert read_bytes(svg.encode(), "a.svg").block == AttachedDocument("a.svg", "image/svg+xml", svg)
    assert decoded(svg.encode(), 480) is None


def test_files_and_images_are_taken_and_texts_and_addresses_are_not(tmp_path: Path) -> None:
    paths = [tmp_path / "a.png", tmp_path / "b.txt"]
    files, image, text, both, link = (QMimeData() for _ in range(5))
    files.setUrls([QUrl.fromLocalFile(str(path)) for path in paths])
    files.setText(str(paths[0]))
    image.setData("image/png", image_bytes())
    text.setText("words")
    both.setText("a cell")
    both.setData("image/png", image_bytes())
    link.setUrls([QUrl("https://example.org/cat.png")])

    assert [can_take(one) for one in (files, image, text, both, link)] == [True, True, False, False, False]
    assert [is_only_linked(one) for one in (files, image, text, both, link)] == [False] * 4 + [True]
    assert offered_by(files) == paths
    assert offered_by(image) == [Pasted("Pasted image", image_bytes())]
    assert offered_by(link) == []
