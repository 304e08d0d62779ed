"""Other programs at the same grove: each a task with its arguments."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable
from contextlib import AbstractContextManager
from itertools import count
from pathlib import Path

from loomapp.core.edits import edit_context, node_edits
from loomapp.store.backups.backup import back_up, restore
from loomapp.store.grove.open import open_grove
from loomapp.store.identity import new_id, now
from loomapp.store.migrations import bring_up_to_date
from loomapp.store.salvage.salvage import repair
from tests.kit.processes import warm


def write_forever(path: str, tree_id: str) -> None:
    """Commits a node after another; prints its id once it is saved."""
    with open_grove(Path(path)) as grove:
        tree = grove.load_tree(tree_id)
        while True:
            pen = edit_context.EditContext(grove.owner.id, now(), new_id)
            change = node_edits.add_node(tree, tree.path.leaf_id, f"text at {pen.now}", pen)
            grove.commit(tree, change)
            print(change.added_nodes()[0].id, flush=True)


def write_many(path: str, tree_id: str, count: str) -> None:
    """Commits nodes below the root, hearing of what others commit meanwhile; prints their ids."""
    with open_grove(Path(path)) as grove:
        tree = grove.load_tree(tree_id)
        for _ in range(int(count)):
            pen = edit_context.EditContext(grove.owner.id, now(), new_id, by="another")
            change = node_edits.annotate(tree, tree.root_id, "a note", pen)
            grove.commit(tree, change)
            print(change.added_nodes()[0].id, flush=True)


def back_up_forever(path: str) -> None:
    """Backs up again and again; prints where to once a backup is there."""
    while True:
        print(back_up(Path(path)).path, flush=True)


def restore_forever(path: str, folder: str) -> None:
    """Makes a new grove of a backup again and again; prints where to once it is there."""
    for number in count():
        to = Path(folder) / f"{number}-{os.getpid()}.loom"
        print("begun", flush=True)
        restore(Path(path), to)
        print(to, flush=True)


def repair_forever(path: str) -> None:
    """Salvages a damaged grove again and again; prints where to once it is there."""
    while True:
        print("begun", flush=True)
        print(repair(Path(path)).path, flush=True)


def migrate(path: str) -> None:
    """Runs the test migrations from version 1."""
    from tests.store.old_groves import MIGRATIONS

    print("begun", flush=True)
    bring_up_to_date(Path(path), 1, MIGRATIONS)


def renew(path: str) -> None:
    """Brings a grove of version 1 up to date."""
    print("begun", flush=True)
    bring_up_to_date(Path(path), 1)


def leave_wal(path: str, tree_id: str, text: str) -> None:
    """Commits a node and ends as a killed program does: what it wrote is in the -wal alone."""
    grove = open_grove(Path(path))
    tree = grove.load_tree(tree_id)
    pen = edit_context.EditContext(grove.owner.id, now(), new_id)
    grove.commit(tree, node_edits.add_node(tree, list(tree.nodes)[-1], text, pen))
    os._exit(0)


def leave_journal(path: str) -> None:
    """Ends in the middle of what SQLite would roll back, as a killed program does."""
    database = sqlite3.connect(path, isolation_level=None)
    for statement in (
        "PRAGMA journal_mode=DELETE",
        "PRAGMA cache_size=1",
        "BEGIN",
        "UPDATE nodes SET summary = hex(zeroblob(30000))",
        "UPDATE change_log SET body = hex(zeroblob(30000))",
    ):
        database.execute(statement)
    os._exit(0)


TASKS: dict[str, Callable[..., None]] = {
    "write_forever": write_forever,
    "write_many": write_many,
    "back_up_forever": back_up_forever,
    "restore_forever": restore_forever,
    "repair_forever": repair_forever,
    "migrate": migrate,
    "bring_up_to_date": renew,
    "leave_wal": leave_wal,
    "leave_journal": leave_journal,
}


def program(task: str, *arguments: str) -> AbstractContextManager[warm.Started]:
    """A task in a process of its own, ended with the block."""
    return warm.program("store", task, *arguments)


def main(arguments: list[str]) -> None:
    """Do a task."""
    task, *rest = arguments
    TASKS[task](*rest)
