"""Blocks of other programs' messages: texts, thoughts, tools, and files that are there or only named."""

from __future__ import annotations

import base64
import binascii
import hashlib
import re
from collections.abc import Iterator, Sequence
from dataclasses import field
from pathlib import PurePosixPath

from loomapp.core.dataclass import dataclass
from loomapp.core.json_values import Json
from loomapp.core.model.content import (
    AttachedDocument,
    Block,
    Content,
    Image,
    Mixed,
    Text,
    ToolResult,
    ToolUse,
    well_formed,
)
from loomapp.core.model.new_tree import ASSET
from loomapp.core.sentences import Sentence, worded
from loomapp.formats.conversation import Conversation
from loomapp.formats.foreign_values import (
    RENAMED,
    counted,
    kept,
    list_of,
    object_of,
    objects_in,
    text_of,
    told,
)

MAGIC = (
    (b"\x89PNG\r\n\x1a\n", "image/png"),
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"GIF8", "image/gif"),
    (b"RIFF", "image/webp"),
    (b"BM", "image/bmp"),
)
_OF_TEXT = frozenset({"type", "text", "uuid", "start_timestamp", "stop_timestamp"})
KEYS = "keys"  # of the extra of a block
IMAGE_SUFFIXES = frozenset({".png", ".jpg", ".jpeg", ".gif", ".webp", ".bmp"})
_DATA_URL = re.compile(r"data:([\w.+/-]*)(?:;[\w=.-]+)*;base64,", re.IGNORECASE)


@dataclass(slots=True)
class Gathered:
    """Images of a conversation by their SHA-256, and counts of what is not as it was there."""

    media: dict[str, bytes] = field(default_factory=dict)
    missing: int = 0
    hidden: int = 0
    renamed: int = 0
    unknown: dict[str, int] = field(default_factory=dict)

    def count_unknown(self, kind: str) -> None:
        self.unknown[kind] = self.unknown.get(kind, 0) + 1

    def losses(self) -> tuple[Sentence, ...]:
        """Return one line each of what the tree does not hold, or does not show."""
        one, several = "1 attached file is not in the file", "{count} attached files are not in the file"
        unknown = (
            worded("{count} × “{kind}” is kept, not shown", count=count, kind=kind)
            for kind, count in self.unknown.items()
        )
        return (*told(counted(self.missing, one, several)), *unknown)

    def notes(self) -> tuple[Sentence, ...]:
        """Return one line each of what is otherwise than one would expect."""
        return told(
            counted(self.hidden, "1 hidden message → excluded", "{count} hidden messages → excluded"),
            counted(self.renamed, *RENAMED),
        )

    def put_into(self, conversation: Conversation) -> None:
        conversation.losses += self.losses()
        conversation.notes += self.notes()
        conversation.media = {**conversation.media, **self.media}

    def image(self, data: bytes, name: str, said: str = "image/png") -> Image:
        """An image whose bytes are at hand."""
        ref = hashlib.sha256(data).hexdigest()
        self.media[ref] = data
        return Image(ref, mime_of(data, said), alt_text=name or None)

    def data_url(self, url: object, name: str = "") -> Image | None:
        """The image in a `data:` address; None for another address."""
        found = _DATA_URL.match(url) if isinstance(url, str) else None
        if found is None or not isinstance(url, str):
            return None
        return self.encoded(url[found.end() :], found[1], name)

    def encoded(self, text: object, mime_type: str, name: str = "") -> Image | None:
        """The image in a base64 text; None for what is none."""
        try:
            data = base64.b64decode(text_of(text), validate=True)
        except (binascii.Error, ValueError):
            return None
        return self.image(data, name, mime_type or "image/png") if data else None

    def source_image(self, part: Json) -> Block:
        """The image of a part whose `source` holds it, or what stands for one that is not there."""
        source = object_of(part.get("source"))
        image = self.encoded(source.get("data"), text_of(source.get("media_type")))
        return image or self.placeholder("image.png", more=kept(part, ("type", "source")))

    def result(self, part: Json) -> Iterator[Block]:
        """The answer of a tool, and the pictures in it."""
        inner = list_of(part.get("content"))
        images = [one for one in objects_in(inner) if one.get("type") == "image"]
        others = [one for one in inner if object_of(one).get("type") != "image"]
        yield tool_result({**part, "content": others} if images else part)
        yield from map(self.source_image, images)

    def placeholder(self, name: str, mime_type: str = "", asset: str = "", more: Json | None = None) -> Block:
        """A file that the export names and does not hold."""
        self.missing += 1
        name, asset = name or asset or "file", asset or name or "file"
        extra: Json = {ASSET: asset, **beside(kept(more or {}))}
        is_image = PurePosixPath(name).suffix.lower() in IMAGE_SUFFIXES
        if mime_type.startswith("image/") or (not mime_type and is_image):
            ref = asset.replace("/", "_")
            return Image(ref, mime_type or "image/png", alt_text=name, extra=extra)
        return AttachedDocument(name, mime_type or "application/octet-stream", "", extra)


