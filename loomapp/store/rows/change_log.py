"""The change log in the file: appending, and reading for undo, for other processes and for verification."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import field, replace
from itertools import chain, islice
from typing import Any, TypeAlias, cast

from sqlalchemy import Connection, Select, bindparam, case, func, insert, select, update
from sqlalchemy.exc import NoResultFound

from loomapp.core.dataclass import dataclass
from loomapp.core.edits.undo import UndoEntry
from loomapp.core.json_values import Json
from loomapp.core.model import log_chain
from loomapp.core.model.change import Change, ChangeKind, RowChange
from loomapp.core.model.entities import ActivePath
from loomapp.core.model.hashes import canonical_json
from loomapp.core.model.log_chain import LogBody, LogFacts, WrittenRow
from loomapp.core.model.raw_response import Evidence, begin_seal
from loomapp.core.times import Milliseconds
from loomapp.store.rows import log_rows
from loomapp.store.rows.log_rows import KnownNode, LoggedRow
from loomapp.store.schema import change_log, trees
from loomapp.store.statements import Statement

PART = 1000  # rows of a change that are written down at once


@dataclass(frozen=True, slots=True)
class Logged:
    """An entry of the log and what it changed; `responses` are seals of the evidence it came with, `texts`
    the rules by which its nodes took their texts from that.
    """

    entry: UndoEntry
    at: Milliseconds
    rows: list[LoggedRow]
    responses: Mapping[str, str]
    action: str = ""  # as of its Change
    texts: Mapping[str, str] = field(default_factory=dict)
    emptied: Sequence[Json] = ()  # what is left of rows whose text was deleted for good
    kind: ChangeKind = ""  # as of its Change

    def change(self, tree_id: str, known: KnownNode) -> Change:
        """The Change that was logged, without its evidence."""
        rows = log_rows.decode_all(self.rows, known)
        entry = self.entry
        return Change(
            tree_id,
            entry.label,
            self.at,
            rows,
            by=entry.by,
            undoable=entry.undoable,
            action=self.action,
            kind=self.kind,
        )


def append(connection: Connection, tree: int, change: Change, rows: Iterable[WrittenRow] = ()) -> int:
    """Write a change, and more `rows` of it, down as the newest of its tree; returns its sequence number."""
    if change.undoable:
        _ABANDON_UNDONE.run(connection, {"in_tree": tree})
    return _write(connection, tree, change, rows)


Own: TypeAlias = dict[int, tuple[RowChange, ...]]  # by step: the rows that are not what it says


def append_undo(connection: Connection, tree: int, change: Change, own: Own) -> int:
    """Write down that a change took steps back, each as an entry that says its own rows and, the first, the
    path: it then ends at a node that is there while another program follows. Gives the newest number.
    """
    first = next(iter(own))
    for step, rows in own.items():
        _SET_DONE.run(connection, {"step": step, "is_done": False})
        sequence = _write(connection, tree, _told(change, rows, has_path=step == first), undoes=step)
    return sequence


def append_redo(connection: Connection, tree: int, change: Change, own: Own) -> int:
    """Write down that a change brought steps back, as `append_undo` does, the path last."""
    last = next(reversed(own))
    for step, rows in own.items():
        _SET_DONE.run(connection, {"step": step, "is_done": True})
        sequence = _write(connection, tree, _told(change, rows, has_path=step == last), redoes=step)
    return sequence


def _told(change: Change, own: Sequence[RowChange], *, has_path: bool) -> Change:
    path = (row for row in change.rows if has_path and isinstance(row.row, ActivePath))
    return replace(change, rows=(*own, *path))


def _write(
    connection: Connection, tree: int, change: Change, rows: Iterable[WrittenRow] = (), **moved: int
) -> int:
    facts = (tree, change.label, change.by, change.at, change.undoable, *map(moved.get, ("undoes", "redoes")))
    return _seal(connection, facts, _body(change, rows))


def append_rows(
    connection: Connection, label: str, rows: Sequence[LoggedRow], *, by: str, at: Milliseconds
) -> int:
    """Write down rows that belong to no tree; returns the entry's sequence number."""
    return _seal(connection, (None, label, by, at, False, None, None), log_chain.body_of(rows, {}))


