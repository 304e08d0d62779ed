"""RawApiResponses in the file: a row for each exchange, written once, and what rests on it."""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Container, Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from sqlalchemy import ColumnElement, Connection, LargeBinary, bindparam, cast, exists, insert, select

from loomapp.core.errors import InvalidInput
from loomapp.core.model.change import RowChange
from loomapp.core.model.entities import BranchSummary, ContextSummary, Summary
from loomapp.core.model.hashes import ResponseDigest
from loomapp.core.model.raw_response import UNREADABLE, Evidence, TooLarge, pieces_of, sha256_of, unpacked
from loomapp.core.model.tree import Tree
from loomapp.core.response_text.comparison import TOO_MUCH
from loomapp.core.sentences import worded
from loomapp.store.rows import change_log
from loomapp.store.schema import branch_summaries, context_summaries, node_responses, nodes, responses
from loomapp.store.statements import Statement, json_text, moment

MOST_REQUEST_BYTES = 16 << 20  # three times what the largest model takes in; images are not kept with it


def write_evidence(connection: Connection, number: int, evidence: Iterable[Evidence]) -> None:
    """Keep responses and which nodes rest on them. One that is kept already stays as it is.

    The nodes must be in the file. Raises: InvalidInput if a response names one that is not.
    """
    for item in evidence:
        kept = _FIND.run(connection, {"in_tree": number, "name": item.id}).fetchone()
        response = _ADD.run(connection, _values(number, item)).lastrowid if kept is None else kept[0]
        for node_id, index in item.choices.items():
            node = _FIND_NODE.run(connection, {"in_tree": number, "name": node_id}).fetchone()
            if node is None:
                raise InvalidInput(
                    worded(
                        "response {response}: node {node_id} is not in its tree",
                        response=item.id,
                        node_id=node_id,
                    ),
                    place=item.id,
                )
            if _FIND_CHOICE.run(connection, {"of_node": node[0]}).fetchone() is None:
                values = {"node": node[0], "response": response, "choice_index": index}
                _ADD_CHOICE.run(connection, values)


_FIND = Statement(
    lambda: select(responses.c.id).where(
        responses.c.tree == bindparam("in_tree"), responses.c.response_id == bindparam("name")
    )
)
_ADD = Statement(lambda: insert(responses).values({c.name: bindparam(c.name) for c in list(responses.c)[1:]}))
_FIND_NODE = Statement(
    lambda: select(nodes.c.id).where(
        nodes.c.tree == bindparam("in_tree"), nodes.c.node_id == bindparam("name")
    )
)
_FIND_CHOICE = Statement(
    lambda: select(node_responses.c.node).where(node_responses.c.node == bindparam("of_node"))
)
_ADD_CHOICE = Statement(
    lambda: insert(node_responses).values({c.name: bindparam(c.name) for c in node_responses.c})
)


_SUMMARIES = (BranchSummary, ContextSummary)


def claimed(rows: Iterable[RowChange]) -> frozenset[str]:
    """The names of the responses that summaries are said to rest on after some changes of rows."""
    after = (row.after for row in rows)
    found = (row.response_id for row in after if isinstance(row, _SUMMARIES))
    return frozenset(name for name in found if name is not None)


def check_claims(connection: Connection, number: int, rows: Iterable[RowChange]) -> None:
    """Raises: InvalidInput if a summary is said to rest on a response that is not kept with its tree."""
    for row in rows:
        summary = row.after
        if not isinstance(summary, _SUMMARIES) or summary.response_id is None:
            continue
        name = summary.response_id
        if _FIND.run(connection, {"in_tree": number, "name": name}).fetchone() is None:
            raise InvalidInput(
                worded("response {response}: a summary rests on it, and it is not kept", response=name),
                place=name,
            )


def drop_lost_claims(tree: Tree, evidence: Iterable[Evidence]) -> None:
    """Let the summaries of a tree that is to come in rest on what comes with it alone: a response may be lost
    where it comes from.
    """
    kept = {item.id for item in evidence}
    branches, contexts = tree.branch_summaries, tree.context_summaries
    rows: list[Summary] = [*branches.values(), *contexts.values()]
    lost = [row for row in rows if row.response_id is not None and row.response_id not in kept]
    for row in lost:
        if isinstance(row, BranchSummary):
            branches[row.key] = replace(row, response_id=None)
        else:
            contexts[row.key] = replace(row, response_id=None)


