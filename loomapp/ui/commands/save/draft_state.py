"""State of drafts: the status bar says whether all that is written is saved, and words that are not."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial

from PySide6.QtCore import QObject

from loomapp.core.errors import GroveError, InvalidInput, LoomError
from loomapp.core.model.tree import Tree
from loomapp.session.recovery import BegunText
from loomapp.ui.commands import navigate
from loomapp.ui.strings import start_of, told, tr
from loomapp.ui.unsaved.unsaved import BUSY, Offer, Unsaved, is_no_room
from loomapp.ui.widgets.clipboard import copy as copy_words
from loomapp.ui.workbench import Workbench

WRITING = "writing"
WORDS_SHOWN = 60  # of words that can only be copied


class DraftState(QObject):
    """Of one window. What is written in a buffer is saved when the window is left; what stands in the
    composer, with what is attached to it, an edit or a note stays a draft until it is sent or kept.
    """

    def __init__(self, bench: Workbench) -> None:
        super().__init__(bench.views.window)
        self._bench = bench
        self._saved_at = 0
        bench.work.document.saved.connect(self.on_saved)
        bench.work.document.tree_opened.connect(self.on_written)
        bench.work.writing.written.connect(self.on_written)
        bench.work.writing.autosave.may_save = self.may_save
        bench.work.writing.set_free(self.is_free)
        bench.views.composer.text_changed.connect(self.on_written)
        bench.work.preview.attachments.changed.connect(self.on_written)
        bench.unfinished.unsaved.changed.connect(self.show)
        bench.unfinished.writings.changed.connect(self.show)

    def on_saved(self, at_ms: int) -> None:
        self._saved_at = at_ms
        self.show()

    def on_written(self, _what: object = None) -> None:
        """Show the state anew: other words are written."""
        self.show()

    def show(self) -> None:
        status, grove = self._bench.views.status, self._bench.work.document.grove
        if grove.read_only:
            status.show_read_only()
        elif any(True for _ in self._bench.unfinished.unsaved):
            status.show_unsaved()
        elif self.has_draft:
            status.show_draft()
        else:
            status.show_saved(self._saved_at or grove.saved_at())

    @property
    def has_draft(self) -> bool:
        """True while words on the screen, what is attached to them, or words behind an answer that is not
        shown are in no node.
        """
        bench = self._bench
        in_composer = bool(bench.views.composer.text.strip() or bench.work.preview.attachments.blocks)
        in_text = bench.work.writing.has_words or bench.work.writing.beside.has_words_out_of_sight
        return in_composer or in_text or bench.unfinished.writings.has_words

    def may_save(self) -> bool:
        """False while an input method composes."""
        return not self._bench.text.is_composing

    def is_free(self, node_id: str) -> bool:
        """False for a node that something waits for which is in no tree yet: an answer to it that is being
        written or failed, a note on it that was begun, a request that it is to go along with.
        """
        bench = self._bench
        drafts = bench.work.generator.drafts(bench.work.document.tree.loom.id)
        flights = bench.work.generator.answers.flights()
        sources = (source for flight in flights for source in flight.sources.as_edge_sources())
        return (
            node_id not in bench.work.preview.pending.roles
            and bench.unfinished.writings.text_of("note", node_id) is None
            and not any(live.parent_id == node_id for live in drafts)
            and not any(source.node_id == node_id for source in sources)
        )

    def on_left(self) -> None:
        """Save what is written in a buffer, for the window is no longer active."""
        if self.may_save():
            self._bench.work.writing.save()


def keep_not_committed(bench: Workbench, error: LoomError) -> None:
    """Tell that words were not committed: they stay in text and journal, and are tried again."""
    desk, writing = bench.buffer, bench.work.writing

    def words() -> str:
        return desk.read_text

    if is_no_room(error):
        what = tr("what you wrote")
        bench.unfinished.unsaved.keep(
            Unsaved(WRITING, what, writing.commit, words, is_journalled=True, error=error)
        )
    else:
        bench.frame.show_error(error)


@contextmanager
def saved_before_sent(bench: Workbench) -> Iterator[None]:
    """Run a request that needs the text saved first. Raises: InvalidInput that says so where the disk takes
    nothing; the words are kept to be saved, what was asked for is not.
    """
    try:
        yield
    except GroveError as error:
        if not is_no_room(error) or error.code == BUSY:
            raise
        if bench.work.writing.has_words:
            keep_not_committed(bench, error)
        raise InvalidInput(tr("Nothing was sent. {why}").format(why=told(error.message))) from error


def on_all_saved(bench: Workbench) -> None:
    """Drop the sentence that something unsaved kept a request from being sent."""
    if WRITING not in bench.unfinished.unsaved:
        return
    bench.unfinished.unsaved.drop(WRITING)
    errors, begins = bench.views.text_pane.errors, tr("Nothing was sent. {why}").format(why="")
    for sentence in errors.sentences:
        if sentence.startswith(begins):
            errors.drop(sentence)


def offer_set_aside(bench: Workbench, node_id: str) -> None:
    """Say that what was written is no part of the text that is read, and where it is. While another tree is
    read that is not said, for it is about its text.
    """
    said = tr("The passage you were writing in left this text: it was deleted or replaced elsewhere. ")
    said += tr("What you wrote is kept as a version of it.")
    document, errors = bench.work.document, bench.views.text_pane.errors
    tree_id = document.tree.loom.id

    def offer() -> None:
        bench.frame.offer(said, tr("Read it"), partial(navigate.show, bench, node_id))

    def follow(tree: Tree) -> None:
        if tree.loom.id == tree_id:
            offer()
        elif said in errors.sentences:
            errors.drop(said)
        else:  # it was read, or put away
            document.tree_opened.disconnect(connection)

    connection = document.tree_opened.connect(follow)
    offer()


def offer_stranded(bench: Workbench, begun: BegunText) -> None:
    """Offer words whose passage another program took away to be copied."""
    start = start_of(begun.text, WORDS_SHOWN)
    sentence = tr("An edit was not finished, and its message is gone: “{start}”").format(start=start)
    copy = partial(copy_words, begun.text)
    bench.unfinished.offers.add(Offer(f"edit {begun.node_id}", sentence, tr("Copy it"), copy))
