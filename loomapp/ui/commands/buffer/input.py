"""Input in a buffer: what somebody wrote in the editor goes to the session; where undo leaves the caret."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from loomapp.core.prose.buffer_text import TextChange
from loomapp.session.open_tree import TYPING_UNDONE, Initiator
from loomapp.ui.buffer.desk import TextDesk
from loomapp.ui.buffer.text.view_text import Splice
from loomapp.ui.workbench import Workbench


class EditorInput:
    """Of one desk. While it is handed over the editor is ahead of the session, and is not shown the text."""

    def __init__(self, desk: TextDesk, bench: Workbench) -> None:
        self._desk, self._bench = desk, bench
        self.is_under_way = False

    def on_spliced(self, splice: Splice) -> None:
        writing, continuation = self._desk.writing, self._desk.continuation
        text, is_behind = splice.text, self._desk.view.editor.is_behind
        writing.beside.stand_behind(is_behind)
        if text and not text[0].isspace() and not is_behind:
            text = continuation.left_out_at(splice.begin) + text
        continuation.forget_left_out()
        behind: list[int] = []
        was_shown = self._take(lambda _: behind.append(writing.input.typed(splice.begin, splice.end, text)))
        if behind and not was_shown:  # others have changed the text meanwhile, or a space came or went
            self._put_caret(behind[0], is_behind=is_behind)

    def on_words_moved(self, begin: int, end: int, place: int) -> None:
        writing = self._desk.writing
        writing.beside.stand_behind(self._desk.view.editor.is_behind)
        self._take(lambda _: writing.input.moved(begin, end, place))

    def on_composed(self) -> None:
        """End the input method's composing: its words stand in the text, or are gone."""
        if self._desk.is_on:
            self._desk.buffer_text.composed_at = None

    def _take(self, act: Callable[[Workbench], None]) -> bool:
        """Have the session take in what the editor shows; False if the text is another than that."""
        self.is_under_way = True
        try:
            self._bench.frame.run_beside_text(act)  # what is offered was settled before the editor showed it
        finally:
            self.is_under_way = False
        if self._desk.text == self._desk.view.editor.text:
            return True
        self._desk.show_text()
        return False

    def _put_caret(self, position: int, *, is_behind: bool) -> None:
        """The caret at a place of the text; where an answer stands that is not done, before or behind it."""
        desk = self._desk
        desk.place.put_caret(position)
        if is_behind and position == desk.view.editor.tail_at:
            with desk.place.moving():
                desk.view.editor.put_caret_behind(0)


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
