"""Path, notes, tags, links and summaries of a tree against the last word of the change log on them."""

from __future__ import annotations

from collections.abc import Iterator

from sqlalchemy import Connection

from loomapp.core.change import RowChange
from loomapp.core.errors import GroveError
from loomapp.core.rows import IncludedAnnotations, Node, Row
from loomapp.core.tree import Tree
from loomapp.core.wording import worded
from loomapp.store import change_log, log_rows, reading
from loomapp.store.log_rows import EDGE, NODE, TREE

_Key = tuple[str, str]
_NAMES = {
    "path": "the place where it was read last",
    "included": "the notes that are included",
    "tag": "the tag {0}",
    "link": "a link to {2}",
    "branchSummary": "the summary of the branch at {0}",
    "contextSummary": "a summary at {0}",
}


def strange_marks(connection: Connection, number: int, tree: Tree) -> Iterator[str]:
    """One line for each mark that is not what the log says. Of nodes and edges `verify_tree` tells."""
    said = _said(connection, number)
    here = {_key(row): log_rows.encode(RowChange(None, row))[2] for row in _marks(connection, number, tree)}
    for key in dict.fromkeys((*here, *(key for key, state in said.items() if state is not None))):
        if here.get(key) != said.get(key):
            kind, name = key
            yield f"{_NAMES[kind].format(*name.split(chr(0)))} is not what the change log says"


def _said(connection: Connection, number: int) -> dict[_Key, object]:
    said: dict[_Key, object] = {}
    for logged in change_log.read_each(connection, number):
        for row in logged.rows:
            if row[0] not in (NODE, EDGE, TREE):
                said[_key(log_rows.decode(row, _no_node).row)] = row[2]
    return {key: state for key, state in said.items() if state != []}  # no note included: as never said


def _no_node(node_id: str) -> Node:
    raise GroveError(
        "damaged",
        worded("The change log says something else of node {node_id}; open a backup.", node_id=node_id),
    )


def _marks(connection: Connection, number: int, tree: Tree) -> Iterator[Row]:
    yield reading.kept_path(connection, number, tree)
    if tree.included_annotations != IncludedAnnotations():
        yield tree.included_annotations
    for rows in (tree.tags, tree.links, tree.branch_summaries, tree.context_summaries):
        yield from rows.values()


def _key(row: Row) -> _Key:
    return log_rows.kind_of(row), row.key
