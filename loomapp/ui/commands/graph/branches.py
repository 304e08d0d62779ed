"""What is done in the graph: folding, hoisting, acting on several cards, moving branches, reading the new."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import chain, islice
from typing import TYPE_CHECKING

from PySide6.QtWidgets import QApplication

from loomapp.core.edits import branches
from loomapp.core.model.entities import Node
from loomapp.core.paths import navigation as walks
from loomapp.ui.commands import navigate
from loomapp.ui.commands.graph import move_branch
from loomapp.ui.graph.crumbs import Crumb
from loomapp.ui.graph.input.key_walk import Direction
from loomapp.ui.graph.scene.card_faces import words
from loomapp.ui.graph.scene.spatial_index import Direction as Growing
from loomapp.ui.strings import tr
from loomapp.ui.window.layout_memory import window_settings

if TYPE_CHECKING:
    from loomapp.ui.window.main_window import MainWindow

DIRECTION = "graph/direction"
FEW = 50  # nodes that are looked at to tell how an action is checked


def wire(window: MainWindow) -> None:
    """Connect the graph's own wishes, and the text's pointer with the graph's."""
    graph, dialogue, run = window.graph, window.dialogue, window.run_command
    graph.node_clicked.connect(window.document.set_current)
    graph.node_activated.connect(lambda i: run(lambda w: w.document.read(i)))
    graph.reparent_asked.connect(lambda node, to: run(lambda w: carry(w, node, to)))
    graph.draft_chosen.connect(dialogue.show_draft)
    graph.space_tapped.connect(lambda: window.actions_set.press_in_graph("Space"))
    graph.chosen_changed.connect(window.actions_set.refresh)
    graph.put_away.connect(lambda i: come_out(window, i))
    graph.hovered.connect(dialogue.set_hovered)
    graph.hovered.connect(window.buffer.pointing.set_hovered)
    window.crumbs.crumb_clicked.connect(lambda i: run(lambda w: go_to_crumb(w, i)))
    window.crumbs.whole_asked.connect(lambda: run(unhoist))
    dialogue.hovered.connect(graph.set_hovered)
    graph.set_direction(kept_direction())


def kept_direction() -> Growing:
    """Which way trees grow in every window, as it was chosen last."""
    return "down" if window_settings().value(DIRECTION) == "down" else "right"


def show_crumbs(window: MainWindow) -> None:
    """The tree, the branch that stands alone, and the way to the current node, above the graph."""
    document, tree = window.document, window.document.tree
    above = walks.parent(tree, document.current_id)
    above_it = dict.fromkeys((window.graph.hoisted, above))
    ways = [*(i for i in above_it if i != document.current_id), document.current_id]
    shown = [i for i in ways if i in tree.nodes and not tree.is_empty_root(i or "")]
    words = [Crumb(i, _words(tree.nodes[i])) for i in shown if i is not None]
    window.crumbs.show_crumbs([Crumb(tree.root_id, tree.loom.title), *words])
    is_alone = window.graph.hoisted in tree.nodes
    window.crumbs.show_alone(alone=is_alone)
    if not is_alone:
        window.status.forget_note(_alone_words(window))


def _words(node: Node) -> str:
    return words(node.content, node.text[:200]) or node.local_id


def go_to_crumb(window: MainWindow, node_id: str) -> None:
    """Go to a place above; the tree's own is its start, and all of it."""
    if node_id == window.document.tree.root_id:
        window.graph.hoist("")
    navigate.show(window, node_id)
    show_crumbs(window)


# Several cards


def chosen(window: MainWindow) -> tuple[str, ...]:
    """The messages of a selection of several cards; the empty root may be one of these, but says nothing."""
    return window.graph.chosen.messages(window.document.tree)


def has_chosen(window: MainWindow) -> bool:
    """True if there are any."""
    return bool(window.graph.chosen.found(window.document.tree))


