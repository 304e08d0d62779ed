"""Actions on nodes: plain functions of a workbench, and what a card's menu, tools and plus ask for."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QCursor
from PySide6.QtWidgets import QMessageBox

from loomapp import __version__
from loomapp.core.edits import branches, node_edits, node_marks
from loomapp.core.generation.drafts import LiveDraft
from loomapp.core.model.entities import Node
from loomapp.ui.commands import panes, send
from loomapp.ui.commands.graph import branches as graph_commands
from loomapp.ui.look import theme
from loomapp.ui.strings import step_words, tr
from loomapp.ui.widgets.clipboard import copy as copy_words
from loomapp.ui.workbench import Workbench

# Generate
ACTION_OF_TOOL = {"note": "annotate"}  # the others are named as their actions are


def generate(bench: Workbench) -> None:
    """Commit what stands in the composer, if anything, and continue the current node; in a buffer what was
    written, and continue where the caret stands. Raises: LoomError if nothing can be sent; what stands in the
    composer stays there then.

    The way of a dialogue's request from here to the committed node, each station called by the one before
    (`on_tick` by a timer, while answers come):

    1. loomapp.ui.commands.node_actions.generate: asks the text that is read
    2. loomapp.ui.commands.dialogue.DialogueTextView.generate: `save_message` commits what stands in
       the composer
    3. loomapp.ui.commands.send.ask_model
    4. loomapp.session.requests.generator.Generator.start: `all_planned` gives the context of the preview
    5. loomapp.providers.run.fan_out.start: its requests, in threads of their own
    6. loomapp.session.requests.open_answers.OpenAnswers.on_tick: what has come, until it is whole
    7. loomapp.session.requests.ended_answers.land: a change that adds the nodes
    8. loomapp.session.document.Document.commit_to
    """
    bench.views.pages.flush()
    send.refuse_unseen(bench)
    send.refuse_here(bench)
    bench.text.generate()


def continue_node(bench: Workbench, node_id: str, *, follow: bool = False) -> None:
    """Ask the model for continuations of a node; with `follow` the reader moves to it first."""
    bench.views.pages.flush()
    send.refuse_deleted(bench, node_id)
    bench.text.continue_node(node_id, follow=follow)


def generate_siblings(bench: Workbench) -> None:
    retry(bench, bench.work.document.current_id)


def retry(bench: Workbench, node_id: str) -> None:
    """Ask for more answers beside what a model wrote, from the sources that it hangs on; for what a person
    wrote ask for answers to it. Raises: LoomError that says why where neither can be asked.
    """
    bench.views.pages.flush()
    bench.text.retry_node(node_id)


def stop(bench: Workbench) -> None:
    """Close the page that is open, else a preview; else stop what streams on the shown path, else let the
    selected cards go.
    """
    page = panes.open_page(bench)
    if page is not None:
        page.close_asked.emit()
    elif not bench.buffer.close_popover() and not (
        bench.views.graph.hasFocus() and bench.views.graph.close_preview()
    ):
        if is_streaming_on_path(bench):
            stop_answers(bench)
        else:
            bench.views.graph.choose([])


def is_streaming_on_path(bench: Workbench) -> bool:
    """Return True while an answer is written under a message of the path that is shown."""
    return bool(_streaming_on_path(bench))


def _streaming_on_path(bench: Workbench) -> list[LiveDraft]:
    path = bench.work.document.path
    drafts = bench.work.generator.drafts(bench.work.document.tree.loom.id)
    return [live for live in drafts if not live.draft.ended and live.parent_id in path]


def stop_answers(bench: Workbench) -> None:
    """Stop what streams on the shown path, whatever is open beside it. Where no word came of it nothing is
    left that shows it, so it is told.
    """
    streaming = _streaming_on_path(bench)
    tree_id, path_ids = bench.work.document.tree.loom.id, bench.work.document.path_ids
    # Who has clicked a card, and not the text, goes on with that card.
    keeps_chosen = bench.views.graph.hasFocus()
    bench.work.generator.stop_path(tree_id, path_ids, keeps_chosen=keeps_chosen)
    if streaming and not any(live.draft.text or live.draft.reasoning for live in streaming):
        bench.frame.note(tr("Stopped before the first word came. Nothing was added."))


def stop_all(bench: Workbench) -> None:
    bench.work.generator.stop_all()


# Trees


def new_dialogue(bench: Workbench) -> None:
    bench.views.pages.show_graph()  # a new tree is looked at
    bench.work.document.new_tree("dialogue")
    panes.focus_text(bench)


def new_buffer(bench: Workbench) -> None:
    bench.views.pages.show_graph()
    bench.work.document.new_tree("buffer")
    panes.focus_text(bench)


def toggle_tree_settings(bench: Workbench) -> None:
    """Show the settings of this tree in the graph's place, or the graph again."""
    if bench.views.pages.is_showing_settings:
        bench.views.pages.show_graph()
    else:
        bench.views.pages.show_settings()


