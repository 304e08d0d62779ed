"""Find and replace in a buffer: the bar, what is found, and where it is shown."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Qt, QTimer
from PySide6.QtGui import QTextCharFormat
from PySide6.QtWidgets import QTextEdit

from loomapp.core.text.query import FoundText, any_of, excerpts, find
from loomapp.ui import figures
from loomapp.ui.buffer.desk import TextDesk
from loomapp.ui.look import theme
from loomapp.ui.strings import tr
from loomapp.ui.workbench import Workbench

if TYPE_CHECKING:
    from loomapp.ui.buffer.view import BufferView

SEEK_AFTER_MS = 120
MOST_MARKED = 400  # matches around the view that are marked


class Search(QObject):
    """Search in the text as it stands; it looks anew when the text or the words are others."""

    def __init__(self, desk: TextDesk, view: BufferView, bench: Workbench) -> None:
        super().__init__(bench.views.window)
        self._bench = bench
        self._desk, self._view, self._bar = desk, view, view.find_bar
        self._found: tuple[FoundText, ...] = ()
        self._number: int | None = None
        self._asked_about: tuple[FoundText, ...] = ()  # matches that are to be deleted, if it is said again
        self._marks: tuple[object, ...] = ()
        self._is_shown = False  # the match that is looked at was brought into view, away from the caret
        self._sought = self._asked  # the words that were looked for last, and whether their case counted
        self._soon = QTimer(self)
        self._soon.setSingleShot(True)
        self._soon.timeout.connect(self.seek)
        self._bar.sought.connect(self.on_sought)
        self._bar.step_asked.connect(self.step)
        self._bar.replace_asked.connect(self.replace)
        self._bar.replace_all_asked.connect(self.replace_all)
        self._bar.closed.connect(self.on_closed)
        self._bar.height_changed.connect(self.on_height_changed)
        view.editor.textChanged.connect(self.on_text_changed)
        view.margins.moved.connect(self.mark)

    def begin(self) -> None:
        """Open the bar, with the selected text if that is a few words."""
        self._desk.settle_ghost()
        editor = self._view.editor
        begin, end = editor.selection
        words = editor.text[begin:end]
        self._bar.begin_with(words if "\n" not in words and len(words) < 200 else "")
        self._sought = self._asked  # nothing was typed yet: what is in view stays
        self.seek()

    def mark_terms(self, wanted: tuple[str, ...]) -> None:
        """Mark words by which a passage was found elsewhere, until the text changes or the bar is opened;
        without words, none.
        """
        pattern = any_of(wanted)
        if self._bar.isHidden():
            hits = () if pattern is None else pattern.finditer(self._view.editor.text)
            self._found = tuple(FoundText(hit.start(), hit.group()) for hit in hits)
            self._number = None
            self.mark()

    def on_sought(self) -> None:
        self._soon.start(SEEK_AFTER_MS)

    def on_height_changed(self, height_px: int) -> None:
        """Look anew in what is read where the bar is shown, maybe again with a buffer."""
        if height_px:
            self._soon.start(SEEK_AFTER_MS)

    def on_text_changed(self) -> None:
        if not self._bar.isHidden():
            self._soon.start(SEEK_AFTER_MS)
        elif self._found:
            self.mark_terms(())

    def on_closed(self) -> None:
        """Mark nothing; the keyboard goes back to the text, to the match that was brought into view."""
        self._soon.stop()
        if self._is_shown and self._number is not None:
            self._show(self._found[self._number])
        self._found, self._number, self._marks = (), None, ()
        self._bench.views.graph.mark_words("")
        self._view.editor.setExtraSelections([])
        self._view.editor.setFocus(Qt.FocusReason.OtherFocusReason)

    @property
    def _asked(self) -> tuple[str, bool]:
        return self._bar.words.text(), self._bar.matches_case

    def seek(self) -> None:
        self._soon.stop()
        if not self._bar.isVisibleTo(self._bench.views.window):  # closed, or another text is read
            return
        editor, words = self._view.editor, self._bar.words.text()
        self._found = find(editor.text, words, self._bar.by.text(), match_case=self._bar.matches_case)
        begin, _ = editor.selection
        later = next((i for i, match in enumerate(self._found) if match.start >= begin), None)
        self._number = later if later is not None else (0 if self._found else None)
        self._is_shown = self._is_shown and self._sought == self._asked
        self._say()
        if self._sought != self._asked and self._number is not None:  # the caret stays where one writes
            editor.show_place(self._found[self._number].start)
            self._is_shown = True
        self._sought = self._asked
        self.mark()
        self._bench.views.graph.mark_words(words, match_case=self._bar.matches_case)

    def step(self, by: int) -> None:
        """Go to the next or previous match; after the last comes the first."""
        if self._soon.isActive():
            self.seek()
        if not self._found:
            return
        editor = self._view.editor
        looked_at = self._found[self._number or 0]
        is_here = editor.selection == (looked_at.start, looked_at.end)
        number = self._number or 0
        self._number = (number + by) % len(self._found) if is_here or by < 0 else number
        self._show(self._found[self._number])

    def _show(self, match: FoundText) -> None:
        """Select a match, in the middle of the view unless it is in that already."""
        self._is_shown, was_in_view = False, self._is_in_view(match)
        self._view.editor.select(match.start, match.end)
        if not was_in_view:
            self._view.editor.centerCursor()
        self._say()
        self.mark()

    def _is_in_view(self, match: FoundText) -> bool:
        line = self._view.editor.line_rect(match.start)
        return line.top() >= 0 and line.bottom() <= self._view.editor.viewport().height()

    def replace(self) -> None:
        """Put the new words in the place of the match that is looked at, and go to the next. One that is out
        of view is shown first: nobody is to change what he does not see.
        """
        self._look_now()
        if self._number is None or self._view.editor.isReadOnly():
            return
        match = self._found[self._number]
        if not self._is_in_view(match):
            self._show(match)
        else:
            self._replace((match,))
            self._view.editor.set_caret(match.start + len(match.replacement))
            self.seek()
            if self._number is not None:
                self._show(self._found[self._number])

    def replace_all(self) -> None:
        """Replace all matches as one step; each passage that changes becomes a version. With nothing to come
        in their place they are deleted, once that is pressed again.
        """
        self._look_now()
        count = len(self._found)
        if not count or self._view.editor.isReadOnly():
            return
        if not self._bar.by.text() and self._asked_about is not self._found:
            self._asked_about = self._found
            asked = (
                tr("Delete 1 place? Press again.")
                if count == 1
                else tr("Delete {count} places? Press again.")
            )
            asked = asked.format(count=figures.number(count))
            self._bar.ask(asked)
            self._bench.views.announcer.say(asked)
            return
        editor, found = self._view.editor, self._found
        caret, (top, lines_above) = _once_replaced(found, editor.caret), editor.top
        with self._desk.place.kept(caret, caret):
            self._replace(found)
        editor.scroll_to_top(_once_replaced(found, top), lines_above)
        self.seek()
        said = tr("Replaced 1 place.") if count == 1 else tr("Replaced {count} places.")
        self._bench.frame.note(said.format(count=figures.number(count)))

    def _look_now(self) -> None:
        """Search the whole text as it is now, with its words as they are, before replacing."""
        is_late = self._soon.isActive()
        if self._desk.ghosts.is_on:
            self._desk.settle_ghost()
            is_late = True
        if is_late:
            self.seek()

    def _replace(self, matches: tuple[FoundText, ...]) -> None:
        def step(_bench: object) -> None:
            with self._desk.place.moving():
                self._desk.passages.replace_all(matches)

        self._bench.frame.run_command(step)
        self._bar.note_replaced()

    def mark(self) -> None:
        editor = self._view.editor
        first, last = editor.in_view()
        begin = bisect_left(self._found, first, key=lambda match: match.end)
        end = bisect_right(self._found, last, key=lambda match: match.start)
        shown = (begin, min(end, begin + MOST_MARKED), self._number, self._found)
        if shown != self._marks:
            self._marks = shown
            marks = (self._marked(self._found[i], i == self._number) for i in range(shown[0], shown[1]))
            editor.setExtraSelections(list(marks))

    def _marked(self, match: FoundText, is_looked_at: bool) -> QTextEdit.ExtraSelection:
        marked = QTextEdit.ExtraSelection()
        cursor = self._view.editor.cursor_over(match.start, match.end)
        look = QTextCharFormat()
        look.setBackground(theme.colour("accent.fill" if is_looked_at else "accent.soft"))
        if is_looked_at:
            look.setForeground(theme.colour("text.on_accent"))
        marked.cursor, marked.format = cursor, look
        return marked

    def _say(self) -> None:
        editor = self._view.editor
        said = ""
        if self._number is not None:
            match = self._found[self._number]
            [one] = excerpts(editor.text, (match,))
            instead = match.replacement or tr("(nothing)")  # Replace would delete it
            now = match.found if editor.isReadOnly() else f"{match.found} → {instead}"
            said = f"{one.before}[{now}]{one.after}"
        self._bar.show_found(self._number, len(self._found), said, can_write=not editor.isReadOnly())


def _once_replaced(matches: tuple[FoundText, ...], position: int) -> int:
    """Return where a position is once these matches are replaced."""
    return position + sum(len(m.replacement) - len(m.found) for m in matches if m.end <= position)
