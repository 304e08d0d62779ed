"""Looking at a file before it is opened: whether it is a grove, of which version, all its own.

SQLite would apply it to whatever file has the name. Nothing in either file names the other, but the log does:
a grove whose own last step is gone once the -wal is applied was never written by that -wal. Nor was an older
state of the same grove, as a backup is, where steps are missing between its last one and the last that SQLite
counted: every change of a grove adds one. That state is not told from the grove's own where the steps between
lie all in pages that the -wal holds, too: at most the last few.
"""

from __future__ import annotations

import hashlib
import re
import sqlite3
from collections.abc import Mapping
from contextlib import closing, suppress
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple, NoReturn, TypeAlias

from loomapp.core.dataclass import dataclass
from loomapp.core.errors import GroveError
from loomapp.core.sentences import sentence, worded
from loomapp.files import BESIDE, beside, is_open_here
from loomapp.store import connections, schema, schema_versions
from loomapp.store.connections import Access, connect
from loomapp.store.opening.file_names import is_networked, is_writable
from loomapp.store.opening.readers import reader
from loomapp.store.schema_versions import making_statements

_SQLITE_MAGIC = b"SQLite format 3\0"
_MAGIC_AT = slice(68, 72)  # application_id in SQLite's header. Source: sqlite.org/fileformat2.html


@dataclass(frozen=True, slots=True)
class Looked:
    """A look at a grove file, which changed nothing."""

    path: Path
    version: int
    is_writable: bool
    reading_access: Access  # for what nobody can write
    foreign: tuple[str, ...] = ()  # what it holds that Loomapp did not make

    @property
    def is_sealed(self) -> bool:
        """Tell whether its change log is a chain, which begins with version 2."""
        return self.version >= schema.SEALED_FROM

    @property
    def wanted_access(self) -> Access:
        """Return how to read it: others may begin to write meanwhile; where nobody can, a plainer way will
        do.
        """
        return "query" if self.is_writable and not is_networked(self.path) else self.reading_access


def look(path: Path) -> Looked:
    """Look at a grove file without writing a byte to it or its folder.

    Raises: GroveError missing, walAlone, foreignWal, notAFileBeside, foreignJournal, empty, notAGrove,
    newerSchema, damaged, locked, cannotOpen.
    """
    alone = None
    if not is_open_here(path):  # closing a file lets go of the locks that this process has on it
        _look_at_header(path)
        alone = last_step(path)
    # With a -wal beside it the newest pages are there; without, nobody is writing.
    access: Access = "ro" if beside(path, "-wal").exists() else "immutable"
    with connections.named(path), reader(path, access) as connection:
        connection.execute("BEGIN")  # one moment: another program may bring it up to date meanwhile
        application_id, version = (
            connection.execute(f"PRAGMA {name}").fetchone()[0] for name in ("application_id", "user_version")
        )
        columns = _columns(connection)
        refuse_foreign_wal(path, alone, connection)
        is_known = application_id == schema.APPLICATION_ID and 1 <= version <= schema.VERSION
        foreign = foreign_in(connection, version) if is_known else ()
        instead = stands_for_a_table(connection, version) if is_known else None
    if application_id != schema.APPLICATION_ID:
        _refuse(path, "notAGrove", "is a database of another program, not a grove; choose another file")
    if version > schema.VERSION:
        what = worded(
            "was written by a newer Loomapp (format {version}, this one reads up to {known}); update "
            "Loomapp to open it",
            version=version,
            known=schema.VERSION,
        )
        _refuse(path, "newerSchema", what, version=version)
    if version < 1:
        _refuse(
            path,
            "damaged",
            worded("is damaged: it says that its format is {version}; open a backup", version=version),
        )
    if instead is not None:
        what = worded("is damaged: a view stands in place of its table {name}; open a backup", name=instead)
        _refuse(path, "damaged", what)
    if not schema_versions.columns_of(version) <= columns:
        _refuse(path, "damaged", "is damaged: some of its tables or columns are missing; open a backup")
    later = schema_versions.added_after(version)
    if later and later <= columns:
        _refuse(path, "damaged", "is damaged: its tables are newer than the format it names; open a backup")
    return Looked(path, version, is_writable(path) and is_writable(path.absolute().parent), access, foreign)


def is_there(path: Path) -> bool:
    """Tell whether there is a file. Raises: GroveError cannotOpen where its folder does not let that
    be seen.
    """
    try:
        return path.exists()
    except OSError as error:
        _refuse(
            path,
            "cannotOpen",
            worded("cannot be read ({why}); look at its name and its folder", why=error.strerror),
        )


def refuse_reserved_name(path: Path) -> None:
    """Refuse to make a file under a name that SQLite gives to its own beside another grove: it would read it
    into that one, or take it away.

    Raises: GroveError reservedName.
    """
    ending = next((one for one in BESIDE if path.name.casefold().endswith(one)), None)
    if ending is not None:
        words = "{path}: a name that ends in {ending} belongs to another grove; choose another name."
        raise GroveError("reservedName", worded(words, path=path, ending=ending), path=str(path))


