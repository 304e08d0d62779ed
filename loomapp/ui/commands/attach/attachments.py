"""Attachments of the coming generation: nodes by key or dragged, in their roles, documents, files."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from PySide6.QtCore import QEvent, QObject, QPoint
from PySide6.QtGui import QDragLeaveEvent, QDropEvent
from PySide6.QtWidgets import QMenu, QWidget

from loomapp.core.context.system import sends_system
from loomapp.core.errors import InvalidInput
from loomapp.core.model.content import AttachedDocument, Block, Content, Image, Text, blocks_of
from loomapp.core.model.entities import Node
from loomapp.session.context.pending_sources import Attached
from loomapp.ui.commands import documents
from loomapp.ui.commands.attach import intake
from loomapp.ui.commands.attach.intake import MOVES, CardDrop, TextDrop, accept
from loomapp.ui.commands.graph.branches import has_chosen, meant
from loomapp.ui.composer.composer_parts import PendingSource
from loomapp.ui.look import theme
from loomapp.ui.media.pictures import ImageViewer
from loomapp.ui.strings import tr
from loomapp.ui.trees.documents.document_list import dragged_document
from loomapp.ui.widgets.labels import plain_tip
from loomapp.ui.widgets.page import Menu
from loomapp.ui.workbench import Workbench


def ask_role(bench: Workbench, node_id: str, onto_id: str, at: QPoint) -> None:
    """Ask what a node that was dropped on another is to be for what is generated there."""
    menu = node_menu(bench, node_id, onto_id)
    menu.aboutToHide.connect(menu.deleteLater)
    menu.popup(at)


def node_menu(bench: Workbench, node_id: str, onto_id: str) -> QMenu:
    node = bench.work.document.tree.nodes[node_id]
    is_image = isinstance(node.content, Image)
    return role_menu(bench, lambda role: _attach_there(bench, node_id, onto_id, role), is_image=is_image)


def role_menu(bench: Workbench, choose: Callable[[Attached], None], *, is_image: bool) -> QMenu:
    """Return the menu of roles, of which an image has only one."""
    menu = Menu(bench.views.window)
    menu.setObjectName("attachMenu")

    def add(icon: str, words: str, tip: str, role: Attached) -> None:
        action = menu.addAction(theme.icon(icon), words)
        action.setToolTip(plain_tip(tip))
        action.triggered.connect(lambda: choose(role))
        action.setEnabled(not is_image or role == "context")

    menu.setToolTipsVisible(True)
    icon = "image" if is_image else "layers"
    add(icon, tr("Attach as context"), tr("Goes along as material, before what is continued"), "context")
    add(
        "sticky-note",
        tr("Attach as instruction"),
        tr("Goes along in the system context") if not is_image else tr("An image cannot instruct"),
        "instruction",
    )
    return menu


def _attach_there(bench: Workbench, node_id: str, onto_id: str, role: Attached) -> None:
    document = bench.work.document
    if node_id in document.tree.nodes and onto_id in document.tree.nodes:
        document.place.set_current(onto_id)
        bench.work.preview.pending.attach([node_id], role)


class DocumentDrop(QObject):
    """Takes a document that falls on the text, for the current node."""

    def __init__(self, bench: Workbench, *widgets: QWidget) -> None:
        super().__init__(bench.views.window)
        self._bench = bench
        for widget in widgets:
            widget.setAcceptDrops(True)
            widget.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if not isinstance(event, QDropEvent) or dragged_document(event.mimeData()) is None:
            return False
        accept(event)
        self.follow(event)
        return True

    def follow(self, event: QDropEvent) -> None:
        """Take a document where it falls."""
        if event.type() == QEvent.Type.Drop:
            self.drop(event, self._bench.work.document.current_id)

    def drop(self, event: QDropEvent, onto_id: str) -> None:
        """Ask what the document is to be for what is generated from a node."""
        dragged, at = dragged_document(event.mimeData()), self._bench.views.window.cursor().pos()
        if dragged is not None:
            self._bench.frame.run_command(lambda w: _ask(w, *dragged, onto_id, at))


class CardDocumentDrop(DocumentDrop):
    """Takes a document that falls on a card, for the answers to it; on the canvas, to the current one."""

    def __init__(self, bench: Workbench) -> None:
        self._graph = bench.views.graph
        super().__init__(bench, self._graph.viewport())

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if isinstance(event, QDragLeaveEvent):
            self._graph.show_drop(None)
            return False
        return super().eventFilter(watched, event)

    def follow(self, event: QDropEvent) -> None:
        """Ring the card that a document would fall on, and take it there."""
        at = event.position()
        if event.type() in MOVES:
            self._graph.show_drop(at)
        elif event.type() == QEvent.Type.Drop:
            onto = self._graph.show_drop(at)
            self._graph.show_drop(None)
            self.drop(event, onto or self._bench.work.document.current_id)


def _ask(bench: Workbench, tree_id: str, node_id: str, onto_id: str, at: QPoint) -> None:
    document = bench.work.document
    if document.grove.read_only:
        raise InvalidInput(tr("This grove is open for reading only: nothing can be attached."))
    newest = documents.newest_of(bench, node_id) if tree_id == document.tree.loom.id else None
    if newest is None:
        raise InvalidInput(tr("This document belongs to another tree, or is deleted."))
    if not documents.is_document_of(bench, newest, onto_id):
        ask_role(bench, newest, onto_id, at)


TITLE_LENGTH = 28
BLOCK = "block:"  # how the key of what is no node begins


def wire(bench: Workbench) -> None:
    pending = bench.work.preview.pending
    pending.changed.connect(lambda: show(bench))
    bench.work.preview.assembled.connect(lambda _: show(bench))  # the model or its image may be another
    bench.work.preview.failed.connect(lambda _: show(bench))
    pending.changed.connect(bench.work.preview.refresh)
    pending.changed.connect(lambda: bench.views.graph.set_coming(pending.roles))
    # Its cards are new.
    bench.work.document.tree_opened.connect(lambda _: bench.views.graph.set_coming(pending.roles))
    enclosed, composer = bench.work.preview.attachments, bench.views.composer
    enclosed.changed.connect(lambda: show(bench))
    composer.source_removed.connect(lambda key: remove(bench, key))
    composer.source_clicked.connect(lambda key, at: ask_other_role(bench, key, at))
    composer.set_pictures(bench.views.thumbnails.image)
    bench.views.thumbnails.came.connect(composer.show_picture)
    composer.attach_asked.connect(lambda: bench.frame.run_command(intake.ask_files))
    composer.offered.connect(lambda data: bench.frame.run_command(lambda w: intake.paste(w, data)))
    bench.views.dialogue.set_thumbnails(bench.views.thumbnails)
    bench.views.graph.set_thumbnails(bench.views.thumbnails)
    bench.views.inspector.node.set_thumbnails(bench.views.thumbnails)
    bench.views.inspector.node.image_chosen.connect(partial(_show_image, bench))
    bench.views.dialogue.image_chosen.connect(partial(_show_image, bench))
    TextDrop(bench, bench.views.dialogue)
    CardDrop(bench)
    DocumentDrop(bench, bench.views.dialogue.viewport(), bench.views.composer)
    CardDocumentDrop(bench)
    bench.views.graph.attach_asked.connect(lambda what, to, at: ask_role(bench, what, to, at))


def _show_image(bench: Workbench, image: Image) -> None:
    ImageViewer(image, bench.work.document.media, bench.views.window).show()


def show(bench: Workbench) -> None:
    nodes = bench.work.document.tree.nodes
    attached = (
        _source(bench, node_id, role, _name(nodes[node_id]), nodes[node_id].content)
        for node_id, role in bench.work.preview.pending.roles.items()
        if node_id in nodes
    )
    enclosed = (
        _source(bench, f"{BLOCK}{number}", "message", _block_name(block), block)
        for number, block in enumerate(bench.work.preview.attachments.blocks)
    )
    bench.views.composer.set_sources((*enclosed, *attached))


def _source(bench: Workbench, key: str, role: str, name: str, content: Content | Block) -> PendingSource:
    """A chip. It says why an instruction is not sent, and why an image goes only by name, which the coming
    context knows.
    """
    if role == "instruction" and not sends_system(bench.work.document.tree.loom):
        why = tr(
            "Instructions go in the system context, and this buffer sends none: Context offers to send it."
        )
        return PendingSource(key, role, _title(name), warning=why, is_sent=False)
    if not isinstance(content, Image):
        return PendingSource(key, role, _title(name))
    return PendingSource(key, role, _title(name), content.ref, bench.text.image_note(content))


def remove(bench: Workbench, key: str) -> None:
    number = _block_number(key)
    if number is None:
        bench.work.preview.pending.detach(key)
    else:
        bench.work.preview.attachments.remove(number)


def ask_other_role(bench: Workbench, key: str, at: QPoint) -> None:
    """Show the menu of a chip: its role, and the roles it could have instead."""
    number = _block_number(key)
    document = bench.work.document
    if number is None:
        menu = node_menu(bench, key, document.current_id)
    else:
        blocks = bench.work.preview.attachments.blocks
        if number >= len(blocks):
            return
        menu = enclosed_menu(bench, number, blocks[number])
    menu.aboutToHide.connect(menu.deleteLater)
    menu.popup(at)


def enclosed_menu(bench: Workbench, number: int, block: Block) -> QMenu:
    """Return the menu that makes a part of the message a node of its own instead."""

    def turn(role: Attached) -> None:
        def do(w: Workbench) -> None:
            intake.attach_blocks(w, [block], role, w.work.document.current_id)
            w.work.preview.attachments.remove(number)

        bench.frame.run_command(do)

    return role_menu(bench, turn, is_image=isinstance(block, Image))


def can_attach(bench: Workbench) -> bool:
    """Return True if cards are selected, or the current node is a message."""
    document = bench.work.document
    writable = not document.grove.read_only
    return writable and (has_chosen(bench) or not document.tree.is_empty_root(bench.meant_id))


def attach_context(bench: Workbench) -> None:
    attach(bench, "context")


def attach_instruction(bench: Workbench) -> None:
    attach(bench, "instruction")


def attach(bench: Workbench, role: Attached) -> None:
    """Attach what is selected, or the current node; then go back to the end of the path to be continued."""
    document = bench.work.document
    node_ids = meant(bench)
    bench.work.preview.pending.attach(list(node_ids), role)
    if document.current_id in node_ids:  # it is attached, not continued
        document.place.set_current(document.path_ids[-1])


def _block_number(key: str) -> int | None:
    return int(key.removeprefix(BLOCK)) if key.startswith(BLOCK) else None


def _block_name(block: Block) -> str:
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
