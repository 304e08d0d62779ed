"""Content of a node: text, an image, audio, or a mix of blocks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

Extra = Mapping[str, object]  # unknown keys of foreign files, kept as they were


@dataclass(frozen=True, slots=True)
class Text:
    """Plain text, verbatim."""

    text: str
    extra: Extra = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Image:
    """An image by reference; `ref` is the SHA-256 of its bytes in the media folder. Sizes in px."""

    ref: str
    mime_type: str
    width: int | None = None
    height: int | None = None
    alt_text: str | None = None
    extra: Extra = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Audio:
    """Audio that came with an import: read and kept, never played; `extra` holds all its keys."""

    extra: Extra = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class AttachedDocument:
    """An attached text file."""

    name: str
    mime_type: str
    text: str
    extra: Extra = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ToolUse:
    """A model's call of a tool; `input` is a JSON value."""

    id: str
    name: str
    input: object
    extra: Extra = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ToolResult:
    """Answer of a tool."""

    tool_use_id: str
    name: str
    text: str
    extra: Extra = field(default_factory=dict)


Block = Text | Image | Audio | AttachedDocument | ToolUse | ToolResult


@dataclass(frozen=True, slots=True)
class Mixed:
    """Several blocks in order."""

    blocks: tuple[Block, ...]
    extra: Extra = field(default_factory=dict)


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
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return text
