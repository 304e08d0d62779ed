"""The grove: one file of loom trees, opened, read, and moved by Changes that other programs hear of."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import NoReturn, Self
from weakref import WeakKeyDictionary

from sqlalchemy import Connection, Engine, select
from sqlalchemy.dialects.sqlite import insert
from sqlalchemy.pool import QueuePool

from loomapp.core.edits import undo as history
from loomapp.core.edits.undo import Entry
from loomapp.core.errors import GroveError, LoomError
from loomapp.core.model.agent import Agent
from loomapp.core.model.change import Change, apply
from loomapp.core.model.hashes import ResponseDigest
from loomapp.core.model.raw_response import Evidence
from loomapp.core.model.tree import Tree
from loomapp.core.sentences import Sentence, worded
from loomapp.open_files import connections_to
from loomapp.store import faults, schema
from loomapp.store import undo as stepping
from loomapp.store.backups.backup import restore
from loomapp.store.backups.retention import Backup
from loomapp.store.connections import checkpoint, close_leaving_wal, open_engine, set_patience
from loomapp.store.grove import create, orphan
from loomapp.store.grove.tree_reader import TreeRead, TreeReading
from loomapp.store.migrations import migrate
from loomapp.store.opening.file_locks import FileLocks, Whereabouts
from loomapp.store.opening.file_systems import is_networked
from loomapp.store.opening.look import is_there, look, wals_alone_beside
from loomapp.store.opening.other_names import refuse_second_name
from loomapp.store.opening.readers import Way, way_to_read
from loomapp.store.rows import agents, chain, change_log, grove_rows, new_trees, responses, tree_rows
from loomapp.store.rows.chain import Head
from loomapp.store.rows.change_log import Logged
from loomapp.store.rows.grove_rows import AGENT, FILE, SETTING
from loomapp.store.rows.new_trees import Added
from loomapp.store.rows.tree_list import Listing, TreeRow
from loomapp.store.undo import Moved

NOT_SEALED = worded(
    "It is of version 1 and not sealed yet: opening it for writing does that, after a backup."
)
STRANGE = "It holds what Loomapp did not make: {what}."
WAL_ALONE = (
    "{wal} lies beside {name}, but its own grove is gone. If that is this grove, which was renamed while it "
    "was open, what was saved in it last is only there: close it, give it its old name again, and open that."
)
MOST_NAMED = 3  # of what is strange in a file


def told_to_nobody(_: Sentence) -> None:
    """The listener of a grove that nobody shows."""


HURRIED_MS = 40  # a window's thread waits no longer, nor does quitting for each of a handful of answers


def heard_by_nobody(_: Change) -> None:
    """The listener of a grove that nobody listens to."""


SOME = 50  # entries of the log that are read at once


@dataclass(frozen=True, slots=True)
class Stretch:
    """Several steps that were undone or redone in one transaction: what they moved together, how many they
    were, and why the next one was refused, if it was.
    """

    change: Change
    count: int
    refusal: LoomError | None = None


class Grove:
    """An open grove file. Belongs to one thread; made by the functions below, closed by `close` or by `with`.

    Every method may raise GroveError: the file cannot be read or written. `foreign` is called with each
    change of another program, once it is in memory and before anything newer is.
    """

    def __init__(
        self,
        path: Path,
        engine: Engine,
        *,
        read_only: bool = False,
        notice: str = "",
        way: Way | None = None,
        has_room: bool = False,
        is_sealed: bool = True,
        strange: Sequence[str] = (),
    ) -> None:
        self.path = path
        self._way = way
        self._has_room = has_room  # whether the file may be read beside this grove
        self.read_only = read_only
        self.is_sealed = is_sealed
        self.strange = tuple(strange)  # what the file holds that Loomapp did not make
        self.notice = notice
        self.foreign: Callable[[Change], None] = heard_by_nobody
        self.mended: Callable[[Sentence], None] = told_to_nobody
        self._engine = engine
        self._writer = engine.execution_options(writes=True)
        self._numbers: WeakKeyDictionary[Tree, int] = WeakKeyDictionary()
        self._seen: WeakKeyDictionary[Tree, int] = WeakKeyDictionary()
        self._listing = Listing()
        self._wait_ms: int | None = None
        self._kept_apart: Backup | None = None  # while the grove's name leads nowhere, or to another file
        try:
            with faults.named(path), engine.begin() as connection:
                self.owner = agents.read_owner(connection)
        except BaseException:
            engine.dispose()  # else it stays open as long as what was raised is known
            if way is not None:
                way.close()
            raise
        self._locks = FileLocks(path if way is None else way.file)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Bring everything into the one file and let go of it.

        A grove that was moved while it was open holds everything where it is now; one that was deleted, or
        that another program has opened where it is now, is written again under its old name. Where another
        file has that name nothing is written into it: what this grove holds is kept as a backup.
        """
        try:
            with suppress(GroveError):  # what cannot be mended now is left as it lies
                if self._is_apart():
                    self._end_apart()
                else:
                    self.hold()
            if not self.read_only and self._locks.may_end_wal():
                with faults.named(self.path):
                    checkpoint(self._engine)
        finally:
            if self._locks.may_end_wal():
                self._locks.release()
                self._engine.dispose()
            else:
                close_leaving_wal(self._engine)
            self._locks.close()
            if self._way is not None:
                self._way.close()

    def hurry(self) -> None:
        """From now on do not wait for other programs that write: a window must not, and what it could
        not save is kept and tried again.
        """
        if not self.read_only:
            self._wait_ms = HURRIED_MS
            with faults.named(self.path):
                set_patience(self._engine, HURRIED_MS)

    def hold(self) -> None:
        """Take the locks on the file again if this process has lost them, and see that what was saved is in
        the folder: a window asks for it all the time, so that the next commit waits for nothing, and nobody
        is told "Saved" of what would be lost with the window.

        A grove that was renamed, moved or deleted is written again under its old name, and what it holds
        beyond its file is brought to where that is now, unless somebody else goes on with it there; `mended`
        is told. Where another file has the grove's name, what this one holds is kept as a backup and no file
        is written. One that is only read is left alone.

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
        """When something was last written to the file, in milliseconds since the epoch; 0 if it is gone."""
        times = [0.0]
        for file in (self.path, self.path.with_name(f"{self.path.name}-wal")):
            with suppress(OSError):
                state = file.stat()
                if state.st_size:  # a log is made empty when the grove is opened
                    times.append(state.st_mtime)
        return int(max(times) * 1000)

    # Trees

    def trees(self) -> list[TreeRow]:
        """Every tree, also archived ones, oldest first."""
        with self.snapshot() as connection:
            return self._listing.rows(connection)

    def known_trees(self) -> list[TreeRow]:
        """The same, as they were read last and moved through this grove since: a commit reads none again."""
        return self._listing.known() or self.trees()

    def knows(self, tree: Tree) -> bool:
        """True if a tree in memory can be committed to; else it has to be loaded again."""
        return tree in self._numbers

    def load_tree(self, tree_id: str) -> Tree:
        """A tree as the file holds it. Raises: GroveError unknownTree."""
        with self.snapshot() as connection:
            tree = tree_rows.read_tree(connection, tree_id)
            self._know(tree, connection)
        return tree

    def reading(self, tree_id: str) -> TreeReading | None:
        """What another thread needs to read a tree, which `take` then makes one of this grove's. None where
        the file is not to be read beside it: then load the tree.
        """
        if self._way is not None:
            return TreeReading(self.path, self._way.file, self._way.access, tree_id)
        may_be_read = self._has_room and self.is_in_place()
        return TreeReading(self.path, self.path, "query", tree_id) if may_be_read else None

    def take(self, read: TreeRead) -> Tree:
        """A tree that was read elsewhere; `catch_up` brings what was committed since."""
        self._numbers[read.tree], self._seen[read.tree] = read.number, read.sequence
        return read.tree

    def add_tree(self, tree: Tree, listed: Iterable[Agent] = (), evidence: Iterable[Evidence] = ()) -> Added:
        """Put a tree into the grove, with the agents it lists and the responses its nodes rest on.

        One that is here already gains the nodes that are new, as one step of undo; if a node of the same id
        has other content, the whole comes in as a copy under a new id. A new tree is this grove's from now
        on and can be committed to; else load it.

        Raises: InvalidInput if an edge or a response names a node that the tree has not.
        """
        evidence = tuple(evidence)
        with self._writing() as connection:
            added = new_trees.add(connection, tree, evidence)
            self._list_agents(connection, added, listed)
            if added.outcome == "new":
                self._know(tree, connection)
        self._listing.forget()
        return added

    # Moving a tree

    def commit(self, tree: Tree, change: Change) -> int:
        """Save a change with its evidence and move the tree by it, or do neither; gives its sequence number.

        Raises: StaleChange if the change no longer fits; InvalidInput if a text cannot be saved.
        """
        seen = self._seen.get(tree)
        with self._current(tree) as (connection, number):
            if self._seen[tree] != seen:  # it was made of a tree that another program has moved
                change = history.surviving(tree, change)
            sequence = stepping.save(connection, number, tree, change)
        self._moved(tree, change, sequence)
        return sequence

    def commit_unless_moved(self, tree: Tree, change: Change) -> bool:
        """The same, if the tree in memory is what the file holds; False, and nothing is done, if another
        program was quicker.
        """
        with self._writing() as connection:
            number = self._number(tree)
            if change_log.newest(connection, number) != self._seen[tree]:
                return False
            sequence = stepping.save(connection, number, tree, change)
        self._moved(tree, change, sequence)
        return True

    def undo(
        self, tree: Tree, by: str = "you", guard: Callable[[Change], None] = heard_by_nobody
    ) -> Change | None:
        """Take back the newest action of a tree, whoever did it; gives what moved, None if there is none.

        An action is a step, or the steps that came of it right after each other. `guard` sees what would move
        before anything does, and may refuse it by raising.

        Raises: StaleChange if the rows of a step were changed by something that is no step.
        """
        return self._stepped(tree, partial(stepping.take_back, by=by, guard=guard))

    def undo_step(
        self, tree: Tree, by: str = "you", guard: Callable[[Change], None] = heard_by_nobody
    ) -> Change | None:
        """Take back the newest step alone, else as `undo`."""
        return self._stepped(tree, partial(stepping.take_back, by=by, guard=guard, most=1))

    def undo_actions(self, tree: Tree, actions: Sequence[str], by: str = "you") -> Change | None:
        """Take back some actions as one: of each step the action it is of, oldest first.

        Raises: as `undo`; StaleChange also if they are not the newest steps that are done.
        """
        step = partial(stepping.take_back_actions, by=by, guard=heard_by_nobody, actions=actions)
        return self._stepped(tree, step)

    def redo(
        self, tree: Tree, by: str = "you", guard: Callable[[Change], None] = heard_by_nobody
    ) -> Change | None:
        """Bring back the action that was undone last; gives what moved, None if there is none."""
        return self._stepped(tree, partial(stepping.bring_back, by=by, guard=guard))

    def redo_step(self, tree: Tree, by: str = "you") -> Change | None:
        """Bring back the step that was undone last, alone."""
        return self._stepped(tree, partial(stepping.bring_back, by=by, guard=heard_by_nobody, most=1))

    def undo_steps(
        self, tree: Tree, most: int, goes_on: Callable[[], bool], guard: Callable[[Change], None]
    ) -> Stretch | None:
        """Take back the newest steps in one transaction, each alone, at the `most` so many, while it
        `goes_on`, which is asked after each; None if there is none.

        Raises: as `undo` if the first is refused; a later one that is refused ends the stretch.
        """
        each = partial(stepping.take_back_each, by="you", guard=guard, most=most)
        return self._stretched(tree, each, goes_on, backwards=True)

    def redo_steps(self, tree: Tree, most: int, goes_on: Callable[[], bool]) -> Stretch | None:
        """Bring back the steps that were undone last, likewise."""
        each = partial(stepping.bring_back_each, by="you", guard=heard_by_nobody, most=most)
        return self._stretched(tree, each, goes_on, backwards=False)

    def undo_label(self, tree_id: str) -> str | None:
        """What undo would take back, as a menu says it."""
        return self.step_labels(tree_id)[0]

    def redo_label(self, tree_id: str) -> str | None:
        """What redo would bring back, as a menu says it."""
        return self.step_labels(tree_id)[1]

    def step_labels(self, tree_id: str) -> tuple[str | None, str | None]:
        """What undo would take back and redo bring back, as a menu says it."""
        with self.snapshot() as connection:
            known = (number for tree, number in self._numbers.items() if tree.loom.id == tree_id)
            number = next(known, None) or tree_rows.tree_number(connection, tree_id)
            with (
                closing(change_log.done_steps(connection, number)) as done,
                closing(change_log.undone_steps(connection, number)) as undone,
            ):
                return _named(next(done, None)), _named(next(undone, None))

    def redoes_split_in_vain(self, tree: Tree) -> bool:
        """True if redo would bring back nothing but a split that was made for an answer that never came."""
        with self.snapshot() as connection:
            return stepping.redoes_split_in_vain(connection, tree_rows.tree_number(connection, tree.loom.id))

    def catch_up(self, tree: Tree) -> list[Change]:
        """Move a tree in memory by what other programs committed since, telling `foreign` of each change."""
        return list(self.catching_up(tree))

    def catching_up(self, tree: Tree) -> Iterator[Change]:
        """The same one change at a time. Whoever has no time for more stops, and asks anew for the rest."""
        has_more = True
        while has_more:
            with self.snapshot() as connection:
                newer = change_log.read_after(connection, self._number(tree), self._seen[tree], SOME)
                changes = [self._logged_change(connection, tree, logged) for logged in newer]
            has_more = len(newer) == SOME
            for logged, change in zip(newer, changes, strict=True):
                if logged.entry.sequence > self._seen[tree]:  # who was told may have caught up
                    self._moved(tree, change, logged.entry.sequence)
                    self.foreign(change)
                    yield change

    def sequence(self) -> int:
        """The number of the newest change in the file, of any tree."""
        with self.snapshot() as connection:
            return change_log.newest_of_all(connection)

    def changes_since(self, sequence: int) -> list[tuple[int, Change]]:
        """What was committed to any tree after a sequence number, oldest first, without evidence."""
        with self.snapshot() as connection:
            return [
                (logged.entry.sequence, tree_rows.logged_change(connection, tree_id, number, logged))
                for tree_id, number, logged in change_log.read_all_after(connection, sequence)
            ]

    # Agents, responses, settings

    def agents(self) -> list[Agent]:
        """Every agent, oldest first."""
        with self.snapshot() as connection:
            return agents.read_agents(connection)

    def agent(self, agent_id: str) -> Agent | None:
        """An agent by its id."""
        return next((agent for agent in self.agents() if agent.id == agent_id), None)

    def tree_agents(self, tree_id: str) -> list[Agent]:
        """The agents that a tree lists, in the order of its file, then the other authors of its nodes."""
        with self.snapshot() as connection:
            return agents.read_tree_agents(connection, tree_rows.tree_number(connection, tree_id))

    def put_agent(self, agent: Agent, by: str = "you") -> None:
        """Add an agent or replace it. Raises: InvalidInput if its type would change."""
        with self._writing() as connection:
            before = grove_rows.agent_states(connection)
            agents.put_agent(connection, agent)
            after = grove_rows.agent_states(connection)
            grove_rows.log(connection, "Agent", grove_rows.changed(AGENT, before, after), by)
            self.owner = agents.read_owner(connection)

    def evidence(self, tree_id: str, node_id: str) -> Evidence | None:
        """The response that a node rests on, None if none was kept."""
        with self.snapshot() as connection:
            return responses.read_evidence(connection, tree_rows.tree_number(connection, tree_id), node_id)

    def all_evidence(self, tree_id: str) -> list[Evidence]:
        """Every response that a node of a tree rests on, oldest first, with the rules of their texts."""
        with self.snapshot() as connection:
            number = tree_rows.tree_number(connection, tree_id)
            rules = change_log.read_texts(connection, number)
            return [item.with_texts(rules) for item in responses.read_all_evidence(connection, number)]

    def has_response(self, tree_id: str, response_id: str) -> bool:
        """Whether a response was kept for a tree, also if its nodes were undone since."""
        with self.snapshot() as connection:
            return responses.has_response(connection, tree_rows.tree_number(connection, tree_id), response_id)

    def digests(self, tree_id: str) -> dict[str, ResponseDigest]:
        """What the hashes of a tree's nodes take from the responses; unreadable ones are left out."""
        with self.snapshot() as connection:
            return responses.read_digests(connection, tree_rows.tree_number(connection, tree_id))

    def head(self) -> Head | None:
        """The newest link of the chain as the file says it, unproved; None where there is no chain yet."""
        with self.snapshot() as connection:
            return chain.read_head(connection) if self.is_sealed else None

    def setting(self, name: str) -> object:
        """A setting of this grove, None if it was never set."""
        with self.snapshot() as connection:
            query = select(schema.settings.c.value).where(schema.settings.c.name == name)
            return connection.execute(query).scalar_one_or_none()

    def put_setting(self, name: str, value: object) -> None:
        """Keep a JSON value under a name."""
        statement = insert(schema.settings)
        statement = statement.on_conflict_do_update(set_={"value": statement.excluded.value})
        with self._writing() as connection:
            before = grove_rows.setting_states(connection)
            connection.execute(statement, {"name": name, "value": value})
            after = grove_rows.setting_states(connection)
            grove_rows.log(connection, "Setting", grove_rows.changed(SETTING, before, after))

    # Behind it

    @contextmanager
    def snapshot(self) -> Iterator[Connection]:
        """A transaction that reads, for other parts of the store: the file as it is at one moment."""
        with suppress(GroveError):  # what the connection sees can be read all the same
            if self._locks.whereabouts() is Whereabouts.WAL_GONE:
                self._mend()
        with faults.named(self.path), self._engine.begin() as connection:
            yield connection

    @contextmanager
    def _writing(self) -> Iterator[Connection]:
        """A transaction that nobody else can write beside."""
        if self.read_only:
            text = worded(
                "{path} is open for reading only; make it writable or copy it to another folder.",
                path=self.path,
            )
            raise GroveError("readOnly", text, path=str(self.path))
        self._mend()
        with faults.named(self.path), self._writer.begin() as connection:
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
            self._kept_apart = None
            return
        path = self.path
        if not self._is_alone():
            raise orphan.busy(path)
        if where is Whereabouts.REPLACED:
            kept = self._kept()
            self._take_own_files_away()
            raise orphan.replaced(path, kept)
        if where is Whereabouts.GONE:
            self._write_again()
            return
        parted = None if self._locks.has_all_in_grove() else self._kept()
        close_leaving_wal(self._engine)
        self._locks.close()
        self._connect_anew()
        if parted is not None and not orphan.bring_back(parted, self._engine):
            self._join(parted)
        self.mended(orphan.told_of_wal(path))

    def _write_again(self) -> None:
        """Write a grove whose name leads nowhere again under that name, and what it holds beyond its file to
        where that is by now.
        """
        kept, moved = self._kept(), self._locks.moved_to()
        self._take_own_files_away()
        restore(kept.path, self.path)
        close_leaving_wal(self._engine)
        self._locks.close()
        is_along = moved is not None and orphan.bring_along(kept, moved)
        self._connect_anew()
        self.mended(orphan.told_of_file(self.path, moved if is_along else None))

    def _end_apart(self) -> None:
        """Close a grove whose name leads nowhere, or to another file; see `close`."""
        is_gone = self._locks.whereabouts() is Whereabouts.GONE
        kept, moved = self._kept(), self._locks.moved_to() if self._is_alone() else None
        self._take_own_files_away()
        close_leaving_wal(self._engine)
        self._locks.close()
        is_along = moved is not None and orphan.bring_along(kept, moved)
        if is_gone and not is_along:
            restore(kept.path, self.path)

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
        """Whether nothing else in this process has the file open: SQLite would go on with its old -shm."""
        pool, identity = self._engine.pool, self._locks.identity
        assert isinstance(pool, QueuePool), "see `open_engine`"
        return not pool.checkedout() and (identity is None or connections_to(identity) <= pool.checkedin())

    def _kept(self) -> Backup:
        """Keep what this grove holds, once until it is in its place again: nothing is written meanwhile."""
        if self._kept_apart is None or not self._kept_apart.path.exists():
            with faults.named(self.path):
                self._kept_apart = orphan.keep(self.path, self._engine)
        return self._kept_apart

    def _connect_anew(self) -> None:
        with faults.named(self.path):
            with self._engine.begin() as connection:
                self.owner = agents.read_owner(connection)
            if self._wait_ms is not None:
                set_patience(self._engine, self._wait_ms)
        self._locks = FileLocks(self.path)
        self._kept_apart = None

    def _join(self, kept: Backup) -> NoReturn:
        """Add what was kept to what another program wrote; the trees in memory are none of the file's now."""
        self._numbers.clear()
        self._seen.clear()
        self._listing.forget()
        with read_grove(kept.path) as ours:
            for row in ours.trees():
                tree_agents, evidence = ours.tree_agents(row.id), ours.all_evidence(row.id)
                self.add_tree(ours.load_tree(row.id), tree_agents, evidence)
        self._numbers.clear()
        self._seen.clear()
        self.mended(orphan.told_of_parting(self.path, kept))
        raise orphan.parted(self.path)

    @contextmanager
    def _current(self, tree: Tree) -> Iterator[tuple[Connection, int]]:
        """A transaction in which the tree in memory is what the file holds, and the tree's number."""
        while True:
            with self._writing() as connection:
                number = self._number(tree)
                if change_log.newest(connection, number) == self._seen[tree]:
                    yield connection, number
                    return
            self.catch_up(tree)

    def _stepped(self, tree: Tree, step: Callable[[Connection, int, Tree], Moved | None]) -> Change | None:
        with self._current(tree) as (connection, number):
            moved = step(connection, number, tree)
        if moved is None:
            return None
        self._moved(tree, moved.change, moved.sequence)
        return moved.change

    def _stretched(
        self,
        tree: Tree,
        each: Callable[[Connection, int, Tree], Iterator[Moved]],
        goes_on: Callable[[], bool],
        *,
        backwards: bool,
    ) -> Stretch | None:
        """The tree is moved step by step in the transaction, and back again if the file does not take it."""
        updated_at = tree.loom.updated_at
        moved: list[Moved] = []
        refusal: LoomError | None = None
        try:
            with self._current(tree) as (connection, number):
                updated_at = tree.loom.updated_at
                try:
                    for one in each(connection, number, tree):
                        apply(tree, one.change)
                        moved.append(one)
                        if not goes_on():
                            break
                except LoomError as error:
                    if not moved:
                        raise
                    refusal = error
        except BaseException:
            for one in reversed(moved):
                apply(tree, one.change.inverse())
            tree.loom = replace(tree.loom, updated_at=updated_at)
            raise
        if not moved:
            return None
        change = history.as_one([one.change for one in moved], backwards=backwards)
        self._note(tree, change, moved[-1].sequence)
        return Stretch(change, len(moved), refusal)

    def _moved(self, tree: Tree, change: Change, sequence: int) -> None:
        apply(tree, change)
        self._note(tree, change, sequence)

    def _note(self, tree: Tree, change: Change, sequence: int) -> None:
        self._listing.follow(self._numbers[tree], before=self._seen[tree], sequence=sequence, change=change)
        self._seen[tree] = sequence

    def _list_agents(self, connection: Connection, added: Added, listed: Iterable[Agent]) -> None:
        number = tree_rows.tree_number(connection, added.tree_id)
        known = grove_rows.agent_states(connection)
        before = {} if added.is_new else grove_rows.file_states(connection, number)
        agents.add_agents(connection, number, listed)
        rows = grove_rows.changed(AGENT, known, grove_rows.agent_states(connection))
        rows += grove_rows.changed(FILE, before, grove_rows.file_states(connection, number))
        grove_rows.log(connection, "Import", rows)

    def _number(self, tree: Tree) -> int:
        if tree not in self._numbers:
            raise orphan.parted(self.path)
        return self._numbers[tree]

    def _know(self, tree: Tree, connection: Connection) -> None:
        number = tree_rows.tree_number(connection, tree.loom.id)
        self._numbers[tree] = number
        self._seen[tree] = change_log.newest(connection, number)

    def _logged_change(self, connection: Connection, tree: Tree, logged: Logged) -> Change:
        number = self._numbers[tree]
        return tree_rows.logged_change(connection, tree.loom.id, number, logged, known=tree.nodes)


def _named(step: Entry | None) -> str | None:
    return None if step is None else history.step_name(step)


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
        way = way_to_read(path, looked.wanted_access)
        engine = open_engine(way.file, way.access)
        return Grove(
            path,
            engine,
            read_only=True,
            notice=notice,
            way=way,
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
