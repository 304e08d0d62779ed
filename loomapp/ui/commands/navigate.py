"""Going through the tree: what the keys and pagers of the Go menu do."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QUrl
from PySide6.QtGui import QDesktopServices

from loomapp.core.edits import node_edits
from loomapp.core.paths import navigation
from loomapp.core.paths.siblings import told_apart
from loomapp.session.document import Document
from loomapp.session.reading.visit_history import Place
from loomapp.ui.strings import tr

if TYPE_CHECKING:
    from loomapp.ui.window.main_window import MainWindow


def go_parent(window: MainWindow) -> None:
    """Select the node before this one."""
    parent = _parent(window.document)
    if parent is not None:
        show(window, parent)


def go_child(window: MainWindow) -> None:
    """Select the child that was read last."""
    child = window.document.last_read.child_of(window.document.current_id)
    if child is not None:
        show(window, child)


def previous_sibling(window: MainWindow) -> None:
    """Read the sibling before, and what hangs below it."""
    _step(window, -1)


def next_sibling(window: MainWindow) -> None:
    """Read the sibling after, and what hangs below it."""
    _step(window, 1)


def nth_child(number: int) -> Callable[[MainWindow], None]:
    """Go to the child of that number, counted from 1; there may be none."""
    return partial(_go_to_child, number)


def _go_to_child(number: int, window: MainWindow) -> None:
    children = living_children(window.document)
    if number <= len(children):
        show(window, children[number - 1])


def has_nth_child(number: int) -> Callable[[MainWindow], bool]:
    """True where there are that many ways on."""
    return lambda window: len(living_children(window.document)) >= number


def previous_version(window: MainWindow) -> None:
    """Read the version before of the current node; what follows it stays where it can."""
    _step_version(window, -1)


def next_version(window: MainWindow) -> None:
    """Read the version after."""
    _step_version(window, 1)


def visit_back(window: MainWindow) -> None:
    """Where the reader was before."""
    _revisit(window, window.visits.back(partial(_exists, window)))


def visit_forward(window: MainWindow) -> None:
    """Where the reader was before going back."""
    _revisit(window, window.visits.forward(partial(_exists, window)))


def can_visit_back(window: MainWindow) -> bool:
    """True if something was read before this."""
    return window.visits.can_go_back


def can_visit_forward(window: MainWindow) -> bool:
    """True after going back."""
    return window.visits.can_go_forward


def previous_fork(window: MainWindow) -> None:
    """Select the nearest node above that has several children."""
    _select_if(window, navigation.previous_fork(window.document.tree, window.document.current_id))


def next_fork(window: MainWindow) -> None:
    """Select the nearest node below on the shown path that has several children."""
    document = window.document
    _select_if(window, navigation.next_fork(document.tree, document.current_id))


def go_root(window: MainWindow) -> None:
    """Select the first node."""
    show(window, window.document.tree.root_id)


def go_leaf(window: MainWindow) -> None:
    """Read on to the deepest leaf below the current node."""
    window.document.read_through(window.document.current_id)
    window.graph.ensure_visible(window.document.current_id)


def choose_sibling(window: MainWindow, node_id: str) -> None:
    """Read the path through a sibling; where the reader is in it stays as near as can be."""
    window.document.read_through(node_id, keeps_place=True)
    window.graph.ensure_visible(node_id)


def show(window: MainWindow, node_id: str) -> None:
    """Select a node and bring it into view; if it is off the shown path, read its path."""
    document = window.document
    if node_id not in document.path:
        document.read_through(node_id, keeps_place=True)
    document.set_current(node_id)
    window.graph.ensure_visible(node_id)


def ask_for_link(window: MainWindow, url: str) -> None:
    """A link in a text: shown whole before anything is opened."""

    def open_it() -> None:
        QDesktopServices.openUrl(QUrl(url))

    window.next_steps.offer(tr("Open {address} in your browser?").format(address=url), tr("Open"), open_it)


def _select_if(window: MainWindow, node_id: str | None) -> None:
    if node_id is not None:
        show(window, node_id)


def _step(window: MainWindow, by: int) -> None:
    document = window.document
    if window.buffer.stepping.step_sibling(by):
        return
    ring = living_siblings(document)
    if document.current_id in ring:
        choose_sibling(window, ring[(ring.index(document.current_id) + by) % len(ring)])


def _step_version(window: MainWindow, by: int) -> None:
    document = window.document
    if window.buffer.stepping.step_version(by):
        return
    ring = living_versions(document)
    if document.current_id not in ring or len(ring) < 2:
        return
    version = ring[(ring.index(document.current_id) + by) % len(ring)]
    path, here = document.path_ids, document.current_id
    following = path[path.index(here) + 1] if here in path[:-1] else None
    shared = (
        [edge for edge in document.tree.incoming(following) if version in edge.with_role("primary")]
        if (following is not None)
        else []
    )
    if not shared:
        choose_sibling(window, version)
        return
    targets = [e.target_id for e in document.tree.edges_out(here) if version in e.with_role("primary")]
    selections = {**document.tree.path.selections, **dict.fromkeys(targets, version)}
    leaf = document.tree.path.leaf_id
    change = node_edits.choose_path(document.tree, leaf, document.pen(), selections)
    document.commit(change, current_id=version)
    document.set_current(version)
    window.graph.ensure_visible(version)


def _exists(window: MainWindow, place: Place) -> bool:
    document = window.document
    if place.tree_id == document.tree.loom.id:
        return place.node_id in document.tree.nodes and document.shown_place(place.node_id) == place.node_id
    return any(row.id == place.tree_id for row in document.trees())


def _revisit(window: MainWindow, place: Place | None) -> None:
    if place is None:
        return
    then = partial(_show_again, window, place.node_id)
    window.opening.open(place.tree_id, then, within=window.visits.going)
    window.actions_set.refresh()


def _show_again(window: MainWindow, node_id: str) -> None:
    if node_id in window.document.tree.nodes:
        show(window, node_id)
    window.actions_set.refresh()


def living_children(document: Document) -> tuple[str, ...]:
    """The ways on from the current node that are not pruned."""
    return document.tree.living_children(document.current_id)


def living_versions(document: Document) -> list[str]:
    """The versions of the current node that are not pruned, itself among them, oldest first."""
    tree, current_id = document.tree, document.current_id
    living = [
        node_id
        for node_id in navigation.versions(tree, current_id)
        if node_id == current_id or not tree.nodes[node_id].metadata.pruned
    ]
    return list(told_apart(tree, current_id, living))


def living_siblings(document: Document) -> tuple[str, ...]:
    """The siblings of the current node that are not pruned, itself among them."""
    return navigation.living_siblings(document.tree, document.current_id)


def _parent(document: Document) -> str | None:
    place = document.path.place_of(document.current_id)
    if place:
        return document.path_ids[place - 1]
    return navigation.parent(document.tree, document.current_id)


def has_parent(window: MainWindow) -> bool:
    """True below the root."""
    return _parent(window.document) is not None


def has_child(window: MainWindow) -> bool:
    """True above a leaf."""
    return window.document.last_read.child_of(window.document.current_id) is not None


def has_siblings(window: MainWindow) -> bool:
    """True where there is another way on from the same parent."""
    if window.buffer.stepping.has_siblings():
        return True
    return len(living_siblings(window.document)) > 1


def has_versions(window: MainWindow) -> bool:
    """True for a text that was edited, or is an edit."""
    return len(living_versions(window.document)) > 1


def find_in_path(window: MainWindow) -> None:
    """Look for words in the shown path."""
    window.pages.show_graph()  # the settings' preview stands in the dialogue's place
    if window.buffer.is_on:
        window.halves.bring_text()
        window.buffer.search.begin()
        return
    window.dialogue.search.begin()
