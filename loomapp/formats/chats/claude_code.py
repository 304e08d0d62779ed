"""Sessions of Claude Code, with the branches that going back left in the file."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping

from loomapp.core.json_values import Json
from loomapp.core.model.content import Block, Image, Text, ToolResult, well_formed
from loomapp.core.model.entities import REASONING, Interrupted
from loomapp.core.sentences import Sentence, worded
from loomapp.formats.chats.claude_code_lines import SPOKEN, joined_lines
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
SYNTHETIC = "<synthetic>"  # in the place of a model: what Claude Code says itself
PROGRAM = Author("claude-code:program", "Claude Code", "model")
# The last title of the last kind counts.
_TITLES = {
    "summary": "summary",
    "aiTitle": "ai-title",
    "agentName": "agent-name",
    "customTitle": "custom-title",
}
_OF_LINE = frozenset(
    {"uuid", "parentUuid", "logicalParentUuid", "message", "content", "timestamp", "type", "attachment"}
)
_OF_PART = _OF_LINE - {"uuid", "timestamp"}
_OF_INNER = frozenset({"role", "content", "model", "type"})


def is_line(line: Json) -> bool:
    return "parentUuid" in line and "sessionId" in line


def read_session(lines: list[Json]) -> Conversation:
    """The session: lines that are no messages are passed over, what follows them goes on from before them."""
    gathered = Gathered()
    told = (
        (id_of(line.get("uuid")) or f"line-{number}", _spoken(line))
        for number, line in enumerate(lines, 1)
        if id_of(line.get("uuid")) or text_of(line.get("type")) in SPOKEN
    )
    raw, gathered.renamed = with_own_ids(told)
    whole = joined_lines(raw, _above(raw))
    messages: dict[str, Message | None] = {
        key: _message(parts, gathered) for key, parts in whole.lines.items()
    }
    links = linked(messages, whole.above)
    titles = [
        title_of(line.get(key)) for key, kind in _TITLES.items() for line in lines if line.get("type") == kind
    ]
    one = links.conversation(
        FORMAT,
        _session_id(lines) or made_id(FORMAT, next(iter(raw), "")),
        next(filter(None, reversed(titles)), ""),
        whole.first.get(_last(lines, raw, whole.first, messages)),
    )
    gathered.put_into(one)
    one.losses += tuple(_unread(lines))
    if summaries := [kept(line) for line in lines if line.get("type") == "summary"]:
        one.extra["summaries"] = summaries
    return one


def _session_id(lines: list[Json]) -> str:
    """The id of a session; a helper's, whose file names the session that called it, has its own behind it."""
    session_id = next(filter(None, (id_of(line.get("sessionId")) for line in lines)), "")
    spoken = [line for line in lines if text_of(line.get("type")) in SPOKEN]
    agents = {id_of(line.get("agentId")) for line in spoken if line.get("isSidechain") is True}
    if len(agents) == 1 and all(line.get("isSidechain") is True for line in spoken) and "" not in agents:
        return f"{session_id}-{agents.pop()}"
    return session_id


def _last(
    lines: list[Json],
    raw: Mapping[str, Json],
    first: Mapping[str, str],
    messages: Mapping[str, Message | None],
) -> str:
    """The line that was read last: the one that was gone back to, if nothing was said since, or the last."""
    prompts = [line for line in lines if line.get("type") == "last-prompt" and id_of(line.get("leafUuid"))]
    if prompts and prompts[-1].get("explicit") is True and id_of(prompts[-1]["leafUuid"]) in raw:
        return id_of(prompts[-1]["leafUuid"])
    spoken = (
        key for key, line in raw.items() if messages[first[key]] is not None and not line.get("isSidechain")
    )
    return next(reversed([*spoken]), "")


def _spoken(line: Json) -> Json:
    """The line; one typed while the model was at work stands beside, and is a message of yours."""
    about = object_of(line.get("attachment"))
    if not _is_queued(line):
        return line
    left = {name: value for name, value in about.items() if name not in ("type", "prompt")}
    return {
        **line,
        "type": "user",
        "message": {"role": "user", "content": about.get("prompt")},
        "queued": left,
    }