def exclude_chosen(window: MainWindow) -> None:
    """Leave the selected messages out of the context, or take them back in."""
    document = window.document
    document.commit(branches.exclude_all(document.tree, _meant(window), document.pen()))


def exclude_branches(window: MainWindow) -> None:
    """Leave the current message and all below it out of the context, or take them back in; likewise with a
    selection.
    """
    exclude_branch(window, chosen(window) or (window.document.current_id,))


def exclude_branch(window: MainWindow, node_ids: Sequence[str]) -> None:
    """Leave messages and all below them out of the context, or take them back in."""
    document = window.document
    meant = window.writing.all_settled(node_ids)
    change = branches.exclude_branches(document.tree, meant, document.pen())
    document.commit(change, keeps_current=True)


def are_branches_excluded(window: MainWindow) -> bool:
    """What is meant is left out, with all below it; of large branches the beginning tells."""
    tree = window.document.tree
    tops = window.graph.chosen.found(tree) or (window.document.current_id,)
    below = (child for top in tops for child in tree.children(top))
    # Looked at one by one: nearly always the first says no, and this is asked whenever another is current.
    several = (tree.nodes[i] for i in islice(chain(tops, below), FEW) if i in tree.nodes)
    first = next(several, None)
    if first is None:
        return False
    return all(n.metadata.excluded for n in chain((first,), several) if not tree.is_empty_root(n.id))


def bookmark_chosen(window: MainWindow) -> None:
    """Mark the selected messages, or take their marks away."""
    document = window.document
    document.commit(branches.bookmark_all(document.tree, _meant(window), document.pen()))


def prune_chosen(window: MainWindow) -> None:
    """Hide the selected messages and what hangs below them."""
    document = window.document
    document.commit(branches.prune_all(document.tree, _meant(window), document.pen()), keeps_current=True)
    window.graph.choose([])


def restore_chosen(window: MainWindow) -> None:
    """Bring back what is pruned of the selected messages, and what is below them."""
    document = window.document
    document.commit(branches.restore_all(document.tree, _meant(window), document.pen()))


def _meant(window: MainWindow) -> list[str]:
    """The selected messages, as they stand once what is written in them is committed."""
    return window.writing.all_settled(chosen(window))


def chosen_notes(window: MainWindow) -> tuple[str, ...]:
    """The notes of a selection of several cards."""
    return window.graph.chosen.notes(window.document.tree)


def include_chosen_notes(window: MainWindow) -> None:
    """Send the selected notes with their messages, or keep them to oneself."""
    document = window.document
    document.commit(branches.include_notes(document.tree, chosen_notes(window), document.pen()))


def mean(window: MainWindow, node_id: str) -> None:
    """What is done next is meant for this node; a selection goes along only if the node is in it."""
    window.document.set_current(node_id)
    if node_id not in window.graph.chosen.node_ids:
        window.graph.choose([])
    window.actions_set.refresh()


# Walking


def walk(direction: Direction) -> Callable[[MainWindow], None]:
    """Go to the next card in a direction."""
    return lambda window: window.graph.go(direction)


def extend(direction: Direction) -> Callable[[MainWindow], None]:
    """Take the next card in a direction into the selection."""
    return lambda window: window.graph.extend(direction)


def read(window: MainWindow) -> None:
    """Read the path through the current card."""
    window.graph.read_current()


def peek(window: MainWindow) -> None:
    """Show the whole text of the current card, or no more."""
    window.graph.peek()


# Folding


def toggle_fold(window: MainWindow) -> None:
    """Fold what is below the current node, or show it; likewise with a selection."""
    bring(window)
    tree = window.document.tree
    folded, meant = is_folded(window), sorted(i for i in _leading_on(window) if tree.children(i))
    for node_id in meant:
        window.graph.unfold(node_id) if folded else window.graph.fold(node_id)
    if meant and window.graph.node_rect(meant[-1]).isEmpty():  # else it stays where it is
        window.graph.ensure_visible(meant[-1])  # from a menu it may be done out of sight
    window.actions_set.refresh()