def _seal(connection: Connection, facts: tuple[Any, ...], body: LogBody) -> int:
    """Add an entry with the link that seals it and all before it; nobody else writes meanwhile."""
    sequence, link = _LAST.run(connection, {}).fetchone() or (0, log_chain.START)
    told = LogFacts(sequence + 1, *facts)
    values = dict(zip(_COLUMNS, told, strict=True))
    link = log_chain.link_of(link, told, body)
    values |= {"body": body.text, "done": True, "abandoned": False, "link": link}
    del body  # of a large import many megabytes
    _APPEND.run_taking(connection, values)
    return told.sequence


_COLUMNS = ("sequence", "tree", "label", "made_by", "made_at", "undoable", "undoes", "redoes")
_LAST = Statement(
    lambda: select(change_log.c.sequence, change_log.c.link).order_by(change_log.c.sequence.desc()).limit(1)
)
_APPEND = Statement(lambda: insert(change_log).values({c.name: bindparam(c.name) for c in change_log.c}))
_SET_DONE = Statement(
    lambda: (
        update(change_log).where(change_log.c.sequence == bindparam("step")).values(done=bindparam("is_done"))
    )
)
_ABANDON_UNDONE = Statement(
    lambda: (
        update(change_log)
        .where(change_log.c.tree == bindparam("in_tree"), change_log.c.undoable, ~change_log.c.abandoned)
        .where(~change_log.c.done)
        .values(abandoned=True)
    )
)


def _body(change: Change, rows: Iterable[WrittenRow]) -> LogBody:
    """The rows of a large change are written down part by part: they are never all there as values."""
    parts = (change.rows[i : i + PART] for i in range(0, len(change.rows), PART))
    own = (log_chain.written(row) for part in parts for row in log_rows.encode_all(part))
    more: Json = {}
    if change.evidence:
        more["responses"] = {item.id: seal(item) for item in change.evidence}
        if rules := {name: item.texts[name] for item in change.evidence for name in item.texts}:
            more["texts"] = rules
    if change.action:
        more["action"] = change.action
    if change.kind:
        more["kind"] = change.kind
    return log_chain.body_of_written(chain(own, rows), more)


def seal(evidence: Evidence) -> str:
    """A short digest of everything of a response but which nodes rest on it."""
    begun = evidence.seal_begun
    if begun is None:
        begun = begin_seal(evidence.id, evidence.provider, evidence.request_body)
    after = [
        evidence.request_id,
        evidence.model,
        dict(evidence.headers),
        evidence.started_at,
        evidence.ended_at,
        evidence.latency_ms,
        dict(evidence.usage),
        evidence.finish_reason,
        dict(evidence.extra),
    ]
    digest = begun.copy()  # one list goes on: what was sent stands in the middle of it, and may be long
    digest.update(b"," + canonical_json(after)[1:])
    digest.update(evidence.body_gzip)
    return digest.hexdigest()


# Reading


def newest(connection: Connection, tree: int) -> int:
    """The greatest sequence number of a tree, 0 if nothing was logged."""
    return cast(int, _NEWEST.run(connection, {"in_tree": tree}).fetchone()[0])


_NEWEST = Statement(
    lambda: select(func.coalesce(func.max(change_log.c.sequence), 0)).where(
        change_log.c.tree == bindparam("in_tree")
    )
)


def newest_of_all(connection: Connection) -> int:
    return cast(int, _NEWEST_OF_ALL.run(connection, {}).fetchone()[0])


_NEWEST_OF_ALL = Statement(lambda: select(func.coalesce(func.max(change_log.c.sequence), 0)))


