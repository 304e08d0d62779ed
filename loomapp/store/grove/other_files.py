"""Other files of a grove's own: what they hold, drafts under another name, trees of a backup to keep."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Container, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from loomapp.core.dataclass import dataclass
from loomapp.core.errors import GroveError
from loomapp.core.model.agent import Agent
from loomapp.core.model.raw_response import Evidence
from loomapp.core.model.tree import Tree
from loomapp.store import connections
from loomapp.store.backups.retention import Backup
from loomapp.store.connections import open_engine
from loomapp.store.files import draft_folders, drafts
from loomapp.store.files.draft_claims import is_claimed
from loomapp.store.files.draft_folders import DisplacedGrove
from loomapp.store.files.drafts import DraftRow, drafts_folder
from loomapp.store.opening.look import look
from loomapp.store.opening.readers import reader
from loomapp.store.rows import grove_rows, tree_rows
from loomapp.store.rows.responses import drop_lost_claims, explained_evidence
from loomapp.store.rows.tree_list import Listing

NOTHING_THERE = frozenset({"missing", "walAlone", "empty", "notAGrove"})
STEPS = "SELECT sequence, made_at, made_by, label FROM change_log"


def tree_ids_in(path: Path) -> frozenset[str]:
    """The ids of its trees; none where no grove is. Raises: GroveError if it cannot be read."""
    try:
        with _reading(path) as connection:
            return frozenset(tree_id for (tree_id,) in connection.execute("SELECT tree_id FROM trees"))
    except GroveError as error:
        if error.code in NOTHING_THERE:
            return frozenset()
        raise


def holds_all(path: Path, of: Path) -> bool:
    """Tell whether the log of one grove has every step of another's; False if one cannot be read."""
    with suppress(GroveError):
        return not _steps(of) - _steps(path)
    return False


def _steps(path: Path) -> set[tuple[object, ...]]:
    with _reading(path) as connection:
        return set(connection.execute(STEPS))


@contextmanager
def _reading(path: Path) -> Iterator[sqlite3.Connection]:
    looked = look(path)
    with connections.named(path), reader(path, looked.wanted_access) as connection:
        yield connection


def drafts_elsewhere(grove: Path, trees: Container[str]) -> Iterator[tuple[Path, DraftRow]]:
    """List the drafts of these trees of a grove that lie under other names, each with its folder. What cannot
    be read is passed over.
    """
    for folder in draft_folders.other_folders(drafts_folder(grove)):
        with suppress(GroveError):
            yield from ((folder, row) for row in left_in(folder, grove, trees))
    for displaced in moved_here(grove):
        folder = drafts_folder(displaced.grove)
        with suppress(GroveError):
            yield from ((folder, row) for row in unclaimed_in(folder, grove, trees))


def left_in(folder: Path, grove: Path, trees: Container[str]) -> list[DraftRow]:
    """Return the drafts of these trees in a folder whose own grove is gone, or has not such a tree.

    Raises: GroveError if they, or that grove, cannot be read.
    """
    rows = unclaimed_in(folder, grove, trees)
    theirs = tree_ids_in(draft_folders.grove_of(folder)) if rows else frozenset()
    return [row for row in rows if row.slot.tree_id not in theirs]


def moved_here(grove: Path) -> list[DisplacedGrove]:
    """Return under which names this grove was when it was moved while it was open: there it goes on as well,
    and its drafts were not taken along yet.
    """
    return [
        displaced
        for displaced in draft_folders.displaced_groves()
        if displaced.has_drafts and displaced.moved is not None and _is_same(displaced.moved, grove)
    ]


def unclaimed_in(folder: Path, grove: Path, trees: Container[str]) -> list[DraftRow]:
    """Return the drafts of these trees in a folder that nobody still writes, and that the grove has not under
    the same slot already. Raises: GroveError.
    """
    own = drafts_folder(grove)
    return [
        row
        for row in drafts.read(folder)
        if row.slot.tree_id in trees
        and not (own / row.slot.file_name).exists()
        and not is_claimed(folder, row.slot)
    ]


def _is_same(one: Path, other: Path) -> bool:
    return os.path.realpath(one) == os.path.realpath(other)


@dataclass(frozen=True, slots=True)
class KeptTree:
    """A tree of a backup, the agents that it lists, and the responses its nodes rest on."""

    tree: Tree
    agents: Sequence[Agent]
    evidence: Sequence[Evidence]


def kept_trees(kept: Backup) -> Iterator[KeptTree]:
    """Read every tree of a backup, oldest first. Raises: GroveError."""
    with connections.named(kept.path):
        engine = open_engine(kept.path, "immutable")
    try:
        with connections.named(kept.path), engine.begin() as connection:
            for row in Listing().rows(connection):
                number = tree_rows.tree_number(connection, row.id)
                tree, evidence = (
                    tree_rows.read_tree(connection, row.id),
                    explained_evidence(connection, number),
                )
                drop_lost_claims(tree, evidence)
                yield KeptTree(tree, grove_rows.read_tree_agents(connection, number), evidence)
    finally:
        engine.dispose()
