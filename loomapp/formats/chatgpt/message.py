"""One message of a ChatGPT export: its author, its content by kind, and its keys that have no place."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import field
from pathlib import PurePosixPath
from typing import cast

from loomapp.core.dataclass import dataclass
from loomapp.core.json_values import Json
from loomapp.core.model.content import (
    AttachedDocument,
    Audio,
    Block,
    Content,
    Image,
    Mixed,
    Text,
    ToolResult,
)
from loomapp.core.model.entities import Interrupted
from loomapp.core.model.new_tree import ASSET
from loomapp.core.times import Milliseconds
from loomapp.formats.chatgpt.assets import IMAGE_SUFFIXES, Assets, asset_id
from loomapp.formats.conversation import Author, Message, model_author

FORMAT = "chatgpt"
LAST_MOMENT = 253_402_300_799  # seconds: the calendar ends with the year 9999
YOU = Author(None, "You", "human")
SYSTEM = model_author("chatgpt:system", "System")
UNNAMED_MODEL = model_author("chatgpt:assistant", "ChatGPT")
HIDDEN = "is_visually_hidden_from_conversation"
IMAGE_KINDS = frozenset({"image_asset_pointer"})
SOUND_KINDS = frozenset(
    {"audio_asset_pointer", "real_time_user_audio_video_asset_pointer", "video_container_asset_pointer"}
)
CITATION_SIGNS = ("\ue200", "\u3010")
NOTHING: tuple[object, ...] = (None, "", [], {})
MEMORY = "model_editable_context"  # what the model is told of its memory; ChatGPT does not show it
DEFAULTS: Mapping[str, object] = {"status": "finished_successfully", "recipient": "all", "weight": 1.0}


@dataclass(slots=True)
class Counts:
    """Counts of what does not come in from a conversation as it was there, or as one would expect."""

    missing_images: int = 0
    missing_files: int = 0
    sounds: int = 0
    unknown: dict[str, int] = field(default_factory=dict)
    hidden: int = 0
    system: int = 0
    citations: int = 0
    thoughts: int = 0


def without_nothing(value: Mapping[str, object]) -> Json:
    """The keys of an object that say something."""
    return {key: item for key, item in value.items() if item not in NOTHING}


def moment(value: object) -> Milliseconds | None:
    """Milliseconds of a time in seconds; None for what is none."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    if not (math.isfinite(value) and 0 <= value <= LAST_MOMENT):
        return None
    return round(value * 1000)


def is_hidden(message: Mapping[str, object]) -> bool:
    """True for a message that ChatGPT does not show."""
    metadata = message.get("metadata")
    if isinstance(metadata, dict) and metadata.get(HIDDEN):
        return True
    weight = message.get("weight")
    return (weight is not None and weight == 0) or kind_of(message) == MEMORY


def kind_of(message: Mapping[str, object]) -> str:
    """The kind of its content; `text` where none is named."""
    content = message.get("content")
    kind = content.get("content_type") if isinstance(content, dict) else None
    return kind if isinstance(kind, str) and kind else "text"


def role_of(message: Mapping[str, object]) -> str:
    """The role of its author; empty where none is named."""
    author = message.get("author")
    role = author.get("role") if isinstance(author, dict) else None
    return role if isinstance(role, str) else ""


def author_of(message: Mapping[str, object], default_model: str) -> Author:
    """The agent that wrote it: you, a model by its slug, a tool by its name."""
    role = role_of(message)
    if role == "user":
        return YOU
    if role == "system":
        return SYSTEM
    if role == "tool":
        author = cast(Json, message["author"])
        name = author.get("name")
        tool = name if isinstance(name, str) and name else "tool"
        return model_author(f"chatgpt:tool:{tool}", tool)
    metadata = message.get("metadata")
    slug = metadata.get("model_slug") if isinstance(metadata, dict) else None
    model = slug if isinstance(slug, str) and slug else default_model
    return model_author(f"chatgpt:{model}", model) if model else UNNAMED_MODEL


