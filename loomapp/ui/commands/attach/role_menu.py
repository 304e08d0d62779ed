"""Menu of the roles that a node can have in the next generation: context or instruction."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QPoint
from PySide6.QtWidgets import QMenu

from loomapp.core.model.content import Image
from loomapp.session.context.pending_sources import Attached
from loomapp.ui.look import theme
from loomapp.ui.strings import tr
from loomapp.ui.widgets.labels import plain_tip
from loomapp.ui.workbench import Workbench


def ask_role(bench: Workbench, node_id: str, onto_id: str, at: QPoint) -> None:
    """Ask what a node that was dropped on another is to be for what is generated there."""
    menu = node_menu(bench, node_id, onto_id)
    menu.aboutToHide.connect(menu.deleteLater)
    menu.popup(at)


def node_menu(bench: Workbench, node_id: str, onto_id: str) -> QMenu:
    """Return the menu of roles for what is generated from a node."""
    node = bench.work.document.tree.nodes[node_id]
    is_image = isinstance(node.content, Image)
    return role_menu(bench, lambda role: _attach_there(bench, node_id, onto_id, role), is_image=is_image)


def role_menu(bench: Workbench, choose: Callable[[Attached], None], *, is_image: bool) -> QMenu:
    """Return the menu of roles, of which an image has only one."""
    menu = QMenu(bench.views.window)
    menu.setObjectName("attachMenu")

    def add(icon: str, words: str, tip: str, role: Attached) -> None:
        action = menu.addAction(theme.icon(icon), words)
        action.setToolTip(plain_tip(tip))
        action.triggered.connect(lambda: choose(role))
        action.setEnabled(not is_image or role == "context")

    menu.setToolTipsVisible(True)
    icon = "image" if is_image else "layers"
    add(icon, tr("Context"), tr("Goes along as material, before what is continued"), "context")
    add(
        "sticky-note",
        tr("Instruction"),
        tr("Goes along in the system context") if not is_image else tr("An image cannot instruct"),
        "instruction",
    )
    return menu


def _attach_there(bench: Workbench, node_id: str, onto_id: str, role: Attached) -> None:
    document = bench.work.document
    if node_id in document.tree.nodes and onto_id in document.tree.nodes:
        document.place.set_current(onto_id)
        bench.work.preview.pending.attach([node_id], role)