_ENTRY = (
    change_log.c.sequence,
    change_log.c.label,
    change_log.c.made_by,
    change_log.c.undoable,
    change_log.c.done,
    change_log.c.abandoned,
    change_log.c.undoes,
    change_log.c.redoes,
)
LOGGED = (*_ENTRY, change_log.c.made_at, change_log.c.body)


def steps(connection: Connection, tree: int) -> Generator[UndoEntry, None, None]:
    """The steps that undo or redo may still move, newest first, read as far as they are asked for."""
    return _entries(_STEPS.run(connection, {"in_tree": tree}))


def _entries(found: sqlite3.Cursor) -> Generator[UndoEntry, None, None]:
    with closing(found) as rows:
        for sequence, label, by, undoable, done, abandoned, *moved in rows:
            yield UndoEntry(sequence, label, by, bool(undoable), bool(done), bool(abandoned), *moved)


def _movable() -> Select[Any]:
    of_tree = change_log.c.tree == bindparam("in_tree")
    return select(*_ENTRY).where(of_tree, change_log.c.undoable, ~change_log.c.abandoned)


_STEPS = Statement(lambda: _movable().order_by(change_log.c.sequence.desc()))


def done_steps(connection: Connection, tree: int) -> Generator[UndoEntry, None, None]:
    """The steps that undo may take back, newest first, read as far as they are asked for."""
    return _entries(_DONE_STEPS.run(connection, {"in_tree": tree}))


def undone_steps(connection: Connection, tree: int) -> Generator[UndoEntry, None, None]:
    """The steps that redo may bring back, the one that was undone last first, likewise."""
    return _entries(_UNDONE_STEPS.run(connection, {"in_tree": tree}))


_DONE_STEPS = Statement(lambda: _movable().where(change_log.c.done).order_by(change_log.c.sequence.desc()))
# All that is undone and not given up is newer than all that is done: a new step gives it up.
_UNDONE_STEPS = Statement(lambda: _movable().where(~change_log.c.done).order_by(change_log.c.sequence))


def read(connection: Connection, sequence: int) -> Logged:
    """Return one entry, its rows in full."""
    row = _READ.run(connection, {"of": sequence}).fetchone()
    if row is None:
        raise NoResultFound(f"no entry {sequence} in the change log")
    return entry_of(connection, row)


_READ = Statement(lambda: select(*LOGGED).where(change_log.c.sequence == bindparam("of")))


def rows_of_undos(connection: Connection, tree: int, steps: Sequence[int]) -> dict[int, list[LoggedRow]]:
    """Return, of several steps, what the entries that undid them last say themselves: own rows, and the path.
    They are looked for together: what undid them may lie far back in the log.
    """
    if not steps:
        return {}
    bodies: dict[int, str] = {}
    between = {"in_tree": tree, "first": min(steps), "last": max(steps)}
    with closing(_UNDOS.run(connection, between)) as newest_first:
        for step, body in newest_first:
            bodies.setdefault(step, body)
            if len(bodies) == len(steps):
                break
    every = {step: json.loads(bodies[step])["rows"] for step in steps if step in bodies}
    return {step: [row for row in rows if isinstance(row, list)] for step, rows in every.items()}


_UNDOS = Statement(
    lambda: (
        select(change_log.c.undoes, change_log.c.body)
        .where(change_log.c.tree == bindparam("in_tree"))
        .where(change_log.c.undoes.between(bindparam("first"), bindparam("last")))
        .order_by(change_log.c.sequence.desc())
    )
)


def read_after(connection: Connection, tree: int, sequence: int, most: int) -> list[Logged]:
    """The oldest entries of a tree that are newer than a sequence number, in order, their rows in full."""
    with closing(read_each(connection, tree, sequence)) as entries:
        return list(islice(entries, most))


