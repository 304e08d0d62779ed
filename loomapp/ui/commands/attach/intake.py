"""Taking files and images in: read beside the window, then part of the message, or nodes that go along."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from PySide6.QtCore import QMimeData, QObject, QPoint, QTimer
from PySide6.QtWidgets import QFileDialog, QMenu

from loomapp.core.edits import node_edits
from loomapp.core.errors import GroveError, InvalidInput, LoomError
from loomapp.core.model.content import Block, Content, Image, Mixed
from loomapp.core.progress import Progress
from loomapp.core.sentences import worded
from loomapp.session.background.background_task import Errand
from loomapp.session.context.pending_sources import Attached
from loomapp.store.files.media import add_media
from loomapp.ui.look import theme
from loomapp.ui.media.attachment_reader import Attachment, read_pasted, read_path
from loomapp.ui.media.offers import Offered, is_only_linked, offered_by
from loomapp.ui.strings import told, tr
from loomapp.ui.widgets.file_dialog import file_dialog
from loomapp.ui.widgets.tips import plain_tip

if TYPE_CHECKING:
    from loomapp.ui.window.main_window import MainWindow

Then: TypeAlias = Callable[[list[Attachment]], None]
MOST_AT_ONCE = 50


class Desk(QObject):
    """Reads what is offered to a window, one batch after the other; close it with the window."""

    def __init__(self, window: MainWindow) -> None:
        super().__init__(window)
        self._window = window
        self._errands: list[Errand] = []
        self.reading: list[str] = []  # names of what is being read
        self._said = ""  # of that, in the status bar

    def take(self, offered: Sequence[Offered], then: Then) -> None:
        """Read, put images into the media folder, and hand on what could be read; the rest gets a line.

        Raises: InvalidInput where nothing can be attached.
        """
        window = self._window
        if window.document.grove.read_only:
            raise InvalidInput(tr("This grove is open for reading only: nothing can be attached."))
        if len(offered) > MOST_AT_ONCE:
            raise InvalidInput(
                worded(
                    "These are {count} files; {most} can be attached at once.",
                    count=len(offered),
                    most=MOST_AT_ONCE,
                )
            )
        errand = Errand(partial(_read, window.document.grove.path, tuple(offered)), self)
        names = [offer.name for offer in offered]
        errand.done.connect(partial(self._on_done, errand, names, then))
        errand.failed.connect(partial(self._on_failed, errand, names))
        self._errands.append(errand)
        self.reading += names
        errand.start()
        QTimer.singleShot(SHOWN_AFTER_MS, self, partial(self.on_late, errand))

    def close(self) -> None:
        """Nobody waits for it any more."""
        for errand in self._errands:
            errand.end()

    def on_late(self, errand: Errand) -> None:
        """It takes longer than one notices: say what is being read."""
        if errand in self._errands:
            self._said = tr("Reading {names}…").format(names=", ".join(self.reading))
            self._window.note(self._said)

    def _on_done(self, errand: Errand, names: list[str], then: Then, read: Read) -> None:
        self._ended(errand, names)
        attachments, errors = read
        if attachments:
            self._window.run_command(lambda _: then(attachments))
        notes = [told(error.message) for error in errors]
        notes += [told(one.note) for one in attachments if one.note]
        if errors:
            self._window.next_steps.show_error(InvalidInput("\n".join(notes)))
        elif notes:
            self._window.note(" ".join(notes))

    def _on_failed(self, errand: Errand, names: list[str], error: LoomError) -> None:
        self._ended(errand, names)
        self._window.next_steps.show_error(error)

    def _ended(self, errand: Errand, names: list[str]) -> None:
        self._errands.remove(errand)
        errand.deleteLater()
        for name in names:
            self.reading.remove(name)
        if self._said and not self.reading:
            self._window.status.forget_note(self._said)
            self._said = ""


SHOWN_AFTER_MS = 400
Read: TypeAlias = tuple[list[Attachment], list[LoomError]]


def _read(grove: Path, offered: Sequence[Offered], progress: Progress) -> Read:
    """On the errand's thread. The media first: nothing is attached of which there are no bytes."""
    attachments: list[Attachment] = []
    errors: list[LoomError] = []
    for number, offer in enumerate(offered):
        progress(number, len(offered))
        try:
            one = read_path(offer) if isinstance(offer, Path) else read_pasted(offer)
            add_media(grove, () if one.data is None else (one.data,))
            attachments.append(one)
        except GroveError:
            raise
        except LoomError as error:
            errors.append(error)
    return attachments, errors


