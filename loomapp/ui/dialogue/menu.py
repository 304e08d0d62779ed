"""The menu of a message: copying, and the same acts as its tools."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication, QPoint, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QMenu

from loomapp.ui import theme
from loomapp.ui.dialogue.document import exact_text, safe_link
from loomapp.ui.dialogue.entries import Entry
from loomapp.ui.dialogue.message import Message

if TYPE_CHECKING:
    from loomapp.ui.dialogue.view import DialogueView


def show_message_menu(view: DialogueView, message: Message, at: QPoint) -> None:
    """Show the menu of a message at a place on the screen."""
    menu = QMenu(view)
    menu.setObjectName("messageMenu")
    menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    entry = message.entry_at(message.mapFromGlobal(at))
    if entry is None:
        return
    _add_copying(menu, message, entry, at)
    if entry.node is not None:
        menu.addSeparator()
        _add_acts(menu, view, entry)
    menu.popup(at)


def _add_copying(menu: QMenu, message: Message, entry: Entry, at: QPoint) -> None:
    body = message.body
    selected = exact_text(body.textCursor().selection()) if body.isVisible() else ""
    if selected:
        menu.addAction(theme.icon("copy"), _words("Copy"), lambda: _copy(selected))
    text = entry.text
    menu.addAction(theme.icon("copy"), _words("Copy message"), lambda: _copy(text))
    link = safe_link(body.anchorAt(body.viewport().mapFromGlobal(at))) if body.isVisible() else None
    if link:
        menu.addAction(_words("Copy link"), lambda: _copy(link))


def _add_acts(menu: QMenu, view: DialogueView, entry: Entry) -> None:
    assert entry.node is not None
    key, marks = entry.key, entry.node.metadata
    menu.addAction(theme.icon("refresh-cw"), _words("Retry"), lambda: view.retry_asked.emit(key))
    menu.addAction(theme.icon("pencil"), _words("Edit as a sibling"), lambda: view.on_edit_asked(key))
    words = _words("Remove bookmark") if marks.bookmarked else _words("Bookmark")
    menu.addAction(theme.icon("bookmark"), words, lambda: view.bookmark_asked.emit(key))
    words = _words("Include in what is sent") if marks.excluded else _words("Exclude from what is sent")
    icon = theme.icon("eye" if marks.excluded else "eye-off")
    menu.addAction(icon, words, lambda: view.exclude_asked.emit(key))


def _copy(text: str) -> None:
    QGuiApplication.clipboard().setText(text)


def _words(source: str) -> str:
    return QCoreApplication.translate("MessageMenu", source)
