"""The file of an open grove: its transactions and locks, and what is kept where it is taken away."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from sqlalchemy import Connection, Engine
from sqlalchemy.pool import QueuePool

from loomapp.core.errors import GroveError
from loomapp.core.sentences import Sentence, worded
from loomapp.files import Identity, connections_to
from loomapp.store import connections
from loomapp.store.backups.backup import Backup, backups_of, restore
from loomapp.store.connections import checkpoint, close_leaving_wal, set_patience
from loomapp.store.files import draft_folders
from loomapp.store.files.draft_folders import DisplacedGrove
from loomapp.store.grove import other_files
from loomapp.store.identity import now
from loomapp.store.opening.file_locks import FileLocks, Whereabouts
from loomapp.store.opening.readers import ReadableFile

HURRIED_MS = 40  # a window's thread waits no longer, nor does quitting for each of a handful of answers


class GroveFile:
    """The file of a grove, read and written in transactions. Belongs to one thread, closed by `close`.

    `connected` is called in a transaction whenever a connection is made, `mended` when something that was
    taken away is there again, and `joined`, with what was kept, where another program wrote meanwhile.
    """

    def __init__(
        self,
        path: Path,
        engine: Engine,
        *,
        read_only: bool,
        readable: ReadableFile | None,
        connected: Callable[[Connection], None],
        mended: Callable[[Sentence], None],
        joined: Callable[[Backup], None],
    ) -> None:
        self.path, self.read_only, self.readable = path, read_only, readable
        self._connected, self._mended, self._joined = connected, mended, joined
        self._engine = engine
        self._writer = engine.execution_options(writes=True)
        self._wait_ms: int | None = None
        self._kept_apart: Backup | None = None  # while the grove's name leads nowhere, or to another file
        self._displaced: DisplacedGrove | None = None  # noted for the next start
        self._moved: tuple[Path, Identity] | None = None  # its own file, once it is written again
        self._set_aside: Path | None = None  # the -wal of one that was written over
        self._is_closed = False
        try:
            with connections.named(path), engine.begin() as connection:
                connected(connection)
        except BaseException:
            engine.dispose()  # else it stays open as long as what was raised is known
            if readable is not None:
                readable.close()
            raise
        self._locks = FileLocks(path if readable is None else readable.file)

    def close(self) -> None:
        """Bring everything into the one file and let go of it.

        A grove that was moved while it was open holds everything where it is now; one that was deleted, or
        that another program has opened where it is now, is written again under its old name. What was written
        under that name since then goes to both. Where another file has that name nothing is written into it:
        what this grove holds is kept as a backup.
        """
        try:
            with suppress(GroveError):  # what cannot be mended now is left as it lies
                if self._is_apart():
                    self._end_apart()
                else:
                    self.hold()
            if not self.read_only and self._locks.may_end_wal():
                with connections.named(self.path):
                    checkpoint(self._engine)
        finally:
            self._is_closed = True  # not before: what was kept may have to be written into the grove above
            if self._locks.may_end_wal():
                self._locks.release()
                self._engine.dispose()
            else:
                close_leaving_wal(self._engine)
            self._locks.close()
            if self.readable is not None:
                self.readable.close()
            if self._moved is not None:
                other_files.bring_rest_along(self.path, *self._moved)

    def hurry(self) -> None:
        """From now on do not wait for other programs that write: a window must not, and what it could
        not save is kept and tried again.
        """
        if not self.read_only:
            self._wait_ms = HURRIED_MS
            with connections.named(self.path):
                set_patience(self._engine, HURRIED_MS)

    def hold(self) -> None:
        """Take the locks on the file again if this process has lost them, and see that what was saved is in
        the folder: a window asks for it all the time, so that the next commit waits for nothing, and nobody
        is told "Saved" of what would be lost with the window.

        A grove that was renamed, moved or deleted is written again under its old name, and what it holds
        beyond its file is brought to where that is now, unless somebody else goes on with it there; `mended`
        is told. Where another file has the grove's name, what this one holds is kept as a backup and no file
        is written. One that is only read is left alone.

        Where another program wrote over the file in its place, its -wal is set aside, and it is read no more.

        Raises: GroveError locked, replaced, parted, and where what it holds could not be kept or written.
        """
        self._locks.take()
        if not self.read_only or self._locks.whereabouts() is Whereabouts.WAL_GONE:
            self._mend()

    def is_in_place(self) -> bool:
        """Tell whether the file of the grove's name, and the -wal beside it, are those that are open: else
        nobody in this process may read them by that name, as SQLite would mix the two.
        """
        return self._locks.whereabouts() is Whereabouts.IN_PLACE

    def saved_at(self) -> int:
        """Return when something was last written to the file, in milliseconds since the epoch; 0 if it is
        gone.
        """
        times = [0.0]
        for file in (self.path, self.path.with_name(f"{self.path.name}-wal")):
            with suppress(OSError):
                state = file.stat()
                if state.st_size:  # a log is made empty when the grove is opened
                    times.append(state.st_mtime)
        return int(max(times) * 1000)

    @contextmanager
    def snapshot(self) -> Iterator[Connection]:
        """A transaction that reads, for other parts of the store: the file as it is at one moment."""
        self._refuse_closed()
        with suppress(GroveError):  # what the connection sees can be read all the same
            if self._locks.whereabouts() is Whereabouts.WAL_GONE:
                self._mend()
        self._refuse_overwritten()
        with connections.named(self.path), self._engine.begin() as connection:
            yield connection

    @contextmanager
    def writing(self) -> Iterator[Connection]:
        """A transaction that nobody else can write beside."""
        self._refuse_closed()
        if self.read_only:
            text = worded(
                "{path} is open for reading only; make it writable or copy it to another folder.",
                path=self.path,
            )
            raise GroveError("readOnly", text, path=str(self.path))
        self._mend()
        with connections.named(self.path), self._writer.begin() as connection:
            yield connection
        self._locks.take()  # from here on nobody takes the -wal away; was it done a moment ago?
        self._mend()

    def _mend(self) -> None:
        """See that what is written is in the folder: where the file or its -wal is another one by now, what
        this grove holds is kept, a new connection made, and what is missing in the file written again.

        Raises: GroveError locked, replaced, parted, and where what it holds could not be kept.
        """
        where = self._locks.whereabouts()
        if where is Whereabouts.IN_PLACE:
            self._back_in_place()
            return
        self._refuse_overwritten()
        path = self.path
        if not self._is_alone():
            raise other_files.busy(path)
        if where is Whereabouts.REPLACED:
            kept = self._kept()
            self._note(kept, backup=kept.path)
            self._take_own_files_away()
            raise other_files.replaced(path, kept)
        if where is Whereabouts.GONE:
            self._write_again()
            return
        parted = None if self._locks.has_all_in_grove() else self._kept()
        close_leaving_wal(self._engine)
        self._locks.close()
        self._connect_anew()
        if parted is not None and not other_files.bring_back(parted, self._engine):
            self._joined(parted)
            self._mended(other_files.told_of_parting(path, parted))
            raise other_files.parted(path)
        self._mended(other_files.told_of_wal(path))

    def _refuse_closed(self) -> None:
        """Make no new connection to a grove that was closed: nobody would close it, and what SQLite keeps
        beside the file for it would stay there.

        Raises: GroveError closed.
        """
        if self._is_closed:
            text = worded("{path} was closed; open it again.", path=self.path)
            raise GroveError("closed", text, path=str(self.path))

    def _refuse_overwritten(self) -> None:
        """Neither read nor write what another program wrote over this grove, mixed with the -wal.

        Raises: GroveError replaced.
        """
        if self._locks.whereabouts() is Whereabouts.OVERWRITTEN:
            self._set_aside = self._locks.set_wal_aside() or self._set_aside
            self._note_overwritten()
            raise other_files.overwritten(self.path, self._set_aside)

    def _write_again(self) -> None:
        """Write a grove whose name leads nowhere again under that name, and what it holds beyond its file to
        where that is by now.
        """
        kept, moved = self._kept(), self._locks.moved_to()
        self._take_own_files_away()
        restore(kept.path, self.path)
        close_leaving_wal(self._engine)
        self._locks.close()
        is_along = moved is not None and other_files.bring_along(kept, moved)
        identity = self._locks.identity
        self._connect_anew()
        if moved is not None and identity is not None:
            self._moved = (moved, identity)
            self._note(kept, moved=moved)
        self._mended(other_files.told_of_file(self.path, moved if is_along else None))

    def _end_apart(self) -> None:
        """Close a grove whose name leads nowhere, or to another file; see `close`."""
        is_gone = self._locks.whereabouts() is Whereabouts.GONE
        kept, moved = self._kept(), self._locks.moved_to() if self._is_alone() else None
        self._take_own_files_away()
        close_leaving_wal(self._engine)
        self._locks.close()
        is_along = moved is not None and other_files.bring_along(kept, moved)
        if is_gone and not is_along:
            restore(kept.path, self.path)
        if not is_gone:
            self._note(kept, backup=kept.path, moved=moved if is_along else None)
        elif moved is not None:
            self._note(kept, moved=moved)

    def _note(self, kept: Backup, *, backup: Path | None = None, moved: Path | None = None) -> None:
        """Keep for the next start what became of the file: this window may be killed at any time."""
        of = None if backup is None else backup.absolute()
        displaced = DisplacedGrove(self.path.absolute(), kept.made_at, of, moved)
        if displaced != self._displaced:
            if self._displaced is not None and self._displaced.backup is not None and of is not None:
                draft_folders.forget_displaced(self._displaced)  # this one says more of the same
            draft_folders.note_displaced(displaced)
            self._displaced = displaced

    def _note_overwritten(self) -> None:
        """Keep for the next start that the file was written over, and what there is of it."""
        if self.read_only or (self._displaced is not None and not self._displaced.is_whole):
            return
        last = next(iter(backups_of(self.path)), None)
        backup = None if last is None else last.path.absolute()
        wal = None if self._set_aside is None else self._set_aside.absolute()
        self._displaced = DisplacedGrove(self.path.absolute(), now(), backup, is_whole=False, wal=wal)
        draft_folders.note_displaced(self._displaced)

    def _back_in_place(self) -> None:
        self._kept_apart = None
        if self._displaced is not None and self._displaced.backup is not None:
            draft_folders.forget_displaced(self._displaced)
            self._displaced = None

    def _is_apart(self) -> bool:
        where = self._locks.whereabouts()
        return not self.read_only and where in (Whereabouts.GONE, Whereabouts.REPLACED)

    def _take_own_files_away(self) -> None:
        """Remove what is only this grove's from beside its name, once all of it is kept: SQLite would read it
        into whatever file gets that name.
        """
        for file in self._locks.own_files_beside():
            with suppress(OSError):
                file.unlink()

    def _is_alone(self) -> bool:
        """Tell whether nothing else in this process has the file open: SQLite would go on with its
        old -shm.
        """
        pool, identity = self._engine.pool, self._locks.identity
        assert isinstance(pool, QueuePool), "see `open_engine`"
        return not pool.checkedout() and (identity is None or connections_to(identity) <= pool.checkedin())

    def _kept(self) -> Backup:
        """Keep what this grove holds, once until it is in its place again: nothing is written meanwhile."""
        if self._kept_apart is None or not self._kept_apart.path.exists():
            with connections.named(self.path):
                self._kept_apart = other_files.keep(self.path, self._engine)
        return self._kept_apart

    def _connect_anew(self) -> None:
        with connections.named(self.path):
            with self._engine.begin() as connection:
                self._connected(connection)
            if self._wait_ms is not None:
                set_patience(self._engine, self._wait_ms)
        self._locks = FileLocks(self.path)
        self._kept_apart = None
