"""Open WebUI's export of chats, each with all of its branches and the answers of several models.

Older versions write all of a message into its text, each thought and call as an element `details`; newer ones
leave the text empty, and write items of an output.
"""

from __future__ import annotations

import html
import json
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import field

from loomapp.core.dataclass import dataclass
from loomapp.core.errors import InvalidInput
from loomapp.core.json_values import Json
from loomapp.core.model.content import AttachedDocument, Block, Text, ToolResult, ToolUse, well_formed
from loomapp.core.model.entities import Interrupted
from loomapp.formats.conversation import Author, Conversation, Message, model_author, shown_id
from loomapp.formats.foreign_blocks import Gathered, beside, content_of, joined, texts_of
from loomapp.formats.foreign_files import NO_MESSAGES, JsonFormat, Unread
from loomapp.formats.foreign_values import (
    id_of,
    kept,
    list_of,
    made_id,
    moment,
    object_of,
    objects_in,
    parsed,
    text_of,
    title_of,
)
from loomapp.formats.lenient_json import with_own_ids
from loomapp.formats.links import in_a_row, linked, named_parents

INTERPRETER = "code_interpreter"
_END = "</details>"
_DETAILS = re.compile(
    r"<details\b([^<>]*\btype=[\"'](?:reasoning|tool_calls|code_interpreter)[\"'][^<>]*)>"
    r"\s*(?:<summary>[^<]*</summary>)?(.*?)</details>\s*",
    re.DOTALL,
)
_ATTRIBUTE = re.compile(r"([\w-]+)=(?:\"([^\"]*)\"|'([^']*)')")
_CODE = re.compile(r"\s*```[^\n]*\n(.*?)\n?```\s*", re.DOTALL)
_OF_CALL = frozenset({"type", "id", "call_id", "name", "arguments", "result", "done", "status", "content"})


@dataclass(slots=True)
class Unfolded:
    """The blocks of a content, and its thoughts."""

    blocks: list[Block] = field(default_factory=list)
    thoughts: list[str] = field(default_factory=list)
    is_changed: bool = False

    def add_text(self, text: str) -> None:
        """Add a text; what is folded into it has its place among the blocks."""
        behind = text.rpartition(_END)[2].lstrip() if _END in text else text  # what begins there never ends
        end = len(text) - len(behind)
        at, said = 0, ""
        for found in _DETAILS.finditer(text, 0, end):
            said += text[at : found.start()]
            at = found.end()
            self.is_changed = True
            about = {name: html.unescape(one or other) for name, one, other in _ATTRIBUTE.findall(found[1])}
            if about.get("type") == "reasoning":
                self.thoughts.append(_unquoted(found[2]))
                continue
            self._put(said)
            said = ""
            self.blocks += _call(about, html.unescape(found[2]), f"call-{len(self.blocks) + 1}")
        self._put(said + text[at:], is_end=True)

    def _put(self, text: str, *, is_end: bool = False) -> None:
        is_beside_calls = any(isinstance(block, ToolUse) for block in self.blocks) or not is_end
        text = text.strip("\n") if is_beside_calls else text
        if text:
            self.blocks.append(Text(text))


def _call(about: dict[str, str], body: str, made: str) -> Iterable[Block]:
    """A call of a tool that is folded into a text, and its answer, if it has one."""
    use_id = about.get("id") or made
    if about.get("type") == INTERPRETER:
        code = _CODE.fullmatch(body)
        yield ToolUse(use_id, INTERPRETER, {"code": well_formed(code[1] if code else body.strip())})
        answer = _printed(parsed(about.get("output", "")))
    else:
        name = about.get("name") or "tool"
        left = {key: parsed(value) for key, value in about.items() if key not in _OF_CALL and value}
        more = beside(kept(left))
        yield ToolUse(well_formed(use_id), well_formed(name), parsed(about.get("arguments", "")), more)
        result = parsed(about["result"]) if "result" in about else body.strip()
        answer = result if isinstance(result, str) else json.dumps(result, ensure_ascii=False)
    if answer:
        yield ToolResult(well_formed(use_id), about.get("name") or INTERPRETER, well_formed(answer))


def of_output(output: Sequence[Json]) -> Unfolded:
    """The blocks and thoughts of output items, in their order."""
    found = Unfolded()
    names = {text_of(one.get("call_id")): text_of(one.get("name"), "tool") for one in output}
    for number, one in enumerate(output, 1):
        use_id = text_of(one.get("call_id")) or text_of(one.get("id")) or f"call-{number}"
        match one.get("type"):
            case "message":
                found.add_text(texts_of(one.get("content")))
            case "reasoning":
                found.thoughts.append(texts_of(one.get("summary")) or texts_of(one.get("content")))
            case "function_call":
                more = beside(kept(one, _OF_CALL))
                name = well_formed(text_of(one.get("name"), "tool"))
                found.blocks.append(ToolUse(well_formed(use_id), name, parsed(one.get("arguments")), more))
            case "function_call_output":
                text = texts_of(one.get("output"))
                name = well_formed(names.get(use_id, "tool"))
                more = beside(kept(one, (*_OF_CALL, "output")))
                found.blocks.append(ToolResult(well_formed(use_id), name, text, more))
            case "open_webui:code_interpreter":
                code = well_formed(text_of(one.get("code")))
                found.blocks.append(ToolUse(well_formed(use_id), INTERPRETER, {"code": code}))
                if printed := _printed(one.get("output")):
                    found.blocks.append(ToolResult(well_formed(use_id), INTERPRETER, printed))
            case str(kind) if kind.endswith("_call"):
                left = kept(one, _OF_CALL)
                found.blocks.append(
                    ToolUse(well_formed(use_id), well_formed(kind.removesuffix("_call")), left)
                )
    return found


