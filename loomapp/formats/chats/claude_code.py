"""Sessions of Claude Code, with the branches that going back left in the file.

An answer of a model is written block by block, each a line with the same `message.id`; the result of each
tool it called is a line that names the line of that call as its parent. By parent ids alone two calls at
once would be two ways: here they are one message, and their results the one message that follows.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import field
from sys import intern

from loomapp.core.dataclass import dataclass
from loomapp.core.json_values import Json
from loomapp.core.model.content import Block, Image, Text, ToolResult, well_formed
from loomapp.core.model.entities import Interrupted
from loomapp.core.sentences import Sentence, worded
from loomapp.formats.chats.session_lines import LinesFormat
from loomapp.formats.conversation import Author, Conversation, Message, model_author
from loomapp.formats.foreign_blocks import Gathered, content_of, joined, parts_in, texts_of, tool_use
from loomapp.formats.foreign_values import id_of, kept, list_of, made_id, moment, object_of, text_of, title_of
from loomapp.formats.lenient_json import with_own_ids
from loomapp.formats.links import in_a_row, linked

SPOKEN = frozenset({"user", "assistant", "system"})
_OF_LINE = frozenset({"parentUuid", "logicalParentUuid", "message", "content", "type", "attachment"})
_OF_INNER = frozenset({"role", "content", "model", "type"})


@dataclass(frozen=True, slots=True)
class SessionLine:
    """A line of a session, as far as its conversation needs it: sessions have hundreds of thousands.

    `left` are its keys that have no other place, `more` those of its message. Of a line that is no message
    both are empty, as is `content`.
    """

    kind: str
    above: str | None
    at: object = None
    is_sidechain: object = None
    answer_id: str = ""
    answered: tuple[str, ...] = ()
    model: object = None
    content: object = None
    left: Json = field(default_factory=dict)
    more: Json = field(default_factory=dict)
    is_message: bool = False
    is_summary: bool = False
    is_error: bool = False


def line_of(raw: Json) -> SessionLine:
    """The line of an object of the file."""
    kind = intern(text_of(raw.get("type")))
    above = id_of(raw.get("parentUuid")) or id_of(raw.get("logicalParentUuid")) or None
    if kind not in SPOKEN or raw.get("isMeta") is True:
        return SessionLine(kind, above)
    value = raw.get("message")
    inner = object_of(value)
    return SessionLine(
        kind,
        above,
        raw.get("timestamp"),
        raw.get("isSidechain"),
        id_of(inner.get("id")) if kind == "assistant" else "",
        _answered(inner) if kind == "user" else (),
        inner.get("model"),
        inner.get("content") if inner else value if value is not None else raw.get("content"),
        kept(raw, _OF_LINE),
        kept(inner, _OF_INNER),
        is_message=True,
        is_summary=raw.get("isCompactSummary") is True,
        is_error=raw.get("isApiErrorMessage") is True,
    )


@dataclass(slots=True)
class JoinedLines:
    """Lines by the id of the first one of their message.

    `first` has that id for every line, `above` the message before each message, by such ids.
    """

    lines: dict[str, list[SessionLine]] = field(default_factory=dict)
    first: dict[str, str] = field(default_factory=dict)
    above: dict[str, str | None] = field(default_factory=dict)


def joined_lines(raw: Mapping[str, SessionLine], above: Mapping[str, str | None]) -> JoinedLines:
    """The messages of lines, which come in the order of their file; `above` is the line before each."""
    found = JoinedLines()
    joiner = _Joiner(raw, above, found.first)
    for key, line in raw.items():
        first = joiner.first_of(key, line)
        found.first[key] = first
        of_message = found.lines.setdefault(first, [])
        if first == key or all(one.content != line.content or one.more != line.more for one in of_message):
            of_message.append(line)
    for first in found.lines:
        before = above[first]
        found.above[first] = found.first.get(before, before) if before is not None else None
    return found


class _Joiner:
    """Finds the line that the message of each line begins with."""

    def __init__(
        self, raw: Mapping[str, SessionLine], above: Mapping[str, str | None], first: Mapping[str, str]
    ) -> None:
        self._raw, self._above, self._first = raw, above, first
        self._answers: dict[str, list[str]] = {}  # the first lines of answers, by `message.id`
        self._results: dict[
            str, dict[str, set[str]]
        ] = {}  # by answer: first lines, and the calls they answer
        self._before: dict[str, str | None] = {}

    def first_of(self, key: str, line: SessionLine) -> str:
        """An earlier line of the same message, or the line itself."""
        if line.answer_id:
            return self._of_answer(key, line, self._answers.setdefault(line.answer_id, []))
        calls = line.answered
        before = self._message_before(key) if calls else None
        if before is None or not self._raw[before].answer_id:
            return key
        results = self._results.setdefault(before, {})
        first = next((one for one, known in results.items() if known.isdisjoint(calls)), key)
        results.setdefault(first, set()).update(calls)
        return first

    def _of_answer(self, key: str, line: SessionLine, firsts: list[str]) -> str:
        before = self._message_before(key)
        for first in firsts:
            is_one = before in (first, self._message_before(first))
            if is_one and line.is_sidechain == self._raw[first].is_sidechain:
                return first
        firsts.append(key)
        return key

    def _message_before(self, key: str) -> str | None:
        """The first line of the message before a line; results, and what is no message, are passed over."""
        passed = [key]
        at = self._above.get(key)
        found: str | None = None
        while at is not None and at in self._raw and at != key:
            if not self._is_passed_over(at):
                found = self._first.get(at, at)
                break
            if at in self._before:
                found = self._before[at]
                break
            passed.append(at)
            self._before[at] = None  # ends a circle
            at = self._above.get(at)
        self._before.update(dict.fromkeys(passed, found))
        return found

    def _is_passed_over(self, key: str) -> bool:
        line = self._raw[key]
        is_message = line.is_message and line.kind in ("user", "assistant")
        return not is_message or bool(line.answered)


def _answered(message: Json) -> tuple[str, ...]:
    """The calls of tools that a message answers; none for one that says anything else."""
    parts = list_of(message.get("content"))
    if not all(isinstance(part, dict) and part.get("type") == "tool_result" for part in parts):
        return ()
    return tuple(filter(None, (text_of(object_of(part).get("tool_use_id")) for part in parts)))


FORMAT = "claude-code"
YOU = Author(None, "You", "human")
TOOL = model_author("claude-code:tool", "tool")
SYSTEM = model_author("claude-code:system", "System")
SYNTHETIC = "<synthetic>"  # in the place of a model: what Claude Code says itself
PROGRAM = model_author("claude-code:program", "Claude Code")
_OF_NODE = ("uuid", "timestamp")  # of what a line says, what its node says
# The last title of the last kind counts.
_TITLES = {
    "summary": "summary",
    "ai-title": "aiTitle",
    "agent-name": "agentName",
    "custom-title": "customTitle",
}


def is_line(line: Json) -> bool:
    return "parentUuid" in line and "sessionId" in line


def read_session(lines: Iterable[Json]) -> Conversation:
    """The session: lines that are no messages are passed over, what follows them goes on from before them."""
    gathered, session = Gathered(), _Session()
    raw, gathered.renamed = with_own_ids(session.spoken(lines))
    named = {key: line.above for key, line in raw.items()}
    whole = joined_lines(raw, named if any(above in raw for above in named.values()) else in_a_row(raw))
    first_id, main = next(iter(raw), ""), [key for key, line in raw.items() if not line.is_sidechain]
    raw.clear()  # the lines of a long session and its messages would not be in memory together
    messages: dict[str, Message | None] = {}
    for key, parts in whole.lines.items():
        messages[key] = _message(parts, gathered)
        parts.clear()
    links = linked(messages, whole.above)
    one = links.conversation(
        FORMAT,
        session.id() or made_id(FORMAT, first_id),
        next(filter(None, (session.titles.get(kind) for kind in reversed(_TITLES))), ""),
        whole.first.get(session.last(main, whole.first, messages)),
    )
    gathered.put_into(one)
    one.losses += tuple(session.unread())
    if session.summaries:
        one.extra["summaries"] = session.summaries
    return one


class _Session:
    """Reads the lines of a session one by one, and what they say of all of it."""

    def __init__(self) -> None:
        self.titles: dict[str, str] = {}  # the last one of each kind
        self.summaries: list[Json] = []
        self._ids: dict[str, None] = {}
        self._agents: set[str] = set()  # helpers that its messages are of; "" for none
        self._gone_back_to = ""
        self._strange: Counter[str] = Counter()  # kinds of lines that hold a message
        self._beside: Counter[str] = Counter()  # kinds of what the model was told beside the messages

    def spoken(self, lines: Iterable[Json]) -> Iterator[tuple[str, SessionLine]]:
        """Yield lines that are messages, or that others may name, with their ids."""
        for number, line in enumerate(lines, 1):
            kind = text_of(line.get("type"))
            self._take(kind, line)
            if (key := id_of(line.get("uuid"))) or kind in SPOKEN:
                yield key or f"line-{number}", line_of(_typed_meanwhile(line))

    def _take(self, kind: str, line: Json) -> None:
        if session_id := id_of(line.get("sessionId")):
            self._ids[session_id] = None
        if kind in SPOKEN:
            self._agents.add(id_of(line.get("agentId")) if line.get("isSidechain") is True else "")
            return
        if kind in _TITLES and (title := title_of(line.get(_TITLES[kind]))):
            self.titles[kind] = title
        if kind == "summary":
            self.summaries.append(kept(line))
        elif kind == "attachment" and not _is_queued(line):
            self._beside[text_of(object_of(line.get("attachment")).get("type"), kind)] += 1
        elif kind == "last-prompt" and (leaf := id_of(line.get("leafUuid"))):
            self._gone_back_to = leaf if line.get("explicit") is True else ""
        if line.get("message"):
            self._strange[kind or "line"] += 1

    def id(self) -> str:
        """The id of the session; a helper's, whose file names the session that called it, has its own
        behind it.
        """
        session_id = next(iter(self._ids), "")
        if len(self._agents) == 1 and (agent := next(iter(self._agents))):
            return f"{session_id}-{agent}"
        return session_id

    def last(
        self, main: Iterable[str], first: Mapping[str, str], messages: Mapping[str, Message | None]
    ) -> str:
        """The line that was read last: the one gone back to, if nothing was said since, or the last one of
        those that are no helper's.
        """
        if self._gone_back_to in first:
            return self._gone_back_to
        return next(reversed([key for key in main if messages[first[key]] is not None]), "")

    def unread(self) -> Iterator[Sentence]:
        """Yield one line for each kind of line that is no part of the conversation and seems to be one."""
        for kind, count in self._strange.items():
            words = "{count} × “{kind}” that holds a message is not read"
            yield worded(words, count=count, kind=well_formed(kind))
        if self._beside:
            words = "{count} × what the model was told beside the messages is not read ({kinds})"
            yield worded(words, count=self._beside.total(), kinds=well_formed(", ".join(self._beside)))


def _typed_meanwhile(line: Json) -> Json:
    """The line; one typed while the model was at work stands beside, and is a message of yours."""
    if not _is_queued(line):
        return line
    about = object_of(line.get("attachment"))
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


def _message(lines: Sequence[SessionLine], gathered: Gathered) -> Message | None:
    """The message of one line, or of several that are its parts."""
    line = lines[0]
    if not line.is_message:
        return None
    blocks: list[Block] = []
    thoughts: list[str] = []
    for part in lines:
        more, thought = _blocks(part.content, gathered)
        blocks += more
        thoughts += filter(None, (thought,))
    blocks = joined(blocks)
    if line.kind == "system" and not blocks:
        return None
    is_hidden = line.kind == "system" or line.is_summary
    gathered.hidden += is_hidden
    left = _left({name: item for name, item in line.left.items() if name not in _OF_NODE}, line.more)
    if len(lines) > 1:
        left["lines"] = [
            _left(_others(other.left, line.left), _others(other.more, line.more)) for other in lines[1:]
        ]
    return Message(
        _author(line, blocks),
        content_of(blocks),
        moment(line.at),
        is_excluded=is_hidden,
        interrupted=Interrupted("provider error") if line.is_error else None,
        keys=left,
        reasoning="\n\n".join(thoughts),
    )


def _left(left: Json, more: Json) -> Json:
    return {**left, "message": more} if more else left


def _others(value: Json, first: Json) -> Json:
    """The keys that are otherwise than in the first one."""
    return {name: item for name, item in value.items() if first.get(name) != item}


def _author(line: SessionLine, blocks: list[Block]) -> Author:
    if line.kind == "system":
        return SYSTEM
    if line.kind == "user":
        has_results = any(isinstance(block, ToolResult) for block in blocks)
        only_results = has_results and all(isinstance(block, ToolResult | Image) for block in blocks)
        return TOOL if only_results else YOU
    model = title_of(line.model)
    if model == SYNTHETIC:
        return PROGRAM
    return model_author(f"{FORMAT}:{model or 'assistant'}", model or "Claude")


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
                blocks += gathered.result(part)
            case "image":
                blocks.append(gathered.source_image(part))
            case other:
                gathered.count_unknown(text_of(other, "part"))
                blocks.append(Text(texts_of([part]), {"part": kept(part)}))
    return joined(blocks), "\n\n".join(filter(None, thoughts))


CLAUDE_CODE = LinesFormat("lines with “parentUuid” and “sessionId”", is_line, read_session)
