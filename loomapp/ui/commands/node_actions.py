"""What actions do: plain functions of a window. They raise LoomError; the window shows it in its place."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, QTimer
from PySide6.QtWidgets import QMessageBox

from loomapp import __version__
from loomapp.core.edits import node_edits
from loomapp.core.generation.answers import Sources
from loomapp.core.generation.retry import Below, SiblingRetry, asked_again
from loomapp.core.model.agent import Agent
from loomapp.core.model.content import composed, taken_apart
from loomapp.core.model.entities import Node
from loomapp.core.prose.fill_in import gap_of
from loomapp.ui.commands import panes, send
from loomapp.ui.commands.buffer import passages
from loomapp.ui.commands.buffer.not_saved import saved_before_sent
from loomapp.ui.commands.graph import branches as graph_commands
from loomapp.ui.commands.save import save
from loomapp.ui.look import theme
from loomapp.ui.strings import step_words, tr
from loomapp.ui.widgets.clipboard import copy as copy_words

if TYPE_CHECKING:
    from loomapp.ui.window.main_window import MainWindow

LONG_PATH = 2_000  # nodes; from here on a message is saved first, and then it is asked what follows
UNDO_WRITE = "Undo Write"  # what the change is called that takes a message back


# Generate


def generate(window: MainWindow) -> None:
    """Commit what stands in the composer, if anything, and continue the current node; in a buffer what was
    written, and continue where the caret stands. Raises: LoomError if nothing can be sent; what stands in the
    composer stays there then.

    The hops from here: Generator.start → core.asking (the context the preview shows) → providers.run →
    Generator.on_tick → session.landing.land → Document.commit.
    """
    window.pages.flush()
    send.refuse_unseen(window)
    if window.buffer.is_on:
        with saved_before_sent(window.buffer):
            passages.generate(window.buffer)
        return
    if not window.desk.reading:
        window.preview.refuse()
    _write_and_continue(window)


def _write_and_continue(window: MainWindow) -> None:
    """Words that the disk did not take are saved once it does, whether they can be sent by then or not."""
    save.settle_edit(window, window.document.current_id)
    tree, before = window.document.tree, window.document.current_id
    if not save.save_message(window, partial(_write_and_continue, window)):
        return
    node_id = window.document.current_id
    if node_id == before or len(window.document.path_ids) < LONG_PATH:
        continue_node(window, node_id)
        return

    def ask() -> None:
        if window.document.tree is tree and node_id in tree.nodes:
            window.run_command(lambda _: continue_node(window, node_id))

    QTimer.singleShot(0, window, ask)  # asking for so much takes as long again as saving: in its own turn


def continue_node(window: MainWindow, node_id: str, *, follow: bool = False) -> None:
    """Ask the model for continuations of a node; with `follow` the reader moves to it first."""
    window.pages.flush()
    if window.buffer.is_on:
        with saved_before_sent(window.buffer):
            passages.continue_node(window.buffer, node_id, follow=follow)
        return
    node_id = save.settle_edit(window, node_id)
    if follow or node_id == window.document.current_id:
        window.document.read(node_id)
    ask_model(window, window.preview.pending.sources(node_id), sends_pending=True)


def ask_model(
    window: MainWindow,
    sources: Sources,
    *,
    sends_pending: bool = False,
    follows: bool = True,
    agents: Sequence[Agent] = (),
    action: str = "",
) -> None:
    """Ask `agents`, else every checked one, for as many continuations as the composer says; the path goes on
    with the first, if it `follows`. What is too long, or comes to very many tokens, is sent only if the user
    wants.
    """
    count = window.composer.count

    def done() -> None:
        if sends_pending:
            window.preview.pending.sent(sources)

    start = partial(window.generator.start, sources, count, agents=agents, follows=follows, action=action)
    send.send(window, start, done)


def generate_siblings(window: MainWindow) -> None:
    """Ask again for the current node."""
    retry(window, window.document.current_id)


def retry(window: MainWindow, node_id: str) -> None:
    """Ask for more answers beside what a model wrote, from the sources that it hangs on; for what a person
    wrote ask for answers to it. Raises: LoomError that says why where neither can be asked.
    """
    window.pages.flush()
    if window.buffer.is_on:
        window.buffer.ghosts.settle()
        with saved_before_sent(window.buffer):
            node_id = window.writing.settled(node_id)
        gap = gap_of(window.document.tree, node_id)
        if gap is not None:
            window.buffer.filling.ask_again(*gap)
            return
    node_id = save.settle_edit(window, node_id)
    match asked_again(window.document.tree, window.document.path, node_id):
        case Below() if window.buffer.is_on:
            passages.continue_node(window.buffer, node_id, follow=False)
        case Below():  # what follows it stays beside what comes
            ask_model(window, window.preview.pending.sources(node_id), sends_pending=True)
        case SiblingRetry(sources) if window.buffer.is_on and node_id in window.document.path:
            passages.ask_in_place(window.buffer, sources)
        case SiblingRetry(sources):
            ask_model(window, sources)


def stop(window: MainWindow) -> None:
    """Close the tree settings if they are open, else a preview; else stop what streams on the shown path."""
    if window.pages.currentWidget() is not window.graph:
        window.pages.show_graph()
    elif not window.buffer.close_popover() and not (window.graph.hasFocus() and window.graph.close_preview()):
        window.generator.stop_path(window.document.tree.loom.id, window.document.path_ids)


def stop_all(window: MainWindow) -> None:
    """Stop every stream of every tree."""
    window.generator.stop_all()


# Trees


def new_dialogue(window: MainWindow) -> None:
    """An empty dialogue, the caret in the composer."""
    window.document.new_tree("dialogue")
    panes.focus_text(window)


def new_buffer(window: MainWindow) -> None:
    """An empty buffer, the caret in the composer."""
    window.document.new_tree("buffer")
    panes.focus_text(window)


def toggle_tree_settings(window: MainWindow) -> None:
    """Show the settings of this tree in the graph's place, or the graph again."""
    if window.pages.is_showing_settings:
        window.pages.show_graph()
    else:
        window.pages.show_settings()


