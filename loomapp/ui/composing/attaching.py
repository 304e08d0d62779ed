"""Attaching nodes to the coming generation: by key, or one card dragged onto another; chips show them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QPoint
from PySide6.QtWidgets import QMenu

from loomapp.session.pending import Attached
from loomapp.ui.composing.composer import PendingSource
from loomapp.ui.graph.commands import chosen
from loomapp.ui.look import theme
from loomapp.ui.strings import tr
from loomapp.ui.widgets.tips import plain_tip

if TYPE_CHECKING:
    from loomapp.ui.window.main_window import MainWindow

TITLE_LENGTH = 28


def wire(window: MainWindow) -> None:
    """Chips follow what is attached; so does the preview of what would be sent."""
    pending = window.preview.pending
    pending.changed.connect(lambda: show(window))
    pending.changed.connect(window.preview.refresh)
    window.composer.source_removed.connect(pending.detach)
    window.graph.attach_asked.connect(lambda what, to, at: ask_role(window, what, to, at))


def show(window: MainWindow) -> None:
    """The chips above the words."""
    nodes = window.document.tree.nodes
    window.composer.set_sources(
        tuple(
            PendingSource(node_id, role, _title(nodes[node_id].text, nodes[node_id].local_id))
            for node_id, role in window.preview.pending.roles.items()
            if node_id in nodes
        )
    )


def can_attach(window: MainWindow) -> bool:
    """Something is selected, or the current node is a message."""
    document = window.document
    writable = not document.grove.read_only
    return writable and (bool(chosen(window)) or not document.tree.is_empty_root(document.current_id))


def attach_context(window: MainWindow) -> None:
    """The selected nodes go along as reference material."""
    attach(window, "context")


def attach_instruction(window: MainWindow) -> None:
    """The selected nodes go along as directives."""
    attach(window, "instruction")


def attach(window: MainWindow, role: Attached) -> None:
    """Attach what is selected, or the current node; then go back to the end of the path to be continued."""
    document = window.document
    node_ids = chosen(window) or [document.current_id]
    window.preview.pending.attach(node_ids, role)
    if document.current_id in node_ids:  # it is attached, not continued
        document.set_current(document.path_ids[-1])


def ask_role(window: MainWindow, node_id: str, onto_id: str, at: QPoint) -> None:
    """A card was dropped on another: what is it to be for what is generated there?"""
    menu = role_menu(window, node_id, onto_id)
    menu.aboutToHide.connect(menu.deleteLater)
    menu.popup(at)


def role_menu(window: MainWindow, node_id: str, onto_id: str) -> QMenu:
    """Context or instruction of the next generation there."""
    menu = QMenu(window)
    menu.setObjectName("attachMenu")

    def add(icon: str, words: str, tip: str, role: Attached) -> None:
        action = menu.addAction(theme.icon(icon), words)
        action.setToolTip(plain_tip(tip))
        action.triggered.connect(lambda: _attach_there(window, node_id, onto_id, role))

    menu.setToolTipsVisible(True)
    add("image", tr("Context"), tr("Goes along as material, before what is continued"), "context")
    add(
        "sticky-note",
        tr("Instruction"),
        tr("Goes along in the system context"),
        "instruction",
    )
    return menu


def _attach_there(window: MainWindow, node_id: str, onto_id: str, role: Attached) -> None:
    document = window.document
    if node_id in document.tree.nodes and onto_id in document.tree.nodes:
        document.set_current(onto_id)
        window.preview.pending.attach([node_id], role)


def _title(text: str, local_id: str) -> str:
    words = " ".join(text.split())
    if not words:
        return local_id
    return words if len(words) <= TITLE_LENGTH else words[:TITLE_LENGTH].rstrip() + "…"
