"""Trace of a run: what an agent said and did before its answer, kept with its node and never sent."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from loomapp.core.dataclass import dataclass
from loomapp.core.json_values import Json
from loomapp.core.model.change import Change, RowChange
from loomapp.core.model.entities import TRACE, Node
from loomapp.core.model.hashes import content_hash
from loomapp.core.model.raw_response import Evidence
from loomapp.core.response_text.rules import COMMAND
from loomapp.core.times import Milliseconds, iso_time

LONGEST_RESULT = 200  # characters of a result that are kept
LONGEST_ACTION = 80  # characters of a line among the recent actions


def said(text: str, at: Milliseconds) -> Json:
    """The entry for something that was said or thought, and is no command."""
    return {"at": iso_time(at), "line": text, "ok": None, "code": None, "result": None, "nodeIds": []}


def done(line: str, result: str, code: str | None, node_ids: Iterable[str], at: Milliseconds) -> Json:
    """The entry for a command and what it came to; `code` is that of its error."""
    return {
        "at": iso_time(at),
        "line": line,
        "ok": code is None,
        "code": code,
        "result": result[:LONGEST_RESULT],
        "nodeIds": list(node_ids),
    }


def action(line: str, *, is_done: bool) -> str:
    """A command as the recent actions tell it."""
    shown = line if len(line) <= LONGEST_ACTION else line[: LONGEST_ACTION - 1] + "…"
    return f"{shown} {'✓' if is_done else '✗'}"


def resting_on(change: Change, response: Evidence | None, action_id: str) -> Change:
    """A command's change as a part of its run, its new nodes resting on the first choice of the response that
    holds the command. Without a response they have no evidence.
    """
    change = replace(change, action=action_id)
    made = change.added_nodes()
    if response is None or not made:
        return change
    index = min(response.choices.values(), default=0)
    names = [node.id for node in made]
    evidence = replace(response, choices=dict.fromkeys(names, index), texts=dict.fromkeys(names, COMMAND))
    return replace(change, rows=tuple(_hashed(change.rows, evidence)), evidence=(evidence,))


def _hashed(rows: Iterable[RowChange], evidence: Evidence) -> Iterator[RowChange]:
    for row in rows:
        node = row.after
        if row.before is None and isinstance(node, Node):
            yield replace(row, after=replace(node, content_hash=content_hash(node, evidence.digest(node.id))))
        else:
            yield row


@dataclass(frozen=True, slots=True)
class TraceEntry:
    """One entry of a trace: a command and what it came to, or words that were said or thought."""

    line: str
    is_command: bool
    code: str | None = None
    result: str = ""
    node_ids: tuple[str, ...] = ()


def entries_of(node: Node) -> tuple[TraceEntry, ...]:
    """The trace that is kept with a node; nothing for most. What is no trace is passed over."""
    kept = node.extra.get(TRACE)
    entries = kept if isinstance(kept, list) else ()
    return tuple(found for entry in entries if (found := _entry(entry)) is not None)


def _entry(value: object) -> TraceEntry | None:
    match value:
        case {"line": str(line), **others}:
            ids, code, result = others.get("nodeIds"), others.get("code"), others.get("result")
            return TraceEntry(
                line,
                isinstance(others.get("ok"), bool),
                code if isinstance(code, str) else None,
                result if isinstance(result, str) else "",
                tuple(one for one in ids if isinstance(one, str)) if isinstance(ids, list) else (),
            )
        case _:
            return None
