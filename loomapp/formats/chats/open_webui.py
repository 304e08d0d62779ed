"""Open WebUI's export of chats, each with all of its branches and the answers of several models."""

from __future__ import annotations

from collections.abc import Iterator

from loomapp.core.errors import InvalidInput
from loomapp.core.json_values import Json
from loomapp.core.model.content import AttachedDocument, Block, Text
from loomapp.core.model.entities import REASONING, Interrupted
from loomapp.formats.chats.open_webui_content import Unfolded, of_output, says_the_same
from loomapp.formats.conversation import Author, Conversation, Message
from loomapp.formats.foreign_blocks import Gathered, beside, content_of, joined, texts_of
from loomapp.formats.foreign_files import NO_MESSAGES, JsonFormat
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
from loomapp.formats.links import in_a_row, linked
from loomapp.formats.own_ids import with_own_ids

FORMAT = "open-webui"
YOU = Author(None, "You", "human")
SYSTEM = Author("open-webui:system", "System", "model")
_PLACED = frozenset({"id", "title", "created_at", "updated_at", "chat"})
_OF_CHAT = frozenset({"id", "title", "messages", "history", "system", "timestamp"})
_OF_MESSAGE = frozenset(
    {"id", "parentId", "childrenIds", "role", "content", "timestamp", "files", "model", "modelName"}
)


def is_chat(item: Json) -> bool:
    history = object_of(item.get("chat")).get("history")
    return isinstance(history, dict)


def read_chat(item: Json) -> Iterator[Conversation]:
    """The chat with all its branches. Raises: InvalidInput if it has no messages."""
    reader = _Reader()
    chat = object_of(item.get("chat"))
    history = object_of(chat.get("history"))
    raw = {key: m for key, m in object_of(history.get("messages")).items() if isinstance(m, dict)}
    above = {key: id_of(message.get("parentId")) or None for key, message in raw.items()}
    if not raw:
        path = objects_in(chat.get("messages"))
        told = ((id_of(it.get("id")) or f"message-{n}", it) for n, it in enumerate(path, 1))
        raw, reader.gathered.renamed = with_own_ids(told)
        above = in_a_row(raw)
    if not raw:
        raise InvalidInput(NO_MESSAGES)
    messages: dict[str, Message | None] = {key: reader.message(message) for key, message in raw.items()}
    listed = {
        key: [id_of(child) for child in list_of(message.get("childrenIds"))] for key, message in raw.items()
    }
    links = linked(messages, above, listed=listed)
    title = title_of(item.get("title")) or title_of(chat.get("title"))
    chat_id = id_of(item.get("id")) or id_of(chat.get("id")) or made_id(FORMAT, title, next(iter(raw)))
    one = links.conversation(FORMAT, chat_id, title, id_of(history.get("currentId")) or None)
    system = (object_of(chat.get("params")).get("system"), chat.get("system"))
    one.system_context = next((text for text in system if isinstance(text, str) and text.strip()), None)
    placed = _OF_CHAT if one.system_context in (None, chat.get("system")) else _OF_CHAT - {"system"}
    one.created_at = moment(item.get("created_at")) or moment(chat.get("timestamp"))
    one.updated_at = moment(item.get("updated_at"))
    one.extra = {**kept(item, _PLACED), **({"chat": more} if (more := kept(chat, placed)) else {})}
    reader.gathered.put_into(one)
    yield one


class _Reader:
    """Reads the messages of one chat."""

    def __init__(self) -> None:
        self.gathered = Gathered()

    def message(self, value: Json) -> Message:
        extra = kept(value, _OF_MESSAGE)
        said = value.get("content")
        unfolded = self._said(said, value)
        blocks, thoughts = unfolded.blocks, "\n\n".join(filter(None, unfolded.thoughts))
        if unfolded.is_changed and isinstance(said, str):
            extra["content"] = texts_of(said)
        error = value.get("error")
        if error and not any(getattr(block, "text", "") for block in blocks):
            blocks.append(Text(texts_of(object_of(error).get("content")) or texts_of(error)))
        role = value.get("role")
        self.gathered.hidden += role == "system"
        message = Message(
            self._author(value),
            content_of([*self._files(value), *joined([b for b in blocks if b != Text("")])]),
            moment(value.get("timestamp")),
            is_excluded=role == "system",
            interrupted=Interrupted("provider error") if error else None,
            extra={FORMAT: extra} if extra else {},
        )
        if thoughts:
            message.extra = {REASONING: thoughts, **message.extra}
        return message

    def _author(self, value: Json) -> Author:
        match value.get("role"):
            case "user":
                return YOU
            case "system":
                return SYSTEM
            case "tool":
                return Author(f"{FORMAT}:tool", "tool", "model")
        model = title_of(value.get("model"))
        name = title_of(value.get("modelName")) or model or "Assistant"
        return Author(f"{FORMAT}:{model or name}", name, "model")

    def _said(self, said: object, value: Json) -> Unfolded:
        """The blocks and thoughts of a message: of its content, or where that says no more, its output."""
        found = Unfolded()
        if isinstance(said, str):
            found.add_text(texts_of(said))
        for part in objects_in(said):
            url = object_of(part.get("image_url")).get("url")
            if text := texts_of([part]):
                found.add_text(text)
            elif part.get("type") == "image_url":
                found.blocks.append(
                    self.gathered.data_url(url) or self.gathered.placeholder(text_of(url, "image.png"))
                )
            else:
                self.gathered.count_unknown(text_of(part.get("type"), "part"))
        output = of_output(list(objects_in(value.get("output"))))
        text = "".join(block.text for block in found.blocks if isinstance(block, Text))
        if output.blocks and not found.is_changed and (not text or says_the_same(text, output.blocks)):
            found.blocks = [*(b for b in found.blocks if not isinstance(b, Text)), *output.blocks]
        if not found.thoughts:
            found.thoughts = output.thoughts
        return found

    def _files(self, value: Json) -> Iterator[Block]:
        for one in objects_in(value.get("files")):
            about = object_of(one.get("file"))
            name = title_of(one.get("name")) or title_of(about.get("filename")) or title_of(about.get("name"))
            image = self.gathered.data_url(one.get("url"), name)
            if image is not None:
                yield image
                continue
            kind = (
                "image/png"
                if one.get("type") == "image"
                else text_of(object_of(about.get("meta")).get("content_type"))
            )
            asset = id_of(one.get("id")) or id_of(about.get("id")) or text_of(one.get("url"))
            left = kept(one, ("name", "file"))
            if inner := kept(about, ("id", "filename", "name", "data")):
                left["file"] = inner
            if text := texts_of(object_of(about.get("data")).get("content")):
                yield AttachedDocument(name or asset or "file", kind or "text/plain", text, beside(left))
            else:
                yield self.gathered.placeholder(name, kind, asset, left)


OPEN_WEBUI = JsonFormat("chats with “chat.history”", is_chat, read_chat)
