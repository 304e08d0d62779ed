"""Sessions of pi: a header, then entries with parent ids; in version 1 without any."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from loomapp.core.json_values import Json
from loomapp.core.model.content import Block, Text, ToolResult, well_formed
from loomapp.core.model.entities import Interrupted
from loomapp.formats.chats.session_lines import LinesFormat
from loomapp.formats.conversation import Author, Conversation, Message, model_author
from loomapp.formats.foreign_blocks import Gathered, content_of, joined, parts_in, texts_of, tool_use
from loomapp.formats.foreign_values import (
    id_of,
    kept,
    made_id,
    moment,
    object_of,
    text_of,
    title_of,
)
from loomapp.formats.lenient_json import with_own_ids
from loomapp.formats.links import in_a_row, linked

FORMAT = "pi"
YOU = Author(None, "You", "human")
SUMMARY = model_author("pi:summary", "Summary")
_OF_MESSAGE = frozenset(
    {"role", "content", "timestamp", "provider", "model", "stopReason", "toolCallId", "toolName"}
)
_SUMMARIES = frozenset({"compaction", "branch_summary"})
_STOPPED = {"aborted": "cancelled", "error": "provider error"}


def is_header(line: Json) -> bool:
    return line.get("type") == "session" and "harness" not in line and ("cwd" in line or "version" in line)


def read_session(lines: Iterable[Json]) -> Conversation:
    reader = _Reader()
    raw, reader.gathered.renamed = with_own_ids(reader.entries(lines))
    messages = {key: entry.message for key, entry in raw.items()}
    named = {key: entry.above for key, entry in raw.items()}
    links = linked(messages, named if any(named.values()) else in_a_row(raw))
    for entry in reader.labels:
        reader.label(entry, links.messages.get(links.names.get(id_of(entry.get("targetId")), "")))
    header = reader.header
    session_id = id_of(header.get("id")) or made_id(FORMAT, header.get("timestamp"), header.get("cwd"))
    last = next(reversed(raw), None)
    one = links.conversation(FORMAT, session_id, reader.title, raw[last].goes_to or last if last else None)
    one.created_at = moment(header.get("timestamp"))
    one.extra = kept(header, ("type", "id", "timestamp"))
    if reader.others:
        one.extra["entries"] = reader.others
    reader.gathered.put_into(one)
    return one


class _Entry(NamedTuple):
    """An entry of a session; `goes_to` is the one that was gone back to by it."""

    above: str | None
    message: Message | None
    goes_to: str = ""


class _Reader:
    """Reads the entries of one session one by one. `others` are those that are no messages."""

    def __init__(self) -> None:
        self.gathered = Gathered()
        self.header: Json = {}
        self.title = ""
        self.labels: list[Json] = []
        self.others: list[object] = []

    def entries(self, lines: Iterable[Json]) -> Iterator[tuple[str, _Entry]]:
        """Yield what is no header, with its ids."""
        number = 0
        for line in lines:
            kind = line.get("type")
            if kind == "session":
                self.header = self.header or line
                continue
            number += 1
            if kind == "label":
                self.labels.append(line)
            elif kind == "session_info":
                self.title = title_of(line.get("name")) or self.title
            above, goes_to = id_of(line.get("parentId")) or None, ""
            if kind == "leaf":
                goes_to = id_of(line.get("targetId"))
            yield id_of(line.get("id")) or f"entry-{number}", _Entry(above, self.entry(line), goes_to)

    def entry(self, entry: Json) -> Message | None:
        kind = entry.get("type")
        at = moment(entry.get("timestamp"))
        if kind == "message" and isinstance(entry.get("message"), dict):
            return self._message(object_of(entry.get("message")), entry)
        if isinstance(kind, str) and kind in _SUMMARIES and (text := texts_of(entry.get("summary"))):
            self.gathered.hidden += 1
            return Message(SUMMARY, Text(text), at, is_excluded=True, keys=kept(entry, ("summary", "id")))
        if kind == "custom_message" and (text := texts_of(entry.get("content"))):
            left = kept(entry, ("content", "id", "parentId", "timestamp"))
            return Message(YOU, Text(text), at, keys=left)
        if kind == "message" and (text := texts_of(entry.get("message"))):
            return Message(YOU, Text(text), at)
        if kind not in ("label", "session_info", "leaf"):
            self.others.append(kept(entry))
        return None

    def label(self, entry: Json, message: Message | None) -> None:
        """Bookmark what a label names."""
        if message is not None and (label := title_of(entry.get("label"))):
            message.is_bookmarked, message.bookmark_label = True, label

    def _message(self, value: Json, entry: Json) -> Message:
        blocks: list[Block] = []
        thoughts: list[str] = []
        content = value.get("content")
        if isinstance(content, str):
            blocks.append(Text(well_formed(content)))
        for part in parts_in(content):
            match part.get("type"):
                case "text":
                    blocks.append(Text(texts_of([part])))
                case "thinking":
                    thoughts.append(texts_of(part.get("thinking")))
                case "toolCall":
                    blocks.append(tool_use(part, arguments="arguments"))
                case "image":
                    image = self.gathered.encoded(part.get("data"), text_of(part.get("mimeType")))
                    blocks.append(image or self.gathered.placeholder("image.png"))
                case kind:
                    self.gathered.count_unknown(text_of(kind, "part"))
                    blocks.append(Text(texts_of([part]), {"part": kept(part)}))
        role = text_of(value.get("role"))
        if role == "bashExecution":
            said = f"$ {texts_of(value.get('command'))}\n{texts_of(value.get('output'))}"
            blocks.append(Text(said))
        if role == "toolResult":
            use_id, name = title_of(value.get("toolCallId")), title_of(value.get("toolName"))
            blocks = [
                ToolResult(use_id, name, block.text) if isinstance(block, Text) else block
                for block in joined(blocks)
            ]
        extra = kept(value, _OF_MESSAGE)
        stopped = _STOPPED.get(text_of(value.get("stopReason")))
        return Message(
            _author(role, value),
            content_of(joined(blocks)),
            moment(entry.get("timestamp")) or moment(value.get("timestamp")),
            interrupted=Interrupted(stopped) if stopped else None,
            keys=extra,
            reasoning="\n\n".join(filter(None, thoughts)),
        )


def _author(role: str, value: Json) -> Author:
    if role in ("user", "bashExecution", "custom"):
        return YOU
    if role == "toolResult":
        tool = title_of(value.get("toolName")) or "tool"
        return model_author(f"{FORMAT}:tool:{tool}", tool)
    if role in _SUMMARIES or role.endswith("Summary"):
        return SUMMARY
    model, provider = title_of(value.get("model")), title_of(value.get("provider"))
    name = f"{provider}/{model}" if provider and model else model
    return model_author(f"{FORMAT}:{name or 'assistant'}", model or "Assistant")


PI = LinesFormat("a first line of “type” “session”", is_header, read_session)
