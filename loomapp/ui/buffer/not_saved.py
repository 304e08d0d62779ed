"""What of a buffer could not become a node: said to its writer, who can try again or copy it."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from loomapp.core.errors import LoomError
from loomapp.session.recovery import BegunText
from loomapp.ui.saving.offers import Offer
from loomapp.ui.saving.unsaved import Unsaved, is_no_room
from loomapp.ui.strings import tr
from loomapp.ui.widgets.clipboard import copy as copy_words

if TYPE_CHECKING:
    from loomapp.ui.buffer.desk import BufferDesk
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


def offer_stranded(window: MainWindow, begun: BegunText) -> None:
    """Words whose passage another program took away: the user's to copy."""
    start = " ".join(begun.text[:60].split())
    sentence = tr("An edit was not finished, and its message is gone: “{start}…”").format(start=start)
    copy = partial(copy_words, begun.text)
    window.offers.add(Offer(f"edit {begun.node_id}", sentence, tr("Copy it"), copy))
