"""Taking files and images in, chosen, pasted or dropped: part of the message, or nodes that go along."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from PySide6.QtCore import QEvent, QMimeData, QObject, QPoint, Qt
from PySide6.QtGui import QDragLeaveEvent, QDropEvent, QGuiApplication, QKeyEvent, QKeySequence
from PySide6.QtWidgets import QAbstractScrollArea, QMenu

from loomapp.core.edits import node_edits
from loomapp.core.errors import InvalidInput
from loomapp.core.model.content import Block, Content, Image, Mixed
from loomapp.session.context.pending_sources import Attached
from loomapp.ui.look import theme
from loomapp.ui.media.attachment_queue import Offered, can_take, is_only_linked, offered_by
from loomapp.ui.media.attachment_reader import Attachment
from loomapp.ui.strings import tr
from loomapp.ui.widgets.labels import plain_tip
from loomapp.ui.widgets.page import Menu
from loomapp.ui.workbench import Workbench

# What becomes of it
MOVES = (QEvent.Type.DragEnter, QEvent.Type.DragMove)


def ask_files(bench: Workbench) -> None:
    """Ask for files that go along with the message; in a buffer, as context."""
    from loomapp.ui.widgets.file_dialog import file_dialog  # late: few sessions choose a file

    dialog = file_dialog(bench.views.window, "attachDialog", tr("Attach files"))
    dialog.setFileMode(dialog.FileMode.ExistingFiles)
    dialog.setNameFilters(
        [tr("Images and texts (*)"), tr("Images (*.png *.jpg *.jpeg *.gif *.webp *.bmp *.tif *.tiff)")]
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
    pending = bench.work.preview.pending
    pending.attach([node.id for node in added if node.id not in images], role, is_step=False)
    pending.attach(images, "context", is_step=False)


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
    menu = Menu(bench.views.window)
    menu.setObjectName("attachMenu")
    menu.setToolTipsVisible(True)

    def add(icon: str, words: str, tip: str, do: Callable[[Workbench], None]) -> None:
        action = menu.addAction(theme.icon(icon), words)
        action.setToolTip(plain_tip(tip))
        action.triggered.connect(lambda: bench.frame.run_command(do))

    add(
        "layers",
        tr("Attach as context"),
        tr("Goes along as material, before what is continued"),
        lambda w: attach(w, offered, "context", onto_id),
    )
    add(
        "sticky-note",
        tr("Attach as instruction"),
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


class TextDrop(QObject):
    """Takes things dropped on messages, or on the text of a buffer, for the next question; a menu asks how.
    Things pasted there go along too.
    """

    def __init__(self, bench: Workbench, text: QAbstractScrollArea) -> None:
        super().__init__(bench.views.window)
        self._bench = bench
        for widget in (text.viewport(), text):
            widget.setAcceptDrops(True)
            widget.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress:
            return event.matches(QKeySequence.StandardKey.Paste) and self._pasted()
        if not isinstance(event, QDropEvent) or not _is_for_us(event.mimeData()):
            return False
        accept(event)
        if event.type() == QEvent.Type.Drop:
            bench, data = self._bench, event.mimeData()
            at = bench.views.window.cursor().pos()
            bench.frame.run_command(lambda w: ask_what_for(w, data, w.work.document.current_id, at))
        return True

    def _pasted(self) -> bool:
        data = QGuiApplication.clipboard().mimeData()
        if data is None or not can_take(data):
            return False
        self._bench.frame.run_command(lambda w: paste(w, data))
        return True


class CardDrop(QObject):
    """Takes things dropped on a card for the answers to it; on the empty canvas, to the current one."""

    def __init__(self, bench: Workbench) -> None:
        super().__init__(bench.views.window)
        self._bench = bench
        viewport = bench.views.graph.viewport()
        viewport.setAcceptDrops(True)
        viewport.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Ring the card that a drop would fall on, and take the drop there."""
        graph = self._bench.views.graph
        if isinstance(event, QDragLeaveEvent):
            graph.show_drop(None)
            return False
        if not isinstance(event, QDropEvent) or not _is_for_us(event.mimeData()):
            return False
        at = event.position()
        accept(event)
        if event.type() in MOVES:
            graph.show_drop(at)
        elif event.type() == QEvent.Type.Drop:
            onto = graph.show_drop(at) or self._bench.work.document.current_id
            graph.show_drop(None)
            self._ask(event.mimeData(), onto, graph.viewport().mapToGlobal(at.toPoint()))
        return True

    def _ask(self, data: QMimeData, onto_id: str, at: QPoint) -> None:
        self._bench.frame.run_command(lambda w: ask_what_for(w, data, onto_id, at))


def accept(event: QDropEvent) -> None:
    """Accept a drop as a copy, wherever it comes from: nothing is ever taken away from there."""
    event.setDropAction(Qt.DropAction.CopyAction)
    event.accept()


def _is_for_us(data: QMimeData) -> bool:
    return can_take(data) or is_only_linked(data)