# What becomes of it


def ask_files(window: MainWindow) -> None:
    """Choose files that go along with the message; in a buffer, as context."""
    dialog = file_dialog(window, "attachDialog", tr("Attach files"))
    dialog.setFileMode(QFileDialog.FileMode.ExistingFiles)
    dialog.setNameFilters(
        [
            tr("Images and texts (*)"),
            tr("Images (*.png *.jpg *.jpeg *.gif *.webp *.bmp *.tif *.tiff)"),
        ]
    )
    dialog.filesSelected.connect(
        lambda names: window.run_command(lambda w: add_to_message(w, [Path(name) for name in names]))
    )
    dialog.finished.connect(dialog.deleteLater)
    dialog.open()


def paste(window: MainWindow, data: QMimeData) -> None:
    """Attach what the clipboard holds, or what was dropped on the composer."""
    add_to_message(window, offered_by(data))


def add_to_message(window: MainWindow, offered: Sequence[Offered]) -> None:
    """Make it part of the message that is being written. A buffer has no messages: there it is context."""
    document = window.document
    if document.tree.loom.mode == "buffer":
        attach(window, offered, "context", document.current_id)
        return
    tree_id = document.tree.loom.id

    def enclose(attachments: list[Attachment]) -> None:
        enclosed = window.preview.enclosed
        blocks = tuple(one.block for one in attachments)
        enclosed.put((*enclosed.of_tree(tree_id), *blocks), tree_id)
        window.composer.field.setFocus()

    window.desk.take(offered, enclose)


def attach(window: MainWindow, offered: Sequence[Offered], role: Attached, onto_id: str) -> None:
    """Make nodes of it that go along with what is generated from a node."""
    tree_id = window.document.tree.loom.id

    def keep(attachments: list[Attachment]) -> None:
        document = window.document
        if document.tree.loom.id != tree_id or onto_id not in document.tree.nodes:
            raise InvalidInput(
                tr("Another tree is shown by now, so nothing was attached. Do it again there.")
            )
        attach_blocks(window, [one.block for one in attachments], role, onto_id)
        if role == "instruction" and any(isinstance(one.block, Image) for one in attachments):
            window.note(tr("An image cannot instruct: it goes along as context."))

    window.desk.take(offered, keep)


def attach_blocks(window: MainWindow, blocks: Sequence[Block], role: Attached, onto_id: str) -> None:
    """Loose nodes of these blocks, attached to the generation from a node; one step of undo."""
    document = window.document
    contents = [content_of(block) for block in blocks]
    change = node_edits.attach(document.tree, contents, document.pen())
    document.commit(change, current_id=onto_id)
    added = change.added_nodes()
    images = [node.id for node in added if isinstance(node.content, Image)]
    window.preview.pending.attach([node.id for node in added if node.id not in images], role)
    window.preview.pending.attach(images, "context")


def content_of(block: Block) -> Content:
    """A block as all that a node holds."""
    return block if isinstance(block, Image) else Mixed((block,))


def ask_what_for(window: MainWindow, data: QMimeData, onto_id: str, at: QPoint) -> None:
    """Something fell on a card or on the text: what is it to be? Nothing is read before that is said."""
    if is_only_linked(data):
        raise InvalidInput(tr("Only an address was dropped, and nothing is fetched: save the image first."))
    offered = offered_by(data)
    if not offered:
        return
    if window.document.grove.read_only:
        raise InvalidInput(tr("This grove is open for reading only: nothing can be attached."))
    menu = what_for_menu(window, offered, onto_id)
    menu.aboutToHide.connect(menu.deleteLater)
    menu.popup(at)


def what_for_menu(window: MainWindow, offered: Sequence[Offered], onto_id: str) -> QMenu:
    """Context or instruction of what is generated from a node, or part of what is being written."""
    menu = QMenu(window)
    menu.setObjectName("attachMenu")
    menu.setToolTipsVisible(True)

    def add(icon: str, words: str, tip: str, do: Callable[[MainWindow], None]) -> None:
        action = menu.addAction(theme.icon(icon), words)
        action.setToolTip(plain_tip(tip))
        action.triggered.connect(lambda: window.run_command(do))

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
    if window.document.tree.loom.mode == "dialogue":
        add(
            "message-square",
            tr("Part of the message"),
            tr("Stands before the words that are being written"),
            lambda w: add_to_message(w, offered),
        )
    return menu