def quit_window(bench: Workbench) -> None:
    bench.frame.quit()


# Undo


def undo(bench: Workbench) -> None:
    """Take back: typing in the focused text first, then what was attached since, then the newest change of
    this tree. What is typed on a page is a change by then.
    """
    bench.views.pages.flush()
    if bench.text.undo_typing():
        return
    if bench.work.preview.pending.undo():
        bench.frame.note(step_words("Undo Attach"))
    else:
        _in_view(bench, bench.text.undo_change)


def redo(bench: Workbench) -> None:
    if bench.text.redo_typing():
        return
    if bench.work.preview.pending.redo():
        bench.frame.note(step_words("Redo Attach"))
    else:
        _in_view(bench, bench.text.redo_change)


def _in_view(bench: Workbench, step: Callable[[], None]) -> None:
    """Take a step back or forth; the card of the node to which it leads comes into view."""
    document = bench.work.document
    before = document.current_id
    step()
    if document.current_id != before:
        bench.views.graph.ensure_visible(document.current_id)


# A message: the one that was pressed in the dialogue, else the current node


def current(bench: Workbench) -> Node:
    return bench.work.document.tree.nodes[bench.meant_id]


def edit(bench: Workbench) -> None:
    document, node_id = bench.work.document, bench.meant_id
    if document.tree.annotation_edges_into(node_id):
        bench.frame.bring_text()
        annotate(bench)
        return
    if node_id not in document.path:
        document.place.read_through(node_id)
    bench.frame.bring_text()
    bench.text.edit_node(node_id)


def copy_text(bench: Workbench) -> None:
    """A message's words, exactly, to the clipboard; those of a selection as they were written."""
    bench.work.writing.save()
    meant = set(graph_commands.chosen(bench) if graph_commands.has_chosen(bench) else ())
    texts = [node.text for node_id, node in bench.work.document.tree.nodes.items() if node_id in meant]
    edited = bench.views.dialogue.edited_text(bench.meant_id)
    copy_words("\n\n".join(texts) if meant else current(bench).text if edited is None else edited)


def toggle_bookmark(bench: Workbench) -> None:
    """Mark a message, or take its mark away; likewise with a selection of several."""
    if graph_commands.has_chosen(bench):
        bench.work.document.edit(graph_commands.chosen(bench), branches.bookmark_all)
    else:
        toggle_bookmark_of(bench, bench.meant_id)


def toggle_bookmark_of(bench: Workbench, node_id: str) -> None:
    bench.work.document.edit([node_id], node_marks.toggle_bookmarks)
    node = bench.work.document.tree.nodes.get(node_id)
    if node is not None:  # words that are saved before may stand in another node by now
        bench.views.announcer.say(tr("Bookmarked") if node.metadata.bookmarked else tr("Bookmark removed"))


def toggle_excluded(bench: Workbench) -> None:
    """Leave a message out of the context, or take it back in; likewise with a selection."""
    if graph_commands.has_chosen(bench):
        bench.work.document.edit(graph_commands.chosen(bench), branches.exclude_all)
        return
    toggle_excluded_of(bench, bench.meant_id)


def toggle_excluded_of(bench: Workbench, node_id: str) -> None:
    set_excluded(bench, node_id, not bench.work.document.tree.nodes[node_id].metadata.excluded)


def set_excluded(bench: Workbench, node_id: str, excluded: bool) -> None:
    """Leave a node out of the context, or have it there."""
    edit_flag = node_marks.exclude if excluded else node_marks.include
    bench.work.document.edit([node_id], edit_flag)
    bench.views.announcer.say(tr("Excluded from the context") if excluded else tr("Is sent again"))


