"""The menu of a message: copying, and the same acts as its tools."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication, QPoint, Qt
from PySide6.QtGui import QCursor
from PySide6.QtWidgets import QMenu

from loomapp.ui.dialogue.message.message import MessageView
from loomapp.ui.dialogue.script.entries import Entry
from loomapp.ui.look import theme
from loomapp.ui.widgets.clipboard import copy as copy_words
from loomapp.ui.widgets.tips import plain_tip

if TYPE_CHECKING:
    from loomapp.ui.dialogue.view import DialogueView

MOST_LINKS = 9
LONGEST_LINK = 60  # characters


def show_message_menu(view: DialogueView, message: MessageView, at: QPoint) -> None:
    """Show the menu of a message at a place on the screen."""
    menu = QMenu(view)
    menu.setObjectName("messageMenu")
    menu.setToolTipsVisible(True)
    menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    entry = message.entry
    if entry is None:
        return
    _add_copying(menu, view, message, entry)
    if entry.node is not None:
        menu.addSeparator()
        _add_acts(menu, view, entry)
    menu.popup(at)


def _add_copying(menu: QMenu, view: DialogueView, message: MessageView, entry: Entry) -> None:
    selecting, body = view.selecting, message.body
    if selecting.has_text:
        menu.addAction(theme.icon("copy"), _words("Copy"), selecting.copy)
        if selecting.spans_messages:
            menu.addAction(_words("Copy with names"), lambda: _copy(selecting.text(names=True)))
    text = entry.text
    menu.addAction(theme.icon("copy"), _words("Copy message"), lambda: _copy(text))
    if body.isHidden():
        return
    for link in body.document().links()[:MOST_LINKS]:
        shown = link if len(link) < LONGEST_LINK else link[:LONGEST_LINK] + "…"
        words = _words("Open {0}").format(shown.replace("&", "&&"))
        menu.addAction(words, partial(view.link_asked.emit, link))
    place = body.mapFromGlobal(QCursor.pos())
    under = body.link_at(place) if body.rect().contains(place) else None
    if under:
        menu.addAction(_words("Copy link"), partial(_copy, under))


def _add_acts(menu: QMenu, view: DialogueView, entry: Entry) -> None:
    assert entry.node is not None
    key, marks = entry.key, entry.node.metadata
    retry = menu.addAction(theme.icon("refresh-cw"), _words("Retry"), lambda: view.retry_asked.emit(key))
    retry.setEnabled(not entry.no_retry)
    retry.setToolTip(plain_tip(entry.no_retry))
    menu.addAction(theme.icon("pencil"), _words("Edit as a sibling"), lambda: view.on_edit_asked(key))
    words = _words("Remove bookmark") if marks.bookmarked else _words("Bookmark")
    menu.addAction(theme.icon("bookmark"), words, lambda: view.bookmark_asked.emit(key))
    words = _words("Include in what is sent") if marks.excluded else _words("Exclude from what is sent")
    icon = theme.icon("eye" if marks.excluded else "eye-off")
    menu.addAction(icon, words, lambda: view.exclude_asked.emit(key))
    words = _words("Include it and all below") if marks.excluded else _words("Exclude it and all below")
    menu.addAction(words, lambda: view.exclude_branch_asked.emit(key))


def _copy(text: str) -> None:
    copy_words(text)


def _words(source: str) -> str:
    return QCoreApplication.translate("MessageMenu", source)
