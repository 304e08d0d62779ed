"""Lines of Claude Code's sessions: the parts of one message, each on a line of its own, together again.

An answer of a model is written block by block, each a line with the same `message.id`; the result of each
tool it called is a line that names the line of that call as its parent. By parent ids alone two calls at
once would be two ways: here they are one message, and their results the one message that follows.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from sys import intern

from loomapp.core.dataclass import dataclass
from loomapp.core.json_values import Json
from loomapp.formats.foreign_values import id_of, kept, list_of, object_of, text_of

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