def read_each(connection: Connection, tree: int, after: int = 0) -> Generator[Logged, None, None]:
    """The entries of a tree, oldest first, one in memory at a time."""
    with closing(_READ_EACH.run(connection, {"in_tree": tree, "after": after})) as rows:
        for row in rows:
            yield entry_of(connection, row)


_READ_EACH = Statement(
    lambda: (
        select(*LOGGED)
        .where(change_log.c.tree == bindparam("in_tree"), change_log.c.sequence > bindparam("after"))
        .order_by(change_log.c.sequence)
    )
)


def read_texts(connection: Connection, tree: int) -> dict[str, str]:
    """The rules by which nodes of a tree took their texts from responses, as far as they are recorded.

    Only the entries that came with responses are looked into; one that cannot be read says nothing.
    """
    found: dict[str, str] = {}
    for (said,) in _READ_TEXTS.run(connection, {"in_tree": tree}):
        rules = json.loads(said)
        found = {**rules, **found} if isinstance(rules, dict) else found
    return found


_TEXTS = case(
    (func.json_valid(change_log.c.body), func.json_extract(change_log.c.body, "$.texts")), else_=None
)
_READ_TEXTS = Statement(
    lambda: (
        select(_TEXTS)
        .where(change_log.c.tree == bindparam("in_tree"), change_log.c.body.like('%"texts":{"%'))
        .where(_TEXTS.is_not(None))
        .order_by(change_log.c.sequence)
    )
)


def read_all_after(connection: Connection, sequence: int) -> Iterator[tuple[str, int, Logged]]:
    """The entries of all trees after a sequence number, oldest first, with their tree's id and number."""
    query = (
        select(*LOGGED, change_log.c.tree, trees.c.tree_id)
        .join(trees, trees.c.id == change_log.c.tree)
        .where(change_log.c.sequence > sequence)
        .order_by(change_log.c.sequence)
    )
    for row in connection.execute(query):
        yield row.tree_id, row.tree, entry_of(connection, row[: len(LOGGED)])


def entry_of(connection: Connection, row: Sequence[Any]) -> Logged:
    """Return an entry of its columns, which are `LOGGED`, its rows in full."""
    sequence, label, by, undoable, done, abandoned, undoes, redoes, at, text = row
    entry = UndoEntry(sequence, label, by, bool(undoable), bool(done), bool(abandoned), undoes, redoes)
    body = json.loads(text)
    return logged(entry, at, body.pop("rows"), body, lambda step: read(connection, step).rows)


def logged(
    entry: UndoEntry,
    at: Milliseconds,
    rows: Iterable[object],
    more: Json,
    rows_of: Callable[[int], list[LoggedRow]],
) -> Logged:
    """An entry with its rows in full; of an undo or a redo they are those of the step that it moves, which
    `rows_of` knows. A row that was emptied says nothing.
    """
    rows = list(rows)
    told = [row for row in rows if isinstance(row, list)]
    emptied = [cast(Json, row) for row in rows if isinstance(row, dict)]
    if entry.undoes is not None:
        told = log_rows.with_own(log_rows.inverse(log_rows.without_path(rows_of(entry.undoes))), told)
    elif entry.redoes is not None:
        told = log_rows.with_own(log_rows.without_path(rows_of(entry.redoes)), told)
    responses = cast("Mapping[str, str]", more.get("responses", {}))
    texts = cast("Mapping[str, str]", more.get("texts", {}))
    action, kind = cast(str, more.get("action", "")), _kind(entry, more)
    return Logged(entry, at, told, responses, action, texts, emptied, kind)


# Entries of before kinds were written down have but their labels.
_KINDS_OF_LABELS: Mapping[str, ChangeKind] = {"Write": "write", "Split": "split", "Leave out spaces": "split"}


def _kind(entry: UndoEntry, more: Json) -> ChangeKind:
    """The kind of an entry's change, as it says or its label did before."""
    kind = more.get("kind")
    return kind if kind in ("write", "split") else _KINDS_OF_LABELS.get(entry.label, "")