class MessageReader:
    """Reads the messages of one conversation, and counts what it meets."""

    def __init__(self, assets: Assets, default_model: str) -> None:
        self._assets, self._default_model = assets, default_model
        self.counts = Counts()

    def read(self, message: Json, node: Mapping[str, object], above: str) -> Message:
        """The message of a node; `above` is the id of the one before it, which a tool answers."""
        author = author_of(message, self._default_model)
        role = role_of(message)
        blocks, left = self._blocks(message)
        if role == "tool":
            blocks = [
                ToolResult(above, author.name, b.text, b.extra) if isinstance(b, Text) and b.text else b
                for b in blocks
            ]
        blocks = [*self._attached(message, blocks), *blocks]
        content = _composed(blocks)
        self._count_citations(content)
        hidden = is_hidden(message)
        self.counts.hidden += hidden
        is_excluded = hidden or role == "system"
        self.counts.system += is_excluded and not hidden
        kept = _left_over(message, left, node)
        return Message(
            author,
            content,
            moment(message.get("create_time")),
            is_excluded,
            _interrupted(message),
            kept,
        )

    def _count_citations(self, content: Content) -> None:
        texts = (
            (content.text,)
            if isinstance(content, Text)
            else [b.text for b in content.blocks if isinstance(b, Text | ToolResult)]
            if isinstance(content, Mixed)
            else ()
        )
        self.counts.citations += any(sign in text for text in texts for sign in CITATION_SIGNS)

    # Contents by kind

    def _blocks(self, message: Json) -> tuple[list[Block], Json]:
        """The blocks of a content, and what else it says."""
        content = message.get("content")
        if not isinstance(content, dict):
            return [Text(content if isinstance(content, str) else "")], {}
        kind = kind_of(message)
        left = {key: value for key, value in content.items() if key not in ("content_type", "parts")}
        if kind != "text":
            left = {"content_type": kind, **left}
        parts = content.get("parts")
        if isinstance(parts, str):
            parts = [parts]
        if isinstance(parts, list) and parts:
            if all(isinstance(part, str) for part in parts):
                if len(parts) > 1:
                    left["parts"] = parts
                return [Text("\n".join(parts))], left
            return [block for part in parts if part is not None for block in self._part(part)], left
        return self._without_parts(kind, left)

    def _without_parts(self, kind: str, left: Json) -> tuple[list[Block], Json]:
        names: tuple[str, ...]
        match kind:
            case "user_editable_context":
                return [Text(custom_instructions({"content": left}))], left
            case "computer_output" if isinstance(left.get("screenshot"), dict):
                return list(self._part(left.pop("screenshot"))), left
            case "thoughts" | "reasoning_recap":
                return [Text("")], left
            case "tether_quote" | "sonic_webpage":
                names = ("title", "url", "text")
            case "tether_browsing_display":
                names = ("result", "summary")
            case "system_error":
                names = ("name", "text")
            case "model_editable_context":
                names = ("model_set_context", "repo_summary")
            case "citable_code_output":
                names = ("output_str",)
            case _:
                names = ("text", "result", "content")
        texts = [str(left.pop(name)) for name in names if isinstance(left.get(name), str) and left[name]]
        if not texts and not (without_nothing(left).keys() <= _SAYS_NOTHING):
            self._count_unknown(kind)
        return [Text("\n".join(texts))], left

    def _part(self, part: object) -> Iterator[Block]:
        if isinstance(part, str):
            if part:
                yield Text(part)
            return
        if not isinstance(part, dict):
            yield Text("" if part is None else str(part))
            return
        kind = _text_or(part.get("content_type"), "part")
        if kind in IMAGE_KINDS:
            yield self._image(part)
        elif kind in SOUND_KINDS:
            self.counts.sounds += 1
            yield Audio(part)
        elif isinstance(part.get("text"), str):
            yield Text(part["text"], {key: value for key, value in part.items() if key != "text"})
        else:
            self._count_unknown(kind)
            yield Text("", {"part": part})

    def _image(self, part: Json) -> Image:
        """An image by its asset; its bytes come later, if the export holds them."""
        asset = asset_id(part.get("asset_pointer")) or "image"
        if not self._assets.has(asset):
            self.counts.missing_images += 1
        placed = ("content_type", "width", "height")
        left = without_nothing({key: value for key, value in part.items() if key not in placed})
        return Image(
            asset.replace("/", "_"),
            "image/png",
            _pixels(part.get("width")),
            _pixels(part.get("height")),
            _text_or(part.get("name"), asset),
            {ASSET: asset, FORMAT: left},
        )

    def _attached(self, message: Json, blocks: list[Block]) -> Iterator[Block]:
        """The files that go with a message, but for those it shows itself."""
        metadata = message.get("metadata")
        attachments = metadata.get("attachments") if isinstance(metadata, dict) else None
        shown = {block.extra.get(ASSET) for block in blocks if isinstance(block, Image)}
        for one in attachments if isinstance(attachments, list) else ():
            if not isinstance(one, dict) or (asset := asset_id(one.get("id"))) in shown:
                continue
            name = _text_or(one.get("name"), asset or "file")
            mime_type = _text_or(one.get("mime_type"), _text_or(one.get("mimeType"), ""))
            is_picture = mime_type.startswith("image/")
            if is_picture or (not mime_type and PurePosixPath(name).suffix.lower() in IMAGE_SUFFIXES):
                size = {"width": one.get("width"), "height": one.get("height")}
                yield self._image({"asset_pointer": asset, "name": name, **size})
                continue
            if not self._assets.has(asset):
                self.counts.missing_files += 1
            yield AttachedDocument(name, mime_type or "application/octet-stream", "", {ASSET: asset})

    def _count_unknown(self, kind: str) -> None:
        self.counts.unknown[kind] = self.counts.unknown.get(kind, 0) + 1


