"""Trace of a run: what an agent said and did before its answer, kept with its node and never sent."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from loomapp.core.dataclass import dataclass
from loomapp.core.json_values import Json
from loomapp.core.model.change import Change, RowChange
from loomapp.core.model.entities import DECIDED, TRACE, Node
from loomapp.core.model.hashes import content_hash
from loomapp.core.model.raw_response import Evidence
from loomapp.core.response_text.rules import COMMAND
from loomapp.core.times import Milliseconds, iso_time

LONGEST_RESULT = 200  # characters of a result that are kept
LONGEST_ACTION = 80  # characters of a line among the recent actions
_OUTCOME = ("ok", "code", "result")
WAITS = "waits for a person to decide; go on meanwhile"


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


def decided(entries: Sequence[Json], line: str, result: str, code: str | None) -> list[Json]:
    """The entries once a person decided about the first of a command that waits."""
    waiting = (place for place, entry in enumerate(entries) if _waits(entry, line))
    first = next(waiting, None)
    came = _came(result, code)
    return [{**entry, **came} if place == first else entry for place, entry in enumerate(entries)]


def decided_node(node: Node, line: str, result: str, code: str | None) -> Node | None:
    """The answer of a run that is over, once a person decided about the first command in its trace that
    waits; None if none does. A trace stays as it was written: the decision stands in the metadata.
    """
    known = _decisions(node)
    for place, entry in enumerate(_kept(node)):
        if _waits(entry, line) and str(place) not in known:
            more = {**known, str(place): _came(result, code)}
            extra = {**node.metadata.extra, DECIDED: more}
            return replace(node, metadata=replace(node.metadata, extra=extra))
    return None


def _waits(entry: object, line: str) -> bool:
    return isinstance(entry, dict) and entry.get("line") == line and entry.get("result") == WAITS


def _came(result: str, code: str | None) -> Json:
    return {"ok": code is None, "code": code, "result": result[:LONGEST_RESULT]}


def _kept(node: Node) -> list[object]:
    kept = node.extra.get(TRACE)
    return kept if isinstance(kept, list) else []


def _decisions(node: Node) -> dict[str, object]:
    known = node.metadata.extra.get(DECIDED)
    return known if isinstance(known, dict) else {}


def action(line: str, *, is_done: bool) -> str:
    """A command as the recent actions tell it."""
    return f"{_shown(line)} {'✓' if is_done else '✗'}"


def waiting_action(line: str) -> str:
    """A command that is only proposed as yet, likewise."""
    return f"{_shown(line)} (waits for a person)"


def _shown(line: str) -> str:
    return line if len(line) <= LONGEST_ACTION else line[: LONGEST_ACTION - 1] + "…"


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
    """The trace that is kept with a node, with what was decided since; nothing for most. What is no trace is
    passed over.
    """
    known = _decisions(node)
    entries = (_with(entry, known.get(str(place))) for place, entry in enumerate(_kept(node)))
    return tuple(found for entry in entries if (found := _entry(entry)) is not None)


def _with(entry: object, came: object) -> object:
    """An entry that waited, with what came of it; nothing else of it is another by that."""
    if not isinstance(entry, dict) or entry.get("result") != WAITS or not isinstance(came, dict):
        return entry
    return {**entry, **{key: came[key] for key in _OUTCOME if key in came}}


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
