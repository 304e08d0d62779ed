"""Saving what the user wrote: into the grove, or, while the disk takes nothing, kept where it was written."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from PySide6.QtCore import Qt

from loomapp.core.economy import branch_summaries
from loomapp.core.edits import edit_context, node_edits
from loomapp.core.edits.documents import write_version
from loomapp.core.errors import InvalidInput, LoomError
from loomapp.core.model.change import Change
from loomapp.core.model.content import becomes_node, composed, well_formed
from loomapp.core.model.entities import LoomTree
from loomapp.core.model.tree import Tree
from loomapp.core.sentences import worded
from loomapp.core.summarisers import changes
from loomapp.session.document import NotSaved
from loomapp.session.recovery import BegunKind, BegunText, has_same_settings
from loomapp.store.files.drafts import Kind, Slot
from loomapp.store.identity import now
from loomapp.ui.strings import tr
from loomapp.ui.unsaved.unsaved import ACT, ANSWERS, BUSY, COMPOSER, Unsaved, is_no_room
from loomapp.ui.widgets.keyboard import focused_beside
from loomapp.ui.workbench import Workbench


def wire(bench: Workbench) -> None:
    unsaved, document = bench.unfinished.unsaved, bench.work.document
    bench.views.banner.retry_clicked.connect(unsaved.retry)
    bench.views.settings_page.loom_edited.connect(
        lambda loom: bench.frame.run_command(lambda w: save_loom(w, loom))
    )
    # The words wait in the journal until their tree is open again.
    document.tree_opened.connect(lambda _: unsaved.drop(COMPOSER))
    document.saved.connect(unsaved.on_saved)
    bench.views.composer.text_changed.connect(partial(unsaved.keep_while, COMPOSER))
    bench.unfinished.writings.wire()
    answers = bench.work.generator.answers.unsaved_text
    bench.work.generator.answers.drafts_changed.connect(lambda: unsaved.keep_while(ANSWERS, answers()))


def keep_act(bench: Workbench, again: Callable[[], object], error: LoomError) -> None:
    """Keep an action that failed for want of room to be tried again, on what it was about; tell any other
    reason to the user. For actions without words that could be lost.
    """
    if not is_no_room(error):
        bench.frame.show_error(error)
        return
    document = bench.work.document
    if error.code == BUSY and isinstance(error, NotSaved):
        key = f"{ACT} {error.change.at} {len(list(bench.unfinished.unsaved))}"
        commit = partial(document.commit_to, error.tree, error.change)
        bench.unfinished.unsaved.keep(Unsaved(key, tr("what you did"), commit, error=error))
        return
    where = (document.tree.loom.id, document.current_id, tuple(bench.views.graph.chosen_ids))
    bench.unfinished.unsaved.keep(
        Unsaved(ACT, tr("what you did"), partial(_act_again, bench, again, *where), error=error)
    )


def _act_again(
    bench: Workbench, again: Callable[[], object], tree_id: str, node_id: str, chosen: tuple[str, ...]
) -> None:
    _go_to(bench, tree_id)
    _look_for(bench, node_id)
    bench.work.document.place.set_current(node_id)
    bench.views.graph.choose(i for i in chosen if i in bench.work.document.tree.nodes)
    again()


def keeps_answers(bench: Workbench, error: LoomError) -> bool:
    """An answer has ended and stands on its card only; False if it is not for want of room."""
    if is_no_room(error):
        generator = bench.work.generator
        words, again = generator.answers.unsaved_text, generator.answers.save_again
        what = tr("an answer")
        bench.unfinished.unsaved.keep(Unsaved(ANSWERS, what, again, words, is_journalled=True, error=error))
    return is_no_room(error)


def save_message(bench: Workbench, again: Callable[[], None]) -> bool:
    """Commit what stands in the composer, if anything; False if it still stands there unsaved."""
    text, document = well_formed(bench.views.composer.text), bench.work.document
    enclosed = bench.work.preview.attachments
    if bench.unfinished.reader.reading:
        names = ", ".join(bench.unfinished.reader.reading)
        raise InvalidInput(worded("{names} is still being read: Generate again in a moment.", names=names))

    def save() -> None:
        content = composed(text, enclosed.blocks)
        at, pen = document.current_id, _pen_for(bench, "composer")
        selections = document.place.choices_reading(at)  # by these it was shown what is sent
        document.commit(node_edits.add_content(document.tree, at, content, pen, selections=selections))
        enclosed.clear()
        bench.views.composer.start_over()

    if not becomes_node(text, enclosed.blocks):
        return True
    words = partial(getattr, bench.views.composer, "text")
    what = tr("what stands in the composer")
    return bench.unfinished.unsaved.saves(Unsaved(COMPOSER, what, again, words, is_journalled=True), save)


def _pen_for(bench: Workbench, kind: Kind, key: str = "") -> edit_context.EditContext:
    """The pen that makes a node of a draft of the open tree, by the id that the journal knows it by."""
    document, journal = bench.work.document, bench.unfinished.writings.journal
    if journal is None:
        return document.pen()
    return document.pen().naming(journal.coming_id(Slot(document.tree.loom.id, kind, key)))


# Edits


def save_edit(bench: Workbench, node_id: str, text: str, tree_id: str = "") -> None:
    """Keep an edited text: in a dialogue as a sibling, and of its first message as a tree of its own; in a
    buffer as a version. Its editor stands open again if the disk does not take it.
    """
    tree_id = tree_id or bench.work.document.tree.loom.id
    text = well_formed(text)
    thing = Unsaved(
        f"edit {node_id}",
        tr("an edit"),
        partial(_save_edit_again, bench, tree_id, node_id, text),
        partial(_begun_text, bench, "edit", node_id, text),
        is_journalled=True,
    )
    bench.views.dialogue.setFocus()  # the editor goes, and with it the focus that it had
    with bench.unfinished.writings.held():
        if bench.unfinished.unsaved.saves(thing, partial(_commit_edit, bench, node_id, text)):
            bench.unfinished.writings.forget("edit", node_id)
            bench.views.dialogue.close_editor(node_id)
        else:
            bench.unfinished.writings.keep(BegunText("edit", tree_id, node_id, text, now()))
            bench.views.dialogue.open_editor(node_id, text)


def settle_edit(bench: Workbench, node_id: str) -> str:
    """Save the edit that is open on the path, if there is one, as its button does: what is shown is what is
    sent. Gives what stands in the place of a node then.

    Raises: InvalidInput if several are open, of which only one can be what is meant, or if it is not saved.
    """
    begun = bench.unfinished.writings.edits()
    if not begun:
        return node_id
    if len(begun) > 1:
        raise InvalidInput(tr("Several messages are being edited. Save or close all but one, then go on."))
    [edit], was_current = begun, node_id == bench.work.document.current_id
    dialogue = bench.views.dialogue
    had = focused_beside(dialogue)
    save_edit(bench, edit.node_id, edit.text)
    if had is not None and had is not dialogue and not dialogue.isAncestorOf(had):
        had.setFocus(Qt.FocusReason.OtherFocusReason)  # who pressed Generate elsewhere goes on there
    if bench.unfinished.writings.text_of("edit", edit.node_id) is not None:
        raise InvalidInput(tr("The edit that is open could not be saved yet. Nothing was sent."))
    is_replaced = was_current or node_id == edit.node_id or node_id not in bench.work.document.tree.nodes
    return bench.work.document.current_id if is_replaced else node_id


def _commit_edit(bench: Workbench, node_id: str, text: str) -> None:
    _look_for(bench, node_id)
    bench.text.replace_text(node_id, text, _pen_for(bench, "edit", node_id))


def _save_edit_again(bench: Workbench, tree_id: str, node_id: str, text: str) -> None:
    newest = _begun_text(bench, "edit", node_id, text)
    _go_to(bench, tree_id)
    save_edit(bench, node_id, newest, tree_id)


def _begun_text(bench: Workbench, kind: BegunKind, node_id: str, text: str) -> str:
    """Return a begun text as it stands in its field now, or stood when there was one."""
    newest = bench.unfinished.writings.text_of(kind, node_id)
    return text if newest is None else newest


def _look_for(bench: Workbench, node_id: str) -> None:
    """Raises: InvalidInput if a message is gone."""
    if node_id not in bench.work.document.tree.nodes:
        raise InvalidInput(tr("The message that this was for is gone; copy what you wrote and discard it."))


# Notes


def add_note(bench: Workbench, node_id: str, text: str) -> None:
    """Put a note on a node; of a note, put another in its place. Its field stands open again if the disk does
    not take it.
    """
    document, tree_id, text = bench.work.document, bench.work.document.tree.loom.id, well_formed(text)
    thing = Unsaved(
        f"note {node_id}",
        tr("a note"),
        partial(_add_note_again, bench, tree_id, node_id, text),
        partial(_begun_text, bench, "note", node_id, text),
        is_journalled=True,
    )

    def note(tree: Tree, node_ids: Sequence[str], _: edit_context.EditContext) -> Change:
        return node_edits.annotate(tree, node_ids[0], text, _pen_for(bench, "note", node_id))

    def save() -> None:
        _look_for(bench, node_id)
        if not document.tree.annotation_edges_into(node_id):
            document.edit([node_id], note)
            return
        document.begin_step()  # it hangs on what is written, as that is saved
        _look_for(bench, node_id)  # others' changes came with that
        change = node_edits.edit_note(document.tree, node_id, text, _pen_for(bench, "note", node_id))
        document.commit(change, current_id=None if change is None else change.added_nodes()[0].id)

    with bench.unfinished.writings.held():
        if bench.unfinished.unsaved.saves(thing, save):
            bench.unfinished.writings.forget("note", node_id)
            bench.views.text_pane.note_box.forget(node_id)
        else:
            bench.unfinished.writings.keep(BegunText("note", tree_id, node_id, text, now()))
            bench.unfinished.writings.open_note(node_id)


def _add_note_again(bench: Workbench, tree_id: str, node_id: str, text: str) -> None:
    newest = _begun_text(bench, "note", node_id, text)
    _go_to(bench, tree_id)
    add_note(bench, node_id, newest)


# Summaries of branches


def save_summary(bench: Workbench, node_id: str, text: str, tree_id: str = "") -> None:
    """Write the summary of the branch at a node: one update, which keeps its response where a model wrote it
    as it is. What the disk does not take waits, as a note does.
    """
    document, text = bench.work.document, well_formed(text)
    tree_id = tree_id or document.tree.loom.id
    proposed = bench.work.generator.summaries.proposed
    came = proposed.get((tree_id, node_id))
    thing = Unsaved(
        f"summary {node_id}",
        tr("a summary"),
        partial(_save_summary_again, bench, tree_id, node_id, text),
        partial(_begun_text, bench, "summary", node_id, text),
        is_journalled=True,
    )

    def write(tree: Tree, node_ids: Sequence[str], pen: edit_context.EditContext) -> Change | None:
        if came is not None and came.text == text:
            return branch_summaries.accept_summary(tree, node_ids[0], came, pen)
        return branch_summaries.update_summary(tree, node_ids[0], text, pen)

    def save() -> None:
        _look_for(bench, node_id)
        document.edit([node_id], write, keeps_current=True)

    if bench.unfinished.unsaved.saves(thing, save):
        bench.unfinished.writings.forget("summary", node_id)
        proposed.pop((tree_id, node_id), None)
    else:
        begun = BegunText("summary", tree_id, node_id, text, now(), is_closed=True)
        bench.unfinished.writings.keep(begun)


def save_document(
    bench: Workbench, node_id: str, text: str, tree_id: str = "", *, is_shown: bool = False
) -> bool:
    """Write a version of a document; False if the disk does not take it: then it waits, as a note does, and
    in its field where that `is_shown`.
    """
    document, text = bench.work.document, well_formed(text)
    tree_id = tree_id or document.tree.loom.id
    thing = Unsaved(
        f"document {node_id}",
        tr("a document"),
        partial(_save_document_again, bench, tree_id, node_id, text),
        partial(_begun_text, bench, "document", node_id, text),
        is_journalled=True,
    )

    def save() -> None:
        pen = _pen_for(bench, "document", node_id)
        document.commit(write_version(document.tree, node_id, text, pen), keeps_current=True)

    is_saved = bench.unfinished.unsaved.saves(thing, save)
    if is_saved:
        bench.unfinished.writings.forget("document", node_id)
    else:
        begun = BegunText("document", tree_id, node_id, text, now(), is_closed=not is_shown)
        bench.unfinished.writings.keep(begun)
    return is_saved


def _save_document_again(bench: Workbench, tree_id: str, node_id: str, text: str) -> None:
    newest = _begun_text(bench, "document", node_id, text)
    _go_to(bench, tree_id)
    save_document(bench, node_id, newest, tree_id)


def save_card(bench: Workbench, key: str, text: str) -> None:
    """Save another text of the summary of a conversation as one change. What the disk does not take waits,
    and is asked about when the window is left.
    """
    document = bench.work.document
    tree_id = document.tree.loom.id

    def again() -> None:
        _go_to(bench, tree_id)
        save_card(bench, key, text)

    def save() -> None:
        if key not in document.tree.context_summaries:
            raise InvalidInput(tr("The summary that this was for is gone; copy what you wrote."))
        change = changes.edit(document.tree, key, text, document.pen())
        document.commit(change, keeps_current=True)

    thing = Unsaved(f"card {tree_id} {key}", tr("a summary"), again, lambda: text)
    if bench.unfinished.unsaved.saves(thing, save):
        bench.unfinished.writings.forget("card", key)


def name_branch(bench: Workbench, node_id: str, title: str) -> None:
    """Name the branch at a node; a blank title takes the node's first words."""
    title, tree_id = well_formed(title), bench.work.document.tree.loom.id

    def again() -> None:
        _go_to(bench, tree_id)
        name_branch(bench, node_id, title)

    def name(tree: Tree, node_ids: Sequence[str], pen: edit_context.EditContext) -> Change | None:
        return branch_summaries.name_branch(tree, node_ids[0], title, pen)

    def save() -> None:
        _look_for(bench, node_id)
        bench.work.document.edit([node_id], name, keeps_current=True)

    thing = Unsaved(f"branch {node_id}", tr("a title"), again, lambda: title)
    bench.unfinished.unsaved.saves(thing, save)


