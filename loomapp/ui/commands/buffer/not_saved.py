"""Unsaved words of a buffer: their writer is told of them, and can try again or copy them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial

from loomapp.core.errors import GroveError, InvalidInput, LoomError
from loomapp.session.recovery import BegunText
from loomapp.ui.strings import start_of, told, tr
from loomapp.ui.unsaved.offers import Offer
from loomapp.ui.unsaved.unsaved import BUSY, Unsaved, is_no_room
from loomapp.ui.widgets.clipboard import copy as copy_words
from loomapp.ui.workbench import Workbench

WRITING = "writing"
WORDS_SHOWN = 60  # of words that can only be copied


def keep_not_committed(bench: Workbench, error: LoomError) -> None:
    """Tell that words were not committed: they stay in text and journal, and are tried again."""
    desk, writing = bench.buffer, bench.work.writing

    def words() -> str:
        return desk.text if desk.is_on else ""

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
    if bench.views.text_pane.errors.text.startswith(tr("Nothing was sent. {why}").format(why="")):
        bench.views.text_pane.errors.clear()


def offer_stranded(bench: Workbench, begun: BegunText) -> None:
    """Offer words whose passage another program took away to be copied."""
    start = start_of(begun.text, WORDS_SHOWN)
    sentence = tr("An edit was not finished, and its message is gone: “{start}”").format(start=start)
    copy = partial(copy_words, begun.text)
    bench.unfinished.offers.add(Offer(f"edit {begun.node_id}", sentence, tr("Copy it"), copy))
