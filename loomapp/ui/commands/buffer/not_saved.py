"""What of a buffer could not become a node: said to its writer, who can try again or copy it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING

from loomapp.core.errors import GroveError, InvalidInput, LoomError
from loomapp.session.recovery import BegunText
from loomapp.ui.commands.save.offers import Offer
from loomapp.ui.commands.save.unsaved import BUSY, Unsaved, is_no_room
from loomapp.ui.strings import told, tr
from loomapp.ui.widgets.clipboard import copy as copy_words

if TYPE_CHECKING:
    from loomapp.ui.commands.buffer.buffer import BufferDesk
    from loomapp.ui.window.main_window import MainWindow

WRITING = "writing"


def keep_not_committed(desk: BufferDesk, error: LoomError) -> None:
    """It stands in the text and in the journal still, and is tried again."""
    window, writing = desk.window, desk.writing

    def words() -> str:
        return desk.text if desk.is_on else ""

    if is_no_room(error):
        what = tr("what you wrote")
        window.unsaved.keep(Unsaved(WRITING, what, writing.commit, words, is_journalled=True, error=error))
    else:
        window.next_steps.show_error(error)


@contextmanager
def saved_before_sent(desk: BufferDesk) -> Iterator[None]:
    """What is asked for meanwhile needs what is written saved first. Raises: InvalidInput that says so where
    the disk takes nothing; the words are kept to be saved, what was asked for is not.
    """
    try:
        yield
    except GroveError as error:
        if not is_no_room(error) or error.code == BUSY:
            raise
        if desk.writing.has_words:
            keep_not_committed(desk, error)
        raise InvalidInput(tr("Nothing was sent. {why}").format(why=told(error.message))) from error


def on_all_saved(window: MainWindow) -> None:
    """Nothing is left that is no node: nor is it said any more that it kept something from being sent."""
    if WRITING not in window.unsaved:
        return
    window.unsaved.drop(WRITING)
    if window.text_pane.errors.text.startswith(tr("Nothing was sent. {why}").format(why="")):
        window.text_pane.errors.clear()


def offer_stranded(window: MainWindow, begun: BegunText) -> None:
    """Words whose passage another program took away: the user's to copy."""
    start = " ".join(begun.text[:60].split())
    sentence = tr("An edit was not finished, and its message is gone: “{start}…”").format(start=start)
    copy = partial(copy_words, begun.text)
    window.offers.add(Offer(f"edit {begun.node_id}", sentence, tr("Copy it"), copy))
