"""Code in the colours of its syntax: read in slices while the window is idle, and never guessed."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer
from PySide6.QtGui import QTextCharFormat, QTextLayout

from loomapp.ui.dialogue.text.safe_document import Mark, SafeDocument, Stretch
from loomapp.ui.look import theme

if TYPE_CHECKING:
    from pygments.lexer import Lexer

MOST_READ = 20_000  # characters of a block that are coloured; the rest stays plain
SLICE_MS = 6.0
# A token's colour by the longest of these names that its own begins with; what has none stays ink.
ROLES = {
    "Comment": "code.comment",
    "Comment.Preproc": "code.keyword",
    "Keyword": "code.keyword",
    "Keyword.Type": "code.type",
    "Operator.Word": "code.keyword",
    "Literal.String": "code.string",
    "Literal.Number": "code.number",
    "Literal.Date": "code.number",
    "Name.Builtin": "code.type",
    "Name.Class": "code.type",
    "Name.Constant": "code.number",
    "Name.Decorator": "code.function",
    "Name.Exception": "code.type",
    "Name.Function": "code.function",
    "Name.Tag": "code.keyword",
    "Name.Attribute": "code.function",
    "Generic.Deleted": "code.deleted",
    "Generic.Inserted": "code.inserted",
    "Generic.Heading": "code.function",
    "Generic.Subheading": "code.function",
}


def lexer_for(language: str) -> Lexer | None:
    """The reader of a language by its name in the text; None if it is not known. Nothing is guessed."""
    # Imported here: a window without code on the screen starts without it.
    from pygments.lexers import get_lexer_by_name
    from pygments.util import ClassNotFound

    if not language:
        return None
    try:
        return get_lexer_by_name(language.lower(), stripnl=False, ensurenl=False)
    except ClassNotFound:
        return None


def role_of(token: str) -> str | None:
    """Return the role of a token by its name, as in `Literal.String.Double`."""
    while token:
        if token in ROLES:
            return ROLES[token]
        token = token.rpartition(".")[0]
    return None


def stretches(text: str, language: str) -> Iterator[Stretch | None]:
    """The coloured stretches of a code, in order; None for what has no colour, so that one can stop there."""
    lexer = lexer_for(language)
    if lexer is None:
        return
    for begin, token, words in lexer.get_tokens_unprocessed(text[:MOST_READ]):
        role = role_of(".".join(token))
        yield Stretch(begin, begin + len(words), role) if role and words.strip() else None


class CodeColours(QObject):
    """Colours the code of one document after the other, a few milliseconds at a time."""

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._timer = QTimer(self)
        self._timer.setInterval(0)
        self._timer.timeout.connect(self.on_idle)
        self._document: SafeDocument | None = None
        self._work: Iterator[None] = iter(())

    def begin(self, document: SafeDocument, marks: Sequence[Mark], *, growing: bool) -> None:
        """Colour what is not coloured yet. A block that grows is read again when it has another line."""
        waiting = []
        for place, mark in enumerate(marks):
            if mark.language and place not in document.coloured:
                text, found = document.read.get(place, ("", ()))
                now = document.code_text(mark)
                if found and now.startswith(text):
                    paint_code(document, mark, found)
                if now != text and not (growing and found and now.count("\n") == text.count("\n")):
                    waiting.append(place)
        if waiting:
            self._document = document
            self._work = self._colour(document, marks, waiting)
            self._timer.start()
        elif document is not self._document:
            self._timer.stop()

    def on_idle(self) -> None:
        end = time.perf_counter() + SLICE_MS / 1000
        for _ in self._work:
            if time.perf_counter() > end:
                return
        self._timer.stop()

    @staticmethod
    def _colour(document: SafeDocument, marks: Sequence[Mark], places: Sequence[int]) -> Iterator[None]:
        for place in places:
            text = document.code_text(marks[place])
            found: list[Stretch] = []
            for stretch in stretches(text, marks[place].language):
                if stretch is not None:
                    found.append(stretch)
                yield
            # The document may have been filled anew meanwhile; then this is asked for again.
            if marks[place] in document.marks and document.code_text(marks[place]) == text:
                document.read[place] = (text, tuple(found))
                document.coloured.add(place)
                paint_code(document, marks[place], found)
            yield


def paint_code(document: SafeDocument, mark: Mark, found: Sequence[Stretch]) -> None:
    """Give the lines of a block their colours; the text and its layout stay as they are."""
    first = line = document.findBlockByNumber(mark.first)
    begin = 0
    rest = list(reversed(found))
    for _ in range(mark.first, mark.last + 1):
        text = line.text()
        end = begin + len(text)
        ranges = []
        while rest and rest[-1].begin < end:
            stretch = rest[-1]
            ranges.append(
                _range(text, max(stretch.begin, begin) - begin, min(stretch.end, end) - begin, stretch.role)
            )
            if stretch.end > end:
                break
            rest.pop()
        if ranges:
            line.layout().setFormats(ranges)
        begin, line = end + 1, line.next()
    last = document.findBlockByNumber(mark.last)
    document.markContentsDirty(first.position(), last.position() + last.length() - first.position() - 1)


def _range(text: str, begin: int, end: int, role: str) -> QTextLayout.FormatRange:
    found = QTextLayout.FormatRange()
    found.start = qt_length(text[:begin])
    found.length = qt_length(text[begin:end])
    style = QTextCharFormat()
    style.setForeground(theme.colour(role))
    found.format = style
    return found


def qt_length(text: str) -> int:
    """Return the length of a text in Qt's counting: characters beyond the first 65,536 count twice."""
    return len(text) + sum(character > "\uffff" for character in text)
