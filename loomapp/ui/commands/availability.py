"""When an action can be used, and when it is checked: questions to a window, asked by the rows of ACTIONS."""

from __future__ import annotations

from collections.abc import Collection
from operator import attrgetter

from loomapp.core.edits import branches
from loomapp.core.generation.assemble_request import gets_answers, why_not
from loomapp.core.model.content import is_editable
from loomapp.core.paths import navigation as walks
from loomapp.session.document import Document
from loomapp.ui.commands import panes, send
from loomapp.ui.commands.graph.branches import chosen_notes, has_chosen
from loomapp.ui.commands.node_actions import current, is_streaming_on_path
from loomapp.ui.graph.scene.scene_state import IS_PRUNED, Question
from loomapp.ui.strings import tr
from loomapp.ui.workbench import Workbench

READ_ONLY = "This grove is open for reading only."
NO_TREE = "The grove holds no tree yet."


# The grove and its trees


def can_write(bench: Workbench) -> bool:
    return not bench.work.document.grove.read_only


def has_tree(bench: Workbench) -> bool:
    return bench.work.document.has_tree


def is_begun(bench: Workbench) -> bool:
    return len(bench.work.document.tree.nodes) > 1


def can_undo(bench: Workbench) -> bool:
    history = bench.work.document.history
    if bench.text.can_undo_typing or bench.work.preview.pending.can_undo:
        return True
    return can_write(bench) and history.undo_label is not None


def can_redo(bench: Workbench) -> bool:
    if bench.text.can_redo_typing or bench.work.preview.pending.can_redo:
        return True
    return can_write(bench) and bench.text.can_redo_change


# Generate


def can_generate(bench: Workbench) -> bool:
    """Answers can be kept. With nothing to send it is offered too: pressing it says what is missing."""
    return can_write(bench)


def why_no_generate(bench: Workbench) -> str:
    """Return why nothing can be generated now, whatever is sent, for people; "" if something can. Its button
    says so, and pressing its key does.
    """
    if not can_generate(bench):
        return tr(READ_ONLY)
    return bench.text.why_waits or send.why_not_here(bench)


def can_retry(bench: Workbench) -> bool:
    """Return True if something can be asked again for the current node, and what comes can be kept."""
    return can_generate(bench) and not _why_not_retried(bench)


def retry_name(bench: Workbench) -> str:
    """Return the name of Retry for the current node, by what it makes."""
    is_new = bench.text.is_in_new_words
    if is_new or gets_answers(bench.work.document.tree, bench.work.document.current_id):
        return "Generate sibling answers to this one"
    return "Retry (generate siblings)"


def why_no_retry(bench: Workbench) -> str:
    """Return why nothing can be asked again for the current node, for people; empty if it can."""
    if not can_generate(bench):
        return READ_ONLY
    return _why_not_retried(bench)


def _why_not_retried(bench: Workbench) -> str:
    """Return why a buffer's words can't be asked again: those that are no node yet become one first."""
    if bench.text.is_in_new_words:
        return ""
    return why_not(bench.work.document.tree, bench.work.document.current_id)


def asks_several(bench: Workbench) -> bool:
    """Return True if more than one agent is checked, and their answers can be kept."""
    return can_generate(bench) and len(bench.work.document.agents.asked()) > 1


def why_not_several(bench: Workbench) -> str:
    """Return why several agents cannot be asked at once, for people."""
    return "Only one agent is ticked at the top; Generate asks it." if can_generate(bench) else READ_ONLY


def can_add_message(bench: Workbench) -> bool:
    """Return True in a text of messages that can be written; without words it says what is missing."""
    return can_write(bench) and has_tree(bench) and bench.work.document.has_messages


def can_add_beside(bench: Workbench) -> bool:
    """Return True where the current message follows another one, or the empty start."""
    document = bench.work.document
    return can_add_message(bench) and walks.parent(document.tree, document.current_id) is not None


def is_streaming(bench: Workbench) -> bool:
    return bench.work.generator.is_streaming()


def can_stop(bench: Workbench) -> bool:
    """An answer is being written on the shown path; or a page is open, or several cards are selected, which
    the same key ends.
    """
    chosen = bench.views.graph.chosen.found(bench.work.document.tree)
    return panes.open_page(bench) is not None or bool(chosen) or is_streaming_on_path(bench)


# The message that was pressed, or the current node, or the chosen ones if they are several


def is_message(bench: Workbench) -> bool:
    """Return True if the current node is more than the empty root."""
    return not bench.work.document.tree.is_empty_root(bench.meant_id)


def is_answer(bench: Workbench) -> bool:
    return current(bench).author_type == "model"


def can_mark(bench: Workbench) -> bool:
    """The current node is more than the empty root, and what is said of it can be kept."""
    return can_write(bench) and is_message(bench)