def quit_window(window: MainWindow) -> None:
    """Close every window of the program; what streams is stopped."""
    window.quit_wanted.emit()


# Undo


def undo(window: MainWindow) -> None:
    """Take back: typing in the focused text first, then the newest change of this tree."""
    if window.typing.undo():
        return
    if window.buffer.is_on:
        passages.undo(window)
        return
    change = window.document.undo(window.generator.guard_undo)
    if change is None:
        return
    window.note(step_words(change.label))
    written = [n for n in change.removed_nodes() if n.author_type == "human" and n.edited_from is None]
    enclosed = window.preview.enclosed
    if len(written) == 1 and not window.composer.text and not enclosed.blocks and change.label == UNDO_WRITE:
        text, blocks = taken_apart(written[0].content)
        enclosed.put(blocks)
        window.composer.start_over(text)


def redo(window: MainWindow) -> None:
    """Do again what was taken back last."""
    if window.typing.redo():
        return
    if window.buffer.is_on:
        passages.redo(window)
        return
    change = window.document.redo()
    if change is None:
        return
    window.note(step_words(change.label))
    written = composed(window.composer.text, window.preview.enclosed.blocks)
    if written in [node.content for node in change.added_nodes()]:
        window.preview.enclosed.clear()
        window.composer.start_over()


# The current node


def current(window: MainWindow) -> Node:
    """The node that commands are about."""
    return window.document.tree.nodes[window.document.current_id]


def edit(window: MainWindow) -> None:
    """Open the current message for editing in the text."""
    document = window.document
    if document.current_id not in document.path:
        document.read_through(document.current_id)
    window.halves.bring_text()
    if window.buffer.is_on:
        window.buffer.place.edit(document.current_id)
    else:
        window.dialogue.open_editor(document.current_id)


def copy_text(window: MainWindow) -> None:
    """The current node's words, exactly, to the clipboard; those of a selection as they were written."""
    window.writing.save()
    meant = set(graph_commands.chosen(window))
    texts = [node.text for node_id, node in window.document.tree.nodes.items() if node_id in meant]
    edited = window.writings.text_of("edit", window.document.current_id)
    copy_words("\n\n".join(texts) if meant else current(window).text if edited is None else edited)


