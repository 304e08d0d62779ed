"""What is done at the desk of a buffer: going on from the caret, parting and joining passages, undo."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from loomapp.core.errors import InvalidInput, LoomError
from loomapp.core.generation.answers import Sources
from loomapp.core.model.entities import ActivePath
from loomapp.ui.commands import send
from loomapp.ui.strings import step_words, tr

if TYPE_CHECKING:
    from loomapp.ui.commands.buffer.buffer import BufferDesk
    from loomapp.ui.window.main_window import MainWindow


class Going(NamedTuple):
    """The node that is to be continued, the caret before that, and the action that parting the text began."""

    node_id: str
    caret: int
    action: str = ""


def is_prose(window: MainWindow) -> bool:
    """A buffer is read, and can be written in."""
    return window.buffer.is_on and not window.document.grove.read_only


def generate(desk: BufferDesk) -> None:
    """Continue where the caret stands, see `make_ready`; or fill in there, if that is what Generate does."""
    if desk.filling.is_meant:
        desk.filling.ask()
    else:
        _continue(desk, make_ready(desk))


def make_ready(desk: BufferDesk) -> Going:
    """Commit what is written, and part the text at the caret: at the end of a passage that one is to be
    continued; in the middle of one its first part, once it is split there. A space that was typed last is
    left out. The text reads as before until it is asked, see `ask`.
    """
    document = desk.window.document
    node_id, is_beside = document.current_id, document.current_id not in document.path
    desk.ghosts.settle()
    caret = desk.view.editor.caret
    if is_beside:  # a card beside the text was chosen
        desk.window.writing.commit()
        return Going(node_id, caret)
    return _parted(desk, caret)


def ask(desk: BufferDesk, going: Going, start: Callable[..., None], attached: Sources | None = None) -> None:
    """Ask for continuations at a place of the text. Once that is done the text ends there, until an answer
    is read, nothing comes, or it is taken back. What was `attached` goes along, and is attached no longer.

    Raises: LoomError, and then nothing is asked, and the text is as it was.
    """
    window, standing = desk.window, desk.window.document.current_id

    def begin(**allowed: object) -> None:
        window.writing.commit()
        _stand_at(desk, going.node_id)
        start(action=going.action, back=_back(desk, going), **allowed)
        _read_up_to(desk, going)

    def done() -> None:
        if attached is not None:
            window.preview.pending.sent(attached)

    try:
        send.send(window, begin, done)
    except LoomError:
        if going.action:  # nobody asked for it to be parted
            window.document.undo(window.generator.guard_undo)
        if going.action or going.node_id in window.document.path:
            desk.place.put_caret(going.caret)
        _stand_at(desk, standing)
        raise


def ask_or_offer(desk: BufferDesk, going: Going, start: Callable[..., None], attached: Sources) -> None:
    """The same; with the ghost preview on what comes is only offered."""
    ask(desk, going, lambda **how: start(follows=desk.expect(going.node_id), **how), attached)


def _continue(desk: BufferDesk, going: Going) -> None:
    window = desk.window
    sources = window.preview.pending.sources(going.node_id)
    ask_or_offer(desk, going, partial(window.generator.start, sources, window.composer.count), sources)


def _back(desk: BufferDesk, going: Going) -> ActivePath | None:
    """What is read now, if the text is to be cut for the answers."""
    document = desk.window.document
    return None if going.node_id == document.path_ids[-1] else document.tree.path


def continue_node(desk: BufferDesk, node_id: str, *, follow: bool) -> None:
    """Ask for continuations of a node's card, once what is written is committed: of the last one with all
    that was written after it. With `follow` the reader moves to it first.
    """
    from loomapp.ui.commands import node_actions

    document = desk.window.document
    is_last = node_id == document.path_ids[-1]
    desk.ghosts.settle()
    if is_last and node_id in document.path:
        _continue(desk, _parted(desk, desk.place.end_of(node_id)))
        return
    is_current = node_id == document.current_id
    node_id = desk.window.writing.settled(node_id)
    sources, window = desk.window.preview.pending.sources(node_id), desk.window
    if follow or is_current:
        start = partial(window.generator.start, sources, window.composer.count)
        ask(desk, Going(node_id, desk.view.editor.caret), start, sources)
    else:
        node_actions.ask_model(window, sources, sends_pending=True)


def _parted(desk: BufferDesk, caret: int | None) -> Going:
    """Part the text at a caret, by default at its end."""
    with desk.place.moving():
        going = desk.passages.continue_from(caret)
    if going.spaces_left_out:
        desk.window.note(tr("The space at the end is left out: models go on with one of their own."))
    return Going(going.node_id, desk.view.editor.caret if caret is None else caret, going.action)


def _stand_at(desk: BufferDesk, node_id: str) -> None:
    """Who is there when answers come goes on with them."""
    with desk.place.moving():
        desk.window.document.set_current(node_id)


def _read_up_to(desk: BufferDesk, going: Going) -> None:
    """The text ends where it was asked. Who stood at its end goes on behind what comes: between his words and
    their answer nothing is to stand that was not sent.
    """
    before, was_at_end = desk.window.document.tree.path, desk.view.editor.is_at_end
    with desk.place.moving():
        desk.window.document.read(going.node_id)
    desk.ghosts.remember(before, going.caret)
    desk.place.to_end()
    if was_at_end:
        desk.stand_behind_answer()


def ask_in_place(desk: BufferDesk, sources: Sources) -> None:
    """Ask for siblings of the passage after a node: they stream in its place, the text ends before it."""
    window = desk.window
    start = partial(window.generator.start, sources, window.composer.count)
    ask(desk, Going(sources.primary_id, desk.view.editor.caret), start)


def retry_draft(desk: BufferDesk, key: str) -> None:
    """Ask again what failed or waits, or save it again, where it was asked. Where the text was cut for it
    and reads as it did, it is cut once more. Words that were written there since stay what the text says:
    the answer comes beside them.
    """
    window, document = desk.window, desk.window.document
    desk.settle_offer()
    window.writing.commit()
    above = next((d.parent_id for d in window.generator.drafts(document.tree.loom.id) if d.key == key), "")
    node_id = window.generator.cut_again(key)
    if node_id:
        _stand_at(desk, node_id)
    window.generator.retry(key)
    if node_id:
        _read_up_to(desk, Going(node_id, desk.view.editor.caret))
    elif above in document.path and above != document.path_ids[-1]:
        window.note(tr("What comes stands beside the words that follow there now."))


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
    way = window.document.path
    with window.buffer.taking_back.change():
        change = window.writing.undo(window.generator.guard_undo)
    if change is None:
        return
    words, gone = step_words(change.label), change.removed_nodes()
    if gone and not any(node.id in way for node in gone):
        words = tr("{step}: it stood beside this text.").format(step=words)
    window.note(words)


def redo(window: MainWindow) -> None:
    """Do again what was taken back last."""
    change = window.writing.redo()
    if change is not None:
        window.note(step_words(change.label))
