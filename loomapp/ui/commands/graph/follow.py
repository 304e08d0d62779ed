"""Following: whether the graph and the text may go along with what is being answered."""

from __future__ import annotations

from PySide6.QtCore import QObject

from loomapp.core.generation.drafts import LiveDraft
from loomapp.core.model.change import Change
from loomapp.session.open_tree import Initiator
from loomapp.ui.workbench import Workbench


class Following(QObject):
    """Goes along with what was asked last, until the user looks elsewhere. It never goes to other answers."""

    def __init__(self, bench: Workbench) -> None:
        super().__init__(bench.views.window)
        self._bench = bench
        self._runs: frozenset[str] = frozenset()  # the requests that were asked last; empty: look elsewhere
        self._was_asked = False  # since the drafts were looked at last
        self._current = ""
        bench.work.generator.started.connect(self.on_started)
        bench.views.graph.looked_around.connect(self.leave)

    def leave(self) -> None:
        """The user looks at something else."""
        self._runs = frozenset()

    def on_started(self) -> None:
        """Note that something is asked for: what comes of it is wanted."""
        self._was_asked = True

    def show_drafts(self, drafts: tuple[LiveDraft, ...]) -> None:
        """Drafts came or went: those that were just asked for are brought into view."""
        if not self._was_asked:
            return
        self._was_asked = False
        new = self._bench.work.generator.asked_last()
        self._runs = frozenset(new)
        self._bench.views.graph.ensure_all_visible(
            # One that failed at once, for want of a key, is where its remedy is.
            [
                live.key
                for live in drafts
                if live.key.rpartition(":")[0] in new and (live.draft.error or not live.draft.ended)
            ]
        )

    def show_change(self, change: Change, initiator: Initiator) -> None:
        """The path moved: its new end is shown, unless an answer came while one looks elsewhere.

        Another program may move the path, never the reader's eyes.
        """
        if not change.touches_path() or not initiator.is_here:
            return
        if initiator.kind == "answer" and initiator.request not in self._runs:
            return
        new = [node.id for node in change.added_nodes()]
        self._bench.views.graph.ensure_all_visible(new or [self._bench.work.document.tree.path.leaf_id])

    def show_current(self, node_id: str, initiator: Initiator) -> None:
        """The text shows the current node if it is another. An answer only takes the place of its draft, and
        what another program did is read when the reader goes there.
        """
        before, self._current = self._current, node_id
        if node_id != before and initiator.is_here and initiator.kind != "answer":
            self.leave()
            if not initiator.is_typing:  # their caret stays where they write
                self._bench.text.reveal(node_id)
