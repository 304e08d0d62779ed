"""Commits of written text: what is under the pen becomes nodes of the tree; the text stays as it is."""

from __future__ import annotations

import sys
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import field
from functools import partial

from loomapp.core.dataclass import dataclass
from loomapp.core.errors import LoomError, StaleChange
from loomapp.core.model.change import Change
from loomapp.core.model.entities import verbatim
from loomapp.core.prose import edit_session
from loomapp.core.prose.buffer_text import BufferText, PendingText
from loomapp.core.prose.edit_session import NEW, Commit, EditSession
from loomapp.session.document import Document
from loomapp.session.journal.left_drafts import asked_elsewhere
from loomapp.session.open_tree import TYPING, TYPING_UNDONE
from loomapp.session.writing.open_buffer import JournalledText
from loomapp.store.identity import new_id

END = sys.maxsize  # behind every text


def is_free(_node_id: str) -> bool:
    """Return True: nothing but the tree names a node."""
    return True


@dataclass(slots=True)
class CommitRun:
    """Commits that typing is taken back through: the sittings before them, the action that each of them was,
    the nodes that these stand for by those that there are now, and the text of each.
    """

    before: tuple[EditSession, ...] = ()
    actions: list[str] = field(default_factory=list)  # of the log, oldest first
    names: dict[str, str] = field(default_factory=dict)
    texts: dict[str, str] = field(default_factory=dict)

    def note(self, commit: Commit, texts: Mapping[str, str]) -> None:
        """Note a commit; `texts` are what its passages said right before."""
        self.actions += [] if commit.change is None else [commit.change.action]
        for before, now in commit.became.items():
            text = self.texts.pop(before, texts.get(before, ""))
            self.names[now], self.texts[now] = self.names.pop(before, before), text