def refuse_wal_alone(path: Path) -> None:
    """Refuse to make a file where the -wal of a grove lies whose file is gone: SQLite would throw it away, or
    read it into the new file, and it holds what was saved last.

    Raises: GroveError walAlone.
    """
    wal = beside(path, "-wal")
    if not is_there(path) and _has_bytes(wal):
        words = (
            "{path} is gone, but {wal} still lies there, and holds what was saved in it last. Put {name} "
            "back in that folder under this name and open it: then all of it is there. If nobody needs it "
            "any more, move {wal} away."
        )
        text = worded(words, path=path, name=path.name, wal=wal.name)
        raise GroveError("walAlone", text, path=str(path), what=wal.name)


def wals_alone_beside(path: Path) -> tuple[str, ...]:
    """Return the names of the -wal files in a grove's folder whose own groves are gone: a grove that was
    renamed under a program that was killed then is without what is in them.
    """
    try:
        files = sorted(path.absolute().parent.glob("*-wal"))
    except OSError:
        return ()
    return tuple(
        file.name
        for file in files
        if file != beside(path, "-wal")
        and not file.name.startswith(".")
        and _has_bytes(file)
        and not file.with_name(file.name.removesuffix("-wal")).exists()
    )


def _has_bytes(file: Path) -> bool:
    try:
        return file.stat().st_size > 0
    except OSError:
        return False


def _look_at_header(path: Path) -> None:
    refuse_wal_alone(path)
    if not is_there(path):
        _refuse(path, "missing", "does not exist; look at the name, or start a new grove")
    if not path.is_file():
        _refuse(path, "notAGrove", "is not a file; choose a grove file")
    try:
        with path.open("rb") as file:
            header = file.read(100)
    except OSError as error:
        _refuse(
            path, "cannotOpen", worded("cannot be read ({why}); look at its permissions", why=error.strerror)
        )
    if not header:
        _refuse(path, "empty", "is empty, not a grove; restore a backup, or remove it and start a new one")
    if not header.startswith(_SQLITE_MAGIC):
        _refuse(path, "notAGrove", "is not a grove; choose another file")
    if header[_MAGIC_AT] != schema.APPLICATION_ID.to_bytes(4, "big"):
        _refuse(path, "notAGrove", "is a database of another program, not a grove; choose another file")
    if not beside(path, "-wal").exists() and path.stat().st_size < _size_said(header):
        _refuse(path, "damaged", "is damaged: its end is missing; open a backup")


def _size_said(header: bytes) -> int:
    page_size = int.from_bytes(header[16:18], "big")  # 1 stands for 65536
    return (65536 if page_size == 1 else page_size) * int.from_bytes(header[28:32], "big")


def _columns(connection: sqlite3.Connection) -> set[tuple[str, str]]:
    query = "SELECT t.name, c.name FROM sqlite_schema t, pragma_table_info(t.name) c WHERE t.type = 'table'"
    return set(connection.execute(query))


def _refuse(path: Path, code: str, what: str, **details: object) -> NoReturn:
    raise GroveError(
        code, worded("{path} {what}.", path=path, what=sentence(what)), path=str(path), **details
    )


Name: TypeAlias = tuple[str, str]  # kind and name, as `sqlite_schema` has them
Made: TypeAlias = tuple[str, ...]  # the parts of a statement that makes something

# Tables that SQLite makes and keeps itself: the last numbers, and what ANALYZE counted.
_OF_SQLITE = {
    "sqlite_sequence": "CREATE TABLE sqlite_sequence(name,seq)",
    "sqlite_stat1": "CREATE TABLE sqlite_stat1(tbl,idx,stat)",
    "sqlite_stat4": "CREATE TABLE sqlite_stat4(tbl,idx,neq,nlt,ndlt,sample)",
}
LONGEST_NAME = 60  # characters that are told of a name
_AROUND_SIGNS = re.compile(r"\s*([(),])\s*")
_SIGNS = re.compile(r"([(),])")


def foreign_in(connection: sqlite3.Connection, version: int) -> tuple[str, ...]:
    """Return what a grove file of a version holds that Loomapp did not make, or made otherwise, each in some
    words.

    The statements that made each table and index are compared, so that an added column, a check, another
    collation or a virtual table is found too. Most files hold what a new one does, which their digest tells:
    to compile the statements takes as long as to open a file. Raises: sqlite3.Error.
    """
    if version == schema.VERSION and schema_digest(connection) == schema.AS_MADE:
        return ()
    ours, as_written = statements_of(version), _texts_of(version)
    query = "SELECT type, name, tbl_name, sql FROM sqlite_schema ORDER BY rowid"
    found = [
        _told(kind, name, table, is_known=(kind, name) in ours)
        for kind, name, table, sql in connection.execute(query)
        if not (kind == "index" and sql is None)  # of a constraint
        and as_written.get((kind, name)) != sql  # most need not be taken apart
        and ours.get((kind, name)) != _parts(sql)
    ]
    return tuple(dict.fromkeys(found))


