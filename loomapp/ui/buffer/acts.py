"""What is done at the desk of a buffer: going on from the caret, parting and joining passages, undo."""

from __future__ import annotations

from typing import TYPE_CHECKING

from loomapp.core.errors import InvalidInput
from loomapp.core.manuscript import Manuscript
from loomapp.ui.strings import step_words, tr

if TYPE_CHECKING:
    from loomapp.ui.buffer.desk import BufferDesk
    from loomapp.ui.window.main_window import MainWindow


def is_prose(window: MainWindow) -> bool:
    """A buffer is read, and can be written in."""
    return window.buffer.is_on and not window.document.grove.read_only


def context_at(manuscript: Manuscript, caret: int) -> tuple[str | None, str]:
    """What Generate continues from a caret, before anything of it is committed: a node, and what stands after
    that up to the caret. No node where the first is the one that is continued.
    """
    passage = manuscript.passage_at(caret)
    first = passage.place
    for node_id in manuscript.penned:
        place = manuscript.place_of(node_id)
        first = first if place is None else min(first, place)
    if not first:
        return (manuscript.node_ids[0] if manuscript.node_ids else None), ""
    begin = manuscript.passage(first).start
    return manuscript.node_ids[first - 1], manuscript.text[begin:caret] if caret > begin else ""


def generate(desk: BufferDesk) -> None:
    """Commit what is written, and continue where the caret stands: at the end of a passage that passage; in
    the middle of one its first part, once it is split there. A space that was typed last is left out.
    """
    window, editor = desk.window, desk.view.editor
    desk.ghosts.settle()
    document = window.document
    if document.current_id not in document.path:  # a card beside the text was chosen
        node_id = document.current_id
        window.writing.commit()
        document.read(node_id)
        desk.to_end()
        desk.ask(node_id)
        return
    with desk.moving():
        going = desk.passages.continue_from(editor.caret)
        document.read(going.node_id)
    desk.to_end()
    if going.spaces_left_out:
        window.note(tr("The space at the end is left out: models go on with one of their own."))
    desk.ask(going.node_id)


def begin_retry(desk: BufferDesk, node_id: str) -> str:
    """Siblings of a passage stream in its place: the text ends before it, until one of them is read. Which
    passage that is, once what was written in it is a version.
    """
    document = desk.window.document
    desk.ghosts.settle()
    is_current = node_id == document.current_id
    desk.window.writing.commit()
    node_id = document.current_id if is_current else node_id
    place = document.path.place_of(node_id)
    if place:
        document.read(document.path_ids[place - 1])
        desk.to_end()
    return node_id


def split(window: MainWindow) -> None:
    """Two passages where the caret stands in the middle of one; the text stays as it is."""
    desk = window.buffer
    desk.ghosts.settle()
    before = window.document.path_ids
    with desk.moving():
        desk.passages.split_at(desk.view.editor.caret)
    if window.document.path_ids == before:
        raise InvalidInput(tr("Put the caret into the middle of a passage to split it there."))
    desk.sync()
    window.note(tr("Split. The text is the same; each part can be continued, edited and left out by itself."))


def merge(window: MainWindow) -> None:
    """The passage of the caret and the one before it as one; both stay, as a version."""
    desk, place = window.buffer, _place(window)
    with desk.moving():
        desk.passages.merge_with_parent(place)
    desk.sync()
    window.note(tr("Merged. The parts stay as a version, in the list beside the text."))


def merge_chain(window: MainWindow) -> None:
    """All passages around the caret that go on in one way only, as one."""
    desk, place = window.buffer, _place(window)
    with desk.moving():
        count = desk.passages.merge_chain(place)
    desk.sync()
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
    with window.buffer.moving():
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
