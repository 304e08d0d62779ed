"""The chain of a change log: digests of its rows and entries, and links that each seal the one before.

All digests are SHA-256 in lower-case hexadecimal, of UTF-8; `+` joins with a line feed between:

- of a row: `key + digest of the row's text`. The key names the kind of the row and what it is about.
- of an entry: `scope + digest of its facts`. The scope is the number of its tree, empty if it has none; the
  facts are canonical JSON of [sequence, label, by, at, undoable, undoes, redoes, digest of its rows' digests,
  rest], the rest being the text of its body after the rows.
- a link: `link before + digest of the entry`; before the first link stands nothing.

Key and scope stand outside: a row whose text was deleted for good, or is not handed on, is represented by its
key and the digest of its text, an entry of another tree by its scope and the digest of its facts. What they
are about can still be seen, so that nothing that counts can be left out unseen.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import replace
from hashlib import sha256
from itertools import islice
from json.encoder import encode_basestring_ascii as quoted
from typing import Any, NamedTuple, cast

from loomapp.core.dataclass import dataclass
from loomapp.core.json_values import Json

START = ""  # what the first entry seals
_BEGINNING = '{"rows":['
_PART = 250  # rows whose texts are joined at once
_write = json.JSONEncoder(separators=(",", ":")).encode
_write_facts = json.JSONEncoder(separators=(",", ":"), ensure_ascii=False).encode  # canonical: it has no keys
_read = json.JSONDecoder().raw_decode

_BROKEN = (ValueError, TypeError, LookupError, AttributeError, RecursionError)

# Kind of a row -> where its state says what it is about; a node's row says it in a place of its own.
_ABOUT: Mapping[str, tuple[str, ...]] = {
    "edge": ("to",),
    "branchSummary": ("nodeId",),
    "contextSummary": ("anchorNodeId",),
    "agentMemory": ("agentId",),
    "agent": ("id",),
    "file": ("tree",),
    "touched": ("tree",),
    "gone": ("tree",),
}


class LogFacts(NamedTuple):
    """The facts of an entry of the change log, but for what it changed."""

    sequence: int
    tree: int | None
    label: str
    by: str
    at: int
    undoable: bool
    undoes: int | None = None
    redoes: int | None = None


@dataclass(frozen=True, slots=True)
class LogBody:
    """The body of an entry as the log keeps it: its text, its rows as values, and the digest of all rows.

    A row that was emptied is a JSON object of its key and the digest of its text, see `emptied`.
    """

    text: str
    rows: tuple[object, ...]
    digest: str
    rest: str


def body_of(rows: Iterable[object], more: Json) -> LogBody:
    """The body of rows and of what else is said with them."""
    rows = tuple(rows)
    return replace(body_of_many(rows, more), rows=rows)


def body_of_many(rows: Iterable[object], more: Json) -> LogBody:
    """Write the body of a log entry row by row: each goes once it is written down."""
    return body_of_written(map(written, rows), more)


class WrittenRow(NamedTuple):
    """A row as the log writes it, and its key or, of one that was emptied, its digest."""

    text: str
    key: str
    digest: str = ""


def body_of_written(rows: Iterable[WrittenRow], more: Json) -> LogBody:
    parts: list[str] = []  # a large entry is not there as a hundred thousand texts beside its own
    digests = sha256()
    waiting = iter(rows)
    while part := list(islice(waiting, _PART)):
        told = [row.digest or _digest_of(row.key, row.text) for row in part]
        digests.update("\n".join(["", *told] if parts else told).encode())
        parts += ("," if parts else _BEGINNING, ",".join([row.text for row in part]))
    rest = "]" + ("," + _write(more)[1:] if more else "}")
    parts.append(rest if parts else _BEGINNING + rest)
    return LogBody("".join(parts), (), digests.hexdigest(), rest)


_NEW_NODE: list[object] = ["node", None, {}]


def _written(row: Any) -> str:
    """Write a row down as JSON; those of new nodes and plain new edges, of which a tree has very many, at a
    quarter of the cost.
    """
    if isinstance(row, list) and len(row) == 5 and row[:3] == _NEW_NODE and isinstance(row[4], str):
        return new_node(row[3], row[4]).text
    if isinstance(row, list) and len(row) == 3 and row[0] == "edge" and row[1] is None:
        after = row[2]
        sources = after["from"]
        if len(after) == 4 and len(sources) == 1 and isinstance(sources[0], str):
            return new_edge(after["id"], sources[0], after["to"], after["at"]).text
    return _write(row)


def new_node(node_id: str, seal: str) -> WrittenRow:
    """The row of a new node of which nothing out of the ordinary is said."""
    name = quoted(node_id)
    return WrittenRow(f'["node",null,{{}},{name},{quoted(seal)}]', f'["node",{name}]')


def new_edge(edge_id: str, source_id: str, target_id: str, at: int) -> WrittenRow:
    """The row of a new edge that leads on from one node, likewise."""
    target = quoted(target_id)
    ends = f'"from":[{quoted(source_id)}],"to":{target}'
    text = f'["edge",null,{{"id":{quoted(edge_id)},{ends},"at":{at}}}]'
    return WrittenRow(text, f'["edge",{target}]')


def written(row: object) -> WrittenRow:
    """Any row, likewise."""
    text = _written(row)
    return WrittenRow(text, "", _row_digest(row, text))


def with_rows(body: LogBody, rows: Iterable[object]) -> str:
    """Write a body with other rows, such as emptied ones; one that could not be read stays as it is."""
    if not body.text.startswith(_BEGINNING):
        return body.text
    return f"{_BEGINNING}{','.join(map(_write, rows))}{body.rest}"


def body_as_found(text: object) -> LogBody:
    """A body out of the log; one that cannot be read has no rows, and its digest is that of all its text."""
    try:
        return read_body(cast(str, text))
    except _BROKEN:
        return LogBody(str(text), (), digest(str(text)), str(text))


def read_body(text: str) -> LogBody:
    """A body out of the log. Raises: ValueError, and what a row of a wrong shape raises."""
    if not text.startswith(_BEGINNING):
        raise ValueError("the body of an entry does not begin with its rows")
    rows: list[object] = []
    digests: list[str] = []
    at = len(_BEGINNING)
    is_more = not text.startswith("]", at)
    while is_more:
        row, end = _read(text, at)
        if isinstance(row, dict) and text[at:end] != _written({"of": row["of"], "digest": row["digest"]}):
            raise ValueError("an emptied row says more than its key and a digest")
        rows.append(row)
        digests.append(_row_digest(row, text[at:end]))
        is_more = text[end : end + 1] == ","
        at = end + 1 if is_more else end
    if not text.startswith("]", at):
        raise ValueError("the rows of an entry are not parted by commas")
    return LogBody(text, tuple(rows), digest("\n".join(digests)), text[at:])


def rest_of(body: LogBody) -> Json:
    """Return everything in a body beside its rows. Raises: ValueError."""
    return cast(Json, json.loads("{" + body.rest[1:].removeprefix(",")))


def key_of(row: Any) -> str:
    """The key of a row: its kind, and the nodes, agents or trees that it is about, as a JSON list."""
    if isinstance(row, dict):
        return str(row["of"])
    kind = row[0]
    if kind == "node":
        return f'["node",{quoted(str(row[3]))}]'
    before, after = row[1], row[2]
    if kind == "edge" and bool(before) != bool(after):  # nearly all the others
        return f'["edge",{quoted(str((before or after)["to"]))}]'
    names = _ABOUT.get(kind, ())
    about = {str(state[name]) for state in (before, after) if state for name in names}
    return "[" + ",".join(map(quoted, (kind, *sorted(about)))) + "]"


def emptied(row: object) -> Json:
    """Reduce a row whose text goes to its key and the digest of its text."""
    return cast(Json, row) if isinstance(row, dict) else {"of": key_of(row), "digest": digest(_write(row))}


def _row_digest(row: object, text: str) -> str:
    if isinstance(row, dict):
        return digest(f"{key_of(row)}\n{row['digest']}")
    return _digest_of(key_of(row), text)


def _digest_of(key: str, text: str) -> str:
    # Not by `digest`: there are very many. Keys are ASCII.
    told = sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
    return sha256(f"{key}\n{told}".encode()).hexdigest()


def facts_digest(facts: LogFacts, body: LogBody) -> str:
    """The digest of an entry without its scope."""
    told = [facts.sequence, *facts[2:], body.digest, body.rest]
    try:
        return digest(_write_facts(told))
    except TypeError:  # another hand left what is no JSON in a cell
        return digest(repr(told))


def entry_digest(tree: int | None, told: str) -> str:
    """The digest of an entry, of its tree's number and the digest of its facts."""
    return digest(f"{'' if tree is None else tree}\n{told}")


def link(before: str, entry: str) -> str:
    """The link of an entry: its digest and the link before it."""
    return digest(f"{before}\n{entry}")


def link_of(before: str, facts: LogFacts, body: LogBody) -> str:
    """The link of an entry that is known in full."""
    return link(before, entry_digest(facts.tree, facts_digest(facts, body)))


def digest(text: str) -> str:
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
