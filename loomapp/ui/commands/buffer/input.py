"""Input in a buffer: what the editor shows already as somebody wrote it is handed to the session."""

from __future__ import annotations

from collections.abc import Callable

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
