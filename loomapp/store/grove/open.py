"""Opening a grove: made anew, whole or not at all, for reading and writing, or for reading only."""

from __future__ import annotations

import errno
from collections.abc import Sequence
from contextlib import closing
from glob import escape
from pathlib import Path

from sqlalchemy import Connection

from loomapp.core.errors import GroveError
from loomapp.core.model.agent import Agent
from loomapp.core.sentences import worded
from loomapp.files import begin_private
from loomapp.store import connections, schema
from loomapp.store.connections import connect, open_engine
from loomapp.store.grove.grove import Grove
from loomapp.store.identity import new_id
from loomapp.store.opening.file_names import is_networked, is_writable, refuse_second_name
from loomapp.store.opening.look import (
    is_there,
    look,
    refuse_reserved_name,
    refuse_wal_alone,
    wals_alone_beside,
)
from loomapp.store.opening.readers import readable_file
from loomapp.store.rows import grove_rows
from loomapp.store.rows.grove_rows import AGENT
from loomapp.store.schema_versions import making_statements
from loomapp.temporary import sweep_parts

NOT_SEALED = worded(
    "It is of version 1 and not sealed yet: opening it for writing does that, after a backup."
)
STRANGE = "It holds what Loomapp did not make: {what}."
WAL_ALONE = (
    "{wal} lies beside {name}, but its own grove is gone. If that is this grove, which was renamed while it "
    "was open, what was saved in it last is only there: close it, give it its old name again, and open that."
)
MOST_NAMED = 3  # of what is strange in a file


def create_grove(path: Path) -> Grove:
    """Make a new grove file and open it. Raises: GroveError exists, readOnly, cannotOpen."""
    create(path)
    return open_grove(path)


def open_grove(path: Path) -> Grove:
    """Open a grove for reading and writing; an older one is backed up and brought up to date first.

    Raises: GroveError missing, walAlone, empty, notAGrove, newerSchema, damaged, locked, readOnly,
    openElsewhere, foreignSchema, notAFileBeside, foreignJournal, cannotOpen. The file is then byte for byte
    as before.
    """
    refuse_second_name(path)
    looked = look(path)
    if not looked.is_writable:
        text = worded(
            "{path} or its folder is read-only; make both writable, or open it for reading only.", path=path
        )
        raise GroveError("readOnly", text, path=str(path))
    if looked.foreign:
        raise _foreign(path, looked.foreign)
    alone = is_networked(path)
    shared = "{name} is in a network folder: only one program can have it open."
    notice = worded(shared, name=path.name) if alone else worded("")
    if looked.version < schema.VERSION:
        from loomapp.store import migrations  # late: a grove is brought up to date once

        backup = migrations.bring_up_to_date(path, looked.version)
        if backup is not None:
            renewed = "{name} was brought up to date. As it was before, it is kept in {backup}."
            newer = worded(renewed, name=path.name, backup=backup)
            notice = worded("{one} {other}", one=notice, other=newer) if alone else newer
    for wal in wals_alone_beside(path):
        alone_beside = worded(WAL_ALONE, wal=wal, name=path.name)
        notice = worded("{one} {other}", one=notice, other=alone_beside) if notice else alone_beside
    with connections.named(path):
        return Grove(path, open_engine(path, exclusive=alone), notice=notice, has_room=not alone)


def _foreign(path: Path, strange: Sequence[str]) -> GroveError:
    text = worded(
        "{path} holds what Loomapp did not make: {what}. That could change or hide words, so nothing is "
        "written to it; make a clean copy of it with `loomapp check --repair`, or only read it.",
        path=path,
        what=listed(strange),
    )
    return GroveError("foreignSchema", text, path=str(path), what=listed(strange), strange=list(strange))


def listed(strange: Sequence[str]) -> str:
    """The first of what is strange in a file, and how many more there are."""
    more = len(strange) - MOST_NAMED
    return "; ".join(strange[:MOST_NAMED]) + (f"; and {more} more" if more > 0 else "")


def read_grove(path: Path) -> Grove:
    """Open a grove for reading only, also one in a read-only place or of an older version, which stays as it
    is; no other file is left beside it.

    Raises: GroveError as `open_grove` does.
    """
    return _for_reading(path, Grove)


class UnownedGrove(Grove):
    """A grove for verification, which says itself what is wrong with the owner: nobody is read as such."""

    def read_owner(self, connection: Connection) -> None:
        pass


def read_unowned(path: Path) -> Grove:
    """Open a grove for verification likewise, also one whose owner another hand has changed."""
    return _for_reading(path, UnownedGrove)


