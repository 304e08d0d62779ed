"""Commits of the open buffer: all that is uncommitted becomes nodes, by sittings and runs of commits."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial

from loomapp.core.errors import LoomError
from loomapp.core.paths.path import Path
from loomapp.core.prose.buffer_text import PendingText, TextChange, begun
from loomapp.core.prose.passage_change import splices_to
from loomapp.session.open_tree import TYPING
from loomapp.session.writing.open_buffer import OpenBuffer
from loomapp.session.writing.text_commit import TextCommit
from loomapp.session.writing.typing_undo import renamed


class BufferCommit:
    """Makes nodes of the uncommitted text, and ends the steps of typing where their text is committed.
    `failed` is told of what cannot be saved where nobody is there to raise it to.
    """

    def __init__(self, buffer: OpenBuffer, failed: Callable[[LoomError], None]) -> None:
        self._buffer, self._document, self._failed = buffer, buffer.document, failed
        self.nodes = TextCommit(buffer.document, buffer.journalled)
        self._heard: list[TextChange] | None = None

    @property
    def is_under_way(self) -> bool:
        """True while uncommitted text becomes nodes, and those current: the writer goes nowhere by that."""
        return self.nodes.is_under_way

    def start_over(self) -> None:
        """Forget sitting and run: another text is open."""
        self.nodes.rise()
        self.nodes.begin_run()

    # Committing

    def commit(self) -> None:
        """Make nodes of all that is written: versions of what is under the pen, in one Change, and then a
        node of the working buffer. The sitting is over by that. Raises: LoomError, and what was not saved
        stays as it is.
        """
        is_changed = self.commit_untold()
        self._end_sitting()
        if is_changed:
            self._buffer.tell()

    def settle(self) -> bool:
        """Commit, and tell of a failure; True if nothing is left that is no node."""
        try:
            self.commit()
        except LoomError as error:
            self._failed(error)
        return not self._buffer.has_words

    def save(self) -> bool:
        """Make nodes of all that is written, and go on with it: what is written in the same passages next
        takes their place, and undo goes on by words. Tells of a failure; True if nothing is left that is no
        node.
        """
        if self.save_untold():
            self._buffer.tell()
        return not self._buffer.has_words

    def save_untold(self) -> bool:
        """Save without telling that the uncommitted text changed; False if nothing was saved."""
        try:
            return self.commit_untold()
        except LoomError as error:
            self._failed(error)
            return False

    def commit_untold(self) -> bool:
        """Commit without telling that the uncommitted text changed; False if there was nothing to commit.
        Words that wait for an answer are committed once that is a node. Raises: LoomError.
        """
        text = self._buffer.current
        if text is None:
            return False
        self.take_back_whole()
        text.let_go([node_id for node_id in text.penned if not self._buffer.is_changed(node_id)])
        if not text.penned and (text.awaited or not text.working.text):
            return False
        with self.nodes.under_way():
            if text.penned:
                written = {*text.penned, *text.committed}
                usual = {node_id: self._as_committed(node_id) for node_id in written}
                self._take_over(self.nodes.commit_versions(text), usual)
                splice = text.put_down()  # what says what it said
                if splice is not None:
                    self._buffer.spliced.emit(splice, TYPING)
            if text.working.text and not text.awaited:
                self._take_over(self.nodes.commit_working(text), {})
        return True

    @contextmanager
    def hearing(self) -> Iterator[list[TextChange]]:
        """Collect what others change of the text while what is written is committed."""
        before, heard = self._heard, list[TextChange]()
        self._heard = heard
        try:
            yield heard
        finally:
            self._heard = before

    def hear(self, path: Path) -> None:
        """Note what others changed, whose path the text is about to follow."""
        if self._heard is not None:
            self._heard += splices_to(self._buffer.text, path)

    # Sittings and runs

    def know_sitting(self) -> None:
        """Tell the text what this sitting committed."""
        text = self._buffer.current
        if text is not None:
            text.committed, text.begun, text.saved = self.nodes.committed, self.nodes.begun, self.nodes.saved

    def end_steps(self) -> None:
        """End the steps of typing: what is in nodes is taken back with them from now on, words that wait for
        an answer as before.
        """
        buffer = self._buffer
        steps = buffer.steps.part(buffer.uncommitted) if buffer.text.awaited else ()
        buffer.steps.start_over()
        buffer.steps.join(steps, buffer.uncommitted)
        self.nodes.begin_run()
        self.know_sitting()

    def take_back_whole(self) -> None:
        """Take commits back whose words were all taken back one by one since they were begun, as undo does:
        they can be done again.
        """
        text = self._buffer.current
        if text is None:
            return
        usual = {node_id: self._as_committed(node_id) for node_id in text.penned}
        became = self.nodes.taken_back(text)
        self._take_over(became, usual)
        if became:
            self._buffer.keep()  # what was kept of these passages is of nodes that are gone

    def _end_sitting(self) -> None:
        """End the sitting. Where nothing was committed in it, what was taken back can be done again."""
        text = self._buffer.current
        if text is not None:
            is_step = bool(self.nodes.saved)
            self.nodes.rise()
            self.know_sitting()
            if is_step:
                self.end_steps()
                text.pen_at = None

    def _as_committed(self, node_id: str) -> PendingText:
        """A passage as its node says it, made of what this sitting began with."""
        known = self._buffer.text.committed.get(node_id)
        return begun(self._document.tree, node_id) if known is None else known

    def _take_over(self, became: Mapping[str, str], usual: Mapping[str, PendingText]) -> None:
        """Put passages under the nodes that they are now, also in all steps of typing."""
        for before, node_id in became.items():
            if before != node_id:
                leaf_id = self._document.path_ids[-1]
                other = usual.get(before, PendingText())
                self._buffer.steps.put(partial(renamed, before, node_id, other, leaf_id))
        self.know_sitting()