class TextCommit:
    """Commits versions of the nodes under the pen, and a node of the working buffer, each as one Change.

    What one sitting commits to the same passages is one version, as long as nothing hangs on that: the next
    commit takes the last one back.
    """

    def __init__(self, document: Document, kept: JournalledText) -> None:
        self._document, self._kept = document, kept
        self._sittings: list[EditSession] = []
        self._run, self._action = CommitRun(), ""
        self.is_free: Callable[[str], bool] = is_free  # False for what waits to go along with a request
        self.is_under_way = False  # while all that is written becomes nodes
        self.becoming: PendingText | None = None  # what is left of the working buffer once it is a node
        self.writer_at: Callable[[], int | None] = lambda: END  # in the text; None: he is elsewhere

    @contextmanager
    def under_way(self) -> Iterator[None]:
        """Commit all that is written in one action in the block; the writer goes nowhere by that."""
        before, self.is_under_way = (self.is_under_way, self._action), True
        self._action = new_id()
        try:
            yield
        finally:
            self.is_under_way, self._action = before

    # Sittings

    @property
    def committed(self) -> dict[str, PendingText]:
        """The text under the pen of passages that this sitting committed, by the nodes that they are."""
        return {node_id: typed for one in self._sittings for node_id, typed in one.typed.items()}

    @property
    def begun(self) -> frozenset[str]:
        """The nodes that this sitting began: nobody wrote in them before."""
        origins = [pair for one in self._sittings for pair in one.origins.items()]
        return frozenset(node_id for node_id, origin in origins if origin == NEW)

    @property
    def saved(self) -> frozenset[str]:
        return frozenset(self._run.names)

    def rise(self) -> None:
        """End the sitting: what is committed next is a version of its own."""
        self._sittings.clear()

    def look_at(self, change: Change) -> None:
        """Look at another change of the tree: what it hangs on is amended no more."""
        tree = self._document.tree
        self._sittings = [
            one
            for one in self._sittings
            if edit_session.may_be_amended(tree, one) and not edit_session.names(change, one.typed.keys())
        ]

    def begin_run(self) -> None:
        """Begin a run: what is committed from now on is taken back as a whole, once all of its typing is."""
        self._run = CommitRun(tuple(self._sittings))

    def taken_back(self, buffer_text: BufferText) -> Mapping[str, str]:
        """Take back what this run committed, if the text says what it said before and nothing was done since;
        what stands in the place of what then.
        """
        run = self._run
        if not run.actions or not all(map(partial(_says, buffer_text), run.names, run.texts.values())):
            return {}
        with suppress(StaleChange), self.under_way(), _let_go(buffer_text, run.names):
            self._document.history.undo_actions(run.actions, TYPING_UNDONE)
            self._sittings = list(run.before)
            self.begin_run()
            return run.names
        return {}  # somebody did something since

    # Committing

    def commit_versions(self, buffer_text: BufferText) -> Mapping[str, str]:
        """Make versions of what is under the pen; what stands in the place of what then. Raises: LoomError,
        and nothing is committed.
        """
        became: dict[str, str] = {}
        begun = buffer_text.penned.keys() & self.begun
        for node_id in begun if len(begun) == len(buffer_text.penned) else ():  # else one Change for all
            again = partial(self._again, node_id, buffer_text.penned[node_id])
            became |= self._commit(again, buffer_text, working=None).became
        if buffer_text.penned.keys() - became.keys():
            rest = partial(self._versions, buffer_text, dict(became))
            became |= self._commit(rest, buffer_text, working=None).became
        return became

    def commit_working(self, buffer_text: BufferText) -> Mapping[str, str]:
        """Make a node of the working buffer, likewise."""
        return self._commit(partial(self._new, buffer_text), buffer_text, working=PendingText()).became

    def _amended(self, node_ids: list[str]) -> list[EditSession]:
        """The sittings that made some nodes, as far as they can be taken back for another commit."""
        tree = self._document.tree
        made = [one for one in self._sittings if any(node_id in one.typed for node_id in node_ids)]
        asked = asked_elsewhere(self._document.grove.path, tree.loom.id) if made else frozenset()
        return [
            one
            for one in made
            if all(self.is_free(node_id) and node_id not in asked for node_id in one.typed)
            and edit_session.may_be_amended(tree, one)
        ]

    def _versions(self, buffer_text: BufferText, done: Mapping[str, str]) -> Commit:
        document = self._document
        penned = {i: typed for i, typed in buffer_text.penned.items() if i not in done}
        amended = [one for one in self._amended(list(penned)) if NEW not in one.origins.values()]
        ids = self._kept.coming_ids(document.tree.loom.id, penned)
        pen, way, action = document.pen(), document.path_ids, self._action
        return edit_session.versions(document.tree, way, penned, pen, ids, amended, action)

    def _again(self, node_id: str, typed: PendingText) -> Commit:
        """Make the commit of a node that this sitting began at the path's end, and goes on writing."""
        document = self._document
        ids = self._kept.coming_ids(document.tree.loom.id, [node_id])
        amended = self._amended([node_id])
        if not amended:
            way = document.path_ids
            penned, action = {node_id: typed}, self._action
            return edit_session.versions(document.tree, way, penned, document.pen(), ids, (), action)
        pen = document.pen()
        pen = pen.naming(ids[node_id]) if node_id in ids else pen
        [one] = amended
        return edit_session.added(document.tree, "", typed, pen, one, self._action)

    def _new(self, buffer_text: BufferText) -> Commit:
        document = self._document
        pen, coming_id = document.pen(), self._kept.coming_id(document.tree.loom.id)
        if coming_id is not None:
            pen = pen.naming(coming_id)
        leaf, typed = document.path_ids[-1], buffer_text.working
        return edit_session.added(document.tree, leaf, typed, pen, None, self._action)

    def _commit(
        self,
        make: Callable[[], Commit],
        buffer_text: BufferText,
        *,
        working: PendingText | None,
    ) -> Commit:
        made: list[Commit] = []
        document = self._document
        nodes = document.tree.nodes
        texts = {i: verbatim(nodes[i]) for i in (*buffer_text.penned, *self.committed) if i in nodes}

        def change() -> tuple[Change, str | None] | None:
            made[:] = [make()]
            commit = made[0]
            return (
                None if commit.change is None else (commit.change, self._current_after(commit, buffer_text))
            )

        self.becoming = working
        try:
            document.commit_made(change, TYPING)
        finally:
            self.becoming = None
        [commit] = made
        self._run.note(commit, texts)
        over = commit.became.keys()
        self._sittings = [one for one in self._sittings if over.isdisjoint(one.typed)]
        if commit.sitting is not None:
            self._sittings.append(commit.sitting)
        return commit

    def _current_after(self, commit: Commit, buffer_text: BufferText) -> str | None:
        """Return the node that is current after a commit: the current one, or what that became. None: the
        path's end.
        """
        document = self._document
        current = document.current_id
        if NEW not in commit.became:
            return commit.became.get(current, current) or None
        is_elsewhere = current != document.path_ids[-1] or not self._is_writer_in_working(buffer_text)
        return current if is_elsewhere else None

    def _is_writer_in_working(self, buffer_text: BufferText) -> bool:
        place = self.writer_at()
        return place is not None and buffer_text.passage_at(min(place, buffer_text.length)).node_id is None


@contextmanager
def _let_go(buffer_text: BufferText, node_ids: Collection[str]) -> Iterator[None]:
    """Passages are under the pen no more, unless what is done meanwhile is refused."""
    penned = {node_id: typed for node_id, typed in buffer_text.penned.items() if node_id in node_ids}
    buffer_text.let_go(node_ids)
    try:
        yield
    except LoomError:
        for node_id, typed in penned.items():
            place = buffer_text.place_of(node_id)
            if place is not None:
                buffer_text.write(place, typed)
        raise


def _says(buffer_text: BufferText, node_id: str, text: str) -> bool:
    place = buffer_text.place_of(node_id)
    return place is not None and buffer_text.text_of(place) == text
