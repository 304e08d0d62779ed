"""Taking files and images in: read beside the window, then part of the message, or nodes that go along."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from PySide6.QtCore import QMimeData, QPoint
from PySide6.QtWidgets import QFileDialog, QMenu

from loomapp.core.edits import node_edits
from loomapp.core.errors import InvalidInput
from loomapp.core.model.content import Block, Content, Image, Mixed
from loomapp.session.context.pending_sources import Attached
from loomapp.ui.look import theme
from loomapp.ui.media.attachment_reader import Attachment
from loomapp.ui.media.offers import Offered, is_only_linked, offered_by
from loomapp.ui.strings import tr
from loomapp.ui.widgets.file_dialog import file_dialog
from loomapp.ui.widgets.tips import plain_tip
from loomapp.ui.workbench import Workbench

# What becomes of it


def ask_files(bench: Workbench) -> None:
    """Ask for files that go along with the message; in a buffer, as context."""
    dialog = file_dialog(bench.views.window, "attachDialog", tr("Attach files"))
    dialog.setFileMode(QFileDialog.FileMode.ExistingFiles)
    dialog.setNameFilters(
        [
            tr("Images and texts (*)"),
            tr("Images (*.png *.jpg *.jpeg *.gif *.webp *.bmp *.tif *.tiff)"),
        ]
    )
    dialog.filesSelected.connect(
        lambda names: bench.frame.run_command(lambda w: add_to_message(w, [Path(name) for name in names]))
    )
    dialog.finished.connect(dialog.deleteLater)
    dialog.open()


def paste(bench: Workbench, data: QMimeData) -> None:
    add_to_message(bench, offered_by(data))


def add_to_message(bench: Workbench, offered: Sequence[Offered]) -> None:
    """Make it part of the message that is being written. A buffer has no messages: there it is context."""
    bench.text.attach(offered)


def attach(bench: Workbench, offered: Sequence[Offered], role: Attached, onto_id: str) -> None:
    """Make nodes of files and images that go along with what is generated from a node."""
    tree_id = bench.work.document.tree.loom.id

    def keep(attachments: list[Attachment]) -> None:
        document = bench.work.document
        if document.tree.loom.id != tree_id or onto_id not in document.tree.nodes:
            raise InvalidInput(
                tr("Another tree is shown by now, so nothing was attached. Do it again there.")
            )
        attach_blocks(bench, [one.block for one in attachments], role, onto_id)
        if role == "instruction" and any(isinstance(one.block, Image) for one in attachments):
            bench.frame.note(tr("An image cannot instruct: it goes along as context."))

    bench.unfinished.reader.take(offered, keep)


def attach_blocks(bench: Workbench, blocks: Sequence[Block], role: Attached, onto_id: str) -> None:
    """Loose nodes of these blocks, attached to the generation from a node; one step of undo."""
    document = bench.work.document
    contents = [content_of(block) for block in blocks]
    change = node_edits.attach(document.tree, contents, document.pen())
    document.commit(change, current_id=onto_id)
    added = change.added_nodes()
    images = [node.id for node in added if isinstance(node.content, Image)]
    bench.work.preview.pending.attach([node.id for node in added if node.id not in images], role)
    bench.work.preview.pending.attach(images, "context")


def content_of(block: Block) -> Content:
    """Return a block as the whole content of a node."""
    return block if isinstance(block, Image) else Mixed((block,))


def ask_what_for(bench: Workbench, data: QMimeData, onto_id: str, at: QPoint) -> None:
    """Ask what a drop on a card or on the text is to be. Nothing is read before that is said."""
    if is_only_linked(data):
        raise InvalidInput(tr("Only an address was dropped, and nothing is fetched: save the image first."))
    offered = offered_by(data)
    if not offered:
        return
    if bench.work.document.grove.read_only:
        raise InvalidInput(tr("This grove is open for reading only: nothing can be attached."))
    menu = what_for_menu(bench, offered, onto_id)
    menu.aboutToHide.connect(menu.deleteLater)
    menu.popup(at)


def what_for_menu(bench: Workbench, offered: Sequence[Offered], onto_id: str) -> QMenu:
    """Context or instruction of what is generated from a node, or part of what is being written."""
    menu = QMenu(bench.views.window)
    menu.setObjectName("attachMenu")
    menu.setToolTipsVisible(True)

    def add(icon: str, words: str, tip: str, do: Callable[[Workbench], None]) -> None:
        action = menu.addAction(theme.icon(icon), words)
        action.setToolTip(plain_tip(tip))
        action.triggered.connect(lambda: bench.frame.run_command(do))

    add(
        "layers",
        tr("Context"),
        tr("Goes along as material, before what is continued"),
        lambda w: attach(w, offered, "context", onto_id),
    )
    add(
        "sticky-note",
        tr("Instruction"),
        tr("Goes along in the system context; an image cannot"),
        lambda w: attach(w, offered, "instruction", onto_id),
    )
    if bench.text.takes_attachments:
        add(
            "message-square",
            tr("Part of the message"),
            tr("Stands before the words that are being written"),
            lambda w: add_to_message(w, offered),
        )
    return menu
