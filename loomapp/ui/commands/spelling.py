"""Spelling in a window: wavy lines under words in the buffer and the composer, and what their menus offer."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QObject, QPoint, Qt, QTimer
from PySide6.QtGui import QContextMenuEvent, QTextCharFormat, QTextCursor
from PySide6.QtWidgets import QMenu, QPlainTextEdit, QTextEdit

from loomapp.core.settings.setting import Settings
from loomapp.session.spelling import Spelling, is_code, is_installed, is_within_word, is_word_at, words
from loomapp.ui.look import theme
from loomapp.ui.strings import tr
from loomapp.ui.workbench import Workbench

if TYPE_CHECKING:
    from loomapp.ui.buffer.margin.marks import Look
    from loomapp.ui.buffer.view import BufferView

REST_MS = 250  # after the last key
LONGEST_MESSAGE = 50_000  # characters: a longer one in the composer was pasted
MENU_REACH = 5_000  # characters of a paragraph, on each side, that are looked at for a menu


class SpellingDesk(QObject):
    """Spelling of a window. Nothing of a text changes but by a suggestion that is chosen, which is typing."""

    def __init__(self, bench: Workbench) -> None:
        super().__init__(bench.views.window)
        self._bench = bench
        self.spelling = Spelling(self)
        self._view: BufferView | None = None
        self._held: tuple[int, int] | None = None  # a word of the buffer that is not finished
        self._soon = QTimer(self)
        self._soon.setSingleShot(True)
        self._soon.setInterval(REST_MS)
        self._soon.timeout.connect(self.mark_composer)
        self.spelling.changed.connect(self.on_changed)
        field = bench.views.composer.field
        field.textChanged.connect(self.on_typed)
        field.cursorPositionChanged.connect(self.on_typed)
        for widget in (field, field.viewport()):
            widget.installEventFilter(self)

    def show_view(self, view: BufferView) -> None:
        self._view = view
        looks = view.editor.formats_of
        view.editor.formats_of = lambda begin, end: (*looks(begin, end), *self.looks(begin, end))
        view.editor.caret_moved.connect(self.on_caret_moved)
        for widget in (view.editor, view.editor.viewport()):
            widget.installEventFilter(self)

    def put_to_use(self, settings: Settings) -> None:
        language = "" if settings.spelling == "off" else settings.spelling
        if self.spelling.use(language):
            return
        if is_installed():
            said = tr("There is no dictionary {name} on this computer, so spelling is off.")
        else:
            said = tr("Spelling is off: it needs the extra `spelling` (pip install loomapp[spelling]).")
        self._bench.frame.note(said.format(name=language))

    def close(self) -> None:
        self._soon.stop()
        self.spelling.close()

    def on_changed(self) -> None:
        self._bench.text.colour_anew()
        self._soon.start()

    def on_typed(self) -> None:
        """Check the typed word once typing rests."""
        if self.spelling.is_on:
            self._soon.start()

    def on_caret_moved(self, place: int) -> None:
        """Check the spelling of a word once the caret leaves it."""
        held = self._held
        if held is not None and self._view is not None and not held[0] < place <= held[1]:
            self._held = None
            length = len(self._view.editor.text)
            self._view.editor.recolour_text(min(held[0], length), min(held[1], length))

    # What is wrong

    def looks(self, begin: int, end: int) -> Iterator[Look]:
        """Return the wavy lines of a stretch of the buffer; asked for what is on the screen."""
        if not self.spelling.is_on or self._view is None:
            return
        editor = self._view.editor
        for start, until in self._wrong(editor.text, begin, end):
            if editor.hasFocus() and editor.caret == until:
                self._held = (start, until)
            else:
                yield start, until, _wavy()

    def mark_composer(self) -> None:
        """Mark the composer's words with wavy lines; its text is not touched."""
        field = self._bench.views.composer.field
        text = field.toPlainText()
        marks = []
        if self.spelling.is_on and len(text) <= LONGEST_MESSAGE:
            units = _Units(text)
            caret = units.place(field.textCursor().position()) if field.hasFocus() else -1
            for start, end in self._wrong(text, 0, len(text)):
                if end == caret:  # it is being written
                    continue
                mark = QTextEdit.ExtraSelection()
                mark.cursor = QTextCursor(field.document())
                mark.cursor.setPosition(units.of(start))
                mark.cursor.setPosition(units.of(end), QTextCursor.MoveMode.KeepAnchor)
                mark.format = _wavy()
                marks.append(mark)
        if marks or field.extraSelections():
            field.setExtraSelections(marks)

    def _wrong(self, text: str, begin: int, end: int) -> list[tuple[int, int]]:
        stretch = text[begin:end]
        if is_code(text, begin):
            return []
        found = [(begin + start, begin + until) for start, until in words(stretch)]
        if found and is_within_word(text, begin) and found[0][0] == begin:  # the stretch cuts a word
            del found[0]
        if found and is_within_word(text, end) and found[-1][1] == end:
            del found[-1]
        wrong = self.spelling.wrong(text[start:until] for start, until in found)
        return [(start, until) for start, until in found if text[start:until] in wrong]

    # The menu

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """A menu on a wrong word begins with what could be meant; by the keyboard on that of the caret."""
        if event.type() != QEvent.Type.ContextMenu or not isinstance(event, QContextMenuEvent):
            return False
        by_key = event.reason() == QContextMenuEvent.Reason.Keyboard
        field = self._bench.views.composer.field
        if watched in (field, field.viewport()):
            text = field.toPlainText()
            cursor = field.textCursor() if by_key else field.cursorForPosition(event.pos())
            return self._open(field, _Units(text).place(cursor.position()), text, event.globalPos())
        if self._view is not None and watched in (self._view.editor, self._view.editor.viewport()):
            editor = self._view.editor
            place = editor.caret if by_key else editor.position_at(event.pos())
            return self._open(editor, place, editor.text, event.globalPos())
        return False

    def _open(self, editor: QPlainTextEdit, place: int, text: str, at: QPoint) -> bool:
        menu = self.menu_at(editor, place, text)
        if menu is None:
            return False
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.popup(at)
        return True

    def menu_at(self, editor: QPlainTextEdit, place: int, text: str) -> QMenu | None:
        """The editor's own menu with suggestions before it; None where no wrong word is."""
        least, most = max(0, place - MENU_REACH), min(len(text), place + MENU_REACH)
        line = text.rfind("\n", least, place) + 1
        stop = text.find("\n", place, most)
        for start, end in self._wrong(text, line or least, most if stop < 0 else stop):
            if start <= place <= end:
                return self._menu(editor, text, start, end)
        return None

    def _menu(self, editor: QPlainTextEdit, text: str, start: int, end: int) -> QMenu:
        word = text[start:end]
        menu = editor.createStandardContextMenu()
        menu.setObjectName("spellingMenu")
        before = menu.actions()[0] if menu.actions() else menu.addSeparator()
        found = self.spelling.suggestions(word)
        cursor = self._cursor_over(editor, text, start, end)
        rows = [(said, partial(self._put, editor, cursor, word, said)) for said in found or ()]
        if not rows:
            none = menu.addAction(tr("Looking for suggestions…") if found is None else tr("No suggestion"))
            none.setEnabled(False)
            menu.insertAction(before, none)
        if editor.isReadOnly():
            rows = []
        known = [
            (tr("Add to my words"), partial(self.spelling.add, word)),
            (tr("Ignore until Loomapp ends"), partial(self.spelling.ignore, word)),
        ]
        for group in (rows, known):
            for said, act in group:
                action = menu.addAction(said)
                action.triggered.connect(lambda _checked=False, run=act: run())
                menu.insertAction(before, action)
            menu.insertSeparator(before)  # what could be meant is told apart from what is done about it
        return menu

    def _cursor_over(self, editor: QPlainTextEdit, text: str, start: int, end: int) -> QTextCursor:
        """Goes along with a word when the text changes elsewhere while the menu is open."""
        if self._view is not None and editor is self._view.editor:
            return self._view.editor.cursor_over(start, end)
        units = _Units(text)
        cursor = QTextCursor(editor.document())
        cursor.setPosition(units.of(start))
        cursor.setPosition(units.of(end), QTextCursor.MoveMode.KeepAnchor)
        return cursor

    def _put(self, editor: QPlainTextEdit, cursor: QTextCursor, word: str, text: str) -> None:
        """A suggestion in the place of a word, as if it was typed; nothing where the word is no more."""
        if self._view is not None and editor is self._view.editor:
            written = self._view.editor
            written.about_to_write.emit()  # what is offered is settled first: that moves the caret
            start = written.position_of(cursor)
            if cursor.hasSelection() and is_word_at(written.text, start, word):
                written.select(start, start + len(word))
                written.put(text)
                return
        else:
            whole = editor.toPlainText()
            units = _Units(whole)
            start = units.place(cursor.selectionStart())
            if cursor.hasSelection() and is_word_at(whole, start, word):
                cursor.setPosition(units.of(start))
                cursor.setPosition(units.of(start + len(word)), QTextCursor.MoveMode.KeepAnchor)
                cursor.insertText(text)
                editor.setTextCursor(cursor)
                return
        self._bench.frame.note(
            tr("Nothing was replaced: the text has changed, and the word is no longer there.")
        )


class _Units:
    """Conversion between positions in code points and in Qt's UTF-16 units."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._is_plain = text.isascii() or max(text) < "\U00010000"

    def of(self, place: int) -> int:
        return place if self._is_plain else len(self._text[:place].encode("utf-16-le")) // 2

    def place(self, unit: int) -> int:
        if self._is_plain:
            return unit
        return len(self._text.encode("utf-16-le")[: 2 * unit].decode("utf-16-le", "ignore"))


def _wavy() -> QTextCharFormat:
    made = QTextCharFormat()
    made.setUnderlineStyle(QTextCharFormat.UnderlineStyle.WaveUnderline)
    made.setUnderlineColor(theme.colour("state.error"))
    return made
