"""What is wrong with a grove file: structure, values, every hash, and all that the change log knows."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, TypeAlias

from sqlalchemy import Connection, select
from sqlalchemy.exc import SQLAlchemyError

from loomapp.core.content import images_of
from loomapp.core.errors import GroveError
from loomapp.core.provenance import ResponseDigest, content_hash
from loomapp.core.response_text.comparison import contradictions
from loomapp.core.tree import Tree
from loomapp.core.unpacking import UNREADABLE
from loomapp.store import change_log, lost_schema, reading, responses, schema, soundness
from loomapp.store.grove import Grove, read_grove
from loomapp.store.logged_marks import strange_marks
from loomapp.store.media import MediaFolder, media_folder
from loomapp.store.opening import look
from loomapp.store.soundness import BROKEN_VALUE
from loomapp.store.verification import verify_tree
from loomapp.store.ways import reader

Kind: TypeAlias = Literal["file", "structure", "value", "node", "mark", "tree", "media"]
_UNREADABLE = (*BROKEN_VALUE, sqlite3.Error, SQLAlchemyError)


@dataclass(frozen=True, slots=True)
class Problem:
    """Something that is not as it should be; `message` names the place."""

    kind: Kind
    message: str
    tree_id: str | None = None
    node_id: str | None = None


@dataclass(frozen=True, slots=True)
class Checked:
    """What a check came to; without problems the grove is sound."""

    path: Path
    trees: int
    nodes: int
    problems: tuple[Problem, ...]

    @property
    def is_damaged(self) -> bool:
        """Whether anything is wrong with the file itself; lost images no repair of it can bring back."""
        return any(problem.kind != "media" for problem in self.problems)


def check(path: Path) -> Checked:
    """Look at everything in a grove, changing nothing.

    Raises: GroveError missing, empty, notAGrove, newerSchema, locked, cannotOpen: what is no damage.
    """
    problems: list[Problem] = []
    trees = nodes = 0
    try:
        look(path)
        problems += _in_file(path)
        with read_grove(path) as grove:
            rows = grove.trees()
            for row in rows:
                nodes += row.node_count
                problems += _in_tree(grove, row.id)
            trees = len(rows)
            _ = grove.agents()
    except GroveError as error:
        if error.code == "notAGrove" and path.is_file() and lost_schema.was_a_grove(path):
            problems.append(Problem("file", f"{path} is damaged: its beginning is not that of a grove."))
        elif error.code == "damaged":
            problems.append(Problem("file", error.message))
        else:
            raise
    except _UNREADABLE as error:
        problems.append(Problem("file", f"{path} cannot be read: {error}"))
    return Checked(path, trees, nodes, tuple(dict.fromkeys(problems)))


def _in_file(path: Path) -> Iterator[Problem]:
    with reader(path, look(path).wanted_access) as connection:
        searches: Iterable[tuple[Kind, Callable[[sqlite3.Connection], Iterable[str]]]] = (
            ("structure", soundness.structure_faults),
            ("value", soundness.value_faults),
        )
        for kind, search in searches:
            try:
                for text in search(connection):
                    yield Problem(kind, text)
            except sqlite3.DatabaseError as error:
                yield Problem(kind, f"the file cannot be read to its end: {error}")


def _in_tree(grove: Grove, tree_id: str) -> Iterator[Problem]:
    try:
        for finding in verify_tree(grove, tree_id):
            if finding.verdict == "failed":
                text = f"node {finding.local_id or finding.node_id}: {finding.reason}"
                yield Problem("node", text, tree_id, finding.node_id)
        with grove.snapshot() as connection:
            tree = reading.read_tree(connection, tree_id)
            number = reading.tree_number(connection, tree_id)
            yield from _undone_nodes(connection, number, tree)
            for text in strange_marks(connection, number, tree):
                yield Problem("mark", text, tree_id)
            yield from _lost_images(grove, tree)
    except _UNREADABLE as error:
        yield Problem("tree", f"tree {tree_id} cannot be read: {error}", tree_id)


def _lost_images(grove: Grove, tree: Tree) -> Iterator[Problem]:
    """Images of which the bytes are not beside the grove, or not as they were."""
    media = MediaFolder(grove.path)
    known: dict[str, bool] = {}
    for node in tree.nodes.values():
        for image in images_of(node.content):
            if image.ref not in known:
                known[image.ref] = media.read(image.ref) is not None
            if not known[image.ref]:
                is_there = media.size(image.ref) is not None
                what = "is not what it was" if is_there else "is missing"
                text = f"node {node.local_id}: its image {image.ref} {what} in {media_folder(grove.path)}"
                yield Problem("media", text, tree.loom.id, node.id)


def _undone_nodes(connection: Connection, number: int, tree: Tree) -> Iterator[Problem]:
    """Nodes whose creation is undone: redo would bring them back, so they count."""
    columns = schema.nodes.c
    query = select(columns.node_id).where(columns.tree == number, ~columns.present)
    rules = change_log.read_texts(connection, number)
    undone = reading.read_nodes(connection, number, connection.execute(query).scalars().all())
    hidden = Tree(tree.loom, nodes=(*tree.nodes.values(), *undone.values()))
    digests: dict[str, ResponseDigest] = {}
    for item in responses.read_undone_evidence(connection, number):
        with suppress(*UNREADABLE):
            body = item.body
            digests |= item.digests()
            for node_id, reason in contradictions(hidden, item, body, rules):
                text = f"node {undone[node_id].local_id}, which is undone: {reason}"
                yield Problem("node", text, tree.loom.id, node_id)
    for node in undone.values():
        try:
            is_whole = content_hash(node, digests.get(node.id)) == node.content_hash
        except ValueError:
            is_whole = False
        if not is_whole:
            text = f"node {node.local_id}, which is undone, is not what was hashed"
            yield Problem("node", text, tree.loom.id, node.id)