def says_the_same(text: str, blocks: Iterable[Block]) -> bool:
    """Tell whether a text holds no other words than the texts among blocks."""
    return "".join(text.split()) == "".join("".join(b.text.split()) for b in blocks if isinstance(b, Text))


def _printed(output: object) -> str:
    """Return what code printed and gave."""
    if not isinstance(output, dict):
        return texts_of(output)
    said = (texts_of(output.get(name)) for name in ("stdout", "result", "stderr"))
    return "\n".join(filter(None, said))


def _unquoted(text: str) -> str:
    """The words of thoughts, which are written as a quotation."""
    lines = html.unescape(text).strip().split("\n")
    return "\n".join(
        line.removeprefix(">").removeprefix(" ") if line.startswith(">") else line for line in lines
    )


FORMAT = "open-webui"
YOU = Author(None, "You", "human")
SYSTEM = model_author("open-webui:system", "System")
_PLACED = frozenset({"id", "title", "created_at", "updated_at", "chat"})
_OF_CHAT = frozenset({"id", "title", "messages", "history", "system", "timestamp"})
_OF_MESSAGE = frozenset(
    {"id", "parentId", "childrenIds", "role", "content", "timestamp", "files", "model", "modelName"}
)


def is_chat(item: Json) -> bool:
    chat = object_of(item.get("chat"))
    if isinstance(chat.get("history"), dict):
        return True
    return any("role" in message and "content" in message for message in objects_in(chat.get("messages")))


def read_chat(item: Json) -> Iterator[Unread]:
    """The chat with all its branches. Raises: InvalidInput if it has no messages."""
    reader = _Reader()
    chat = object_of(item.get("chat"))
    history = object_of(chat.get("history"))
    raw = {key: m for key, m in object_of(history.get("messages")).items() if isinstance(m, dict)}
    above = named_parents(raw, "parentId", "childrenIds")
    if not raw:
        path = objects_in(chat.get("messages"))
        told = ((id_of(it.get("id")) or f"message-{n}", it) for n, it in enumerate(path, 1))
        raw, reader.gathered.renamed = with_own_ids(told)
        above = in_a_row(raw)
    if not raw:
        raise InvalidInput(NO_MESSAGES)
    title = title_of(item.get("title")) or title_of(chat.get("title"))
    chat_id = id_of(item.get("id")) or id_of(chat.get("id")) or made_id(FORMAT, title, next(iter(raw)))

    def conversation() -> Conversation:
        messages: dict[str, Message | None] = {key: reader.message(said) for key, said in raw.items()}
        listed = {key: [id_of(i) for i in list_of(said.get("childrenIds"))] for key, said in raw.items()}
        links = linked(messages, above, listed=listed)
        one = links.conversation(FORMAT, chat_id, title, id_of(history.get("currentId")) or None)
        _tell(one, item, chat)
        reader.gathered.put_into(one)
        return one

    yield Unread(shown_id(chat_id), title, conversation)


def _tell(one: Conversation, item: Json, chat: Json) -> None:
    """Note what is said of a whole chat."""
    system = (object_of(chat.get("params")).get("system"), chat.get("system"))
    one.system_context = next((text for text in system if isinstance(text, str) and text.strip()), None)
    placed = _OF_CHAT if one.system_context in (None, chat.get("system")) else _OF_CHAT - {"system"}
    one.created_at = moment(item.get("created_at")) or moment(chat.get("timestamp"))
    one.updated_at = moment(item.get("updated_at"))
    one.extra = {**kept(item, _PLACED), **({"chat": more} if (more := kept(chat, placed)) else {})}


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
        if text_of(object_of(value.get("merged")).get("content")):
            self.gathered.count_unknown("merged answer")
        role = value.get("role")
        self.gathered.hidden += role == "system"
        return Message(
            self._author(value),
            content_of([*self._files(value), *joined([b for b in blocks if b != Text("")])]),
            moment(value.get("timestamp")),
            is_excluded=role == "system",
            interrupted=Interrupted("provider error") if error else None,
            keys=extra,
            reasoning=thoughts,
        )

    def _author(self, value: Json) -> Author:
        match value.get("role"):
            case "user":
                return YOU
            case "system":
                return SYSTEM
            case "tool":
                return model_author(f"{FORMAT}:tool", "tool")
        model = title_of(value.get("model"))
        name = title_of(value.get("modelName")) or model or "Assistant"
        return model_author(f"{FORMAT}:{model or name}", name)

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
        has_calls = any(isinstance(block, ToolUse) for block in output.blocks)  # folded, they may lack names
        is_fuller = bool(output.blocks) and (has_calls or not found.is_changed)
        if is_fuller and (not text or says_the_same(text, output.blocks)):
            shown = (block for block in found.blocks if not isinstance(block, Text | ToolUse | ToolResult))
            found.blocks = [*shown, *output.blocks]
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
