"""When an action can be used, and when it is checked: questions to a window, asked by the rows of ACTIONS."""

from __future__ import annotations

from operator import attrgetter
from typing import TYPE_CHECKING

from loomapp.core.edits import branches
from loomapp.core.generation.retry import gets_answers, why_not
from loomapp.core.model.content import is_editable
from loomapp.ui.commands.graph.branches import chosen_notes, has_chosen
from loomapp.ui.commands.node_actions import current
from loomapp.ui.graph.scene.chosen import IS_PRUNED, Question

if TYPE_CHECKING:
    from loomapp.ui.window.main_window import MainWindow

READ_ONLY = "The grove can only be read."


def always(window: MainWindow) -> bool:
    """Whatever the window shows."""
    return window is not None


# The grove and its trees


def can_write(window: MainWindow) -> bool:
    """The grove takes new things."""
    return not window.document.grove.read_only


def has_tree(window: MainWindow) -> bool:
    """A tree of the grove is shown."""
    return window.document.has_tree


def is_begun(window: MainWindow) -> bool:
    """The tree has more than its first node."""
    return len(window.document.tree.nodes) > 1


def can_undo(window: MainWindow) -> bool:
    """Something can be taken back."""
    return window.typing.can_undo or (can_write(window) and window.document.undo_label is not None)


def can_redo(window: MainWindow) -> bool:
    """Something was taken back."""
    if window.buffer.is_on and window.writing.is_over_undone:
        return window.typing.can_redo
    return window.typing.can_redo or (can_write(window) and window.document.redo_label is not None)


# Generate


def can_generate(window: MainWindow) -> bool:
    """Answers can be kept. With nothing to send it is offered too: pressing it says what is missing."""
    return can_write(window)


def can_retry(window: MainWindow) -> bool:
    """Something can be asked again for the current node, and what comes can be kept."""
    return can_generate(window) and not _why_not_retried(window)


def retry_name(window: MainWindow) -> str:
    """What asking again for the current node makes."""
    is_new = window.buffer.place.is_in_last_words
    if is_new or gets_answers(window.document.tree, window.document.current_id):
        return "Generate sibling answers to this one"
    return "Generate siblings of this one"


def why_no_retry(window: MainWindow) -> str:
    """Why nothing can be asked again for the current node, for people."""
    if not can_generate(window):
        return READ_ONLY
    return _why_not_retried(window)


def _why_not_retried(window: MainWindow) -> str:
    """Words of a buffer that are no node yet become one first."""
    if window.buffer.place.is_in_last_words:
        return ""
    return why_not(window.document.tree, window.document.current_id)


def asks_several(window: MainWindow) -> bool:
    """More than one agent is checked, and what they answer can be kept."""
    return can_generate(window) and len(window.document.asked_agents()) > 1


def is_streaming(window: MainWindow) -> bool:
    """Any answer is being written."""
    return window.generator.is_streaming()


def is_streaming_here(window: MainWindow) -> bool:
    """An answer is being written in the tree that is shown."""
    drafts = window.generator.drafts(window.document.tree.loom.id)
    return any(not live.draft.ended for live in drafts)


def is_streaming_on_path(window: MainWindow) -> bool:
    """An answer is being written under a message of the path that is shown."""
    path = window.document.path
    drafts = window.generator.drafts(window.document.tree.loom.id)
    return any(not live.draft.ended and live.parent_id in path for live in drafts)


def can_stop(window: MainWindow) -> bool:
    """An answer is being written on the shown path; or the settings are open, which the same key closes."""
    return window.pages.is_showing_settings or is_streaming_on_path(window)


# The current node, or the chosen ones if they are several


def is_message(window: MainWindow) -> bool:
    """The current node is more than the empty root."""
    return not window.document.tree.is_empty_root(window.document.current_id)


def is_answer(window: MainWindow) -> bool:
    """A model wrote the current node."""
    return window.document.tree.nodes[window.document.current_id].author_type == "model"


def can_mark(window: MainWindow) -> bool:
    """The current node is more than the empty root, and what is said of it can be kept."""
    return can_write(window) and is_message(window)


def can_mark_chosen(window: MainWindow) -> bool:
    """A selection has messages; or the current node is one. What is said of them can be kept."""
    return can_write(window) and (has_chosen(window) or is_message(window))


def can_edit(window: MainWindow) -> bool:
    """The current node is a message or passage of plain text."""
    return can_mark(window) and is_editable(current(window).content) and not is_note(window)


def can_include_note(window: MainWindow) -> bool:
    """The current node is a note; of a selection, any."""
    return can_write(window) and (bool(chosen_notes(window)) or (not has_chosen(window) and is_note(window)))


def can_reparent(window: MainWindow) -> bool:
    """The current node hangs on another."""
    return can_write(window) and bool(branches.parents(window.document.tree, window.document.current_id))


def can_prune(window: MainWindow) -> bool:
    """The current node lives, below the root; of a selection, any."""
    if has_chosen(window):
        return can_write(window) and window.graph.chosen.can_be_pruned(window.document.tree)
    is_root = window.document.current_id == window.document.tree.root_id
    return can_write(window) and not is_root and not is_pruned(window)


def can_restore(window: MainWindow) -> bool:
    """The current node is pruned; of a selection, any."""
    chosen, tree = window.graph.chosen, window.document.tree
    return can_write(window) and (chosen.any_is(tree, IS_PRUNED) if has_chosen(window) else is_pruned(window))


def is_pruned(window: MainWindow) -> bool:
    """The current node is pruned."""
    return current(window).metadata.pruned


def is_bookmarked(window: MainWindow) -> bool:
    """The current node is marked; of a selection, all."""
    return _all_are(window, _IS_BOOKMARKED)


def is_excluded(window: MainWindow) -> bool:
    """The current node is left out of contexts; of a selection, all."""
    return _all_are(window, _IS_EXCLUDED)


_IS_BOOKMARKED: Question = attrgetter("metadata.bookmarked")
_IS_EXCLUDED: Question = attrgetter("metadata.excluded")


def _all_are(window: MainWindow, question: Question) -> bool:
    if has_chosen(window):
        return window.graph.chosen.all_are(window.document.tree, question)
    return question(current(window))


def is_note(window: MainWindow) -> bool:
    """The current node is a note on another."""
    return bool(window.document.tree.annotation_edges_into(window.document.current_id))


def is_note_included(window: MainWindow) -> bool:
    """The current note is sent with its message; of a selection, all its notes."""
    notes = chosen_notes(window) or (window.document.current_id,)
    return set(notes) <= set(window.document.tree.included_annotations.node_ids)


# The window


def is_showing_pruned(window: MainWindow) -> bool:
    """Pruned nodes are drawn."""
    return window.is_showing_pruned