def can_mark_chosen(bench: Workbench) -> bool:
    """A selection has messages; or the current node is one. What is said of them can be kept."""
    return can_write(bench) and (has_chosen(bench) or is_message(bench))


def can_edit(bench: Workbench) -> bool:
    """Return True if the current node is a message, passage or note of plain text."""
    return can_mark(bench) and is_editable(current(bench).content)


def can_annotate(bench: Workbench) -> bool:
    return can_mark(bench) and not is_note(bench)


def can_include_note(bench: Workbench) -> bool:
    """Return True if the current node is a note; of a selection, if any is."""
    return can_write(bench) and (bool(chosen_notes(bench)) or (not has_chosen(bench) and is_note(bench)))


def why_no_note(bench: Workbench) -> str:
    """Return why no note can be included here, for people."""
    if not can_write(bench):
        return READ_ONLY
    if bench.work.document.tree.notes(bench.meant_id):
        return "Select the note itself: it has a card of its own, beside this one."
    return "No note is selected."


def can_reparent(bench: Workbench) -> bool:
    return can_write(bench) and bool(branches.parents(bench.work.document.tree, bench.meant_id))


def can_prune(bench: Workbench) -> bool:
    """Return True if the current node is not pruned and below the root, and no answer is being written under
    it; of a selection, if any is, and none is written under any.
    """
    return not why_no_prune(bench)


def why_no_prune(bench: Workbench) -> str:
    """Return why the current node, or the selection, cannot be pruned, for people; empty if it can."""
    document, chosen = bench.work.document, bench.views.graph.chosen
    if not can_write(bench):
        return READ_ONLY
    if has_chosen(bench):
        tops = set(chosen.found(document.tree))
        is_open = chosen.can_be_pruned(document.tree)
    else:
        tops = {bench.meant_id}
        is_open = bench.meant_id != document.tree.root_id and not is_pruned(bench)
    if not is_open:
        return (
            "This is deleted already."
            if is_pruned(bench)
            else "The first message of a tree cannot be deleted."
        )
    if _is_streaming_under(bench, tops):
        return "An answer is being written under it: stop it first, or delete it once it is there."
    return ""


def _is_streaming_under(bench: Workbench, tops: Collection[str]) -> bool:
    """Tell whether an answer is being written under one of these nodes: it, and what is written behind it,
    would come where nobody looks.
    """
    document = bench.work.document
    drafts = bench.work.generator.drafts(document.tree.loom.id)
    streams = (live for live in drafts if not live.draft.ended and not bench.buffer.is_offered(live.key))
    return any(_is_under(document, parent_id, tops) for parent_id in {live.parent_id for live in streams})


def _is_under(document: Document, node_id: str, tops: Collection[str]) -> bool:
    above: str | None = node_id
    while above is not None and above not in tops:
        if (place := document.path.place_of(above)) is not None:  # long paths are not walked
            places = map(document.path.place_of, tops)
            return any(top is not None and top < place for top in places)
        above = walks.parent(document.tree, above)
    return above is not None


def can_restore(bench: Workbench) -> bool:
    """Return True if the current node is pruned; of a selection, if any is."""
    chosen, tree = bench.views.graph.chosen, bench.work.document.tree
    return can_write(bench) and (chosen.any_is(tree, IS_PRUNED) if has_chosen(bench) else is_pruned(bench))


def is_pruned(bench: Workbench) -> bool:
    return current(bench).metadata.pruned


def is_bookmarked(bench: Workbench) -> bool:
    """Return True if the current node is marked; of a selection, if all are."""
    return _all_are(bench, _IS_BOOKMARKED)


def is_excluded(bench: Workbench) -> bool:
    """Return True if the current node is left out of contexts; of a selection, if all are."""
    return _all_are(bench, _IS_EXCLUDED)


_IS_BOOKMARKED: Question = attrgetter("metadata.bookmarked")
_IS_EXCLUDED: Question = attrgetter("metadata.excluded")


def _all_are(bench: Workbench, question: Question) -> bool:
    if has_chosen(bench):
        return bench.views.graph.chosen.all_are(bench.work.document.tree, question)
    return question(current(bench))


def is_note(bench: Workbench) -> bool:
    return bool(bench.work.document.tree.annotation_edges_into(bench.meant_id))


def is_note_included(bench: Workbench) -> bool:
    """Return True if the current note is sent with its message; of a selection, if all its notes are."""
    notes = chosen_notes(bench) or (bench.meant_id,)
    return set(notes) <= set(bench.work.document.tree.included_annotations.node_ids)


# The window


def is_showing_pruned(bench: Workbench) -> bool:
    return bench.display.is_showing_pruned
