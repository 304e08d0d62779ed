"""Content of a node, text, an image, audio, or a mix of blocks, and its JSON in the names of Loom JSON."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field, replace
from typing import Literal, Protocol, TypeAlias

from loomapp.core.dataclass import dataclass
from loomapp.core.json_values import Json, JsonReader

Extra = Mapping[str, object]  # unknown keys of foreign files, kept as they were
_NOTHING: Json = {}  # the same for all: there are a hundred thousand


def nothing_more() -> Extra:
    """Return the extra of nearly every content."""
    return _NOTHING


@dataclass(frozen=True, slots=True)
class Text:
    """Plain text, verbatim."""

    text: str
    extra: Extra = field(default_factory=nothing_more)


@dataclass(frozen=True, slots=True)
class Image:
    """An image by reference; `ref` is the SHA-256 of its bytes in the media folder. Sizes in px."""

    ref: str
    mime_type: str
    width: int | None = None
    height: int | None = None
    alt_text: str | None = None
    extra: Extra = field(default_factory=nothing_more)


@dataclass(frozen=True, slots=True)
class Audio:
    """Audio that came with an import: read and kept, never played; `extra` holds all its keys."""

    extra: Extra = field(default_factory=nothing_more)


PLAIN_TEXT = "text/plain"  # the kind of a document that is written here


@dataclass(frozen=True, slots=True)
class AttachedDocument:
    """An attached text file."""

    name: str
    mime_type: str
    text: str
    extra: Extra = field(default_factory=nothing_more)


@dataclass(frozen=True, slots=True)
class ToolUse:
    """A model's call of a tool; `input` is a JSON value."""

    id: str
    name: str
    input: object
    extra: Extra = field(default_factory=nothing_more)


@dataclass(frozen=True, slots=True)
class ToolResult:
    """Answer of a tool."""

    tool_use_id: str
    name: str
    text: str
    extra: Extra = field(default_factory=nothing_more)


Block = Text | Image | Audio | AttachedDocument | ToolUse | ToolResult


@dataclass(frozen=True, slots=True)
class Mixed:
    """Several blocks in order."""

    blocks: tuple[Block, ...]
    extra: Extra = field(default_factory=nothing_more)


Content = Text | Image | Audio | Mixed


def blocks_of(content: Content) -> tuple[Block, ...]:
    """Return the blocks of a content, or the content itself as the only one."""
    return content.blocks if isinstance(content, Mixed) else (content,)


def images_of(content: Content) -> tuple[Image, ...]:
    return tuple(block for block in blocks_of(content) if isinstance(block, Image))


def composed(text: str, blocks: Sequence[Block]) -> Content:
    """A message of what is attached, and then of what is written; nothing attached: the text alone."""
    if not blocks:
        return Text(text)
    written = (Text(text),) if text.strip() else ()
    if not written and len(blocks) == 1 and isinstance(blocks[0], Image):
        return blocks[0]
    return Mixed((*blocks, *written))


def becomes_node(text: str, blocks: Sequence[Block]) -> bool:
    return bool(blocks or text.strip())


def plain_text(content: Content) -> str:
    """The words of a content for cards, titles and search: its texts joined by a line break, what somebody
    said before the files that go with it.
    """
    match content:
        case Text():
            return content.text
        case Image():
            return content.alt_text or ""
        case Mixed():
            said = [b.text for b in content.blocks if isinstance(b, Text | ToolResult)]
            return "\n".join([*said, *(b.text for b in content.blocks if isinstance(b, AttachedDocument))])
        case _:
            return ""


def is_searched_by(text: str, content: Content) -> bool:
    """True if a text is the words of a content, also with those of files where they stand among the others:
    so they were kept at first.
    """
    if text == plain_text(content):
        return True
    worded = Text | ToolResult | AttachedDocument
    return isinstance(content, Mixed) and text == "\n".join(
        block.text for block in content.blocks if isinstance(block, worded)
    )


def taken_apart(content: Content) -> tuple[str, tuple[Block, ...]]:
    """Split a content into its words and its attachments: `composed` the other way round."""
    *before, last = blocks_of(content) or (Text(""),)
    if isinstance(last, Text):
        return last.text, tuple(before)
    return "", (*before, last)


def is_editable(content: Content) -> bool:
    """True if its words can be changed as a text: one text, or one with attachments."""
    others = taken_apart(content)[1]
    return all(isinstance(block, Image | AttachedDocument) for block in others)


def with_text(content: Content, text: str) -> Content:
    """The content with other words; what is attached stays."""
    return composed(text, taken_apart(content)[1])


def sound_content(content: Content) -> Content:
    """A content that can be saved: its texts well formed."""
    if isinstance(content, Text):
        return replace(content, text=well_formed(content.text))
    if not isinstance(content, Mixed):
        return content
    sound = (
        replace(block, text=well_formed(block.text)) if isinstance(block, Text | AttachedDocument) else block
        for block in content.blocks
    )
    return replace(content, blocks=tuple(sound))


