"""Going through the tree: what the keys and pagers of the Go menu do."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from PySide6.QtCore import QUrl
from PySide6.QtGui import QDesktopServices

from loomapp.core.action_table import ACTIONS_BY_MENU
from loomapp.core.edits import node_edits
from loomapp.core.paths import navigation
from loomapp.core.paths.siblings import told_apart
from loomapp.core.prose.authorship import main_author
from loomapp.session.document import Document
from loomapp.session.reading_place import Visit
from loomapp.ui import figures
from loomapp.ui.graph.scene.card_faces import short_author
from loomapp.ui.strings import tr
from loomapp.ui.workbench import Workbench

MOST_SAID = 300  # characters of a node that one comes to; the rest is read where it stands


def wire(bench: Workbench) -> None:
    """Say to who hears the window where each step of the Go menu led."""
    for entry in ACTIONS_BY_MENU["Go"]:
        bench.actions.by_name[entry.name].triggered.connect(partial(_tell_where, bench))


def _tell_where(bench: Workbench) -> None:
    """Say whose words one came to, which of its siblings that is, and how it begins."""
    graph, outline = bench.views.graph, bench.views.side_parts.outline
    if graph.hasFocus() or outline.hasFocus():
        return  # these say it themselves
    document = bench.work.document
    node, ring = document.tree.nodes[document.current_id], living_siblings(document)
    author = short_author(main_author(document.tree, node), document.agents.by_id())
    place = ring.index(node.id) + 1 if node.id in ring else 0
    words = tr("{author}, {number} of {count}: {words}") if place and len(ring) > 1 else "{author}: {words}"
    number, count = figures.number(place), figures.number(len(ring))
    said = words.format(author=author, number=number, count=count, words=node.text[:MOST_SAID])
    bench.views.announcer.say(said)


def go_parent(bench: Workbench) -> None:
    parent = _parent(bench.work.document)
    if parent is not None:
        show(bench, parent)


def go_child(bench: Workbench) -> None:
    """Select the child that was read last."""
    child = bench.work.document.place.last_read.child_of(bench.work.document.current_id)
    if child is not None:
        show(bench, child)


def previous_sibling(bench: Workbench) -> None:
    bench.text.step_sibling(-1)


def next_sibling(bench: Workbench) -> None:
    bench.text.step_sibling(1)


def nth_child(number: int) -> Callable[[Workbench], None]:
    """Go to the child of that number, counted from 1; there may be none."""
    return partial(_go_to_child, number)


def _go_to_child(number: int, bench: Workbench) -> None:
    children = living_children(bench.work.document)
    if number <= len(children):
        show(bench, children[number - 1])


def has_nth_child(number: int) -> Callable[[Workbench], bool]:
    """Return True where there are that many ways on."""
    return lambda bench: len(living_children(bench.work.document)) >= number


def previous_version(bench: Workbench) -> None:
    """Read the version before of the current node; what follows it stays where it can."""
    bench.text.step_version(-1)


def next_version(bench: Workbench) -> None:
    bench.text.step_version(1)


def visit_back(bench: Workbench) -> None:
    _revisit(bench, bench.work.visits.back(partial(_exists, bench)))


def visit_forward(bench: Workbench) -> None:
    """Go forward to the place that was left by going back."""
    _revisit(bench, bench.work.visits.forward(partial(_exists, bench)))


def can_visit_back(bench: Workbench) -> bool:
    return bench.work.visits.can_go_back


def can_visit_forward(bench: Workbench) -> bool:
    """Return True after going back."""
    return bench.work.visits.can_go_forward


def previous_fork(bench: Workbench) -> None:
    _select_if(bench, navigation.previous_fork(bench.work.document.tree, bench.work.document.current_id))


def next_fork(bench: Workbench) -> None:
    """Select the nearest node below on the shown path that has several children."""
    document = bench.work.document
    _select_if(bench, navigation.next_fork(document.tree, document.current_id))


def go_root(bench: Workbench) -> None:
    show(bench, bench.work.document.tree.root_id)


def go_leaf(bench: Workbench) -> None:
    """Read on to the deepest leaf below the current node."""
    bench.work.document.place.read_through(bench.work.document.current_id)
    bench.views.graph.ensure_visible(bench.work.document.current_id)


def choose_sibling(bench: Workbench, node_id: str) -> None:
    bench.work.document.place.read_through(node_id, keeps_place=True)
    bench.views.graph.ensure_visible(node_id)


def show(bench: Workbench, node_id: str) -> None:
    """Select a node and bring it into view; if it is off the shown path, read its path."""
    document = bench.work.document
    if node_id not in document.path:
        document.place.read_through(node_id, keeps_place=True)
    document.place.set_current(node_id)
    bench.views.dialogue.uncover(node_id)
    bench.views.graph.ensure_visible(node_id)


def show_within(bench: Workbench, node_id: str, at: int) -> None:
    """Go to a node, or to a place within its passage, which only a buffer has; 0 is all of it."""
    show(bench, node_id)
    place = bench.buffer.buffer_text.place_of(node_id) if at else None
    if place is not None:
        caret = bench.buffer.buffer_text.passage(place).start + at
        bench.buffer.place.put_caret(caret)
        bench.buffer.view.editor.show_place(caret)


def ask_for_link(bench: Workbench, url: str) -> None:
    """Show a link of a text whole before anything is opened."""

    def open_it() -> None:
        QDesktopServices.openUrl(QUrl(url))

    bench.frame.offer(tr("Open {address} in your browser?").format(address=url), tr("Open"), open_it)


def _select_if(bench: Workbench, node_id: str | None) -> None:
    if node_id is not None:
        show(bench, node_id)


def step_sibling(bench: Workbench, by: int) -> None:
    """Read a sibling of the current node; after the last comes the first."""
    document = bench.work.document
    ring = living_siblings(document)
    if document.current_id in ring:
        choose_sibling(bench, ring[(ring.index(document.current_id) + by) % len(ring)])


def step_version(bench: Workbench, by: int) -> None:
    """Read a version of the current node; what hangs on both of them stays on the path."""
    document = bench.work.document
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
        choose_sibling(bench, version)
        return
    targets = [e.target_id for e in document.tree.edges_out(here) if version in e.with_role("primary")]
    selections = {**document.tree.path.selections, **dict.fromkeys(targets, version)}
    leaf = document.tree.path.leaf_id
    change = node_edits.choose_path(document.tree, leaf, document.pen(), selections)
    document.commit(change, current_id=version)
    document.place.set_current(version)
    bench.views.graph.ensure_visible(version)


def _exists(bench: Workbench, place: Visit) -> bool:
    document = bench.work.document
    if place.tree_id == document.tree.loom.id:
        return (
            place.node_id in document.tree.nodes
            and document.place.shown_place(place.node_id) == place.node_id
        )
    return any(row.id == place.tree_id for row in document.trees.rows())


def _revisit(bench: Workbench, place: Visit | None) -> None:
    if place is None:
        return
    then = partial(_show_again, bench, place.node_id)
    bench.frame.open_tree(place.tree_id, then, within=bench.work.visits.going)
    bench.actions.refresh()


def _show_again(bench: Workbench, node_id: str) -> None:
    if node_id in bench.work.document.tree.nodes:
        show(bench, node_id)
    bench.actions.refresh()


def living_children(document: Document) -> tuple[str, ...]:
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
    """Return the siblings of the current node that are not pruned, itself among them."""
    return navigation.living_siblings(document.tree, document.current_id)


def _parent(document: Document) -> str | None:
    place = document.path.place_of(document.current_id)
    if place:
        return document.path_ids[place - 1]
    return navigation.parent(document.tree, document.current_id)


def has_parent(bench: Workbench) -> bool:
    return _parent(bench.work.document) is not None


def has_child(bench: Workbench) -> bool:
    return bench.work.document.place.last_read.child_of(bench.work.document.current_id) is not None


def has_siblings(bench: Workbench) -> bool:
    return bench.text.has_siblings()


def has_versions(bench: Workbench) -> bool:
    """True for a text that was edited, or is an edit."""
    return len(living_versions(bench.work.document)) > 1


def find_in_path(bench: Workbench) -> None:
    bench.views.pages.show_graph()  # the settings' preview stands in the dialogue's place
    if bench.views.text_pane.page is not None:  # the export does too: words would be typed unseen
        bench.views.text_pane.focus_text()
        bench.actions.refresh()
    bench.text.find()