def _save_summary_again(bench: Workbench, tree_id: str, node_id: str, text: str) -> None:
    newest = _begun_text(bench, "summary", node_id, text)
    _go_to(bench, tree_id)
    save_summary(bench, node_id, newest, tree_id)


# Trees


def save_loom(bench: Workbench, loom: LoomTree) -> None:
    """Keep the settings of a tree as they were typed; on their page they stay if the disk does not."""
    document, page = bench.work.document, bench.views.settings_page
    again = partial(_save_loom_again, bench, loom)
    words = partial(_settings_words, loom)
    thing = Unsaved(f"settings {loom.id}", tr("tree settings"), again, words, is_journalled=True)
    if not bench.unfinished.unsaved.saves(thing, partial(document.trees.save_loom, loom)):
        page.keep_typed(loom, document.grove.load_tree(loom.id).loom)


def _save_loom_again(bench: Workbench, loom: LoomTree) -> None:
    page = bench.views.settings_page
    if page.is_about(loom.id) and page.has_typed:
        page.flush()  # what stands there is newer, or the same
    else:
        bench.frame.run_command(lambda w: save_loom(w, loom))


def _settings_words(loom: LoomTree) -> str:
    return loom.system_context or ""


def rename(bench: Workbench, tree_id: str, title: str) -> None:
    title = well_formed(title)
    thing = Unsaved(f"title {tree_id}", tr("a title"), partial(rename, bench, tree_id, title), lambda: title)
    bench.unfinished.unsaved.saves(thing, partial(bench.work.document.trees.rename, tree_id, title))


def is_saved(bench: Workbench, loom: LoomTree) -> bool:
    """True if the file holds these settings of a tree. Raises: GroveError if it cannot be read."""
    tree = bench.work.document.tree
    saved = tree if tree.loom.id == loom.id else bench.work.document.grove.load_tree(loom.id)
    return has_same_settings(saved.loom, loom)


def _go_to(bench: Workbench, tree_id: str) -> None:
    bench.frame.open_tree(tree_id)
