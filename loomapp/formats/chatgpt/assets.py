"""Files that a ChatGPT export holds beside its conversations, by the asset id in their names."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import PurePosixPath

from loomapp.core.model.content import AttachedDocument, Block, Content, Image, Mixed, blocks_of
from loomapp.core.model.new_tree import ASSET
from loomapp.files import MOST_MEDIA_BYTES
from loomapp.formats.sources import Source

MOST_DOCUMENT_BYTES = 1 << 20
_ASSET_ID = re.compile(r"file[-_][A-Za-z0-9]+")
_MAGIC = (
    (b"\x89PNG\r\n\x1a\n", "image/png"),
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"GIF8", "image/gif"),
    (b"RIFF", "image/webp"),
    (b"BM", "image/bmp"),
)
IMAGE_SUFFIXES = frozenset({".png", ".jpg", ".jpeg", ".gif", ".webp"})


def asset_id(pointer: object) -> str:
    """The id in `sediment://file_…` or `file-service://file-…`; the pointer without its scheme for others."""
    text = pointer if isinstance(pointer, str) else ""
    return text.rpartition("://")[2].partition("?")[0].partition("#")[0]


class Assets:
    """The members of a source whose names begin with an asset id; none are read before they are wanted."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self._members: dict[str, str] = {}
        if source.is_single:
            return
        for name in source.names:
            base = PurePosixPath(name).name
            found = _ASSET_ID.match(base)
            if found is not None:
                self._members.setdefault(found[0], name)
            self._members.setdefault(PurePosixPath(base).stem, name)

    def has(self, asset: str) -> bool:
        return asset in self._members

    def read(self, asset: str, most: int = MOST_MEDIA_BYTES) -> bytes | None:
        """Return its bytes; None if there are none that can be read, or more than that."""
        name = self._members.get(asset)
        if name is None:
            return None
        try:
            if self._source.member_size(name) > most:
                return None
            with self._source.open(name) as file:
                data = file.read(most + 1)
        except OSError:  # of a file that may not be read, for one: the texts come in all the same
            return None
        return data if len(data) <= most else None

    def filled(self, content: Content, found: dict[str, str]) -> Content:
        """The content with the images and texts that the export holds; `found` gains asset ids by SHA-256."""
        blocks = tuple(self._filled(block, found) for block in blocks_of(content))
        if isinstance(content, Mixed):
            return replace(content, blocks=blocks)
        only = blocks[0]
        return only if isinstance(only, Image) else content

    def _filled(self, block: Block, found: dict[str, str]) -> Block:
        if not isinstance(block, Image | AttachedDocument) or not isinstance(block.extra.get(ASSET), str):
            return block
        asset = str(block.extra[ASSET])
        if isinstance(block, AttachedDocument):
            data = self.read(asset, MOST_DOCUMENT_BYTES)
            text = None if data is None else _text(data)
            return block if text is None else replace(block, text=text)
        data = self.read(asset)
        if data is None:
            return block
        name = hashlib.sha256(data).hexdigest()
        found[name] = asset
        return replace(block, ref=name, mime_type=_mime_type(data, block.mime_type))


def _text(data: bytes) -> str | None:
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return None
    return None if "\0" in text else text


def _mime_type(data: bytes, said: str) -> str:
    return next((kind for magic, kind in _MAGIC if data.startswith(magic)), said)


class ExportMedia(Mapping[str, bytes]):
    """The bytes of images by SHA-256, each read when it is asked for: an export holds gigabytes of them."""

    def __init__(self, assets: Assets, found: Mapping[str, str]) -> None:
        self._assets, self._found = assets, found

    def __getitem__(self, name: str) -> bytes:
        data = self._assets.read(self._found[name])
        if data is None:
            raise KeyError(name)
        return data

    def __iter__(self) -> Iterator[str]:
        return iter(self._found)

    def __len__(self) -> int:
        return len(self._found)