def beside(more: Json) -> Json:
    """The keys of a block that has no place for them, where they cannot be taken for its own."""
    return {KEYS: more} if more else {}


def mime_of(data: bytes, said: str) -> str:
    """The kind of an image by its first bytes, else the one that it is said to be of."""
    return next((kind for magic, kind in MAGIC if data.startswith(magic)), said)


def content_of(blocks: Sequence[Block]) -> Content:
    """A content of blocks; a single text or image is that itself."""
    if not blocks:
        return Text("")
    if len(blocks) == 1 and isinstance(blocks[0], Text | Image):
        return blocks[0]
    return Mixed(tuple(blocks))


def joined(blocks: Sequence[Block]) -> list[Block]:
    """The blocks with neighbouring texts as one, a blank line between."""
    found: list[Block] = []
    for block in blocks:
        last = found[-1] if found else None
        if isinstance(block, Text) and isinstance(last, Text):
            texts = filter(None, (last.text, block.text))
            found[-1] = Text("\n\n".join(texts), {**last.extra, **block.extra})
        else:
            found.append(block)
    return found


def tool_use(part: Json, *, arguments: str = "input") -> ToolUse:
    """A call of a tool; what else it says is kept."""
    sound = kept(part, ("type", "id", "name"))
    value = sound.pop(arguments, {})
    use_id, name = text_of(part.get("id")), text_of(part.get("name"), "tool")
    return ToolUse(well_formed(use_id), well_formed(name), value, beside(sound))


def tool_result(part: Json) -> ToolResult:
    """The answer of a tool, its texts as one."""
    text = texts_of(part.get("content"))
    is_said = text != "" and _says_no_more(part.get("content"))
    sound = kept(part, ("type", "tool_use_id", "name", *(("content",) if is_said else ())))
    answers, tool = text_of(part.get("tool_use_id")), text_of(part.get("name"))
    return ToolResult(well_formed(answers), well_formed(tool), text, beside(sound))


def _says_no_more(content: object) -> bool:
    """Tell whether a content is a text, or parts that say nothing beside their texts."""
    return isinstance(content, str) or all(
        isinstance(part, str) or (isinstance(part, dict) and not kept(part, _OF_TEXT))
        for part in list_of(content)
    )


def parts_in(content: object) -> Iterator[Json]:
    """Yield the parts of a content; a text among them is a part of that text."""
    for part in list_of(content):
        if isinstance(part, dict):
            yield part
        elif isinstance(part, str):
            yield {"type": "text", "text": part}


def texts_of(content: object) -> str:
    """The words of a content that is a text, or a list of parts with texts."""
    if isinstance(content, str):
        return well_formed(content)
    found: list[str] = []
    for part in list_of(content):
        text = part if isinstance(part, str) else object_of(part).get("text")
        if isinstance(text, dict):
            text = text.get("value")
        if isinstance(text, str) and text:
            found.append(well_formed(text))
    return "\n\n".join(found)
