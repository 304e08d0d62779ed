"""Trees in memory, read beside the window if need be, and kept in step with what others write in the file."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from weakref import WeakKeyDictionary

from sqlalchemy import Connection

from loomapp.core.dataclass import dataclass
from loomapp.core.edits import undo as history
from loomapp.core.edits.tree_edits import with_title_of_today
from loomapp.core.errors import GroveError, LoomError
from loomapp.core.model.change import Change, apply
from loomapp.core.model.tree import Tree
from loomapp.core.progress import Progress, unheard
from loomapp.core.sentences import worded
from loomapp.store import connections, steps
from loomapp.store.connections import Access, open_engine
from loomapp.store.grove import other_files
from loomapp.store.grove.grove_file import GroveFile
from loomapp.store.rows import change_log, tree_rows
from loomapp.store.rows.change_log import Logged
from loomapp.store.rows.grove_rows import Listing
from loomapp.store.soundness import BROKEN_VALUE, are_faults_in
from loomapp.store.statements import driver
from loomapp.store.steps import Moved


@dataclass(frozen=True, slots=True)
class TreeRead:
    """A tree as the file held it at one moment, to be made known to the grove it is of."""

    tree: Tree
    number: int  # of its row
    sequence: int  # of the newest change that is in it


@dataclass(frozen=True, slots=True)
class TreeReading:
    """A request to read one tree. `file` is where `grove` is read: itself, or a private copy of it."""

    grove: Path
    file: Path
    access: Access
    tree_id: str

    def read(self, progress: Progress = unheard) -> TreeRead:
        """The tree; `progress` counts rows. Raises: GroveError; what `progress` raises."""
        with connections.named(self.grove):
            engine = open_engine(self.file, self.access)
            try:
                with engine.begin() as connection, self._damage_named(connection):
                    number = tree_rows.tree_number(connection, self.tree_id)
                    rows = 2 * tree_rows.count_nodes(connection, number)
                    tree = tree_rows.read_tree(
                        connection, self.tree_id, lambda done, _: progress(min(done, rows), rows)
                    )
                    return TreeRead(tree, number, change_log.newest(connection, number))
            finally:
                engine.dispose()

    @contextmanager
    def _damage_named(self, connection: Connection) -> Iterator[None]:
        """Tell as damage what a damaged value makes the reading stumble over; a mistake of ours is not."""
        try:
            yield
        except LoomError:
            raise
        except BROKEN_VALUE as error:
            if not are_faults_in(driver(connection)):
                raise
            words = "{path} is damaged: a tree in it cannot be shown; open it for reading only."
            raise GroveError("damaged", worded(words, path=self.grove), path=str(self.grove)) from error


SOME = 50  # entries of the log that are read at once
MOST_OWN = 10_000  # entries that are known to be this program's, the newest


@dataclass(frozen=True, slots=True)
class StepBatch:
    """Several steps that were undone or redone in one transaction: what they moved together, how many they
    were, and why the next one was refused, if it was.
    """

    change: Change
    count: int
    refusal: LoomError | None = None


class TreesInMemory:
    """The trees that were read from a grove, each with the newest entry of the log that is in it.

    `foreign` is called with each change of another program, once it is in memory.
    """

    def __init__(self, file: GroveFile, listing: Listing, foreign: Callable[[Change], None]) -> None:
        self._file, self._listing, self._foreign = file, listing, foreign
        self._numbers: WeakKeyDictionary[Tree, int] = WeakKeyDictionary()
        self._seen: WeakKeyDictionary[Tree, int] = WeakKeyDictionary()
        self.own: deque[int] = deque(maxlen=MOST_OWN)  # sequence numbers of what was committed here

    def knows(self, tree: Tree) -> bool:
        """Tell whether a tree can be committed to; else it has to be loaded again."""
        return tree in self._numbers

    def know(self, tree: Tree, connection: Connection) -> None:
        """Know a tree that was just read, or written, in a transaction."""
        number = tree_rows.tree_number(connection, tree.loom.id)
        self._numbers[tree] = number
        self._seen[tree] = change_log.newest(connection, number)

    def take(self, read: TreeRead) -> None:
        self._numbers[read.tree], self._seen[read.tree] = read.number, read.sequence

    def forget(self) -> None:
        self._numbers.clear()
        self._seen.clear()

    def number_of(self, tree_id: str) -> int | None:
        """Return the number of a tree's row, None if no such tree is in memory."""
        return next((number for tree, number in self._numbers.items() if tree.loom.id == tree_id), None)

    def commit(self, tree: Tree, change: Change) -> Change:
        """Save a change and move the tree by it; see `Grove.commit`."""
        seen = self._seen.get(tree)
        with self._current(tree) as (connection, number):
            if self._seen[tree] != seen:  # it was made of a tree that another program has moved
                change = with_title_of_today(tree, history.surviving(tree, change))
            sequence = steps.save(connection, number, tree, change)
        self.own.append(sequence)
        self._moved(tree, change, sequence)
        return change

    def commit_unless_moved(self, tree: Tree, change: Change) -> bool:
        """Save a change and move the tree by it, or do neither if another program was quicker."""
        with self._file.writing() as connection:
            number = self._number(tree)
            if change_log.newest(connection, number) != self._seen[tree]:
                return False
            sequence = steps.save(connection, number, tree, change)
        self.own.append(sequence)
        self._moved(tree, change, sequence)
        return True

    def catching_up(self, tree: Tree) -> Iterator[Change]:
        """Move a tree by what other programs committed since, one change at a time: `Grove.catching_up`."""
        has_more = True
        while has_more:
            with self._file.snapshot() as connection:
                newer = self._newer(connection, tree)
            has_more = len(newer) == SOME
            yield from self._taken(tree, newer)

    def _newer(self, connection: Connection, tree: Tree) -> list[Moved]:
        """The first changes in the file that a tree was not moved by yet."""
        newer = change_log.read_after(connection, self._number(tree), self._seen[tree], SOME)
        return [Moved(self._logged_change(connection, tree, one), one.entry.sequence) for one in newer]

    def _taken(self, tree: Tree, newer: Iterable[Moved]) -> Iterator[Change]:
        for one in newer:
            if one.sequence > self._seen[tree]:  # who was told may have caught up
                self._moved(tree, one.change, one.sequence)
                self._foreign(one.change)
                yield one.change

    def stepped(self, tree: Tree, step: Callable[[Connection, int, Tree], Moved | None]) -> Change | None:
        """Move the file and a tree by a step; return what moved, None if there was nothing to move."""
        with self._current(tree) as (connection, number):
            moved = step(connection, number, tree)
        if moved is None:
            return None
        self.own.append(moved.sequence)
        self._moved(tree, moved.change, moved.sequence)
        return moved.change

    def stretched(
        self,
        tree: Tree,
        each: Callable[[Connection, int, Tree], Iterator[Moved]],
        goes_on: Callable[[], bool],
        *,
        backwards: bool,
    ) -> StepBatch | None:
        """Move a tree step by step in one transaction, and back again if the file does not take it."""
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
        return StepBatch(change, len(moved), refusal)

    @contextmanager
    def _current(self, tree: Tree) -> Iterator[tuple[Connection, int]]:
        """A transaction in which the tree in memory is what the file holds, and the tree's number.

        What others committed is taken in before it, and once more in it, where they have to wait: a window
        takes longer to show a change than they to make the next one, and would never have caught up.
        """
        for is_last in (False, True):
            with self._file.writing() as connection:
                number = self._number(tree)
                while is_last and (newer := self._newer(connection, tree)):
                    deque(self._taken(tree, newer), maxlen=0)
                if change_log.newest(connection, number) == self._seen[tree]:
                    yield connection, number
                    return
            deque(self.catching_up(tree), maxlen=0)

    def _moved(self, tree: Tree, change: Change, sequence: int) -> None:
        apply(tree, change)
        self._note(tree, change, sequence)

    def _note(self, tree: Tree, change: Change, sequence: int) -> None:
        self._listing.follow(self._numbers[tree], before=self._seen[tree], sequence=sequence, change=change)
        self._seen[tree] = sequence

    def _number(self, tree: Tree) -> int:
        if tree not in self._numbers:
            raise other_files.parted(self._file.path)
        return self._numbers[tree]

    def _logged_change(self, connection: Connection, tree: Tree, logged: Logged) -> Change:
        number = self._numbers[tree]
        return tree_rows.logged_change(connection, tree.loom.id, number, logged, known=tree.nodes)
