"""G10: a megabyte of prose opens and takes keys, coloured, beside an editor of Qt's without a colour."""

from __future__ import annotations

import random
from collections.abc import Iterator
from contextlib import contextmanager

from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QTextCharFormat, QTextCursor
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QPlainTextEdit

from loomapp.ui.buffer.margin.marks import Look
from loomapp.ui.buffer.text.editor import BufferEditor
from loomapp.ui.look import theme
from tests.bench.floors import timed_ms
from tests.bench.graph_rows import application
from tests.bench.table import Goal, Place, Rivals, Row

SIZE = 1_000_000
PARAGRAPH, RUN = 600, 40  # characters
KEYS = 10
WORDS = ("lamp", "boat", "salt", "oil", "hill", "glass", "letter", "keeper", "morning", "stair", "window")


def prose() -> str:
    """A megabyte of it, always the same."""
    chance, pieces, length, line = random.Random(4), list[str](), 0, 0
    while length < SIZE:
        word = chance.choice(WORDS) + (" " if line < PARAGRAPH else "\n")
        line = line + len(word) if word[-1] == " " else 0
        pieces.append(word)
        length += len(word)
    return "".join(pieces)[:SIZE]


def coloured(begin: int, end: int) -> Iterator[Look]:
    """Another author every forty characters."""
    look = QTextCharFormat()
    look.setForeground(QColor("#DD8048"))
    for start in range(begin - begin % (2 * RUN), end, 2 * RUN):
        if start + RUN > begin:
            yield max(begin, start), min(end, start + RUN), look


def _ours() -> BufferEditor:
    editor = BufferEditor()
    editor.resize(840, 800)
    editor.formats_of = coloured
    return editor


def _bare() -> QPlainTextEdit:
    field = QPlainTextEdit()
    field.setFont(theme.font("prose"))
    field.setUndoRedoEnabled(False)
    field.resize(840, 800)
    return field


@contextmanager
def opening(_place: Place) -> Iterator[Rivals]:
    """From nothing to the first picture."""
    application()
    text = prose()

    def opened(editor: BufferEditor | QPlainTextEdit) -> float:
        def show() -> None:
            editor.start_over(text) if isinstance(editor, BufferEditor) else editor.setPlainText(text)
            editor.show()
            QApplication.processEvents()

        taken = timed_ms(show)
        editor.close()
        editor.deleteLater()
        QApplication.processEvents()
        return taken

    opened(_ours())
    yield Rivals(lambda: opened(_ours()), lambda: opened(_bare()))


@contextmanager
def typing(_place: Place) -> Iterator[Rivals]:
    """A key in the middle, painted."""
    application()
    text = prose()
    ours, bare = _ours(), _bare()
    ours.start_over(text)
    bare.setPlainText(text)
    for field in (ours, bare):
        field.show()
        cursor = QTextCursor(field.document())
        cursor.setPosition(SIZE // 2)
        field.setTextCursor(cursor)
        QApplication.processEvents()

    def keys(field: QPlainTextEdit) -> float:
        def press() -> None:
            for _ in range(KEYS):
                QTest.keyClick(field, Qt.Key.Key_A)
                QApplication.processEvents()

        return timed_ms(press) / KEYS

    keys(ours)
    keys(bare)
    yield Rivals(lambda: keys(ours), lambda: keys(bare))
    for field in (ours, bare):
        field.close()
        field.deleteLater()


ROWS = (
    Row("G10", "1 MB of prose opens", "bare editor", opening, Goal(2), "ms", ("deep",), (1,), False),
    Row("G10 key", "a key in it", "bare editor", typing, Goal(1.5), "ms", ("deep",), (1,), False),
)
