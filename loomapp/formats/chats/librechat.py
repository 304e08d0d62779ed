"""LibreChat's export of one conversation: nested, flat with parent ids, or one path alone."""

from __future__ import annotations

import re
from collections.abc import Iterator

from loomapp.core.errors import InvalidInput
from loomapp.core.json_values import Json
from loomapp.core.model.content import Block, Text, ToolResult
from loomapp.core.model.entities import Interrupted
from loomapp.formats.conversation import Author, Conversation, Message, model_author
from loomapp.formats.foreign_blocks import Gathered, content_of, joined, parts_in, texts_of, tool_use
from loomapp.formats.foreign_files import NO_MESSAGES, JsonFormat
from loomapp.formats.foreign_values import (
    id_of,
    kept,
    moment,
    object_of,
    objects_in,
    parsed,
    text_of,
    title_of,
)
from loomapp.formats.lenient_json import with_own_ids
from loomapp.formats.links import in_a_row, linked

FORMAT = "librechat"
YOU = Author(None, "You", "human")
NO_PARENT = "00000000-0000-0000-0000-000000000000"
_PARENT = "parentMessageId"
_AGENT = re.compile(r"(?:agent|asst)_\w")
_PLACED = frozenset({"conversationId", "title", "messages", "messagesTree"})
_OF_MESSAGE = frozenset(
    {
        *("messageId", _PARENT, "conversationId", "sender", "text", "content", "children", "files"),
        *("isCreatedByUser", "createdAt", "error", "unfinished"),
    }
)


def is_conversation(item: Json) -> bool:
    return bool(id_of(item.get("conversationId"))) and any(
        isinstance(item.get(name), list | dict) for name in ("messages", "messagesTree")
    )


def read_conversation(item: Json) -> Iterator[Conversation]:
    """The conversation with all its branches. Raises: InvalidInput if it has no messages."""
    options = object_of(item.get("options"))
    reader = _Reader(text_of(options.get("model")))
    found, reader.gathered.renamed = with_own_ids((key, (outer, it)) for key, outer, it in _flat(item))
    if not found:
        raise InvalidInput(NO_MESSAGES)
    raw = {key: message for key, (_, message) in found.items()}
    above = _believed(raw, {key: outer for key, (outer, _) in found.items()})
    found.clear()
    for name in ("messages", "messagesTree"):
        item.pop(name, None)  # a long conversation would be in memory twice
    messages: dict[str, Message | None] = {key: reader.message(raw.pop(key)) for key in tuple(raw)}
    links = linked(messages, above)
    title = title_of(item.get("title"))
    one = links.conversation(FORMAT, id_of(item.get("conversationId")) or "conversation", title, None)
    system = (options.get(name) for name in ("promptPrefix", "system", "instructions"))
    one.system_context = next((text for text in system if isinstance(text, str) and text.strip()), None)
    one.extra = kept(item, _PLACED)
    reader.gathered.put_into(one)
    yield one


def _flat(item: Json) -> Iterator[tuple[str, str | None, Json]]:
    """The messages, nested or not, each with its id and that of the one it is nested in."""
    number = 0
    waiting: list[tuple[str | None, Iterator[Json]]] = []
    for name in ("messagesTree", "messages"):
        told = item.get(name)
        if isinstance(told, dict):  # all in one: a message, or what holds the first ones
            told = [told] if "messageId" in told else told.get("children")
        waiting = [(None, objects_in(told))]
        found = False
        while waiting:
            outer, rest = waiting[-1]
            message = next(rest, None)
            if message is None:
                waiting.pop()
                continue
            number += 1
            found = True
            key = id_of(message.get("messageId")) or f"message-{number}"
            yield key, outer, message
            waiting.append((key, objects_in(message.get("children"))))
        if found:
            return


