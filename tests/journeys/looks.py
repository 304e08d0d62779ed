"""What the widgets of a window show, read from the widgets and not from what they are made of."""

from __future__ import annotations

import re

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel

from loomapp.ui.inspector.context_rows import Row
from loomapp.ui.inspector.context_table import ROW_ROLE
from loomapp.ui.window.main_window import MainWindow
from tests.ui.finding import find

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


def context(window: MainWindow) -> list[Row] | None:
    """The rows of what would be sent; empty if nothing is, None while it is not seen."""
    preview = window.inspector.context
    if not preview.isVisible():
        return None
    if find(preview, QLabel, "contextEmpty").isVisible():
        return []
    assert preview.rows.isVisible(), "the rows, or why there are none"
    model = preview.rows.model()
    rows: list[Row] = [model.index(row, 0).data(ROW_ROLE) for row in range(model.rowCount())]
    return rows


def messages(window: MainWindow) -> list[tuple[list[str], str]]:
    """What is read of the path on the screen: node ids of each message and its bare words."""
    dialogue = window.dialogue
    script = dialogue._script
    assert script is not None
    found = []
    for message in dialogue.shown_messages():
        row = script.row_of(message.key)
        assert row is not None
        if message.body.isVisible():
            ids = [entry.key for entry in script.row(row)]
            found.append((ids, bare(message.body.document().toPlainText())))
    return found


def bare(text: str) -> str:
    """A text without white space and the marks of markdown, which are shown and not said."""
    return MARKUP.sub("", text)