def schema_digest(connection: sqlite3.Connection) -> str:
    """Return a digest of the statements that made what is in a file, but for the tables of SQLite itself.

    Raises: sqlite3.Error.
    """
    query = "SELECT type, name, tbl_name, sql FROM sqlite_schema ORDER BY type, name"
    digest = hashlib.sha256()
    for kind, name, table, sql in connection.execute(query):
        is_of_a_constraint = kind == "index" and sql is None
        if not is_of_a_constraint and _OF_SQLITE.get(name) != sql:
            digest.update(repr((kind, name, table, sql)).encode("utf-8", "surrogatepass"))
    return digest.hexdigest()


def stands_for_a_table(connection: sqlite3.Connection, version: int) -> str | None:
    """The name of a table of ours in whose place a view stands. Raises: sqlite3.Error."""
    views = connection.execute("SELECT name FROM sqlite_schema WHERE type = 'view'").fetchall()
    return next((name for (name,) in views if ("table", name) in statements_of(version)), None)


@lru_cache
def statements_of(version: int) -> Mapping[Name, Made]:
    """The statement that makes each table and index of a version, taken apart."""
    return {name: _parts(sql) for name, sql in _texts_of(version).items()}


@lru_cache
def _texts_of(version: int) -> Mapping[Name, str]:
    """The statements of the tables and indexes as SQLite keeps them in a file that this program made."""
    return {("table", name): sql for name, sql in _OF_SQLITE.items()} | dict(making_statements(version))


def _parts(sql: object) -> Made:
    """A statement, its columns in order and its constraints in any: SQLAlchemy keeps none among those."""
    text = _AROUND_SIGNS.sub(r"\1", " ".join(str(sql).split()))
    head, _, rest = text.partition("(")
    inside, _, tail = rest.rpartition(")")
    parts, depth = [""], 0
    for piece in _SIGNS.split(inside):
        depth += (piece == "(") - (piece == ")")
        if piece == "," and not depth:
            parts.append("")
        else:
            parts[-1] += piece
    is_constraint = [part.startswith("CONSTRAINT ") for part in parts]
    columns = (part for part, is_one in zip(parts, is_constraint, strict=True) if not is_one)
    constraints = (part for part, is_one in zip(parts, is_constraint, strict=True) if is_one)
    return (head, *columns, *sorted(constraints), tail)


def _told(kind: object, name: object, table: object, *, is_known: bool) -> str:
    kind = kind if kind in ("table", "view", "index", "trigger") else "entry"
    if is_known:
        return f"the {kind} {_quoted(name)} in another form"
    return f"the {kind} {_quoted(name)}" + (f" on {_quoted(table)}" if kind in ("index", "trigger") else "")


def _quoted(name: object) -> str:
    text = "".join(sign if sign.isprintable() else ascii(sign)[1:-1] for sign in str(name))
    return f"“{text if len(text) <= LONGEST_NAME else text[: LONGEST_NAME - 1] + '…'}”"


COUNTED = "(SELECT seq FROM sqlite_sequence WHERE name = 'change_log')"
LAST = f"SELECT sequence, made_at, sequence = {COUNTED} FROM change_log ORDER BY sequence DESC LIMIT 1"
THERE = "SELECT 1 FROM change_log WHERE sequence = ? AND made_at = ?"
MISSING = f"SELECT {COUNTED} - ? - (SELECT count(*) FROM change_log WHERE sequence > ?)"
FOREIGN = (
    "{wal} lies beside {path} and belongs to another file, which had this name before. Opened together, the "
    "two would be mixed. Move {wal} away, or put the file back that it belongs to; nothing was changed."
)


class LastEntry(NamedTuple):
    """The last entry of a log."""

    number: int
    made_at: int
    is_last_counted: int  # no later one was taken out again, as a repair may do


def last_step(path: Path) -> LastEntry | None:
    """Return the last step in the log of a file alone, without the -wal beside it; None if that has none, or
    the file cannot be read so.
    """
    with suppress(OSError, sqlite3.Error):
        if beside(path, "-wal").stat().st_size:
            with closing(connect(path, "immutable")) as alone:
                found = alone.execute(LAST).fetchone()
                return None if found is None else LastEntry(*found)
    return None


def refuse_foreign_wal(path: Path, last: LastEntry | None, together: sqlite3.Connection) -> None:
    """Refuse a file whose last step, or one after it, is not in what a connection reads, which applies the
    -wal.

    Raises: GroveError foreignWal.
    """
    if last is None:
        return
    with suppress(sqlite3.Error):  # a log that cannot be read is told of as what it is
        is_gone = together.execute(THERE, (last.number, last.made_at)).fetchone() is None
        if is_gone or (last.is_last_counted and _misses_steps(together, last.number)):
            wal = beside(path, "-wal").name
            text = worded(FOREIGN, wal=wal, path=path)
            raise GroveError("foreignWal", text, path=str(path), what=wal)


def _misses_steps(together: sqlite3.Connection, number: int) -> bool:
    """Tell whether steps after one are missing that were counted."""
    (missing,) = together.execute(MISSING, (number, number)).fetchone()
    return missing is not None and missing > 0
