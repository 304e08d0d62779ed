"""Sessions of Claude Code, with the branches that going back left in the file."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping

from loomapp.core.json_values import Json
from loomapp.core.model.content import Block, Image, Text, ToolResult, well_formed
from loomapp.core.model.entities import REASONING
from loomapp.core.sentences import Sentence, worded
from loomapp.formats.chats.session_lines import LinesFormat
from loomapp.formats.conversation import Author, Conversation, Message
from loomapp.formats.foreign_blocks import (
    Gathered,
    content_of,
    joined,
    parts_in,
    texts_of,
    tool_result,
    tool_use,
)
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

FORMAT = "claude-code"
YOU = Author(None, "You", "human")
TOOL = Author("claude-code:tool", "tool", "model")
SYSTEM = Author("claude-code:system", "System", "model")
_TITLES = {"summary": "summary", "aiTitle": "ai-title", "customTitle": "custom-title"}  # the last one counts
_SPOKEN = frozenset({"user", "assistant", "system"})
_OF_LINE = frozenset({"uuid", "parentUuid", "logicalParentUuid", "message", "content", "timestamp", "type"})


def is_line(line: Json) -> bool:
    return "parentUuid" in line and "sessionId" in line


def read_session(lines: list[Json]) -> Conversation:
    """The session: lines that are no messages are passed over, what follows them goes on from before them."""
    gathered = Gathered()
    told = (
        (id_of(line.get("uuid")) or f"line-{number}", line)
        for number, line in enumerate(lines, 1)
        if id_of(line.get("uuid")) or text_of(line.get("type")) in _SPOKEN
    )
    raw, gathered.renamed = with_own_ids(told)
    messages: dict[str, Message | None] = {key: _message(line, gathered) for key, line in raw.items()}
    links = linked(messages, _above(raw))
    spoken = [
        key for key, message in messages.items() if message is not None and not raw[key].get("isSidechain")
    ]
    session_id = next(filter(None, (id_of(line.get("sessionId")) for line in lines)), "")
    titles = [
        title_of(line.get(key)) for key, kind in _TITLES.items() for line in lines if line.get("type") == kind
    ]
    one = links.conversation(
        FORMAT,
        session_id or made_id(FORMAT, next(iter(raw), "")),
        next(filter(None, reversed(titles)), ""),
        spoken[-1] if spoken else None,
    )
    gathered.put_into(one)
    one.losses += tuple(_unread(lines))
    if summaries := [kept(line) for line in lines if line.get("type") == "summary"]:
        one.extra["summaries"] = summaries
    return one


def _unread(lines: list[Json]) -> Iterator[Sentence]:
    """Name each kind of line that holds a message and is not known to be part of the conversation."""
    kinds = Counter(text_of(line.get("type"), "line") for line in lines if line.get("message"))
    for kind, count in kinds.items():
        if kind not in _SPOKEN:
            words = "{count} × “{kind}” that holds a message is not read"
            yield worded(words, count=count, kind=well_formed(kind))


def _above(raw: Mapping[str, Json]) -> dict[str, str | None]:
    """The one before each, also across a compaction; in files that name none, the line in front of it."""
    named = {
        key: id_of(line.get("parentUuid")) or id_of(line.get("logicalParentUuid")) or None
        for key, line in raw.items()
    }
    return named if any(parent in raw for parent in named.values()) else in_a_row(raw)


def _message(line: Json, gathered: Gathered) -> Message | None:
    kind = text_of(line.get("type"))
    if kind not in _SPOKEN or line.get("isMeta") is True:
        return None
    value = line.get("message")
    about = object_of(value)
    content = about.get("content") if about else value if value is not None else line.get("content")
    blocks, thoughts = _blocks(content, gathered)
    if kind == "system" and not blocks:
        return None
    is_hidden = kind == "system" or line.get("isCompactSummary") is True
    gathered.hidden += is_hidden
    left = kept(line, _OF_LINE)
    if more := kept(about, ("role", "content", "model", "type")):
        left["message"] = more
    message = Message(
        _author(kind, about, blocks),
        content_of(blocks),
        moment(line.get("timestamp")),
        is_excluded=is_hidden,
        extra={FORMAT: left} if left else {},
    )
    if thoughts:
        message.extra = {REASONING: thoughts, **message.extra}
    return message


def _author(kind: object, about: Json, blocks: list[Block]) -> Author:
    if kind == "system":
        return SYSTEM
    if kind == "user":
        has_results = any(isinstance(block, ToolResult) for block in blocks)
        only_results = has_results and all(isinstance(block, ToolResult | Image) for block in blocks)
        return TOOL if only_results else YOU
    model = title_of(about.get("model"))
    return Author(f"{FORMAT}:{model or 'assistant'}", model or "Claude", "model")


def _blocks(content: object, gathered: Gathered) -> tuple[list[Block], str]:
    if isinstance(content, str):
        return ([Text(well_formed(content))] if content else []), ""
    blocks: list[Block] = []
    thoughts: list[str] = []
    for part in parts_in(content):
        match part.get("type"):
            case "text":
                blocks.append(Text(texts_of([part])))
            case "thinking":
                thoughts.append(texts_of(part.get("thinking")))
            case "tool_use":
                blocks.append(tool_use(part))
            case "tool_result":
                blocks += _result(part, gathered)
            case "image":
                blocks.append(_image(part, gathered))
            case other:
                gathered.count_unknown(text_of(other, "part"))
                blocks.append(Text(texts_of([part]), {"part": kept(part)}))
    return joined(blocks), "\n\n".join(filter(None, thoughts))


def _result(part: Json, gathered: Gathered) -> Iterator[Block]:
    """The answer of a tool, and the pictures in it."""
    inner = list_of(part.get("content"))
    others = [one for one in inner if object_of(one).get("type") != "image"]
    yield tool_result({**part, "content": others} if len(others) < len(inner) else part)
    for one in objects_in(inner):
        if one.get("type") == "image":
            yield _image(one, gathered)


def _image(part: Json, gathered: Gathered) -> Block:
    source = object_of(part.get("source"))
    image = gathered.encoded(source.get("data"), text_of(source.get("media_type")))
    return image or gathered.placeholder("image.png")


CLAUDE_CODE = LinesFormat("lines with “parentUuid” and “sessionId”", is_line, read_session)
