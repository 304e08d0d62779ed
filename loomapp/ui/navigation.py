"""Going through the tree: what the keys and pagers of the Go menu do."""

from __future__ import annotations

from typing import TYPE_CHECKING

from loomapp.core import paths
from loomapp.session.document import Document

if TYPE_CHECKING:
    from loomapp.ui.main_window import MainWindow


def go_parent(window: MainWindow) -> None:
    """Select the node before this one."""
    parent = _parent(window.document)
    if parent is not None:
        show(window, parent)


def go_child(window: MainWindow) -> None:
    """Select the child that was read last."""
    child = window.document.child_of(window.document.current_id)
    if child is not None:
        show(window, child)


def previous_sibling(window: MainWindow) -> None:
    """Read the sibling before, and what hangs below it."""
    _step(window, -1)


def next_sibling(window: MainWindow) -> None:
    """Read the sibling after, and what hangs below it."""
    _step(window, 1)


def previous_fork(window: MainWindow) -> None:
    """Select the nearest node above that has several children."""
    _select_if(window, paths.previous_fork(window.document.tree, window.document.current_id))


def next_fork(window: MainWindow) -> None:
    """Select the nearest node below on the shown path that has several children."""
    document = window.document
    _select_if(window, paths.next_fork(document.tree, document.current_id))


def go_root(window: MainWindow) -> None:
    """Select the first node."""
    show(window, window.document.tree.root_id)


def go_leaf(window: MainWindow) -> None:
    """Read on to the deepest leaf below the current node."""
    window.document.read_through(window.document.current_id)
    window.graph.ensure_visible(window.document.current_id)


def choose_sibling(window: MainWindow, node_id: str) -> None:
    """Read the path through a sibling; where the reader is in it stays as near as can be."""
    window.document.read_through(node_id)
    window.document.set_current(node_id)
    window.graph.ensure_visible(node_id)


def show(window: MainWindow, node_id: str) -> None:
    """Select a node and bring it into view; if it is off the shown path, read its path."""
    document = window.document
    if node_id not in document.path_ids:
        document.read_through(node_id)
    document.set_current(node_id)
    window.graph.ensure_visible(node_id)


def _select_if(window: MainWindow, node_id: str | None) -> None:
    if node_id is not None:
        show(window, node_id)


def _step(window: MainWindow, by: int) -> None:
    document = window.document
    ring = living_siblings(document)
    if document.current_id in ring:
        choose_sibling(window, ring[(ring.index(document.current_id) + by) % len(ring)])


def living_siblings(document: Document) -> list[str]:
    """The siblings of the current node that are not pruned, itself among them."""
    tree = document.tree
    return [
        node_id
        for node_id in paths.siblings(tree, document.current_id)
        if node_id == document.current_id or not tree.nodes[node_id].metadata.pruned
    ]


def _parent(document: Document) -> str | None:
    path = document.path_ids
    if document.current_id in path[1:]:
        return path[path.index(document.current_id) - 1]
    return paths.parent(document.tree, document.current_id)


def has_parent(window: MainWindow) -> bool:
    """True below the root."""
    return _parent(window.document) is not None


def has_child(window: MainWindow) -> bool:
    """True above a leaf."""
    return window.document.child_of(window.document.current_id) is not None


def has_siblings(window: MainWindow) -> bool:
    """True where there is another way on from the same parent."""
    return len(living_siblings(window.document)) > 1
