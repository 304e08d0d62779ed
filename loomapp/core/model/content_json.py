"""Contents as JSON values in the names of Loom JSON, and back; a node's hash covers them as they are here."""

from __future__ import annotations

from loomapp.core.json_values import Json, JsonReader
from loomapp.core.model.content import (
    AttachedDocument,
    Audio,
    Block,
    Content,
    Image,
    Mixed,
    Text,
    ToolResult,
    ToolUse,
)

_NOTHING: Json = {}  # the same for all: there are a hundred thousand


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