def annotate(bench: Workbench) -> None:
    """Begin a note on a message, above the composer; a note is edited there."""
    bench.unfinished.writings.open_note(bench.meant_id)


def toggle_note_included(bench: Workbench) -> None:
    """Send a note with its message, or keep it to yourself; likewise with those of a selection."""
    if graph_commands.chosen_notes(bench):
        graph_commands.include_chosen_notes(bench)
        return
    toggle_note(bench, bench.meant_id)


def toggle_note(bench: Workbench, node_id: str) -> None:
    """Send a note with its message, or keep it to yourself."""
    document = bench.work.document
    included = node_id not in document.tree.included_annotations.node_ids
    change = node_edits.include_annotation(document.tree, node_id, included, document.pen())
    document.commit(change, keeps_current=True)
    if included and (said := bench.text.said_of_notes()):
        bench.frame.note(said)


def prune(bench: Workbench) -> None:
    """Hide a message and what hangs below it; likewise with a selection."""
    document = bench.work.document
    if graph_commands.has_chosen(bench):
        graph_commands.prune_chosen(bench)
    else:
        document.edit([bench.meant_id], node_marks.prune_all, keeps_current=True)
    bench.views.graph.letters.lose_card()
    bench.frame.note(tr("Deleted. Undo, or View → Show deleted."))


def restore(bench: Workbench) -> None:
    """Bring a message's branch back; likewise with a selection."""
    document = bench.work.document
    if graph_commands.has_chosen(bench):
        document.edit(graph_commands.chosen(bench), branches.restore_all)
    else:
        document.edit([bench.meant_id], node_marks.restore_all)
    bench.views.announcer.say(tr("Restored"))


# The window


def toggle_show_pruned(bench: Workbench) -> None:
    bench.display.set_show_pruned(not bench.display.is_showing_pruned)
    is_shown = bench.display.is_showing_pruned
    bench.views.announcer.say(tr("Deleted nodes are shown") if is_shown else tr("Deleted nodes are hidden"))


def toggle_theme(bench: Workbench) -> None:
    """Switch between the dark and the light theme; remembered."""
    name: theme.Choice = "light" if theme.current_name() == "dark" else "dark"
    bench.frame.run_beside_text(lambda w: w.work.preferences.put("theme", name))


def show_about(bench: Workbench) -> None:
    title = tr("Loomapp {version}: conversations and prose with language models, kept as a tree.")
    words = tr(
        "MIT licence. It stands on Qt for Python (LGPL), SQLAlchemy, llama.cpp, the SmolLM2 model and Lucide "
        "icons; THIRD-PARTY.md has them all."
    )
    box = QMessageBox(bench.views.window)
    box.setObjectName("about")
    box.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    box.setWindowTitle(tr("About Loomapp"))
    box.setIconPixmap(theme.pixmap("split", "accent.base", 32, bench.views.window.devicePixelRatioF()))
    box.setTextFormat(Qt.TextFormat.PlainText)
    box.setText(title.format(version=__version__))
    box.setInformativeText(words)
    box.setModal(False)  # one may write on beside it
    box.show()


def wire_cards(bench: Workbench) -> None:
    graph = bench.views.graph
    graph.plus_clicked.connect(partial(ask_from, bench))
    graph.letters.keeps = bench.actions.acts_after_click
    graph.know_node_keys(bench.actions.acts_on_node)
    no_message = tr("This answer is no message yet, so this key does nothing to it.")
    graph.draft_refused.connect(partial(bench.frame.note, no_message))
    graph.words_typed.connect(partial(panes.write_on, bench))
    graph.menu_asked.connect(partial(open_menu, bench))
    graph.tool_clicked.connect(partial(use_tool, bench))


def ask_from(bench: Workbench, node_id: str, follow: bool) -> None:
    """Ask for continuations of a card; with `follow` the reader goes there."""
    bench.frame.run_command(lambda w: continue_node(w, node_id, follow=follow))


def open_menu(bench: Workbench, node_id: str, at: QPoint) -> None:
    if not node_id:
        return
    graph_commands.mean(bench, node_id)
    bench.actions.node_menu().popup(at)


def use_tool(bench: Workbench, node_id: str, tool: str) -> None:
    if tool == "more":
        open_menu(bench, node_id, QCursor.pos())
        return
    graph_commands.mean(bench, node_id)
    bench.actions.by_name[ACTION_OF_TOOL.get(tool, tool)].trigger()
