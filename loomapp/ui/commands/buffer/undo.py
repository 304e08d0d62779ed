"""Taking back: where the writer is once a step of typing or a change is undone, or done again."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from loomapp.core.prose.buffer_text import TextChange
from loomapp.session.open_tree import TYPING_UNDONE, Initiator
from loomapp.ui.buffer.desk import TextDesk
from loomapp.ui.workbench import Workbench


class TakingBack:
    """Undo and redo at a desk: the caret goes to the change, to be looked at."""

    def __init__(self, desk: TextDesk, bench: Workbench) -> None:
        self._bench = bench
        self._desk = desk
        self._at: int | None = None  # where a change at the end of the text was undone

    def undo_typing(self) -> bool:
        return self._with_caret(self._desk.writing.undo.undo_typing)

    def redo_typing(self) -> bool:
        return self._with_caret(self._desk.writing.undo.redo_typing)

    @contextmanager
    def change(self) -> Iterator[None]:
        """Bring the writer to where a change was made that is undone meanwhile, if that was at the end of the
        text.
        """
        self._at, desk = None, self._desk
        yield
        if desk.is_on and self._at is not None:
            behind = desk.text[self._at :]  # spaces that come again with it were typed before it
            desk.place.put_caret(self._at if behind.strip(" ") else len(desk.text))

    def shown(self, splice: TextChange, initiator: Initiator, *, was_at_end: bool) -> None:
        """The session changed the text, and that is shown; the writer may have been at its end."""
        if was_at_end:
            self._at = splice.start
        if initiator is TYPING_UNDONE:
            editor, place = self._desk.view.editor, splice.start + len(splice.text)
            with self._desk.place.moving():
                if self._desk.buffer_text.is_behind and place >= editor.tail_at:
                    editor.put_caret_behind(place - editor.tail_at)
                else:
                    editor.set_caret(place)

    def _with_caret(self, take: Callable[[], bool]) -> bool:
        was_there = take()
        if self._desk.is_on:
            self._desk.place.sync()
        return was_there
