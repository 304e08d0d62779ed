"""What goes along with the coming generation: nodes by key or dragged, files and images; chips show it."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from PySide6.QtCore import QPoint
from PySide6.QtWidgets import QMenu

from loomapp.core.model.content import AttachedDocument, Block, Content, Image, Text, blocks_of
from loomapp.core.model.entities import Node
from loomapp.session.context.pending_sources import Attached
from loomapp.ui.commands.attach import intake
from loomapp.ui.commands.attach.drops import CardDrop, TextDrop
from loomapp.ui.commands.graph.branches import chosen, has_chosen
from loomapp.ui.composer.composer import PendingSource
from loomapp.ui.look import theme
from loomapp.ui.media import by_name
from loomapp.ui.media.viewer import show_image
from loomapp.ui.strings import tr
from loomapp.ui.widgets.tips import plain_tip

if TYPE_CHECKING:
    from loomapp.ui.window.main_window import MainWindow

TITLE_LENGTH = 28
BLOCK = "block:"  # how the key of what is no node begins


def wire(window: MainWindow) -> None:
    """Chips follow what is attached; so does the preview of what would be sent."""
    pending = window.preview.pending
    pending.changed.connect(lambda: show(window))
    window.preview.assembled.connect(lambda _: show(window))  # the model or its image may be another
    pending.changed.connect(window.preview.refresh)
    pending.changed.connect(lambda: window.graph.set_coming(pending.roles))
    window.document.tree_opened.connect(lambda _: window.graph.set_coming(pending.roles))  # its cards are new
    enclosed, composer = window.preview.enclosed, window.composer
    enclosed.changed.connect(lambda: show(window))
    composer.source_removed.connect(lambda key: remove(window, key))
    composer.source_clicked.connect(lambda key, at: ask_other_role(window, key, at))
    composer.set_pictures(window.thumbnails.image)
    window.thumbnails.came.connect(composer.show_picture)
    composer.attach_asked.connect(lambda: window.run_command(intake.ask_files))
    composer.offered.connect(lambda data: window.run_command(lambda w: intake.paste(w, data)))
    window.dialogue.set_thumbnails(window.thumbnails)
    window.graph.set_thumbnails(window.thumbnails)
    window.inspector.node.set_thumbnails(window.thumbnails)
    window.inspector.node.image_chosen.connect(lambda image: show_image(window, image))
    window.dialogue.image_chosen.connect(lambda image: show_image(window, image))
    TextDrop(window, window.dialogue)
    CardDrop(window)
    window.graph.attach_asked.connect(lambda what, to, at: ask_role(window, what, to, at))


def show(window: MainWindow) -> None:
    """The chips above the words."""
    nodes = window.document.tree.nodes
    attached = (
        _source(window, node_id, role, _name(nodes[node_id]), nodes[node_id].content)
        for node_id, role in window.preview.pending.roles.items()
        if node_id in nodes
    )
    enclosed = (
        _source(window, f"{BLOCK}{number}", "message", _block_name(block), block)
        for number, block in enumerate(window.preview.enclosed.blocks)
    )
    window.composer.set_sources((*enclosed, *attached))


def _source(window: MainWindow, key: str, role: str, name: str, content: Content | Block) -> PendingSource:
    """A chip; of an image that goes only by name it says why, which the coming context knows."""
    if not isinstance(content, Image):
        return PendingSource(key, role, _title(name))
    document = window.document
    is_prose = document.tree.loom.mode == "buffer"
    told = by_name.attached(content, window.preview.plans, document.media, is_prose=is_prose)
    return PendingSource(key, role, _title(name), content.ref, told)


def remove(window: MainWindow, key: str) -> None:
    """Take away what a chip stands for."""
    number = _block_number(key)
    if number is None:
        window.preview.pending.detach(key)
    else:
        window.preview.enclosed.remove(number)


def ask_other_role(window: MainWindow, key: str, at: QPoint) -> None:
    """A chip was clicked: what it goes along as, and what else it could be."""
    number = _block_number(key)
    document = window.document
    if number is None:
        menu = role_menu(window, key, document.current_id)
    else:
        blocks = window.preview.enclosed.blocks
        if number >= len(blocks):
            return
        menu = enclosed_menu(window, number, blocks[number])
    menu.aboutToHide.connect(menu.deleteLater)
    menu.popup(at)


def enclosed_menu(window: MainWindow, number: int, block: Block) -> QMenu:
    """What is part of the message could be a node of its own instead."""

    def turn(role: Attached) -> None:
        def do(w: MainWindow) -> None:
            intake.attach_blocks(w, [block], role, w.document.current_id)
            w.preview.enclosed.remove(number)

        window.run_command(do)

    return _menu(window, turn, is_image=isinstance(block, Image))


def can_attach(window: MainWindow) -> bool:
    """Something is selected, or the current node is a message."""
    document = window.document
    writable = not document.grove.read_only
    return writable and (has_chosen(window) or not document.tree.is_empty_root(document.current_id))


def attach_context(window: MainWindow) -> None:
    """The selected nodes go along as reference material."""
    attach(window, "context")


def attach_instruction(window: MainWindow) -> None:
    """The selected nodes go along as directives."""
    attach(window, "instruction")


def attach(window: MainWindow, role: Attached) -> None:
    """Attach what is selected, or the current node; then go back to the end of the path to be continued."""
    document = window.document
    node_ids = chosen(window) or (document.current_id,)
    window.preview.pending.attach(list(node_ids), role)
    if document.current_id in node_ids:  # it is attached, not continued
        document.set_current(document.path_ids[-1])


def ask_role(window: MainWindow, node_id: str, onto_id: str, at: QPoint) -> None:
    """A card was dropped on another: what is it to be for what is generated there?"""
    menu = role_menu(window, node_id, onto_id)
    menu.aboutToHide.connect(menu.deleteLater)
    menu.popup(at)


def role_menu(window: MainWindow, node_id: str, onto_id: str) -> QMenu:
    """Context or instruction of the next generation there."""
    node = window.document.tree.nodes[node_id]
    is_image = isinstance(node.content, Image)
    return _menu(window, lambda role: _attach_there(window, node_id, onto_id, role), is_image=is_image)


def _menu(window: MainWindow, choose: Callable[[Attached], None], *, is_image: bool) -> QMenu:
    menu = QMenu(window)
    menu.setObjectName("attachMenu")

    def add(icon: str, words: str, tip: str, role: Attached) -> None:
        action = menu.addAction(theme.icon(icon), words)
        action.setToolTip(plain_tip(tip))
        action.triggered.connect(lambda: choose(role))
        action.setEnabled(not is_image or role == "context")

    menu.setToolTipsVisible(True)
    add("image", tr("Context"), tr("Goes along as material, before what is continued"), "context")
    add(
        "sticky-note",
        tr("Instruction"),
        tr("Goes along in the system context") if not is_image else tr("An image cannot instruct"),
        "instruction",
    )
    return menu


def _attach_there(window: MainWindow, node_id: str, onto_id: str, role: Attached) -> None:
    document = window.document
    if node_id in document.tree.nodes and onto_id in document.tree.nodes:
        document.set_current(onto_id)
        window.preview.pending.attach([node_id], role)


def _block_number(key: str) -> int | None:
    return int(key.removeprefix(BLOCK)) if key.startswith(BLOCK) else None


def _block_name(block: Block) -> str:
    """What a chip calls it."""
    match block:
        case AttachedDocument(name=name):
            return name
        case Image(alt_text=alt):
            return alt or tr("Image")
        case Text(text=text):
            return text
        case _:
            return tr("Attachment")


def _name(node: Node) -> str:
    blocks = blocks_of(node.content)
    name = _block_name(blocks[0]) if len(blocks) == 1 else node.text
    return name if name.strip() else node.local_id


def _title(text: str) -> str:
    words = " ".join(text[:400].split())
    return words if len(words) <= TITLE_LENGTH else words[:TITLE_LENGTH].rstrip() + "…"