def can_fold(window: MainWindow) -> bool:
    """True if something is below the current node; of a selection, below any."""
    tree = window.document.tree
    if has_chosen(window):
        return window.graph.chosen.goes_on(tree)
    return bool(tree.children(window.document.current_id))


def is_folded(window: MainWindow) -> bool:
    """True if what is below the current node is folded; of a selection, below all."""
    tree, is_open = window.document.tree, window.graph.open_of(_leading_on(window))
    return can_fold(window) and not any(tree.children(node_id) for node_id in is_open)


def _leading_on(window: MainWindow) -> Iterable[str]:
    """The current node, or those of a selection that may have something below them."""
    if has_chosen(window):
        return window.graph.chosen.leading_on(window.document.tree)
    return (window.document.current_id,)


def come_out(window: MainWindow, node_id: str) -> None:
    """Where folding a node hides the current one, which is not read beside it either, be at that node."""
    document = window.document
    if document.current_id not in document.path:
        document.set_current(node_id)


def unfold_all(window: MainWindow) -> None:
    """Show all that is folded."""
    bring(window)
    window.graph.unfold_all()


def hoist(window: MainWindow) -> None:
    """Show the current node and what is below it, nothing else."""
    bring(window)
    window.graph.hoist(window.document.current_id)
    show_crumbs(window)
    window.note(_alone_words(window))
    window.actions_set.refresh()


def _alone_words(window: MainWindow) -> str:
    way_back = window.actions_set.key_in_graph("unhoist")
    words = tr("Only this branch is shown. {way} shows the whole tree again.")
    return words.format(way=way_back or tr("View → Show the whole tree"))


def unhoist(window: MainWindow) -> None:
    """Show the whole tree again."""
    bring(window)
    window.graph.hoist("")
    show_crumbs(window)
    window.actions_set.refresh()


def is_hoisted(window: MainWindow) -> bool:
    """True while one branch stands alone."""
    return bool(window.graph.hoisted)


def carry(window: MainWindow, node_id: str, parent_id: str) -> None:
    """Hang the branch that was carried on another node; one of a selection takes the others along."""
    meant = chosen(window)
    if node_id in meant:
        move_branch.reparent_all(window, meant, parent_id)
    else:
        move_branch.reparent(window, node_id, parent_id)


# Looking


def bring(window: MainWindow) -> None:
    """The graph in view, where a page or the text stands in its place: what is done there is to be seen."""
    window.pages.show_graph()
    if not window.graph.isVisible():
        window.halves.bring_graph()
        window.graph.setFocus()


def fit_all(window: MainWindow) -> None:
    """The whole tree in the graph."""
    bring(window)
    window.graph.fit_all()


def fit_selection(window: MainWindow) -> None:
    """The chosen nodes in the graph, or the current one."""
    bring(window)
    if several := chosen(window):
        window.graph.fit_cards(several)
    else:
        window.graph.fit_current()


def toggle_direction(window: MainWindow) -> None:
    """Let the tree grow from the top down, or from left to right; remembered."""
    bring(window)
    direction = "right" if window.graph.direction == "down" else "down"
    window.graph.set_direction("down" if direction == "down" else "right")
    window_settings().setValue(DIRECTION, direction)
    window.graph.ensure_visible(window.document.current_id)


def grows_down(window: MainWindow) -> bool:
    """True if the tree grows from the top down."""
    return window.graph.direction == "down"


def zoom_in(window: MainWindow) -> None:
    """A step nearer."""
    bring(window)
    window.graph.zoom_in()


def zoom_out(window: MainWindow) -> None:
    """A step further away."""
    bring(window)
    window.graph.zoom_out()


def zoom_to_full_size(window: MainWindow) -> None:
    """Cards in their own size."""
    bring(window)
    window.graph.zoom_to_full_size()


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
    had = bool(window.graph.chosen.node_ids) and focused is window.graph
    if had:
        window.graph.choose([])
    return had