def custom_instructions(message: Mapping[str, object]) -> str:
    """The texts of `user_editable_context`: who one is, and how one wants to be answered."""
    content = message.get("content")
    if not isinstance(content, dict):
        return ""
    texts = (content.get(name) for name in ("user_profile", "user_instructions"))
    return "\n\n".join(text.strip() for text in texts if isinstance(text, str) and text.strip())


def _pixels(value: object) -> int | None:
    return value if type(value) is int and value > 0 else None


def _text_or(value: object, other: str) -> str:
    return value if isinstance(value, str) and value else other


def _composed(blocks: list[Block]) -> Content:
    if len(blocks) == 1 and isinstance(blocks[0], Text | Image | Audio):
        return blocks[0]
    return Mixed(tuple(blocks)) if blocks else Text("")


def _interrupted(message: Json) -> Interrupted | None:
    metadata = message.get("metadata")
    details = metadata.get("finish_details") if isinstance(metadata, dict) else None
    stopped = isinstance(details, dict) and details.get("type") == "interrupted"
    return Interrupted("cancelled") if stopped else None


_SAYS_NOTHING = frozenset({"content_type", "language", "text", "response_format_name"})
_CONSUMED = frozenset({"id", "author", "create_time", "content"})
_OF_NODE = frozenset({"id", "parent", "children", "message"})


def _left_over(message: Json, content: Json, node: Mapping[str, object]) -> Json:
    """The keys of a message that its node has no place for, as they were; empty ones are left out."""
    left = {
        key: value
        for key, value in message.items()
        if key not in _CONSUMED and value not in NOTHING and value != DEFAULTS.get(key)
    }
    author = message.get("author")
    if isinstance(author, dict):
        about = without_nothing({key: value for key, value in author.items() if key != "role"})
        if about:
            left["author"] = about
    if content := without_nothing(content):
        left["content"] = content
    if message.get("id") not in (None, node.get("id")):
        left["id"] = message["id"]
    if len(node) > len(_OF_NODE):
        more = without_nothing({key: value for key, value in node.items() if key not in _OF_NODE})
        if more:
            left["node"] = more
    return left
