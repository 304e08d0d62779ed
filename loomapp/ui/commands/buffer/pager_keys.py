"""Keys of the window that turn over the passage of the caret: its siblings and its versions."""

from __future__ import annotations

from loomapp.ui.buffer.desk import TextDesk
from loomapp.ui.workbench import Workbench


class Stepping:
    """Tells whether a key for siblings or versions is meant for a buffer's text."""

    def __init__(self, desk: TextDesk, bench: Workbench) -> None:
        self._bench = bench
        self._desk = desk

    def has_siblings(self) -> bool:
        """True if the passage of the caret, or what streams after it, has another beside it."""
        place = self._current_place()
        if self._is_at_tail() and len(self._desk.tail.offers) != 1:
            return True
        return place is not None and self._desk.buffer_text.siblings(place).count > 1

    def step_sibling(self, by: int) -> bool:
        """Read another sibling in the place of the caret's passage. False if it is not the text that is
        meant.
        """
        if self._is_at_tail() and (self._desk.turning.turn_tail(by) or len(self._desk.tail.offers) > 1):
            return True  # before the first of several and after the last there is no other
        self._desk.settle_offer()  # it is no other answer that is meant
        place = self._current_place()
        if place is None:
            return False
        if self._desk.buffer_text.siblings(place).count < 2:
            return True  # whoever writes stays where he is
        with self._desk.place.moving():
            self._desk.passages.step_sibling(place, by)
            node_id = self._bench.work.document.path_ids[place]
            self._bench.work.document.place.set_current(node_id)
        self._desk.place.reveal_start(node_id)
        return True

    def step_version(self, by: int) -> bool:
        """Read another version of the caret's passage. False if it is not the text that is meant."""
        place = self._current_place()
        if place is None:
            return False
        top = self._desk.view.editor.verticalScrollBar().value()
        with self._desk.place.moving():
            self._desk.passages.step_version(place, by)
        self._desk.view.editor.verticalScrollBar().setValue(top)
        return True

    def _current_place(self) -> int | None:
        """Return the place of the current node in the text; None if it is not there, or if no
        buffer is read.
        """
        document = self._bench.work.document
        return document.path.place_of(document.current_id) if self._desk.is_on else None

    def _is_at_tail(self) -> bool:
        document = self._bench.work.document
        if not self._desk.is_on or document.current_id != document.path_ids[-1]:
            return False
        return bool(self._desk.tail.offers or document.tree.living_children(document.current_id))
