"""What is done at the desk of a buffer: going on from the caret, parting and joining passages, undo."""

from __future__ import annotations

from typing import TYPE_CHECKING

from loomapp.core.errors import InvalidInput
from loomapp.ui.strings import step_words, tr

if TYPE_CHECKING:
    from loomapp.ui.buffer.desk import BufferDesk
    from loomapp.ui.window.main_window import MainWindow


def is_prose(window: MainWindow) -> bool:
    """A buffer is read, and can be written in."""
    return window.buffer.is_on and not window.document.grove.read_only


def generate(desk: BufferDesk) -> None:
    """Continue where the caret stands, see `make_ready`; or fill in there, if that is what Generate does."""
    if desk.filling.is_meant:
        desk.filling.ask()
    else:
        desk.ask(make_ready(desk))


def make_ready(desk: BufferDesk) -> str:
    """Commit what is written, and read up to the caret: at the end of a passage to that passage; in the
    middle of one to its first part, once it is split there. A space that was typed last is left out. Gives
    the node that is to be continued.
    """
    document = desk.window.document
    node_id, is_beside = document.current_id, document.current_id not in document.path
    desk.ghosts.settle()
    if is_beside:  # a card beside the text was chosen
        desk.window.writing.commit()
        before, caret = document.tree.path, desk.view.editor.caret
        document.read(node_id)
        desk.ghosts.remember(before, caret)
        desk.place.to_end()
        return node_id
    return _read_up_to(desk, desk.view.editor.caret)


def continue_node(desk: BufferDesk, node_id: str, *, follow: bool) -> None:
    """Ask for continuations of a node's card, once what is written is committed: of the last one with all
    that was written after it. With `follow` the reader moves to it first.
    """
    from loomapp.ui.window import commands

    document = desk.window.document
    is_last = node_id == document.path_ids[-1]
    desk.ghosts.settle()
    if is_last and node_id in document.path:
        desk.ask(_read_up_to(desk, desk.place.end_of(node_id)))
        return
    is_current = node_id == document.current_id
    node_id = desk.passages.settled(node_id)
    if follow or is_current:
        document.read(node_id)
        desk.place.to_end()
    sources = desk.window.preview.pending.sources(node_id)
    commands.ask_model(desk.window, sources, sends_pending=True)


def _read_up_to(desk: BufferDesk, caret: int | None) -> str:
    """Read up to a caret, by default the end of the text; the node before it."""
    with desk.place.moving():
        going = desk.passages.continue_from(caret)
        before = desk.window.document.tree.path
        desk.window.document.read(going.node_id)
        desk.ghosts.remember(before, desk.view.editor.caret if caret is None else caret)
    desk.place.to_end()
    if going.spaces_left_out:
        desk.window.note(tr("The space at the end is left out: models go on with one of their own."))
    return going.node_id


def settled_for_retry(desk: BufferDesk, node_id: str) -> str:
    """Which passage one is asked for again, once what was written in it is a version."""
    document = desk.window.document
    desk.ghosts.settle()
    is_current = node_id == document.current_id
    settled = desk.passages.settled(node_id)
    return document.current_id if is_current else settled


def begin_retry(desk: BufferDesk, node_id: str) -> None:
    """Siblings of a passage stream in its place: the text ends before it, until one of them is read."""
    document = desk.window.document
    place = document.path.place_of(node_id)
    if place:
        document.read(document.path_ids[place - 1])
        desk.place.to_end()


def end_retry(desk: BufferDesk, node_id: str) -> None:
    """Nothing was asked after all: the text goes on with the passage, as it did."""
    document = desk.window.document
    document.read_through(node_id)
    document.set_current(node_id)


def split(window: MainWindow) -> None:
    """Two passages where the caret stands in the middle of one; the text stays as it is."""
    desk = window.buffer
    desk.ghosts.settle()
    before = window.document.path_ids
    with desk.place.moving():
        desk.passages.split_at(desk.view.editor.caret)
    if window.document.path_ids == before:
        raise InvalidInput(tr("Put the caret into the middle of a passage to split it there."))
    desk.place.sync()
    window.note(tr("Split. The text is the same; each part can be continued, edited and left out by itself."))


def merge(window: MainWindow) -> None:
    """The passage of the caret and the one before it as one; both stay, as a version."""
    desk, place = window.buffer, _place(window)
    with desk.place.moving():
        desk.passages.merge_with_parent(place)
    desk.place.sync()
    window.note(tr("Merged. The parts stay as a version, in the list beside the text."))


def merge_chain(window: MainWindow) -> None:
    """All passages around the caret that go on in one way only, as one."""
    desk, place = window.buffer, _place(window)
    with desk.place.moving():
        count = desk.passages.merge_chain(place)
    desk.place.sync()
    if count < 2:
        window.note(tr("The text goes on in other ways before and after this passage."))
    else:
        window.note(tr("Merged {count} passages. They stay as a version.").format(count=count))


def _place(window: MainWindow) -> int:
    """The place of the passage that is current."""
    window.buffer.ghosts.settle()
    window.writing.commit()
    return window.document.path.place_of(window.document.current_id) or 0


def keep_path(window: MainWindow) -> None:
    """Prune every branch that leaves the path."""
    window.buffer.ghosts.settle()
    with window.buffer.place.moving():
        pruned = window.buffer.passages.keep_path()
    if pruned:
        window.note(tr("Only this path is kept. Nothing is deleted: View → Show pruned."))
    else:
        window.note(tr("No other branch leaves this path."))


def undo(window: MainWindow) -> None:
    """Take back what was done last; typing had its turn before."""
    window.buffer.ghosts.settle()
    change = window.writing.undo(window.generator.guard_undo)
    if change is not None:
        window.note(step_words(change.label))


def redo(window: MainWindow) -> None:
    """Do again what was taken back last."""
    change = window.writing.redo()
    if change is not None:
        window.note(step_words(change.label))
