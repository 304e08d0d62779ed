"""The Claude.ai data export, and single conversations as browsers save them.

A message of a design chat has its words, blocks and attachments under `content`; what a person said while the
model was at work stands among the blocks, and is a message of its own here.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import PurePosixPath

from loomapp.core.errors import InvalidInput
from loomapp.core.json_values import Json
from loomapp.core.model.content import AttachedDocument, Block, Text, ToolResult
from loomapp.core.model.entities import Interrupted
from loomapp.core.progress import Progress, unheard
from loomapp.core.sentences import sentence
from loomapp.formats.conversation import Author, Conversation, Message, model_author, shown_id
from loomapp.formats.foreign_blocks import (
    Gathered,
    beside,
    content_of,
    joined,
    parts_in,
    texts_of,
    tool_use,
)
from loomapp.formats.foreign_files import NO_MESSAGES, JsonFormat, Unread
from loomapp.formats.foreign_values import (
    id_of,
    kept,
    list_of,
    made_id,
    moment,
    object_of,
    objects_in,
    text_of,
    title_of,
)
from loomapp.formats.importer import Damaged, Finding, Reading
from loomapp.formats.lenient_json import with_own_ids
from loomapp.formats.links import in_a_row, linked
from loomapp.formats.sources import Source

FORMAT = "claude"
YOU = Author(None, "You", "human")
_PARENT = "parent_message_uuid"
_LEAF = "current_leaf_message_uuid"
_PLACED = frozenset({"uuid", "name", "created_at", "updated_at", "chat_messages", _LEAF})
_OF_MESSAGE = frozenset(
    {"uuid", "sender", "text", "content", "created_at", "updated_at", "attachments", "files", _PARENT}
)


# By the folder that newer exports have for each, or the file of older ones.
_BESIDE = {
    "projects": "projects, with their documents and instructions, are known and not read",
    "memories": "memories are known and not read",
    "artifacts": "artifacts are known and not read; their texts stand in the chats that made them",
}
_EMPTY = (b"", b"[]", b"{}", b"null")


def is_conversation(item: Json) -> bool:
    return isinstance(item.get("chat_messages"), list) or is_design_chat(item)


def read_conversation(item: Json) -> Iterator[Unread]:
    """The conversation with all its branches. Raises: InvalidInput if it has no messages."""
    if "chat_messages" not in item and is_design_chat(item):
        item = as_conversation(item)
    said = list(objects_in(item.get("chat_messages")))
    if not said:
        raise InvalidInput(NO_MESSAGES)
    conversation_id = id_of(item.get("uuid")) or made_id(FORMAT, item.get("name"), item.get("created_at"))
    title = title_of(item.get("name"))
    yield Unread(shown_id(conversation_id), title, lambda: _conversation(item, said, conversation_id, title))


def _conversation(item: Json, said: list[Json], conversation_id: str, title: str) -> Conversation:
    reader = _Reader(text_of(item.get("model")))
    ids = (id_of(message.get("uuid")) or f"message-{number}" for number, message in enumerate(said, 1))
    raw, reader.gathered.renamed = with_own_ids(zip(ids, said, strict=True))
    messages: dict[str, Message | None] = {key: reader.message(message) for key, message in raw.items()}
    links = linked(messages, _above(raw))
    one = links.conversation(FORMAT, conversation_id, title, id_of(item.get(_LEAF)) or None)
    one.created_at, one.updated_at = moment(item.get("created_at")), moment(item.get("updated_at"))
    one.extra = kept(item, _PLACED)
    reader.gathered.put_into(one)
    return one


def _above(messages: dict[str, Json]) -> dict[str, str | None]:
    """The one before each: as it names it; in older exports, which name none, the one in front of it."""
    named = {key: id_of(message.get(_PARENT)) for key, message in messages.items()}
    in_order = in_a_row(messages)
    if not any(parent in messages for parent in named.values()):
        return in_order
    return {
        key: (parent or None) if _PARENT in messages[key] else in_order[key] for key, parent in named.items()
    }


class _Reader:
    """Reads the messages of one conversation."""

    def __init__(self, model: str) -> None:
        self._model = model
        self.gathered = Gathered()

    def message(self, value: Json) -> Message:
        blocks, thoughts = self._said(value)
        extra = kept(value, _OF_MESSAGE)
        thinking = (p for p in objects_in(value.get("content")) if p.get("type") == "thinking")
        if other := self._other_text(value, blocks):
            extra["text"] = other
        if beside_thoughts := [left for part in thinking if (left := _more(part, "thinking"))]:
            extra["thinking"] = beside_thoughts
        message = Message(
            self._author(value),
            content_of([*self._attached(value), *joined(blocks)]),
            moment(value.get("created_at")),
            keys=extra,
            reasoning=thoughts,
        )
        if value.get("stop_reason") == "user_canceled":
            message.interrupted = Interrupted("cancelled")
        return message

    def _author(self, value: Json) -> Author:
        if value.get("sender") in ("human", "user"):
            return YOU
        model = text_of(value.get("model")) or self._model
        return model_author(f"{FORMAT}:{model}" if model else f"{FORMAT}:assistant", model or "Claude")

    def _said(self, value: Json) -> tuple[list[Block], str]:
        """The blocks of a message and its thoughts; `text` where the content says nothing."""
        blocks: list[Block] = []
        thoughts: list[str] = []
        for part in parts_in(value.get("content")):
            match part.get("type"):
                case "text":
                    if text := texts_of([part]):
                        blocks.append(Text(text, _more(part, "text")))
                case "thinking":
                    thoughts.append(texts_of(part.get("thinking")))
                case "tool_use":
                    blocks.append(tool_use(part))
                case "tool_result":
                    blocks += self.gathered.result(part)
                case "image" if image := self._image(part):
                    blocks.append(image)
                case "document" if title_of(part.get("title")):
                    blocks += self._document(part, value)
                case kind:
                    self.gathered.count_unknown(text_of(kind, "part"))
                    if text := texts_of([part]):
                        blocks.append(Text(text, _more(part, "text")))
                    else:
                        blocks.append(Text("", {"part": kept(part)}))
        if not any(isinstance(b, ToolResult) or getattr(b, "text", "") for b in blocks):
            text = texts_of(value.get("text")) or texts_of(value.get("content"))
            if text:
                blocks.append(Text(text))
        return blocks, "\n\n".join(filter(None, thoughts))

    def _other_text(self, value: Json, blocks: list[Block]) -> str:
        """The `text` of a message, where it says anything that neither its blocks nor its thoughts do."""
        text = texts_of(value.get("text"))
        said = "".join(texts_of(getattr(block, "text", "")) for block in blocks)
        if text == said:  # as nearly always
            return ""
        if _NOT_SUPPORTED.sub("", _words(text)) in _words(said) + _words_in(value.get("content")):
            return ""
        self.gathered.count_unknown("text beside other content")
        return text

    def _image(self, part: Json) -> Block | None:
        source = object_of(part.get("source"))
        return self.gathered.encoded(source.get("data"), text_of(source.get("media_type")))

    def _document(self, part: Json, value: Json) -> Iterator[Block]:
        """The document that a part names, unless it is among the files of the message."""
        if part.get("file_uuid") not in (one.get("file_uuid") for one in _files(value)):
            name, asset = title_of(part.get("title")), id_of(part.get("file_uuid"))
            yield self.gathered.placeholder(name, "", asset, kept(part, ("type", "title")))

    def _attached(self, value: Json) -> Iterator[Block]:
        for one in objects_in(value.get("attachments")):
            name, text = title_of(one.get("file_name")), texts_of(one.get("extracted_content"))
            if text or not name:
                placed = ("file_name", "file_type", "extracted_content")
                yield AttachedDocument(name or "pasted text", _mime(one), text, beside(kept(one, placed)))
            else:
                yield self.gathered.placeholder(name, _mime(one), id_of(one.get("id")), one)
        for one in _files(value):
            name, asset = title_of(one.get("file_name")), id_of(one.get("file_uuid"))
            is_image = one.get("file_kind") == "image"
            yield self.gathered.placeholder(
                name, "image/png" if is_image else "", asset, kept(one, ("file_name",))
            )


def _files(value: Json) -> Iterator[Json]:
    return objects_in(list_of(value.get("files")) or list_of(value.get("files_v2")))


# What an export writes in its `text` for parts that are in the content.
_NOT_SUPPORTED = re.compile(r"`*Thisblockisnotsupportedonyourcurrentdeviceyet\.`*")


def _words(text: str) -> str:
    return "".join(text.split())


def _words_in(content: object) -> str:
    """Every text in a content, thoughts too, without blanks."""
    return _words("".join(texts_of([part]) + texts_of(part.get("thinking")) for part in parts_in(content)))


def _more(part: Json, *placed: str) -> Json:
    """Return the keys of a part beside its text, but for when it was streamed."""
    return kept(part, ("type", "start_timestamp", "stop_timestamp", *placed))


def _mime(one: Json) -> str:
    kind = text_of(one.get("file_type"))
    return kind if "/" in kind else "text/plain"


CLAUDE_AI = JsonFormat(
    "conversations with “chat_messages”", is_conversation, read_conversation, in_folders=True
)


def read(source: Source, reading: Reading, progress: Progress = unheard) -> Iterator[Finding]:
    """The conversations of an export, and what else is in it that is not read. Raises: InvalidInput."""
    yield from CLAUDE_AI.findings(source, reading, progress)
    told: set[str] = set()
    for name in () if source.is_single else source.names:
        kind = next(filter(None, map(_kind_beside, PurePosixPath(name).parts)), None)
        if kind is not None and kind not in told and source.head(name).text.strip() not in _EMPTY:
            told.add(kind)
            yield Damaged("", name, sentence(_BESIDE[kind]), is_beside=True)


def _kind_beside(part: str) -> str | None:
    """The kind that the name of a folder or file says: `projects`, `projects.json`, `projects 2`."""
    kind = part.removesuffix(".json").partition(" ")[0]
    return kind if kind in _BESIDE else None


_OF_CONTENT = frozenset(
    {"id", "role", "kind", "content", "contentBlocks", "attachments", "timestamp", "authorAccountUuid"}
)


def is_design_chat(item: Json) -> bool:
    """Tell whether an object is a design chat; deeper parts of it may be missing."""
    said = list(objects_in(item.get("messages")))
    return "uuid" in item and bool(said) and all(isinstance(one.get("content"), dict) for one in said)


def as_conversation(item: Json) -> Json:
    """The design chat as the other conversations of an export are."""
    left = {name: value for name, value in item.items() if name not in ("title", "messages")}
    said = [
        part
        for number, message in enumerate(objects_in(item.get("messages")), 1)
        for part in _messages(message, id_of(message.get("uuid")) or f"message-{number}")
    ]
    return {**left, "name": item.get("title"), "chat_messages": said}


def _messages(message: Json, message_id: str) -> Iterator[Json]:
    """The message, in parts where somebody spoke in the middle of it."""
    content = object_of(message.get("content"))
    at = message.get("created_at") or content.get("timestamp")
    role = text_of(message.get("role")) or text_of(content.get("role"))
    left = {name: value for name, value in content.items() if name not in _OF_CONTENT}
    attached = [
        {**one, "file_name": one.get("name"), "extracted_content": one.get("content")}
        for one in objects_in(content.get("attachments"))
    ]
    sender = "assistant" if role == "assistant" else "human"
    about = {**left, "uuid": message_id, "sender": sender, "created_at": at, "attachments": attached}
    parts: list[Json] = []
    for block in objects_in(content.get("contentBlocks")):
        spoken = block.get("message") if block.get("type") == "user_interjection" else None
        if spoken is None:
            parts += _parts(block)
            continue
        inner = object_of(spoken) or {"content": spoken}
        own_id = id_of(inner.get("id")) or f"{message_id}-said"
        if parts:
            yield {**about, "content": parts}
            about, parts = {"uuid": f"{own_id}-after", "sender": sender, "created_at": at}, []
        yield from _messages({"role": "user", "content": inner, "created_at": inner.get("timestamp")}, own_id)
    kind = text_of(content.get("kind"))
    if kind and kind != "chat" and not list_of(content.get("contentBlocks")) and not content.get("content"):
        parts = [{"type": kind, **left}]
    if parts or about["uuid"] == message_id:
        yield {**about, "content": parts or [{"type": "text", "text": content.get("content")}]}


def _parts(block: Json) -> Iterator[Json]:
    """The parts of a block, by the names that they have elsewhere."""
    match block.get("type"):
        case "thinking":
            yield {"type": "thinking", "thinking": block.get("text")}
        case "tool_call":
            call = object_of(block.get("toolCall"))
            left = {name: value for name, value in call.items() if name not in ("type", "output")}
            yield {**left, "type": "tool_use"}
            if call.get("output") not in (None, ""):
                name, output = call.get("name"), call.get("output")
                yield {"type": "tool_result", "tool_use_id": call.get("id"), "name": name, "content": output}
        case "error":
            yield {"type": "text", "text": text_of(block.get("message"), "error"), "is_error": True}
        case _:
            yield block