def _values(number: int, item: Evidence) -> dict[str, object]:
    return {
        "tree": number,
        "response_id": item.id,
        "provider": item.provider,
        "request_gzip": item.request_gzip,
        "body_gzip": item.body_gzip,
        "request_id": item.request_id,
        "model": item.model,
        "headers": json.dumps(dict(item.headers)),
        "started_at": item.started_at,
        "ended_at": item.ended_at,
        "latency_ms": item.latency_ms,
        "usage": json.dumps(dict(item.usage)),
        "finish_reason": item.finish_reason,
        "extra": json_text(dict(item.extra)),
    }


def has_response(connection: Connection, number: int, response_id: str) -> bool:
    """Tell whether a response was ever kept for a tree, also if its nodes were undone since."""
    query = select(responses.c.id).where(responses.c.tree == number, responses.c.response_id == response_id)
    return connection.execute(query).first() is not None


def read_evidence(connection: Connection, number: int, node_id: str) -> Evidence | None:
    """The response that a node rests on, with every node that rests on it; None if none was kept."""
    query = (
        select(node_responses.c.response)
        .join(nodes, nodes.c.id == node_responses.c.node)
        .where(nodes.c.tree == number, nodes.c.node_id == node_id)
    )
    kept = connection.execute(query).scalar_one_or_none()
    if kept is None:
        return None
    choices = _choices(connection, node_responses.c.response == kept)
    row = connection.execute(select(*_COLUMNS).where(responses.c.id == kept)).one()
    return _value(row, choices.get(kept, {}))


def read_all_evidence(connection: Connection, number: int) -> Iterator[Evidence]:
    """Every response that a node now in the tree or a summary rests on, oldest first, one in memory at a
    time.

    A response whose request cannot be unzipped any more is given with an empty one.
    """
    choices = _choices(connection, nodes.c.tree == number)
    yield from _read(connection, number, choices, names_of_summaries(connection, number))


def names_of_summaries(connection: Connection, number: int) -> frozenset[str]:
    """The names of the responses that summaries of a tree rest on, also of such as sleep."""
    names: set[str] = set()
    for table in (branch_summaries, context_summaries):
        query = select(table.c.response_id).where(table.c.tree == number, table.c.response_id.is_not(None))
        names.update(connection.execute(query).scalars())
    return frozenset(names)


def read_undone_evidence(connection: Connection, number: int) -> Iterator[Evidence]:
    """Read every response on which a node rests whose creation is undone, with these nodes alone."""
    undone = (nodes.c.tree == number) & ~nodes.c.present
    yield from _read(connection, number, _choices_of(connection, undone))


def read_named_evidence(connection: Connection, number: int, names: Container[str]) -> Iterator[Evidence]:
    """Read the responses of these names, whatever rests on them."""
    yield from _read(connection, number, {}, names)


def read_unrested_evidence(connection: Connection, number: int, response_id: str) -> Evidence:
    """A response that no node rests on. Raises: NoResultFound if it is not in the file."""
    query = select(*_COLUMNS).where(responses.c.tree == number, responses.c.response_id == response_id)
    return _value(connection.execute(query).one(), {})


def read_bodiless_evidence(connection: Connection, number: int) -> Iterator[Evidence]:
    """Every response that a node now in the tree rests on, oldest first, without what was sent and received:
    that may be megabytes, and nobody unzips it.
    """
    choices = _choices(connection, nodes.c.tree == number)
    query = select(*_PLAIN).where(responses.c.tree == number).order_by(responses.c.id)
    for row in connection.execute(query):
        if row.id in choices:
            yield _without_bodies(row, choices[row.id])


def _read(
    connection: Connection,
    number: int,
    choices: Mapping[int, Mapping[str, int]],
    names: Container[str] = (),
) -> Iterator[Evidence]:
    query = select(*_COLUMNS).where(responses.c.tree == number).order_by(responses.c.id)
    for row in connection.execute(query):
        if row.id in choices or row.response_id in names:
            yield _value(row, choices.get(row.id, {}))


def read_digests(connection: Connection, number: int) -> dict[str, ResponseDigest]:
    """Return what the hashes of a tree's nodes take from their responses; unreadable bodies are left out."""
    digests: dict[str, ResponseDigest] = {}
    choices = _choices(connection, nodes.c.tree == number)
    for response, body in connection.execute(select(responses.c.id, _BODY).where(responses.c.tree == number)):
        digest = body_digest(body)
        if digest is not None:
            resting = choices.get(response, {})
            digests.update((node_id, ResponseDigest(digest, index)) for node_id, index in resting.items())
    return digests