def well_formed(text: str) -> str:
    """A text that can be saved: halves of a surrogate pair are joined, lone ones become U+FFFD.

    Model streams may cut a pair in two, and Qt hands on what was pasted. This is the whole rule of the
    border, applied once where a text is typed, pasted or streamed; command line and import, which have a
    place to name, refuse a lone surrogate. All else is kept as it is, for it is somebody's text: NUL, CRLF,
    no-break spaces, U+2028, directions, trailing spaces.
    """
    if text.isascii():  # that is known at once, however long it is
        return text
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return text


def content_to_json(content: Content) -> Json:
    """A content as Loom JSON writes it; this is also what a node's hash covers."""
    match content:
        case Text():
            return {"type": "text", "text": content.text, **content.extra}
        case Image():
            value: Json = {"type": "image", "ref": content.ref, "mimeType": content.mime_type}
            value |= {"width": content.width, "height": content.height}
            if content.alt_text is not None:
                value["altText"] = content.alt_text
            return {**value, **content.extra}
        case Audio():
            return {"type": "audio", **content.extra}
        case Mixed():
            return {"type": "mixed", "blocks": [_block_to_json(b) for b in content.blocks], **content.extra}


def _block_to_json(block: Block) -> Json:
    match block:
        case AttachedDocument():
            value: Json = {"type": "document", "name": block.name, "mimeType": block.mime_type}
            return {**value, "text": block.text, **block.extra}
        case ToolUse():
            value = {"type": "tool_use", "id": block.id, "name": block.name, "input": block.input}
            return {**value, **block.extra}
        case ToolResult():
            value = {"type": "tool_result", "toolUseId": block.tool_use_id, "name": block.name}
            return {**value, "text": block.text, **block.extra}
        case _:
            return content_to_json(block)


def content_from_json(value: object, place: str) -> Content:
    """A content; a plain string is text. Raises: InvalidInput with the place."""
    if isinstance(value, str):
        return Text(value)
    if isinstance(value, dict) and len(value) == 2 and value.get("type") == "text":  # nearly all
        text = value.get("text")
        if isinstance(text, str):
            return Text(text, _NOTHING)
    reader = JsonReader(value, place)
    kind = reader.one_of("type", ("text", "image", "mixed", "audio"))
    if kind == "mixed":
        blocks = reader.each("blocks", _block_from_json)
        return Mixed(blocks, reader.unknown)
    block = _simple_from_json(kind, reader)
    assert isinstance(block, Text | Image | Audio), "the other kinds are blocks of mixed content"
    return block


def _block_from_json(value: object, place: str) -> Block:
    if isinstance(value, str):
        return Text(value)
    reader = JsonReader(value, place)
    kinds = ("text", "image", "audio", "document", "tool_use", "tool_result")
    return _simple_from_json(reader.one_of("type", kinds), reader)


def _simple_from_json(kind: str, reader: JsonReader) -> Block:
    match kind:
        case "text":
            return Text(reader.text("text"), reader.unknown)
        case "image":
            ref, mime_type = reader.name("ref"), reader.optional_text("mimeType") or "image/png"
            size = reader.integer("width"), reader.integer("height")
            return Image(ref, mime_type, *size, reader.optional_text("altText"), reader.unknown)
        case "document":
            name, mime_type = reader.text("name"), reader.optional_text("mimeType") or "text/plain"
            return AttachedDocument(name, mime_type, reader.text("text"), reader.unknown)
        case "tool_use":
            return ToolUse(reader.text("id"), reader.text("name"), reader.take("input"), reader.unknown)
        case "tool_result":
            use_id, name = reader.text("toolUseId"), reader.optional_text("name") or ""
            return ToolResult(use_id, name, reader.text("text"), reader.unknown)
        case _:
            return Audio(reader.unknown)


Withheld: TypeAlias = Literal["missing", "format", "size"]

SENT_TYPES = frozenset({"image/png", "image/jpeg", "image/gif", "image/webp"})
MOST_SENT_BYTES = 3_900_000
"""Most bytes of one image that every provider takes: the strictest counts 5 MiB of base64."""


class Referred(Protocol):
    """An image by reference, as content or as part of a message."""

    @property
    def ref(self) -> str:
        """The SHA-256 of its bytes."""

    @property
    def mime_type(self) -> str:
        """Such as image/png."""


class Media(Protocol):
    """Store of the bytes of images. Any thread may ask."""

    def size(self, ref: str) -> int | None:
        """Return the number of bytes without reading them; None if there is no such file."""

    def read(self, ref: str) -> bytes | None:
        """The bytes, if they are there and are what their name says."""


def withheld(images: Iterable[Referred], media: Media | None) -> Mapping[str, Withheld]:
    """The images that cannot go out as images whatever the model takes, by reference, each with the reason.

    Without `media` nobody looks for files: `loomapp assemble` need not have them.
    """
    found: dict[str, Withheld] = {}
    if media is None:
        return found
    for image in images:
        size = media.size(image.ref)
        if size is None:
            found[image.ref] = "missing"
        elif image.mime_type not in SENT_TYPES:
            found[image.ref] = "format"
        elif size > MOST_SENT_BYTES:
            found[image.ref] = "size"
    return found