def _for_reading(path: Path, kind: type[Grove]) -> Grove:
    looked = look(path)
    why = worded("" if looked.is_writable else ": it or its folder is protected against writing")
    notice = worded(
        "{name} is open for reading only{why}. Nothing new can be saved.", name=path.name, why=why
    )
    if not looked.is_sealed:
        notice = worded("{one} {other}", one=notice, other=NOT_SEALED)
    if looked.foreign:
        what = worded(STRANGE, what=listed(looked.foreign))
        notice = worded("{one} {other}", one=notice, other=what)
    with connections.named(path):
        readable = readable_file(path, looked.wanted_access)
        engine = open_engine(readable.file, readable.access)
        return kind(
            path,
            engine,
            read_only=True,
            notice=notice,
            readable=readable,
            is_sealed=looked.is_sealed,
            strange=looked.foreign,
        )


def open_or_create(path: Path) -> Grove:
    """Open a grove, or make it where nothing is. Raises: GroveError as `open_grove` does."""
    return open_grove(path) if is_there(path) else create_grove(path)


def open_as_far_as_possible(path: Path) -> Grove:
    """Open a grove, for reading only where it can't be written. Raises: GroveError as `open_grove` does."""
    try:
        return open_grove(path)
    except GroveError as error:
        if error.code != "readOnly":
            raise
        return read_grove(path)


OWNER_NAME = "You"


def create(path: Path) -> None:
    """Make a grove with its owner, and the folders above it. A crash in the middle leaves no grove there.

    Raises: GroveError exists, readOnly, cannotOpen, full, walAlone, reservedName, notAFileBeside,
    foreignJournal.
    """
    connections.refuse_no_files_beside(path)
    refuse_reserved_name(path)
    refuse_wal_alone(path)
    if path.is_symlink() and not is_there(path):
        text = worded(
            "{path} is a link to a place where nothing is; remove it, or choose another name.", path=path
        )
        raise GroveError("exists", text, path=str(path))
    if is_there(path):
        raise GroveError(
            "exists",
            worded("{path} exists already; open it, or choose another name.", path=path),
            path=str(path),
        )
    _make_folder(path)
    part = path.with_name(f".{path.name}.{new_id()}.part")
    sweep_parts(path.parent.glob(f".{escape(path.name)}.*.part*"))
    try:
        with connections.named(path):
            _begin(path, part)
            _build(part, wal=not is_networked(path))
        _publish(part, path)
    finally:
        for ending in ("", "-wal", "-shm", "-journal"):
            part.with_name(part.name + ending).unlink(missing_ok=True)


def _make_folder(path: Path) -> None:
    folder = path.absolute().parent
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        text = worded(
            "{folder} cannot be made ({why}); choose another folder for {name}.",
            folder=folder,
            why=error.strerror,
            name=path.name,
        )
        raise GroveError("readOnly", text, path=str(path), new=True) from error
    if not is_writable(folder):
        text = worded(
            "{folder} is read-only; choose another folder for {name}, or make it writable.",
            folder=folder,
            name=path.name,
        )
        raise GroveError("readOnly", text, path=str(path), new=True)


def _begin(path: Path, part: Path) -> None:
    """Make the file its owner's alone before SQLite has it; its journals get the same mode."""
    try:
        begin_private(part)
    except OSError as error:
        is_full = error.errno in (errno.ENOSPC, errno.EDQUOT)
        text = worded(
            "{path} cannot be made ({why}); make room, or choose another name or folder.",
            path=path,
            why=error.strerror,
        )
        raise GroveError("full" if is_full else "cannotOpen", text, path=str(path)) from error


def _build(part: Path, *, wal: bool) -> None:
    with closing(connect(part, create=True)) as connection:
        if wal:
            connection.execute("PRAGMA journal_mode=WAL")
    engine = open_engine(part)
    try:
        with engine.execution_options(writes=True).begin() as transaction:
            transaction.exec_driver_sql(f"PRAGMA application_id={schema.APPLICATION_ID}")
            transaction.exec_driver_sql(f"PRAGMA user_version={schema.VERSION}")
            cursor = transaction.connection.cursor()  # three times as fast as one of SQLAlchemy's for each
            for statement in making_statements(schema.VERSION).values():
                cursor.execute(statement)
            grove_rows.insert_owner(transaction, Agent(new_id(), OWNER_NAME, "human", loom_aware=True))
            owner = grove_rows.agent_states(transaction)
            grove_rows.log(transaction, "New grove", grove_rows.changed(AGENT, {}, owner))
    finally:
        engine.dispose()


def _publish(part: Path, path: Path) -> None:
    """Give the finished file its name, unless another program was faster."""
    try:
        path.hardlink_to(part)
    except FileExistsError as error:
        raise GroveError(
            "exists", worded("{path} exists already; open it.", path=path), path=str(path)
        ) from error
    except OSError:
        part.rename(path)  # a file system without hard links
