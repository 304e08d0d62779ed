"""Other files of a grove's own: what they hold, drafts under another name, trees of a backup to keep."""

from __future__ import annotations

import logging
import os
import sqlite3
from collections.abc import Container, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from pathlib import Path

from sqlalchemy import Engine

from loomapp.core.dataclass import dataclass
from loomapp.core.errors import GroveError
from loomapp.core.model.agent import Agent
from loomapp.core.model.raw_response import Evidence
from loomapp.core.model.tree import Tree
from loomapp.core.sentences import Sentence, worded
from loomapp.files import Identity, connections_to, identity_of
from loomapp.store import connections
from loomapp.store.backups.backup import TAKEN_AWAY, Backup, back_up, backups_of
from loomapp.store.connections import connect, open_engine
from loomapp.store.files import draft_folders, drafts
from loomapp.store.files.draft_claims import is_claimed
from loomapp.store.files.draft_folders import DisplacedGrove
from loomapp.store.files.drafts import DraftRow, drafts_folder
from loomapp.store.opening.look import look
from loomapp.store.opening.readers import reader
from loomapp.store.rows import grove_rows, tree_rows
from loomapp.store.rows.grove_rows import Listing
from loomapp.store.rows.responses import drop_lost_claims, explained_evidence
from loomapp.store.statements import driver

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


NO_BACKUP = worded("there is no backup of it.")
SMALL_BYTES = 16 * 1024 * 1024  # is copied while a window closes, and nobody waits for that

_log = logging.getLogger(__name__)


def keep(path: Path, engine: Engine) -> Backup:
    """Make a backup of what the connection sees, which by now may be in no file with a name.

    Raises: GroveError as `back_up` does.
    """
    with engine.begin() as connection:
        return back_up(path, reason=TAKEN_AWAY, source=driver(connection))


def bring_back(kept: Backup, engine: Engine) -> bool:
    """Write what was kept over the grove, in one transaction, if the grove holds nothing else; else False."""
    connection = engine.raw_connection()
    try:
        target = connection.driver_connection
        assert isinstance(target, sqlite3.Connection), "groves are SQLite files"
        with closing(connect(kept.path, "immutable")) as ours:
            return _is_written_over(ours, target)
    finally:
        connection.close()


def bring_along(kept: Backup, moved: Path) -> bool:
    """Write what was kept over the grove where it lies by now. False, and nothing is written, if that holds
    anything else, or another program has it open: a file that somebody goes on with is theirs.
    """
    with closing(connect(kept.path, "immutable")) as ours:
        return _bring(ours, moved)


def bring_rest_along(path: Path, moved: Path, identity: Identity) -> None:
    """Write what a grove that was written again got after that to where its own file lies by now, too, on the
    same terms; of a large one the next start tells.
    """
    if identity_of(moved) != identity or connections_to(identity):
        return
    with suppress(OSError, GroveError):
        if path.stat().st_size <= SMALL_BYTES:
            with reader(path, look(path).wanted_access) as ours:
                _bring(ours, moved)


def _bring(ours: sqlite3.Connection, moved: Path) -> bool:
    try:
        with closing(connect(moved)) as target:
            target.execute("PRAGMA busy_timeout=0")
            target.execute("PRAGMA locking_mode=EXCLUSIVE")  # from the first reading on nobody else opens it
            return _is_written_over(ours, target)
    except sqlite3.Error as error:
        _log.info("%s was moved, and could not be written there: %s", moved, error)
        return False


def _is_written_over(ours: sqlite3.Connection, target: sqlite3.Connection) -> bool:
    if set(target.execute(STEPS)) - set(ours.execute(STEPS)):
        return False
    ours.backup(target)
    return True


def told_of_wal(path: Path) -> Sentence:
    """Say that the -wal was taken away, and nothing with it."""
    words = (
        "Another program took away a file in which {name} was being saved ({name}-wal). Loomapp has opened "
        "the grove again: all that you saved is in it. There is nothing to do; if it happens again, look "
        "which program cleans up or synchronises that folder."
    )
    return worded(words, name=path.name)


def told_of_file(path: Path, moved: Path | None = None) -> Sentence:
    """Say that the grove itself was gone and is there again; `moved` is where it lies by now, if all that was
    saved could be written there, too.
    """
    if moved is not None:
        words = (
            "{name} was moved to {place} while it was open. What was saved until then is in it there. "
            "Loomapp has also written that again under its old name, and goes on with that file. What you "
            "write here goes to {name}; words that are not saved yet come along if you open the moved file. "
            "To go on with that one, close this window now."
        )
        return worded(words, name=path.name, place=moved)
    words = (
        "{name} was moved or deleted while it was open. Loomapp has written all of it again under its old "
        "name. If you moved it, close this window, open the file where it is now, and compare."
    )
    return worded(words, name=path.name)


def told_of_parting(path: Path, kept: Backup) -> Sentence:
    """Say that another program has written meanwhile, and that both are in the grove."""
    words = (
        "Another program took away a file in which {name} was being saved, and wrote to the grove itself. "
        "Your messages were added to what it wrote; look whether all is as you want it. As you had it, the "
        "grove is kept in {backup}."
    )
    return worded(words, name=path.name, backup=kept.path)


def parted(path: Path) -> GroveError:
    """Refuse a change of a tree that has to be read again first."""
    text = worded("{name} was changed by another program and is read again. Do it once more.", name=path.name)
    return GroveError("parted", text, path=str(path))


def replaced(path: Path, kept: Backup) -> GroveError:
    """Refuse to write where another file has the grove's name."""
    words = (
        "Another file was put in the place of {name} while it was open. What you saved here is whole in "
        "{backup}: open that to go on with it. Nothing is written into the other file."
    )
    return GroveError("replaced", worded(words, name=path.name, backup=kept.path), path=str(path))


def overwritten(path: Path, wal: Path | None) -> GroveError:
    """Refuse to read or write a grove that another program wrote over in its place: what it held is gone but
    for its backups and the -wal.
    """
    words = (
        "Another program wrote another file over {name} while it was open. Nothing of yours is written into "
        "that file. Copy what you need from what is on the screen; {backup}"
    )
    last = next(iter(backups_of(path)), None)
    whole = worded("the last backup of the grove is {file}.", file=last.path) if last else NO_BACKUP
    text = worded(words, name=path.name, backup=whole)
    if wal is not None:
        rest = "{text} What was saved last is kept in {wal}, which only belongs to the file as it was."
        text = worded(rest, text=text, wal=wal.name)
    return GroveError("replaced", text, path=str(path))


def busy(path: Path) -> GroveError:
    """Refuse to write while something in this process still reads by the old connection."""
    text = worded("{name} is being opened again; what you do is saved in a moment.", name=path.name)
    return GroveError("locked", text, path=str(path))
