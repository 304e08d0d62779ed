"""Passages of a buffer: going on from the caret, parting and joining them, and undo."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import NamedTuple

from loomapp.core.errors import InvalidInput, LoomError
from loomapp.core.generation.answers import Sources
from loomapp.core.model.agent import Agent
from loomapp.core.model.entities import ActivePath
from loomapp.ui.commands import send
from loomapp.ui.commands.summaries import conversation
from loomapp.ui.strings import step_words, tr
from loomapp.ui.workbench import Workbench


class Going(NamedTuple):
    """The node that is to be continued, the caret before that, and the action that parting the text began."""

    node_id: str
    caret: int
    action: str = ""


def is_prose(bench: Workbench) -> bool:
    return bench.buffer.is_on and not bench.work.document.grove.read_only


def generate(bench: Workbench) -> None:
    """Continue where the caret stands, see `make_ready`; or fill in there, if that is what Generate does."""
    if bench.buffer.filling.is_meant:
        bench.buffer.filling.ask()
    else:
        _continue(bench, make_ready(bench))


def make_ready(bench: Workbench) -> Going:
    """Commit what is written, and part the text at the caret: at the end of a passage that one is to be
    continued; in the middle of one its first part, once it is split there. A space that was typed last is
    left out. The text reads as before until it is asked, see `ask`.
    """
    document = bench.work.document
    node_id, is_beside = document.current_id, document.current_id not in document.path
    bench.buffer.ghosts.settle()
    caret = bench.buffer.view.editor.caret
    if is_beside:  # a card beside the text was chosen
        bench.work.writing.commit()
        return Going(node_id, caret)
    return _parted(bench, caret)


def ask(bench: Workbench, going: Going, start: Callable[..., None], attached: Sources | None = None) -> None:
    """Ask for continuations at a place of the text. Once that is done the text ends there, until an answer
    is read, nothing comes, or it is taken back. What was `attached` goes along, and is attached no longer.

    Raises: LoomError, and then nothing is asked, and the text is as it was.
    """
    standing = bench.work.document.current_id

    def begin(**allowed: object) -> None:
        bench.work.writing.commit()
        _stand_at(bench, going.node_id)
        start(action=going.action, back=_back(bench, going), **allowed)
        _read_up_to(bench, going)

    def done() -> None:
        if attached is not None:
            bench.work.preview.pending.sent(attached)

    try:
        send.send(bench, begin, done)
    except LoomError:
        if going.action:  # nobody asked for it to be parted
            bench.work.document.history.undo(bench.work.generator.answers.guard_undo)
        if going.action or going.node_id in bench.work.document.path:
            bench.buffer.place.put_caret(going.caret)
        _stand_at(bench, standing)
        raise


def ask_or_offer(bench: Workbench, going: Going, start: Callable[..., None], attached: Sources) -> None:
    """Ask as `ask` does; with the ghost preview on, answers are only offered."""

    def begin(**how: object) -> None:
        start(follows=bench.buffer.expect(going.node_id), **how)
        bench.buffer.ghosts.went_along = attached

    ask(bench, going, begin, attached)


def _continue(bench: Workbench, going: Going, agents: Sequence[Agent] = ()) -> None:
    sources = bench.work.preview.pending.sources(going.node_id)
    count = send.answer_count(bench, agents)
    start = partial(bench.work.generator.start, sources, count, agents=agents)
    _once_summarised(bench, sources, agents, partial(ask_or_offer, bench, going, start, sources))


def _once_summarised(
    bench: Workbench, sources: Sources, agents: Sequence[Agent], go: Callable[[], None]
) -> None:
    """Ask now, or after the summary that has to come first. If the text says something else by then, nothing
    is asked: it would be cut elsewhere than where Generate was pressed.
    """
    text = bench.buffer.text

    def go_on() -> None:
        if bench.buffer.text == text and sources.primary_id in bench.work.document.path:
            go()
        else:
            bench.frame.note(tr("The text was changed while it was summarised: press Generate to go on."))

    if not conversation.made_first(bench, sources, agents, go_on):
        go()


def _back(bench: Workbench, going: Going) -> ActivePath | None:
    """Return the path that is read now, if the text is to be cut for the answers."""
    document = bench.work.document
    return None if going.node_id == document.path_ids[-1] else document.tree.path


def continue_node(bench: Workbench, node_id: str, *, follow: bool, agents: Sequence[Agent] = ()) -> None:
    """Ask for continuations of a node's card, once what is written is committed: of the last one with all
    that was written after it. With `follow` the reader moves to it first.
    """
    document = bench.work.document
    is_last = node_id == document.path_ids[-1]
    bench.buffer.ghosts.settle()
    if is_last and node_id in document.path:
        _continue(bench, _parted(bench, bench.buffer.place.end_of(node_id)), agents)
        return
    is_current = node_id == document.current_id
    node_id = bench.work.writing.settled(node_id)  # no edit follows, but a request
    sources = bench.work.preview.pending.sources(node_id)
    if follow or is_current:
        count = send.answer_count(bench, agents)
        start = partial(bench.work.generator.start, sources, count, agents=agents)
        going = Going(node_id, bench.buffer.view.editor.caret)
        _once_summarised(bench, sources, agents, partial(ask, bench, going, start, sources))
    else:
        send.ask_model(bench, sources, sends_pending=True, agents=agents)


def _parted(bench: Workbench, caret: int | None) -> Going:
    """Part the text at a caret, by default at its end."""
    with bench.buffer.place.moving():
        going = bench.buffer.continuation.continue_from(caret)
    if going.spaces_left_out:
        bench.frame.note(tr("The space at the end is left out: models go on with one of their own."))
    return Going(going.node_id, bench.buffer.view.editor.caret if caret is None else caret, going.action)


def _stand_at(bench: Workbench, node_id: str) -> None:
    """Go to a node whose answers are awaited, so that the reader goes on with them."""
    with bench.buffer.place.moving():
        bench.work.document.place.set_current(node_id)


def _read_up_to(bench: Workbench, going: Going) -> None:
    """The text ends where it was asked. Who stood at its end goes on behind what comes: between his words and
    their answer nothing is to stand that was not sent.
    """
    before, was_at_end = bench.work.document.tree.path, bench.buffer.view.editor.is_at_end
    text, number = bench.buffer.text, _number_of_way_on(bench, going.node_id)
    with bench.buffer.place.moving():
        bench.work.document.place.read(going.node_id)
    if text[len(bench.buffer.text) :].strip():
        said = tr("The text that followed is kept: ‹ beside the text leads back to it.")
        if number:  # ‹ alone leads to another first
            said = tr("The text that followed is kept, as number {number} of ‹ › beside the text.")
        bench.frame.note(said.format(number=number))
    bench.buffer.ghosts.remember(before, going.caret)
    bench.buffer.place.to_end()
    if was_at_end:
        bench.buffer.answers.go_behind()


def _number_of_way_on(bench: Workbench, node_id: str) -> int:
    """Return the number that a pager has for how the text goes on after a node; 0 where it goes in no other
    way.
    """
    buffer_text = bench.buffer.buffer_text
    place = buffer_text.place_of(node_id)
    if place is None or place + 1 >= len(buffer_text.node_ids):
        return 0
    turn = buffer_text.siblings(place + 1)
    return turn.index + 1 if turn.count > 1 else 0


def ask_in_place(bench: Workbench, sources: Sources, agents: Sequence[Agent] = ()) -> None:
    """Ask for siblings of the passage after a node: they stream in its place, the text ends before it."""
    count = send.answer_count(bench, agents)
    start = partial(bench.work.generator.start, sources, count, agents=agents)
    going = Going(sources.primary_id, bench.buffer.view.editor.caret)
    _once_summarised(bench, sources, agents, partial(ask, bench, going, start))


def retry_draft(bench: Workbench, key: str) -> None:
    """Ask again what failed or waits, or save it again, where it was asked. Where the text was cut for it
    and reads as it did, it is cut once more. Words that were written there since stay what the text says:
    the answer comes beside them.
    """
    document = bench.work.document
    bench.buffer.settle_offer()
    bench.work.writing.commit()
    above = next(
        (d.parent_id for d in bench.work.generator.drafts(document.tree.loom.id) if d.key == key), ""
    )
    node_id = bench.work.generator.cut_again(key)
    if node_id:
        _stand_at(bench, node_id)
    failed = bench.work.generator.answers.failed_answers.failed_flight(key)
    is_end = bool(node_id) or above == document.path_ids[-1]
    goes_on = failed is not None and failed.sources.gap_id is None and is_end
    follows = bench.buffer.expect(node_id or above) if goes_on else True
    bench.work.generator.retry(key, follows=follows)
    if node_id:
        _read_up_to(bench, Going(node_id, bench.buffer.view.editor.caret))
    elif above in document.path and above != document.path_ids[-1]:
        bench.frame.note(tr("The answer becomes another branch beside the words that follow there now."))


def split(bench: Workbench) -> None:
    """Split the passage around the caret in two; the text stays as it is."""
    desk = bench.buffer
    desk.ghosts.settle()
    before = bench.work.document.path_ids
    with desk.place.moving():
        desk.passages.split_at(desk.view.editor.caret)
    if bench.work.document.path_ids == before:
        raise InvalidInput(tr("Put the caret into the middle of a passage to split it there."))
    desk.place.sync()
    bench.frame.note(
        tr("Split. The text is the same; each part can be continued, edited and left out by itself.")
    )


def merge(bench: Workbench) -> None:
    """The passage of the caret and the one before it as one, with the caret between two these; both stay, as
    a version.
    """
    desk, place = bench.buffer, _place(bench)
    text, caret = desk.buffer_text, desk.place.writer_at
    has_next = place + 1 < len(bench.work.document.path_ids)  # what is written at the end may be no node yet
    is_between = has_next and text.passage(place + 1).start == caret
    with desk.place.moving():
        desk.passages.merge_with_parent(place + is_between)
    desk.place.sync()
    bench.frame.note(tr("Merged. The parts stay as a version, in the list beside the text."))


def merge_chain(bench: Workbench) -> None:
    """Merge all passages around the caret that go on in one way only."""
    desk, place = bench.buffer, _place(bench)
    with desk.place.moving():
        count = desk.passages.merge_chain(place)
    desk.place.sync()
    if count < 2:
        bench.frame.note(tr("The text goes on in other ways before and after this passage."))
    else:
        bench.frame.note(tr("Merged {count} passages. They stay as a version.").format(count=count))


def _place(bench: Workbench) -> int:
    """Return the place of the current passage in the text."""
    bench.buffer.ghosts.settle()
    bench.work.writing.commit()
    return bench.work.document.path.place_of(bench.work.document.current_id) or 0


def keep_path(bench: Workbench) -> None:
    """Prune every branch that leaves the path."""
    bench.buffer.ghosts.settle()
    with bench.buffer.place.moving():
        pruned = bench.buffer.passages.keep_path()
    if pruned:
        bench.frame.note(
            tr("Only this path is kept, the other branches are deleted. Undo, or View → Show deleted.")
        )
    else:
        bench.frame.note(tr("No other branch leaves this path."))


def undo(bench: Workbench) -> None:
    """Undo the last change; typing had its turn before."""
    bench.buffer.ghosts.settle()
    way, read = bench.work.document.path, bench.buffer.text
    take_back = partial(bench.work.writing.undo.undo, bench.work.generator.answers.guard_undo)
    change = bench.buffer.taking_back.change(take_back)
    if change is None:
        return
    words, gone = step_words(change.label), change.removed_nodes()
    if gone and not any(node.id in way for node in gone) and bench.buffer.text == read:
        words = tr("{step}. It stood beside this text.").format(step=words)
    bench.frame.note(words)


def redo(bench: Workbench) -> None:
    """Redo the change that was undone last."""
    change = bench.buffer.taking_back.again(bench.work.writing.undo.redo)
    if change is not None:
        bench.frame.note(step_words(change.label))
