"""All that can be read of a damaged grove in a new file; the damaged one is never written."""

from __future__ import annotations

import shutil
import sqlite3
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import field, replace
from pathlib import Path

from sqlalchemy import Connection, Engine, event, func, select, update

from loomapp.core.dataclass import dataclass
from loomapp.core.edits.edit_context import EditContext
from loomapp.core.errors import GroveError
from loomapp.core.model.agent import Agent
from loomapp.core.progress import Progress, unheard
from loomapp.core.sentences import worded
from loomapp.files import beside
from loomapp.store import connections, migrations, schema, schema_versions, soundness
from loomapp.store.backups.backup import back_up, backups_of
from loomapp.store.connections import connect, open_engine
from loomapp.store.files.media import copy_media, media_folder
from loomapp.store.grove.grove import Grove
from loomapp.store.grove.open import OWNER_NAME, create, open_grove
from loomapp.store.identity import new_id, now
from loomapp.store.rows import chain
from loomapp.store.rows.grove_rows import insert_owner, put_agent
from loomapp.store.salvage import damaged_file, reattach
from loomapp.store.salvage.damaged_file import Row, greatest_key, readable_rows
from loomapp.store.salvage.repair import (
    SavedTree,
    close_gaps,
    drop_loose_ends,
    mend_log,
    mend_tree,
    mend_values,
)
from loomapp.temporary import TemporaryFolder, sweep_folders

BY = "repair"
ROWS_AT_ONCE = 1000  # between two words on how far it is
_TREE_IDS = select(schema.trees.c.tree_id).order_by(schema.trees.c.id)


@dataclass(frozen=True, slots=True)
class Salvaged:
    """The outcome of a salvage: rows of each table that were saved, and what was not."""

    path: Path
    saved: Mapping[str, int]
    lost: Mapping[str, int]  # at most: places that cannot be read need not have held a row
    trees: tuple[SavedTree, ...] = field(default=())
    unknown: tuple[str, ...] = ()  # tables of which nothing says how many rows they had

    @property
    def is_complete(self) -> bool:
        """Tell whether nothing is missing and nothing is damaged in the new file."""
        is_whole = not any(self.lost.values()) and not self.unknown
        return is_whole and all(tree.is_complete for tree in self.trees)

    def report(self) -> Iterator[str]:
        """Lines for a person: where the new file is, what it holds, what is lost."""
        yield f"what can be read is in {self.path}"
        for tree in self.trees:
            yield tree.report()
        for table, count in self.lost.items():
            if count:
                yield f"{table}: {self.saved.get(table, 0)} rows saved, up to {count} lost"
        for table in self.unknown:
            yield f"{table}: {self.saved.get(table, 0)} rows saved; nothing says how many there were"


def repair(path: Path, progress: Progress = unheard) -> Salvaged:
    """Write what can be read of a damaged grove to a new file beside it, with its media; of what Loomapp did
    not make, nothing. `progress` counts rows as that of `open_damaged`.

    Raises: GroveError damaged if no node can be read; full, readOnly, noBackup if there is no place for it.
    """
    with TemporaryFolder() as folder:
        found = salvage(path, folder / path.name, progress)
        to = _free_name(path)
        back_up(found.path, to)
        if media_folder(path).is_dir():
            copy_media(path, to)
        return replace(found, path=to)


def open_damaged(path: Path, progress: Progress = unheard) -> Grove:
    """Open a damaged grove for reading, with what can be read: a copy, which goes when it is closed.

    `progress` counts rows that were read, most of them twice, and knows of no end.

    Raises: GroveError damaged if no node can be read.
    """
    folder = TemporaryFolder()
    try:
        found = salvage(path, folder.path / path.name, progress)
        engine = open_engine(found.path, "immutable")
        event.listen(engine, "engine_disposed", _remover(folder))
        words = "{name} is damaged. It is open for reading, with what can be read of it."
        notice = worded(words, name=path.name)
        return Grove(path, engine, read_only=True, notice=notice)
    except BaseException:
        folder.close()
        raise


def salvage(path: Path, to: Path, progress: Progress = unheard) -> Salvaged:
    """Make a grove of what can be read of another, which is copied first and never touched.

    Raises: GroveError damaged if no node can be read.
    """
    with connections.named(path), TemporaryFolder() as folder:
        copy = _copied(path, folder)
        create(to)
        with closing(connect(to)) as target, closing(connect(copy)) as source:
            saved, lost = _move_rows(source, target, progress)
            unknown = tuple(_unknown(source))
            documents = tuple(_former_documents(source))
    if not saved["nodes"]:
        raise _nothing(path)
    return Salvaged(to, saved, lost, tuple(_mended(to, documents, progress)), unknown)


def _unknown(source: sqlite3.Connection) -> Iterator[str]:
    """The tables of which nothing says how many rows they had."""
    for table in schema_versions.tables_in(source):
        if table.name not in schema.NEVER_WRITTEN and greatest_key(source, table) is None:
            yield table.name


