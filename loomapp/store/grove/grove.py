"""The grove: one open file of loom trees, read, and moved by Changes that other programs hear of."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, closing
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Self

from sqlalchemy import Connection, Engine

from loomapp.core.edits import undo as history
from loomapp.core.edits.undo import UndoEntry
from loomapp.core.model.agent import Agent
from loomapp.core.model.change import Change
from loomapp.core.model.hashes import ResponseDigest
from loomapp.core.model.raw_response import Evidence
from loomapp.core.model.tree import Tree
from loomapp.core.sentences import Sentence
from loomapp.store import steps
from loomapp.store.backups.backup import Backup
from loomapp.store.connections import wide_cache
from loomapp.store.grove.grove_file import GroveFile
from loomapp.store.grove.other_files import kept_trees
from loomapp.store.grove.trees_in_memory import StepBatch, TreeRead, TreeReading, TreesInMemory
from loomapp.store.opening.readers import ReadableFile
from loomapp.store.rows import chain, change_log, grove_rows, responses, tree_rows
from loomapp.store.rows.chain import ChainHead, ForeignWrite, foreign_writes
from loomapp.store.rows.grove_rows import AGENT, SETTING, Listing, TreeRow
from loomapp.store.rows.responses import explained_evidence

if TYPE_CHECKING:
    from loomapp.store.rows.new_trees import Added, NewTree


def told_to_nobody(_: Sentence) -> None:
    """The listener of a grove that nobody shows."""


def heard_by_nobody(_: Change) -> None:
    """The listener of a grove that nobody listens to."""


class Grove:
    """An open grove file. Belongs to one thread; made by `open_grove`, closed by `close` or by `with`.

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
        readable: ReadableFile | None = None,
        has_room: bool = False,
        is_sealed: bool = True,
        strange: Sequence[str] = (),
    ) -> None:
        self.path, self.read_only = path, read_only
        self._has_room, self.is_sealed = has_room, is_sealed  # has_room: the file may be read beside this
        self.strange = tuple(strange)  # what the file holds that Loomapp did not make
        self.notice = notice
        self.foreign: Callable[[Change], None] = heard_by_nobody
        self.mended: Callable[[Sentence], None] = told_to_nobody
        self._listing = Listing()
        self._file = GroveFile(
            path,
            engine,
            read_only=read_only,
            readable=readable,
            connected=self.read_owner,
            mended=self._tell_mended,
            joined=self._join,
        )
        self._trees = TreesInMemory(self._file, self._listing, self._tell_foreign)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Bring everything into the one file and let go of it; see `GroveFile.close`."""
        self._file.close()

    def hurry(self) -> None:
        """Wait no longer for other programs that write: a window must not."""
        self._file.hurry()

    def hold(self) -> None:
        """Take the locks on the file again if they were lost, and see that what was saved is in the folder.

        Raises: GroveError as `GroveFile.hold` does.
        """
        self._file.hold()

    def is_in_place(self) -> bool:
        """Tell whether the file of the grove's name, and the -wal beside it, are those that are open."""
        return self._file.is_in_place()

    def saved_at(self) -> int:
        """Return when the file was last written to, in milliseconds since the epoch; 0 if it is gone."""
        return self._file.saved_at()

    def snapshot(self) -> AbstractContextManager[Connection]:
        """Begin a transaction that reads, for other parts of the store: the file as it is at one moment."""
        return self._file.snapshot()

    # Trees

    def trees(self) -> list[TreeRow]:
        """Return every tree, also archived ones, oldest first."""
        with self.snapshot() as connection:
            return self._listing.rows(connection)

    def known_trees(self) -> list[TreeRow]:
        """Return every tree, as they were read last and moved through this grove since: a commit reads none
        again.
        """
        return self._listing.known() or self.trees()

    def knows(self, tree: Tree) -> bool:
        """True if a tree in memory can be committed to; else it has to be loaded again."""
        return self._trees.knows(tree)

    def load_tree(self, tree_id: str) -> Tree:
        """A tree as the file holds it. Raises: GroveError unknownTree."""
        with self.snapshot() as connection:
            tree = tree_rows.read_tree(connection, tree_id)
            self._trees.know(tree, connection)
        return tree

    def reading(self, tree_id: str) -> TreeReading | None:
        """Return what another thread needs to read a tree, which `take` then makes one of this grove's. None
        where the file is not to be read beside it: then load the tree.
        """
        readable = self._file.readable
        if readable is not None:
            return TreeReading(self.path, readable.file, readable.access, tree_id)
        may_be_read = self._has_room and self.is_in_place()
        return TreeReading(self.path, self.path, "query", tree_id) if may_be_read else None

    def take(self, read: TreeRead) -> Tree:
        """A tree that was read elsewhere; `catch_up` brings what was committed since."""
        self._trees.take(read)
        return read.tree

    def add_tree(self, tree: Tree, listed: Iterable[Agent] = (), evidence: Iterable[Evidence] = ()) -> Added:
        """Put a tree into the grove, with the agents it lists and the responses its nodes rest on.

        One that is here already gains the nodes that are new, as one step of undo; if a node of the same id
        has other content, the whole comes in as a copy under a new id. A new tree is this grove's from now
        on and can be committed to; else load it.

        Raises: InvalidInput if an edge or a response names a node that the tree has not.
        """
        from loomapp.core.model.new_tree import FirstRows  # late: no start adds trees
        from loomapp.store.rows.new_trees import NewTree

        [added] = self.add_trees([NewTree(FirstRows.of(tree), tuple(listed), tuple(evidence))])
        return added

    def add_trees(self, trees: Iterable[NewTree]) -> list[Added]:
        """Put several trees into the grove, all of them or none, each as `add_tree` does."""
        from loomapp.store.rows import new_trees  # late likewise

        done: list[Added] = []
        with (
            self._file.writing() as connection,
            wide_cache(connection),
            new_trees.listing_agents(connection) as list_agents,
        ):
            before = change_log.newest_of_all(connection)
            for one in trees:
                added = new_trees.add(
                    connection, one.rows, one.evidence, is_of_other_program=one.is_of_other_program
                )
                list_agents(added, one.rows.head, one.agents)
                if added.outcome == "new" and one.rows.is_whole:
                    self._trees.know(one.rows.head, connection)
                done.append(added)
            self._trees.own.extend(range(before + 1, change_log.newest_of_all(connection) + 1))
        self._listing.forget()
        return done

    def node_ids(self, tree_id: str) -> frozenset[str] | None:
        """The ids of the nodes of a tree; None if the grove has no such tree."""
        with self.snapshot() as connection:
            return tree_rows.node_ids_of(connection, tree_id)

    # Moving a tree

    def commit(self, tree: Tree, change: Change) -> Change:
        """Save a change with its evidence and move the tree by it, or do neither; gives it as it was saved.

        Raises: StaleChange if the change no longer fits; InvalidInput if a text cannot be saved.
        """
        return self._trees.commit(tree, change)

    def commit_unless_moved(self, tree: Tree, change: Change) -> bool:
        """Commit a change unless another program was quicker: then nothing is done, and it says False."""
        return self._trees.commit_unless_moved(tree, change)

    def undo(
        self, tree: Tree, by: str = "you", guard: Callable[[Change], None] = heard_by_nobody
    ) -> Change | None:
        """Take back the newest action of a tree, whoever did it; gives what moved, None if there is none.

        An action is a step, or the steps that came of it right after each other. `guard` sees what would move
        before anything does, and may refuse it by raising.

        Raises: StaleChange if the rows of a step were changed by something that is no step.
        """
        return self._trees.stepped(tree, partial(steps.take_back, by=by, guard=guard))

    def undo_actions(self, tree: Tree, actions: Sequence[str]) -> Change | None:
        """Take back some actions as one: of each step the action it is of, oldest first.

        Raises: as `undo`; StaleChange also if they are not the newest steps that are done.
        """
        step = partial(steps.take_back_actions, by="you", guard=heard_by_nobody, actions=actions)
        return self._trees.stepped(tree, step)

    def redo(
        self, tree: Tree, by: str = "you", guard: Callable[[Change], None] = heard_by_nobody
    ) -> Change | None:
        """Bring back the action that was undone last; gives what moved, None if there is none."""
        return self._trees.stepped(tree, partial(steps.bring_back, by=by, guard=guard))

    def undo_steps(
        self, tree: Tree, most: int, goes_on: Callable[[], bool], guard: Callable[[Change], None]
    ) -> StepBatch | None:
        """Take back the newest steps in one transaction, each alone, at the `most` so many, while it
        `goes_on`, which is asked after each; None if there is none.

        Raises: as `undo` if the first is refused; a later one that is refused ends the stretch.
        """
        each = partial(steps.take_back_each, by="you", guard=guard, most=most)
        return self._trees.stretched(tree, each, goes_on, backwards=True)

    def redo_steps(self, tree: Tree, most: int, goes_on: Callable[[], bool]) -> StepBatch | None:
        """Bring back the steps that were undone last, likewise."""
        each = partial(steps.bring_back_each, by="you", guard=heard_by_nobody, most=most)
        return self._trees.stretched(tree, each, goes_on, backwards=False)

    def undo_label(self, tree_id: str) -> str | None:
        return self.step_labels(tree_id)[0]

    def redo_label(self, tree_id: str) -> str | None:
        return self.step_labels(tree_id)[1]

    def step_labels(self, tree_id: str) -> tuple[str | None, str | None]:
        """Return what undo would take back and redo bring back, as a menu says it."""
        with self.snapshot() as connection:
            number = self._trees.number_of(tree_id) or tree_rows.tree_number(connection, tree_id)
            with (
                closing(change_log.done_steps(connection, number)) as done,
                closing(change_log.undone_steps(connection, number)) as undone,
            ):
                return _named(next(done, None)), _named(next(undone, None))

    def redoes_split_in_vain(self, tree: Tree) -> bool:
        """True if redo would bring back nothing but a split that was made for an answer that never came."""
        with self.snapshot() as connection:
            return steps.redoes_split_in_vain(connection, tree_rows.tree_number(connection, tree.loom.id))

    def catch_up(self, tree: Tree) -> list[Change]:
        """Move a tree in memory by what other programs committed since, telling `foreign` of each change."""
        return list(self._trees.catching_up(tree))

    def catching_up(self, tree: Tree) -> Iterator[Change]:
        """Catch up one change at a time. Whoever has no time for more stops, and asks anew for the rest."""
        return self._trees.catching_up(tree)

    def sequence(self) -> int:
        """The number of the newest change in the file, of any tree."""
        with self.snapshot() as connection:
            return change_log.newest_of_all(connection)

    def changes_since(self, sequence: int) -> list[tuple[int, Change]]:
        """Return what was committed to any tree after a sequence number, oldest first, without evidence."""
        with self.snapshot() as connection:
            return [
                (logged.entry.sequence, tree_rows.logged_change(connection, tree_id, number, logged))
                for tree_id, number, logged in change_log.read_all_after(connection, sequence)
            ]

    def written_elsewhere(self, sequence: int, tree: Tree) -> list[ForeignWrite]:
        """Return what other programs wrote after an entry to all trees but one; see `foreign_writes`."""
        with self.snapshot() as connection:
            but = self._trees.number_of(tree.loom.id) or 0
            return list(foreign_writes(connection, sequence, but, self._trees.own))

    def written_since(self, sequence: int) -> list[ForeignWrite]:
        """Return what other programs wrote after an entry; see `foreign_writes`."""
        with self.snapshot() as connection:
            return list(foreign_writes(connection, sequence, own=self._trees.own))

    # Agents, responses, settings

    def agents(self) -> list[Agent]:
        """Return every agent, oldest first."""
        with self.snapshot() as connection:
            return grove_rows.read_agents(connection)

    def agent(self, agent_id: str) -> Agent | None:
        return next((agent for agent in self.agents() if agent.id == agent_id), None)

    def tree_agents(self, tree_id: str) -> list[Agent]:
        """The agents that a tree lists, in the order of its file, then the other authors of its nodes, then
        those who remember something of it.
        """
        with self.snapshot() as connection:
            return grove_rows.read_tree_agents(connection, tree_rows.tree_number(connection, tree_id))

    def put_agent(self, agent: Agent, by: str = "you") -> None:
        """Add an agent or replace it. Raises: InvalidInput if its type would change."""
        with self._file.writing() as connection:
            before = grove_rows.agent_states(connection)
            grove_rows.put_agent(connection, agent)
            after = grove_rows.agent_states(connection)
            grove_rows.log(connection, "Agent", grove_rows.changed(AGENT, before, after), by)
            self.owner = grove_rows.read_owner(connection)

    def evidence(self, tree_id: str, node_id: str) -> Evidence | None:
        """The response that a node rests on, None if none was kept."""
        with self.snapshot() as connection:
            return responses.read_evidence(connection, tree_rows.tree_number(connection, tree_id), node_id)

    def all_evidence(self, tree_id: str) -> list[Evidence]:
        """Return every response that a node of a tree or a summary rests on, oldest first, with the rules
        of the texts of nodes.
        """
        with self.snapshot() as connection:
            return explained_evidence(connection, tree_rows.tree_number(connection, tree_id))

    def bodiless_evidence(self, tree_id: str) -> list[Evidence]:
        """Return every response that a node of a tree rests on, without what was sent and received."""
        with self.snapshot() as connection:
            return list(
                responses.read_bodiless_evidence(connection, tree_rows.tree_number(connection, tree_id))
            )

    def has_response(self, tree_id: str, response_id: str) -> bool:
        """Tell whether a response was kept for a tree, also if its nodes were undone since."""
        with self.snapshot() as connection:
            return responses.has_response(connection, tree_rows.tree_number(connection, tree_id), response_id)

    def digests(self, tree_id: str) -> dict[str, ResponseDigest]:
        """Return what the hashes of a tree's nodes take from the responses; unreadable ones are left out."""
        with self.snapshot() as connection:
            return responses.read_digests(connection, tree_rows.tree_number(connection, tree_id))

    def head(self) -> ChainHead | None:
        """The newest link of the chain as the file says it, unproved; None where there is no chain yet."""
        with self.snapshot() as connection:
            return chain.read_head(connection) if self.is_sealed else None

    def setting(self, name: str) -> object:
        with self.snapshot() as connection:
            return grove_rows.read_setting(connection, name)

    def put_setting(self, name: str, value: object) -> None:
        with self._file.writing() as connection:
            before = grove_rows.setting_states(connection)
            grove_rows.put_setting(connection, name, value)
            after = grove_rows.setting_states(connection)
            grove_rows.log(connection, "Setting", grove_rows.changed(SETTING, before, after))

    # Behind it

    def read_owner(self, connection: Connection) -> None:
        """Read who owns the grove, each time its file is connected to."""
        self.owner = grove_rows.read_owner(connection)

    def _tell_mended(self, sentence: Sentence) -> None:
        self.mended(sentence)

    def _tell_foreign(self, change: Change) -> None:
        self.foreign(change)

    def _join(self, kept: Backup) -> None:
        """Add what was kept to what another program wrote; the trees in memory are none of the file's now."""
        self._trees.forget()
        self._listing.forget()
        for one in kept_trees(kept):
            self.add_tree(one.tree, one.agents, one.evidence)
        self._trees.forget()


def _named(step: UndoEntry | None) -> str | None:
    return None if step is None else history.step_name(step)
