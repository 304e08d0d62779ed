"""Row-wise verification of plain trees, as imports nearly all are: none is made in memory for it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import field
from typing import Any

from sqlalchemy import BindParameter, Connection, bindparam, exists, or_, select

from loomapp.core.dataclass import dataclass
from loomapp.core.model.hashes import LONG, Finding, is_as_hashed, plain_content, plain_hash, proved
from loomapp.store import schema
from loomapp.store.checks.tree_verification import AS_USUAL, BROKEN_LOG, LoggedState, node_reason
from loomapp.store.rows.log_rows import plain_seal
from loomapp.store.rows.node_rows import PART, READ_EDGES, READ_NODES, hashes_of, node_of
from loomapp.store.statements import BrokenText, Statement, whole_texts


def plain_findings(connection: Connection, number: int, said: LoggedState) -> list[Finding] | None:
    """Return the findings of a tree that is plain and all as the change log says. None tells nothing of it:
    `tree_verification` does then, whatever it is that is out of the ordinary or wrong.

    Plain is a tree without responses, of which nothing is undone, and in which each node but the root
    continues one that was made before it, where it was when it came.
    """
    if not _is_plain(said) or _READ_OTHERS.run(connection, {"in_tree": number}).fetchone()[0]:
        return None
    try:
        with whole_texts(connection):
            rows = _PlainRows(said)
            findings = list(rows.findings(_rows(READ_NODES, connection, number)))
            rows.take_edges(_rows(READ_EDGES, connection, number))
    except (_NotPlainError, BrokenText, ArithmeticError, *BROKEN_LOG):
        return None
    return findings


def _is_plain(said: LoggedState) -> bool:
    """Tell whether a tree is plain by the change log."""
    if said.responses or said.seals.faults or said.first_edges.faults:
        return False
    came = said.first_sources
    return all(type(state) is tuple and came.get(state[1]) == state[0] for state in said.edges.values())


_IN_TREE: BindParameter[int] = bindparam("in_tree")
_READ_OTHERS = Statement(  # what no plain tree has
    lambda: select(
        or_(
            exists().where(schema.nodes.c.tree == _IN_TREE, ~schema.nodes.c.present),
            exists().where(schema.edges.c.tree == _IN_TREE, ~schema.edges.c.present),
            exists().where(schema.responses.c.tree == _IN_TREE),
        )
    )
)


def _rows(statement: Statement, connection: Connection, number: int) -> Iterator[Sequence[Any]]:
    with closing(statement.run(connection, {"in_tree": number})) as found:
        while part := found.fetchmany(PART):
            yield from part


class _NotPlainError(Exception):
    """Raised by a row that is not as nearly all are, or not what the change log says."""


_NOTHING_ELSE = [None, None, None, None, None, 0, None, 0, 0, None, None]  # after the parents of a usual node


@dataclass(slots=True)
class _PlainRows:
    """A tree's rows as they are read, by their numbers in the file, against the word of the change log."""

    said: LoggedState
    names: dict[int, str] = field(default_factory=dict)
    hashes: dict[int, str] = field(default_factory=dict)
    parents: dict[int, tuple[str, ...]] = field(default_factory=dict)  # hashes, until the edge was met

    def findings(self, rows: Iterable[Sequence[Any]]) -> Iterator[Finding]:
        """Yield the finding of each node. Raises: _NotPlainError, ValueError and others."""
        seals = self.said.seals.of
        for row, (name, state) in zip(rows, self.said.nodes.items(), strict=True):
            number, node_id, local_id, text, author_type, author_id, at, found, above, *others = row
            parents = hashes_of(above)
            if others == _NOTHING_ELSE and len(parents) == 1 and len(text) <= LONG:
                written, author = plain_content(text), (author_type, author_id)
                is_proved = state is AS_USUAL and plain_hash(written, parents[0], at, author) == found
                seal = plain_seal(written, local_id, author, at, found, parents)
                is_proved = is_proved and seal == seals[name]
            else:
                node = node_of(row)
                is_proved = is_as_hashed(node) and node.text == text and node_reason(node, self.said) is None
            if node_id != name or not is_proved:
                raise _NotPlainError
            self.names[number], self.hashes[number], self.parents[number] = name, found, parents
            yield Finding(name, local_id, *proved(author_type, None))

    def take_edges(self, rows: Iterable[Sequence[Any]]) -> None:
        """Compare each edge, and the nodes at its ends. Raises: _NotPlainError, ValueError and others."""
        names, hashes, parents = self.names, self.hashes, self.parents
        for row, (name, short) in zip(rows, self.said.edges.items(), strict=True):
            _, edge_id, target, at, source, kind, extra, role, more = row
            is_said = edge_id == name and short == (names[source], names[target], at)
            is_plain = kind == "continuation" and role == "primary" and extra is None and more is None
            if not (is_said and is_plain and source < target and parents.pop(target) == (hashes[source],)):
                raise _NotPlainError
        if any(parents.values()):
            raise _NotPlainError
