"""Faults of SQLite and the file system, told as errors a person can act on."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from sqlalchemy.exc import DBAPIError

from loomapp.core.errors import GroveError, InvalidInput
from loomapp.core.sentences import sentence, worded

_BY_NAME = (  # the start of SQLite's name of an error, our code, what to tell
    ("SQLITE_BUSY", "locked", "is being written by another program; try again when it is done"),
    ("SQLITE_LOCKED", "locked", "is being written by another program; try again when it is done"),
    ("SQLITE_READONLY", "readOnly", "cannot be written; make it writable or copy it to another folder"),
    ("SQLITE_FULL", "full", "could not be saved: the disk is full; make room and try again"),
    ("SQLITE_IOERR", "ioError", "could not be read or written: the disk reports a fault or is full"),
    ("SQLITE_CORRUPT", "damaged", "is damaged; open a backup, or copy it and let `loomapp check` look"),
    ("SQLITE_NOTADB", "notAGrove", "is not a grove; choose another file"),
    ("SQLITE_CANTOPEN", "cannotOpen", "cannot be opened; look at the permissions of the file and its folder"),
)


@contextmanager
def named(path: Path) -> Iterator[None]:
    """Turns SQLite's complaints about a grove into GroveError with one line that names the file.

    A text that is no Unicode becomes InvalidInput.
    """
    try:
        yield
    except DBAPIError as error:
        raise _fault(path, error.orig) from error
    except sqlite3.Error as error:
        raise _fault(path, error) from error
    except UnicodeEncodeError as error:
        text = worded(
            "A text for {name} holds half of a character ({character!a}); take it out.",
            name=path.name,
            character=error.object[error.start],
        )
        raise InvalidInput(text, path=str(path)) from error


def _fault(path: Path, error: BaseException | None) -> BaseException:
    name = getattr(error, "sqlite_errorname", "")
    for start, code, what in _BY_NAME:
        if name.startswith(start):
            return GroveError(
                code, worded("{path} {what}.", path=path, what=sentence(what)), path=str(path), sqlite=name
            )
    return (
        error if error is not None else GroveError("unknown", worded("{path} could not be used.", path=path))
    )
