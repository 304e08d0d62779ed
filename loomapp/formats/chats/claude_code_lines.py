"""Lines of Claude Code's sessions: the parts of one message, each on a line of its own, together again.

An answer of a model is written block by block, each a line with the same `message.id`; the result of each
tool it called is a line that names the line of that call as its parent. By parent ids alone two calls at
once would be two ways: here they are one message, and their results the one message that follows.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from loomapp.core.json_values import Json
from loomapp.formats.foreign_values import id_of, list_of, object_of, text_of

SPOKEN = frozenset({"user", "assistant", "system"})


@dataclass(slots=True)
class JoinedLines:
    """Lines by the id of the first one of their message.

    `first` has that id for every line, `above` the message before each message, by such ids.
    """

    lines: dict[str, list[Json]] = field(default_factory=dict)
    first: dict[str, str] = field(default_factory=dict)
    above: dict[str, str | None] = field(default_factory=dict)


def joined_lines(raw: Mapping[str, Json], above: Mapping[str, str | None]) -> JoinedLines:
    """The messages of lines, which come in the order of their file; `above` is the line before each."""
    found = JoinedLines()
    joiner = _Joiner(raw, above, found.first)
    for key, line in raw.items():
        first = joiner.first_of(key, line)
        found.first[key] = first
        of_message = found.lines.setdefault(first, [])
        if first == key or all(one.get("message") != line.get("message") for one in of_message):
            of_message.append(line)
    for first in found.lines:
        before = above[first]
        found.above[first] = found.first.get(before, before) if before is not None else None
    return found


class _Joiner:
    """Finds the line that the message of each line begins with."""

    def __init__(
        self, raw: Mapping[str, Json], above: Mapping[str, str | None], first: Mapping[str, str]
    ) -> None:
        self._raw, self._above, self._first = raw, above, first
        self._answers: dict[str, list[str]] = {}  # the first lines of answers, by `message.id`
        self._results: dict[
            str, dict[str, set[str]]
        ] = {}  # by answer: first lines, and the calls they answer
        self._before: dict[str, str | None] = {}
        self._calls: dict[str, frozenset[str]] = {}  # that a line answers

    def first_of(self, key: str, line: Json) -> str:
        """An earlier line of the same message, or the line itself."""
        if name := _answer_id(line):
            return self._of_answer(key, line, self._answers.setdefault(name, []))
        calls = self._answered(key, line)
        before = self._message_before(key) if calls else None
        if before is None or not _answer_id(self._raw[before]):
            return key
        results = self._results.setdefault(before, {})
        first = next((one for one, known in results.items() if known.isdisjoint(calls)), key)
        results.setdefault(first, set()).update(calls)
        return first

    def _of_answer(self, key: str, line: Json, firsts: list[str]) -> str:
        before = self._message_before(key)
        for first in firsts:
            is_one = before in (first, self._message_before(first))
            if is_one and line.get("isSidechain") == self._raw[first].get("isSidechain"):
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
        is_message = line.get("type") in ("user", "assistant") and line.get("isMeta") is not True
        return not is_message or bool(self._answered(key, line))

    def _answered(self, key: str, line: Json) -> frozenset[str]:
        if key not in self._calls:
            self._calls[key] = _answered(line)
        return self._calls[key]


def _answer_id(line: Json) -> str:
    return id_of(object_of(line.get("message")).get("id")) if line.get("type") == "assistant" else ""


def _answered(line: Json) -> frozenset[str]:
    """The calls of tools that a line answers; none for a line that says anything else."""
    if line.get("type") != "user" or line.get("isMeta") is True:
        return frozenset()
    parts = list_of(object_of(line.get("message")).get("content"))
    if not all(isinstance(part, dict) and part.get("type") == "tool_result" for part in parts):
        return frozenset()
    return frozenset(filter(None, (text_of(object_of(part).get("tool_use_id")) for part in parts)))
