"""What the widgets of a window show, read from the widgets and not from what they are made of."""

from __future__ import annotations

import re

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel

from loomapp.ui.inspector.context.error import ContextError
from loomapp.ui.inspector.context.rows import ContextRow
from loomapp.ui.inspector.context.table import ROW_ROLE
from loomapp.ui.window.main_window import MainWindow
from tests.kit.find import find

SPOKEN = Qt.ItemDataRole.AccessibleTextRole
CLOCK = re.compile(r"\d\d:\d\d$")
MARKUP = re.compile(r"[\s*]+")


def is_settled(window: MainWindow) -> bool:
    """Whether everything was drawn that waits for the event loop to come round."""
    return not (window.preview._soon.isActive() or window.inspector.history._soon.isActive())


def history(window: MainWindow) -> list[list[str]] | None:
    """What each row of the history says, part by part without the time; None while it is not seen."""
    listed = window.inspector.history.list
    if not listed.isVisible():
        return None
    model = listed.model()
    rows = [str(model.index(row, 0).data(SPOKEN)).split(" · ") for row in range(model.rowCount())]
    return [[part for part in row if not CLOCK.search(part)] for row in rows]


def context(window: MainWindow) -> list[ContextRow] | None:
    """The rows of what would be sent; empty if nothing is, None while it is not seen."""
    preview = window.inspector.context
    if not preview.isVisible():
        return None
    told_why = find(preview, QLabel, "contextEmpty"), find(preview, ContextError, "contextError")
    if any(part.isVisible() for part in told_why):
        return []
    assert preview.rows.isVisible(), "the rows, or why there are none"
    model = preview.rows.model()
    rows: list[ContextRow] = [model.index(row, 0).data(ROW_ROLE) for row in range(model.rowCount())]
    return rows


def helps(window: MainWindow) -> list[str]:
    """What the inspector offers where nothing can be sent, button by button."""
    failure = find(window.inspector.context, ContextError, "contextError")
    if not failure.isVisible():
        return []
    places = (failure._buttons.itemAt(place) for place in range(failure._buttons.count()))
    buttons = [place.widget() for place in places if place is not None]
    return [button.accessibleName() for button in buttons if button is not None]


def messages(window: MainWindow) -> list[tuple[str, str]]:
    """What is read of the path on the screen: the node id of each message and its bare words."""
    dialogue = window.dialogue
    script = dialogue._script
    assert script is not None
    found = []
    for message in dialogue.shown_messages():
        assert script.row_of(message.key) is not None
        if message.body.isVisible():
            found.append((message.key, bare(message.body.document().toPlainText())))
    return found


def prose(window: MainWindow) -> str | None:
    """The text of a buffer as its document has it, without what stands after it; None while none is read."""
    if not window.buffer.is_on:
        return None
    editor = window.buffer.view.editor
    assert editor.isVisible()
    assert not editor.has_seams, "the words of a day are few"
    cursor = editor.textCursor()
    cursor.select(cursor.SelectionType.Document)
    shown, tail = (text.replace("\u2029", "\n") for text in (cursor.selectedText(), editor.tail_text))
    assert shown.endswith(tail)
    return shown.removesuffix(tail)


def bare(text: str) -> str:
    """A text without white space and the marks of markdown, which are shown and not said."""
    return MARKUP.sub("", text)