def _believed(raw: dict[str, Json], outer: dict[str, str | None]) -> dict[str, str | None]:
    """The one before each: as it names it, else what it is nested in; in files that say neither, the one in
    front of it.
    """
    is_nested = any(outer.values())
    if not is_nested and not any(_PARENT in message for message in raw.values()):
        return in_a_row(raw)
    found: dict[str, str | None] = {}
    for key, message in raw.items():
        named = id_of(message.get(_PARENT))
        found[key] = None if named == NO_PARENT else named if named in raw else outer[key]
    return found


class _Reader:
    """Reads the messages of one conversation."""

    def __init__(self, model: str) -> None:
        self._model = model
        self.gathered = Gathered()

    def message(self, value: Json) -> Message:
        blocks, thoughts = self._said(value)
        extra = kept(value, _OF_MESSAGE)
        message = Message(
            self._author(value),
            content_of([*self._files(value), *joined(blocks)]),
            moment(value.get("createdAt")),
            keys=extra,
            reasoning=thoughts,
        )
        if value.get("error") is True:
            message.interrupted = Interrupted("provider error")
        elif value.get("unfinished") is True:
            message.interrupted = Interrupted("cancelled")
        return message

    def _author(self, value: Json) -> Author:
        sender = title_of(value.get("sender"))
        by_user = value.get("isCreatedByUser")
        if by_user is True or (by_user is None and sender.lower() in ("user", "you", "human")):
            return YOU
        model = title_of(value.get("model")) or self._model or sender
        if sender and _AGENT.match(model):  # the id of what it is called
            return model_author(f"{FORMAT}:{model}", sender)
        return model_author(f"{FORMAT}:{model or 'assistant'}", model or "Assistant")

    def _said(self, value: Json) -> tuple[list[Block], str]:
        blocks: list[Block] = []
        thoughts: list[str] = []
        for part in parts_in(value.get("content")):
            match part.get("type"):
                case "text" | "error":
                    text = texts_of([part]) or texts_of(part.get("error"))
                    if text:
                        blocks.append(Text(text, kept(part, ("type", "text"))))
                case "think":
                    think = part.get("think")
                    thoughts.append(texts_of([{"text": think}]))
                case "tool_call":
                    blocks += _tool_call(object_of(part.get("tool_call")))
                case "image_file" | "image_url":
                    blocks.append(self._image(part))
                case kind:
                    self.gathered.count_unknown(text_of(kind, "part"))
                    blocks.append(Text("", {"part": kept(part)}))
        if not any(getattr(block, "text", "") for block in blocks):
            text = texts_of(value.get("text")) or texts_of(value.get("content"))
            if text:
                blocks.append(Text(text))
        return blocks, "\n\n".join(filter(None, thoughts))

    def _image(self, part: Json) -> Block:
        about = object_of(part.get("image_file")) or object_of(part.get("image_url"))
        name = title_of(about.get("filename")) or title_of(about.get("filepath"))
        image = self.gathered.data_url(about.get("url"), name)
        return image or self.gathered.placeholder(name, "image/png", id_of(about.get("file_id")), about)

    def _files(self, value: Json) -> Iterator[Block]:
        for one in objects_in(value.get("files")):
            name, kind = title_of(one.get("filename")), text_of(one.get("type"))
            yield self.gathered.placeholder(name, kind, id_of(one.get("file_id")), one)


def _tool_call(call: Json) -> Iterator[Block]:
    """A call and its answer; older ones have both under the name of their kind."""
    kind = text_of(call.get("type"))
    inner = object_of(call.get(kind))
    about = {"name": kind, **{name: item for name, item in call.items() if name != kind}, **inner}
    name = next((name for name in ("args", "arguments", "input") if name in about), "args")
    about[name] = about[name] if name == "input" else parsed(about.get(name, {}))
    answer = about.pop("output", None) or [one.get("logs") for one in objects_in(about.pop("outputs", None))]
    use = tool_use(about, arguments=name)
    yield use
    if output := texts_of(answer):
        yield ToolResult(use.id, use.name, output)


LIBRECHAT = JsonFormat("“conversationId” with its “messages”", is_conversation, read_conversation)
