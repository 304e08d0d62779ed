"""The menu of a message: copying, and the same acts as its tools."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Protocol

from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QCursor
from PySide6.QtWidgets import QMenu, QWidget

from loomapp.core.dataclass import dataclass
from loomapp.ui.dialogue.message.message import MessageView
from loomapp.ui.dialogue.script.entries import Entry
from loomapp.ui.dialogue.text.node_links import node_of_link
from loomapp.ui.look import theme
from loomapp.ui.strings import tr
from loomapp.ui.widgets.clipboard import copy as copy_words
from loomapp.ui.widgets.labels import plain_tip
from loomapp.ui.widgets.page import Menu

MOST_LINKS = 9
LONGEST_LINK = 60  # characters


class SelectedText(Protocol):
    """Text selected in one message or across several."""

    @property
    def has_text(self) -> bool: ...

    @property
    def spans_messages(self) -> bool: ...

    def copy(self) -> None: ...

    def text(self, *, names: bool = False) -> str:
        """Return the text, with the names of those who speak if asked for."""


@dataclass(frozen=True, slots=True)
class MenuActs:
    """The acts that a menu offers. Each takes the id of its node, `open_link` an address."""

    retry: Callable[[str], None]
    edit: Callable[[str], None]
    bookmark: Callable[[str], None]
    exclude: Callable[[str], None]
    exclude_branch: Callable[[str], None]
    show_sent: Callable[[str], None]
    open_link: Callable[[str], None]


def show_message_menu(
    parent: QWidget, message: MessageView, at: QPoint, *, selected: SelectedText, acts: MenuActs
) -> None:
    """Show the menu of a message at a place on the screen."""
    menu = Menu(parent)
    menu.setObjectName("messageMenu")
    menu.setToolTipsVisible(True)
    menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    entry = message.entry
    if entry is None:
        return
    _add_copying(menu, message, entry, selected, acts)
    if entry.node is not None:
        menu.addSeparator()
        _add_acts(menu, entry, acts)
    menu.popup(at)


def _add_copying(
    menu: QMenu, message: MessageView, entry: Entry, selected: SelectedText, acts: MenuActs
) -> None:
    body = message.body
    if selected.has_text:
        menu.addAction(theme.icon("copy"), tr("Copy"), selected.copy)
        if selected.spans_messages:
            menu.addAction(tr("Copy with names"), lambda: copy_words(selected.text(names=True)))
    text = entry.text
    menu.addAction(theme.icon("copy"), tr("Copy message"), lambda: copy_words(text))
    if body.isHidden():
        return
    for link in body.document().links()[:MOST_LINKS]:
        shown = link if len(link) < LONGEST_LINK else link[:LONGEST_LINK] + "…"
        words = tr("Open {0}").format(shown.replace("&", "&&"))
        menu.addAction(words, partial(acts.open_link, link))
    place = body.mapFromGlobal(QCursor.pos())
    under = (body.link_at(place) if body.rect().contains(place) else "") or ""
    if under and node_of_link(under) is None:
        menu.addAction(tr("Copy link"), lambda: copy_words(under))


def _add_acts(menu: QMenu, entry: Entry, acts: MenuActs) -> None:
    assert entry.node is not None
    key, marks = entry.key, entry.node.metadata
    retry = menu.addAction(theme.icon("refresh-cw"), tr("Retry"), lambda: acts.retry(key))
    retry.setEnabled(not entry.no_retry)
    retry.setToolTip(plain_tip(entry.no_retry))
    menu.addAction(theme.icon("pencil"), tr("Edit: a new message beside this one"), lambda: acts.edit(key))
    words = tr("Remove bookmark") if marks.bookmarked else tr("Bookmark")
    menu.addAction(theme.icon("bookmark"), words, lambda: acts.bookmark(key))
    words = tr("Include in context") if marks.excluded else tr("Exclude from context")
    icon = theme.icon("eye" if marks.excluded else "eye-off")
    menu.addAction(icon, words, lambda: acts.exclude(key))
    words = tr("Include branch in context") if marks.excluded else tr("Exclude branch from context")
    menu.addAction(words, lambda: acts.exclude_branch(key))
    if entry.node.author_type == "model":
        menu.addAction(tr("What was this sent?"), lambda: acts.show_sent(key))