def _nothing(path: Path) -> GroveError:
    return GroveError(
        "damaged",
        worded("Nothing in {path} can be read; open a backup.", path=path),
        path=str(path),
        nothing=True,
    )


def _copied(path: Path, folder: Path) -> Path:
    sweep_folders(folder.parent)  # copies as large as groves, where a repair was killed
    copy = folder / path.name
    try:
        for ending in ("", "-wal"):
            file = beside(path, ending)
            if file.exists():
                shutil.copyfile(file, copy.with_name(copy.name + ending))
    except OSError as error:
        text = worded(
            "{path} cannot be copied aside ({why}); make room or look at its permissions.",
            path=path,
            why=error.strerror,
        )
        raise GroveError("noBackup", text, path=str(path)) from error
    if soundness.is_lost(copy):
        sisters = [backup.path for backup in backups_of(path)]
        if not damaged_file.put_back(copy, sisters):
            raise _nothing(path)
    return copy


def _move_rows(
    source: sqlite3.Connection, target: sqlite3.Connection, progress: Progress
) -> tuple[Counter[str], Counter[str]]:
    read = 0
    saved: Counter[str] = Counter()
    lost: Counter[str] = Counter()
    target.execute("PRAGMA foreign_keys=OFF")
    target.execute("BEGIN IMMEDIATE")
    target.execute("DELETE FROM agents")
    target.execute("DELETE FROM change_log")
    there = schema_versions.tables_in(source)
    for table in schema.metadata.sorted_tables:
        if table not in there:
            continue

        def count(name: str = table.name) -> None:
            lost[name] += name not in schema.NEVER_WRITTEN

        marks = ", ".join("?" for _ in table.columns)
        names = ", ".join(column.name for column in table.columns)
        insert = f"INSERT OR IGNORE INTO {table.name} ({names}) VALUES ({marks})"
        for row in readable_rows(source, table, count):
            saved[table.name] += target.execute(insert, row).rowcount
            read += 1
            if read % ROWS_AT_ONCE == 0:
                progress(read, 0)
    drop_loose_ends(target)
    close_gaps(target)
    target.execute("COMMIT")
    return saved, lost


def _former_documents(source: sqlite3.Connection) -> Iterator[Row]:
    """The rows of a table that new groves do not have."""
    table = schema.documents
    if table in schema_versions.tables_in(source):
        places = [table.columns.keys().index(name) for name in migrations.COLUMNS.split(", ")]
        rows = dict.fromkeys(readable_rows(source, table, lambda: None))
        yield from (tuple(row[place] for place in places) for row in rows)


def _mended(path: Path, documents: Sequence[Row], progress: Progress) -> Iterator[SavedTree]:
    engine = open_engine(path)
    try:
        with engine.execution_options(writes=True).begin() as connection:
            _give_an_owner(connection)
            _give_authors(connection)
            mend_values(connection)
            tree_ids = connection.execute(_TREE_IDS).scalars().all()
            pasts = {tree_id: mend_log(connection, tree_id) for tree_id in tree_ids}
            if not chain.is_whole(connection):
                reattach.mend(connection, BY)
    finally:
        engine.dispose()
    with open_grove(path) as grove:
        for number, (tree_id, past) in enumerate(pasts.items()):
            progress(number, len(pasts))
            yield mend_tree(grove, tree_id, past, EditContext(grove.owner.id, now(), new_id, by=BY))
        if documents:
            pen = EditContext(grove.owner.id, now(), new_id, by=BY)
            grove.add_tree(migrations.documents_tree(documents, pen))


def _give_an_owner(connection: Connection) -> None:
    """A grove belongs to one human; if that row is lost, to the first there is, or to a new one."""
    agents = schema.agents
    is_human = agents.c.type == "human"
    connection.execute(update(agents).where(~is_human).values(is_owner=False))
    if connection.execute(select(agents.c.id).where(agents.c.is_owner)).first() is not None:
        return
    first = connection.execute(select(func.min(agents.c.id)).where(is_human)).scalar_one()
    if first is None:
        insert_owner(connection, Agent(new_id(), OWNER_NAME, "human", loom_aware=True))
    else:
        connection.execute(update(agents).where(agents.c.id == first).values(is_owner=True))


def _give_authors(connection: Connection) -> None:
    """An agent for each author whose row is lost, called as it is known: by its id, as an import does."""
    author = schema.nodes.c.author_agent_id
    lost = select(author, func.min(schema.nodes.c.author_type)).group_by(author)
    lost = lost.where(author != "", author.not_in(select(schema.agents.c.agent_id)))
    for name, kind in connection.execute(lost).all():
        put_agent(connection, Agent(name, name, kind, loom_aware=kind == "human"))


def _free_name(path: Path) -> Path:
    number = 1
    while True:
        ending = "" if number == 1 else f"-{number}"
        to = path.with_name(f"{path.stem}-recovered{ending}{path.suffix}")
        if not to.exists() and not to.is_symlink():
            return to
        number += 1


def _remover(folder: TemporaryFolder) -> Callable[[Engine], None]:
    def remove(_engine: Engine) -> None:
        folder.close()

    return remove