def _is_queued(line: Json) -> bool:
    about = object_of(line.get("attachment"))
    is_typed = text_of(about.get("commandMode"), "prompt") == "prompt"
    return line.get("type") == "attachment" and about.get("type") == "queued_command" and is_typed


def _unread(lines: list[Json]) -> Iterator[Sentence]:
    """Name each kind of line that holds a message and is not known to be part of the conversation."""
    kinds = Counter(text_of(line.get("type"), "line") for line in lines if line.get("message"))
    for kind, count in kinds.items():
        if kind not in SPOKEN:
            words = "{count} × “{kind}” that holds a message is not read"
            yield worded(words, count=count, kind=well_formed(kind))
    attached = [line for line in lines if line.get("type") == "attachment" and not _is_queued(line)]
    beside = dict.fromkeys(
        text_of(object_of(line.get("attachment")).get("type"), "attachment") for line in attached
    )
    if attached:
        words = "{count} × what the model was told beside the messages is not read ({kinds})"
        yield worded(words, count=len(attached), kinds=well_formed(", ".join(beside)))


def _above(raw: Mapping[str, Json]) -> dict[str, str | None]:
    """The one before each, also across a compaction; in files that name none, the line in front of it."""
    named = {
        key: id_of(line.get("parentUuid")) or id_of(line.get("logicalParentUuid")) or None
        for key, line in raw.items()
    }
    return named if any(parent in raw for parent in named.values()) else in_a_row(raw)


def _message(lines: list[Json], gathered: Gathered) -> Message | None:
    """The message of one line, or of several that are its parts."""
    line = lines[0]
    kind = text_of(line.get("type"))
    if kind not in SPOKEN or line.get("isMeta") is True:
        return None
    about = object_of(line.get("message"))
    blocks: list[Block] = []
    thoughts: list[str] = []
    for part in lines:
        value = part.get("message")
        inner = object_of(value)
        content = inner.get("content") if inner else value if value is not None else part.get("content")
        more, thought = _blocks(content, gathered)
        blocks += more
        thoughts += filter(None, (thought,))
    blocks = joined(blocks)
    if kind == "system" and not blocks:
        return None
    is_hidden = kind == "system" or line.get("isCompactSummary") is True
    gathered.hidden += is_hidden
    left = _left(line, {})
    if len(lines) > 1:
        left["lines"] = [_left(other, line) for other in lines[1:]]
    message = Message(
        _author(kind, about, blocks),
        content_of(blocks),
        moment(line.get("timestamp")),
        is_excluded=is_hidden,
        interrupted=Interrupted("provider error") if line.get("isApiErrorMessage") is True else None,
        extra={FORMAT: left} if left else {},
    )
    if thoughts:
        message.extra = {REASONING: "\n\n".join(thoughts), **message.extra}
    return message


def _left(line: Json, first: Json) -> Json:
    """The keys of a line that have no other place, but for those that the first line of its message has."""
    if not first:
        left, more = kept(line, _OF_LINE), kept(object_of(line.get("message")), _OF_INNER)
    else:
        about, of_first = object_of(line.get("message")), object_of(first.get("message"))
        left = kept(_others(line, first, _OF_PART))
        more = kept(_others(about, of_first, _OF_INNER))
    return {**left, "message": more} if more else left


def _others(value: Json, first: Json, placed: frozenset[str]) -> Json:
    """The keys that are otherwise than in the first one, and have no other place."""
    return {n: item for n, item in value.items() if n not in placed and first.get(n) != item}


def _author(kind: object, about: Json, blocks: list[Block]) -> Author:
    if kind == "system":
        return SYSTEM
    if kind == "user":
        has_results = any(isinstance(block, ToolResult) for block in blocks)
        only_results = has_results and all(isinstance(block, ToolResult | Image) for block in blocks)
        return TOOL if only_results else YOU
    model = title_of(about.get("model"))
    if model == SYNTHETIC:
        return PROGRAM
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
            case "tool_use" | "server_tool_use":
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
