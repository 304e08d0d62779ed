"""Opening a grove: made anew, for reading and writing, or for reading only."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from loomapp.core.errors import GroveError
from loomapp.core.sentences import worded
from loomapp.store import faults, schema
from loomapp.store.connections import open_engine
from loomapp.store.grove import create
from loomapp.store.grove.grove import Grove, UnownedGrove
from loomapp.store.migrations import migrate
from loomapp.store.opening.file_systems import is_networked
from loomapp.store.opening.look import is_there, look, wals_alone_beside
from loomapp.store.opening.other_names import refuse_second_name
from loomapp.store.opening.readers import readable_file

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
    create.create(path)
    return open_grove(path)


def open_grove(path: Path) -> Grove:
    """Open a grove for reading and writing; an older one is backed up and brought up to date first.

    Raises: GroveError missing, walAlone, empty, notAGrove, newerSchema, damaged, locked, readOnly,
    openElsewhere, foreignSchema, cannotOpen. The file is then byte for byte as before.
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
        backup = migrate.bring_up_to_date(path, looked.version)
        renewed = "{name} was brought up to date. As it was before, it is kept in {backup}."
        newer = worded(renewed, name=path.name, backup=backup)
        notice = worded("{one} {other}", one=notice, other=newer) if alone else newer
    for wal in wals_alone_beside(path):
        alone_beside = worded(WAL_ALONE, wal=wal, name=path.name)
        notice = worded("{one} {other}", one=notice, other=alone_beside) if notice else alone_beside
    with faults.named(path):
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
    with faults.named(path):
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
