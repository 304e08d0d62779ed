"""Attachments of the coming generation: nodes by key or dragged, files and images; chips show them."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QPoint
from PySide6.QtWidgets import QMenu

from loomapp.core.model.content import AttachedDocument, Block, Content, Image, Text, blocks_of
from loomapp.core.model.entities import Node
from loomapp.session.context.pending_sources import Attached
from loomapp.ui.commands.attach import intake
from loomapp.ui.commands.attach.document_drop import CardDocumentDrop, DocumentDrop
from loomapp.ui.commands.attach.intake import CardDrop, TextDrop
from loomapp.ui.commands.attach.role_menu import ask_role, node_menu, role_menu
from loomapp.ui.commands.graph.branches import chosen, has_chosen
from loomapp.ui.composer.source_chips import PendingSource
from loomapp.ui.media.picture import ImageViewer
from loomapp.ui.strings import tr
from loomapp.ui.workbench import Workbench

TITLE_LENGTH = 28
BLOCK = "block:"  # how the key of what is no node begins


def wire(bench: Workbench) -> None:
    pending = bench.work.preview.pending
    pending.changed.connect(lambda: show(bench))
    bench.work.preview.assembled.connect(lambda _: show(bench))  # the model or its image may be another
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
    """A chip; of an image that goes only by name it says why, which the coming context knows."""
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
    return writable and (has_chosen(bench) or not document.tree.is_empty_root(document.current_id))


def attach_context(bench: Workbench) -> None:
    attach(bench, "context")


def attach_instruction(bench: Workbench) -> None:
    attach(bench, "instruction")


def attach(bench: Workbench, role: Attached) -> None:
    """Attach what is selected, or the current node; then go back to the end of the path to be continued."""
    document = bench.work.document
    node_ids = chosen(bench) or (document.current_id,)
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
