"""What is done in the graph: folding, hoisting, acting on several cards, moving branches, reading the new."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtWidgets import QApplication

from loomapp.core import moving
from loomapp.ui.layout_memory import window_settings
from loomapp.ui.strings import tr

if TYPE_CHECKING:
    from loomapp.ui.main_window import MainWindow

DIRECTION = "graph/direction"


def wire(window: MainWindow) -> None:
    """Connect the graph's own wishes, and the text's pointer with the graph's."""
    graph, dialogue, run = window.graph, window.dialogue, window.run_command
    graph.node_clicked.connect(window.document.set_current)
    graph.node_activated.connect(lambda i: run(lambda w: w.document.read(i)))
    graph.draft_retry_clicked.connect(lambda key: run(lambda w: w.generator.retry(key)))
    graph.reparent_asked.connect(lambda node, to: run(lambda w: reparent(w, node, to)))
    graph.chosen_changed.connect(lambda _: window.actions_set.refresh())
    graph.hovered.connect(dialogue.set_hovered)
    dialogue.hovered.connect(graph.set_hovered)
    if window_settings().value(DIRECTION) == "down":
        graph.set_direction("down")


# Several cards


def chosen(window: MainWindow) -> list[str]:
    """The messages of a selection of several cards; the empty root may be one of these, but says nothing."""
    tree = window.document.tree
    found = [node_id for node_id in window.graph.chosen_ids if node_id in tree.nodes]
    return [node_id for node_id in found if not tree.is_empty_root(node_id)] if len(found) > 1 else []


def exclude_chosen(window: MainWindow) -> None:
    """Leave the selected messages out of the context, or take them back in."""
    document = window.document
    document.commit(moving.exclude_all(document.tree, chosen(window), document.pen()))


def bookmark_chosen(window: MainWindow) -> None:
    """Mark the selected messages, or take their marks away."""
    document = window.document
    document.commit(moving.bookmark_all(document.tree, chosen(window), document.pen()))


def prune_chosen(window: MainWindow) -> None:
    """Hide the selected messages and what hangs below them."""
    document = window.document
    document.commit(moving.prune_all(document.tree, chosen(window), document.pen()))
    window.graph.choose([])


def reparent(window: MainWindow, node_id: str, parent_id: str) -> None:
    """Hang a branch on another node."""
    document = window.document
    change = moving.reparent(document.tree, node_id, parent_id, document.pen())
    document.commit(change)
    if change is not None:
        window.note(tr("Moved. Undo brings it back to where it was."))


# Folding


def toggle_fold(window: MainWindow) -> None:
    """Fold what is below the current node, or show it."""
    window.graph.toggle_fold(window.document.current_id)
    window.actions_set.refresh()


def can_fold(window: MainWindow) -> bool:
    """True if something is below the current node."""
    return bool(window.document.tree.children(window.document.current_id))


def is_folded(window: MainWindow) -> bool:
    """True if what is below the current node is folded."""
    return window.graph.is_folded(window.document.current_id)


def unfold_all(window: MainWindow) -> None:
    """Show all that is folded."""
    window.graph.unfold_all()


def hoist(window: MainWindow) -> None:
    """Show the current node and what is below it, nothing else."""
    window.graph.hoist(window.document.current_id)
    window.note(tr("Only this branch is shown. Shift+H shows the whole tree again."))
    window.actions_set.refresh()


def unhoist(window: MainWindow) -> None:
    """Show the whole tree again."""
    window.graph.hoist("")
    window.actions_set.refresh()


def is_hoisted(window: MainWindow) -> bool:
    """True while one branch stands alone."""
    return bool(window.graph.hoisted)


# Looking


def toggle_direction(window: MainWindow) -> None:
    """Let the tree grow from the top down, or from left to right; remembered."""
    direction = "right" if window.graph.direction == "down" else "down"
    window.graph.set_direction("down" if direction == "down" else "right")
    window_settings().setValue(DIRECTION, direction)
    window.graph.ensure_visible(window.document.current_id)


def grows_down(window: MainWindow) -> bool:
    """True if the tree grows from the top down."""
    return window.graph.direction == "down"


def next_unread(window: MainWindow) -> None:
    """Go to the next message that came while nobody looked."""
    node_id = window.graph.next_unread()
    if node_id:
        window.document.set_current(node_id)
        window.graph.ensure_visible(node_id)
        window.actions_set.refresh()


def has_unread(window: MainWindow) -> bool:
    """True if a message came that nobody has looked at."""
    return window.graph.has_unread


def pin_preview(window: MainWindow) -> None:
    """Keep the whole text of the current card in sight, or let it go."""
    window.graph.toggle_pin()


def clear_chosen(window: MainWindow) -> bool:
    """Let a selection of several go; False if there is none."""
    focused = QApplication.focusWidget()
    had = bool(window.graph.chosen_ids) and focused is window.graph
    if had:
        window.graph.choose([])
    return had