def toggle_bookmark(window: MainWindow) -> None:
    """Mark the current node, or take its mark away; likewise with a selection of several."""
    if graph_commands.has_chosen(window):
        graph_commands.bookmark_chosen(window)
    else:
        toggle_bookmark_of(window, window.document.current_id)


def toggle_bookmark_of(window: MainWindow, node_id: str) -> None:
    """Mark a node, or take its mark away."""
    node_id = window.writing.settled(node_id)
    document, node = window.document, window.document.tree.nodes[node_id]
    if node.metadata.bookmarked:
        document.commit(node_edits.remove_bookmark(document.tree, node.id, document.pen()))
    else:
        document.commit(node_edits.bookmark(document.tree, node.id, None, document.pen()))


def toggle_excluded(window: MainWindow) -> None:
    """Leave the current node out of the context, or take it back in; likewise with a selection."""
    if graph_commands.has_chosen(window):
        graph_commands.exclude_chosen(window)
        return
    toggle_excluded_of(window, window.document.current_id)


def toggle_excluded_of(window: MainWindow, node_id: str) -> None:
    """Leave a node out of the context, or take it back in."""
    set_excluded(window, node_id, not window.document.tree.nodes[node_id].metadata.excluded)


def set_excluded(window: MainWindow, node_id: str, excluded: bool) -> None:
    """Leave a node out of the context, or have it there."""
    edit_flag = node_edits.exclude if excluded else node_edits.include
    node_id = window.writing.settled(node_id)
    document = window.document
    document.commit(edit_flag(document.tree, (node_id,), document.pen()))


def annotate(window: MainWindow) -> None:
    """Begin a note on the current node, above the composer."""
    window.writings.open_note(window.document.current_id)


def toggle_note_included(window: MainWindow) -> None:
    """Send the current note with its message, or keep it to yourself; likewise with those of a selection."""
    if graph_commands.chosen_notes(window):
        graph_commands.include_chosen_notes(window)
        return
    toggle_note(window, window.document.current_id)


def toggle_note(window: MainWindow, node_id: str) -> None:
    """Send a note with its message, or keep it to yourself."""
    document = window.document
    included = node_id not in document.tree.included_annotations.node_ids
    change = node_edits.include_annotation(document.tree, node_id, included, document.pen())
    document.commit(change, keeps_current=True)


def prune(window: MainWindow) -> None:
    """Hide the current node and what hangs below it; likewise with a selection."""
    document = window.document
    if graph_commands.has_chosen(window):
        graph_commands.prune_chosen(window)
    else:
        node_id = window.writing.settled(document.current_id)
        document.commit(node_edits.prune(document.tree, node_id, document.pen()), keeps_current=True)
    window.graph.letters.lose_card()
    window.note(tr("Pruned. Nothing is deleted: View → Show pruned."))


def restore(window: MainWindow) -> None:
    """Bring the current node's branch back; likewise with a selection."""
    document = window.document
    if graph_commands.has_chosen(window):
        graph_commands.restore_chosen(window)
        return
    node_id = window.writing.settled(document.current_id)
    document.commit(node_edits.restore(document.tree, node_id, document.pen()))


# The window


def toggle_show_pruned(window: MainWindow) -> None:
    """Show pruned nodes dotted, or hide them."""
    window.set_show_pruned(not window.is_showing_pruned)


def toggle_theme(window: MainWindow) -> None:
    """Dark if it is light, light if it is dark; remembered."""
    name: theme.Choice = "light" if theme.current_name() == "dark" else "dark"
    window.choose_theme(name)


def show_about(window: MainWindow) -> None:
    """What this program is, and on whose work it stands."""
    title = tr("Loomapp {version}: conversations and prose with language models, kept as a tree.")
    words = tr(
        "MIT licence. It stands on Qt for Python (LGPL), SQLAlchemy, llama.cpp, the SmolLM2 model and Lucide "
        "icons; THIRD-PARTY.md has them all."
    )
    box = QMessageBox(window)
    box.setObjectName("about")
    box.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    box.setWindowTitle(tr("About Loomapp"))
    box.setIconPixmap(theme.pixmap("split", "accent.base", 32, window.devicePixelRatioF()))
    box.setTextFormat(Qt.TextFormat.PlainText)
    box.setText(title.format(version=__version__))
    box.setInformativeText(words)
    box.setModal(False)  # one may write on beside it
    box.show()
