"""The fair copy: what is under the pen becomes nodes of the tree; the text stays as it is."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from loomapp.core import edits
from loomapp.core.change import Change
from loomapp.core.manuscript import Manuscript
from loomapp.core.revising import revise
from loomapp.core.typed import Typed
from loomapp.session.document import Document
from loomapp.session.kept_words import KeptWords


class FairCopy:
    """Commits versions of the nodes under the pen, and a node of the working buffer, each as one Change."""

    def __init__(self, document: Document, kept: KeptWords) -> None:
        self._document, self._kept = document, kept
        self._is_committing = False
        self.is_under_way = False  # while all that is written becomes nodes
        self.becoming: Typed | None = None  # what is left of the working buffer once it is a node
        self.caret_at: Callable[[], int] | None = None  # where the view's caret stands; None: at the end

    @property
    def is_own_change(self) -> bool:
        """True while the change that the document tells of is one of these, not another program's."""
        return self._is_committing and not self._document.is_taking_in

    @contextmanager
    def under_way(self) -> Iterator[None]:
        """All that is written becomes nodes meanwhile; the writer goes nowhere by that."""
        before, self.is_under_way = self.is_under_way, True
        try:
            yield
        finally:
            self.is_under_way = before

    def commit_versions(self, manuscript: Manuscript) -> None:
        """Make versions of what is under the pen. Raises: LoomError, and nothing is committed."""
        self._commit(lambda: self._made_versions(manuscript), working=None)

    def commit_working(self, manuscript: Manuscript) -> None:
        """Make a node of the working buffer. Raises: LoomError, and nothing is committed."""
        self._commit(lambda: self._made_node(manuscript), working=Typed())

    def _made_versions(self, manuscript: Manuscript) -> tuple[Change, str | None] | None:
        document, current = self._document, self._document.current_id
        penned = dict(manuscript.penned)
        ids = self._kept.coming_ids(document.tree.loom.id, penned)
        change = revise(document.tree, document.path_ids, penned, document.pen(), ids)
        if change is None:
            return None
        versions = {node.edited_from: node.id for node in change.added_nodes()}
        return change, versions.get(current, current)

    def _made_node(self, manuscript: Manuscript) -> tuple[Change, str | None]:
        document = self._document
        leaf = document.path_ids[-1]
        is_elsewhere = document.current_id != leaf or not self._is_caret_in_working(manuscript)
        pen, coming_id = document.pen(), self._kept.coming_id(document.tree.loom.id)
        if coming_id is not None:
            pen = pen.naming(coming_id)
        change = edits.add_node(document.tree, leaf, manuscript.working.text, pen)
        return change, document.current_id if is_elsewhere else None

    def _is_caret_in_working(self, manuscript: Manuscript) -> bool:
        if self.caret_at is None:
            return True
        return manuscript.passage_at(min(self.caret_at(), manuscript.length)).node_id is None

    def _commit(self, make: Callable[[], tuple[Change, str | None] | None], *, working: Typed | None) -> None:
        self.becoming, self._is_committing = working, True
        try:
            self._document.commit_made(make)
        finally:
            self.becoming, self._is_committing = None, False