def body_digest(body_gzip: bytes) -> bytes | None:
    """SHA-256 of a response body, None if it cannot be unzipped any more."""
    try:
        return sha256_of(body_gzip)
    except UNREADABLE:
        return None


def why_not_as_received(item: Evidence) -> str:
    """Tell why the seal of a response is not that of the log; its request may be too much to read."""
    try:
        deque(pieces_of(item.request_gzip, MOST_REQUEST_BYTES), maxlen=0)
    except TooLarge as error:
        return f"the request of the response kept for it cannot be read: {error}, {TOO_MUCH}"
    except UNREADABLE:
        pass
    return "the response kept for it is not as it was received"


def ids_in_file(connection: Connection, number: int) -> dict[str, bool]:
    """Return every response that is kept with a tree, and whether any node rests on it, one that is undone
    too.
    """
    resting = exists().where(node_responses.c.response == responses.c.id)
    query = (
        select(responses.c.response_id, resting).where(responses.c.tree == number).order_by(responses.c.id)
    )
    return {response_id: bool(rests) for response_id, rests in connection.execute(query)}


def stray_faults(connection: Connection) -> Iterator[str]:
    """Nodes for which a response of another tree is said to be kept: it is read with neither tree."""
    query = (
        select(nodes.c.node_id)
        .select_from(node_responses)
        .join(nodes, nodes.c.id == node_responses.c.node)
        .join(responses, responses.c.id == node_responses.c.response)
        .where(nodes.c.tree != responses.c.tree)
        .order_by(nodes.c.id)
    )
    for node_id in connection.execute(query).scalars():
        yield f"a response of another tree is said to be kept for node {node_id}"


# A cast, because a hand with an SQL prompt may have left a text there.
_BODY = cast(responses.c.body_gzip, LargeBinary).label("body_gzip")
_REQUEST = cast(responses.c.request_gzip, LargeBinary).label("request_gzip")
_PLAIN = tuple(column for column in responses.c if column.name not in ("body_gzip", "request_gzip"))
_COLUMNS = (*_PLAIN, _BODY, _REQUEST)


def _choices(connection: Connection, which: ColumnElement[bool]) -> dict[int, dict[str, int]]:
    return _choices_of(connection, which & nodes.c.present)


def _choices_of(connection: Connection, which: ColumnElement[bool]) -> dict[int, dict[str, int]]:
    query = (
        select(node_responses.c.response, nodes.c.node_id, node_responses.c.choice_index)
        .join(nodes, nodes.c.id == node_responses.c.node)
        .where(which)
        .order_by(nodes.c.id)
    )
    found: dict[int, dict[str, int]] = {}
    for response, node_id, index in connection.execute(query):
        found.setdefault(response, {})[node_id] = index
    return found


def _value(row: Any, choices: Mapping[str, int]) -> Evidence:
    request = row.request_gzip
    return replace(
        _without_bodies(row, choices),
        request_body=_unzipped(request),
        body_gzip=row.body_gzip,
        zipped_request=request,
    )


def _without_bodies(row: Any, choices: Mapping[str, int]) -> Evidence:
    return Evidence(
        id=row.response_id,
        provider=row.provider,
        request_body="",
        body_gzip=b"",
        request_id=row.request_id,
        model=row.model,
        headers=_object(row.headers),
        started_at=moment(row.started_at),
        ended_at=moment(row.ended_at),
        latency_ms=row.latency_ms,
        usage=_object(row.usage),
        finish_reason=row.finish_reason,
        choices=choices,
        extra=_object(row.extra or {}),
    )


def _object(value: object) -> dict[str, Any]:
    """An object, or what another hand left in its place: verification names it."""
    return value if isinstance(value, dict) else {"unreadable": str(value)}


def _unzipped(request: bytes) -> str:
    try:
        return unpacked(request, MOST_REQUEST_BYTES).decode("utf-8", "surrogatepass")
    except (*UNREADABLE, UnicodeDecodeError):
        return ""


def explained_evidence(connection: Connection, number: int) -> list[Evidence]:
    """Return every response that a node of a tree or a summary rests on, oldest first, with the rules of the
    texts of nodes.
    """
    rules = change_log.read_texts(connection, number)
    return [item.with_texts(rules) for item in read_all_evidence(connection, number)]
