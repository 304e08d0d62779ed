"""Branches in the graph: folded, shown alone, acted on with several cards, moved, new, and read on."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from itertools import chain, islice

from PySide6.QtCore import QObject

from loomapp.core.edits import branches
from loomapp.core.model.entities import Node
from loomapp.core.model.tree import Tree
from loomapp.core.paths import navigation as walks
from loomapp.ui import figures
from loomapp.ui.commands import navigate
from loomapp.ui.commands.graph.foreign_writes import ForeignWritesNotice
from loomapp.ui.composer.composer_rows import BelowRow
from loomapp.ui.graph.crumbs import Crumb
from loomapp.ui.graph.input.key_walk import Direction
from loomapp.ui.graph.minimap import CORNERS
from loomapp.ui.graph.scene.card_faces import words
from loomapp.ui.graph.scene.spatial_index import Direction as Growing
from loomapp.ui.look.layout_memory import window_settings
from loomapp.ui.side_bar.outline.row_words import branch_title
from loomapp.ui.strings import tr, with_blank_named
from loomapp.ui.workbench import Workbench


class ReadOn(QObject):
    """Says how many messages follow the last one that is shown, as they were read last."""

    def __init__(self, bench: Workbench) -> None:
        super().__init__(bench.views.window)
        self._document, self._answers = bench.work.document, bench.work.generator.answers
        self._row = BelowRow("onBelow", tr("Read on"), bench.views.text_pane)
        bench.views.text_pane.add_below_text(self._row)
        run, choose = bench.frame.run_command, navigate.choose_sibling
        self._row.read_asked.connect(lambda node_id: run(lambda w: choose(w, node_id)))
        for moved in (self._document.tree_opened, self._document.tree_changed, self._answers.drafts_changed):
            moved.connect(lambda *_: self.show())
        self.show()

    def show(self) -> None:
        """Show the row where the path ends at a message that goes on, and no draft is shown below it."""
        document = self._document
        leaf_id, drafts = document.path_ids[-1], self._answers.drafts(document.tree.loom.id)
        is_end = not document.has_messages or document.tree.first_living_child(leaf_id) is None
        if is_end or any(live.parent_id == leaf_id for live in drafts):
            self._row.say("", "")
            return
        count = len(document.place.last_read.way_below(leaf_id)) - 1
        words = tr("1 more message follows") if count == 1 else tr("{count} more messages follow")
        self._row.say(words.format(count=figures.number(count)), leaf_id)


DIRECTION, OVERVIEW = "graph/direction", "graph/overview"
FEW = 50  # nodes that are looked at to tell how an action is checked
MOST_STEPS = 200  # up a way that is not read, to a branch that has a name


def wire(bench: Workbench) -> None:
    graph, dialogue, run = bench.views.graph, bench.views.dialogue, bench.frame.run_command
    bench.parts.one(ForeignWritesNotice, partial(ForeignWritesNotice, bench))
    bench.parts.one(ReadOn, partial(ReadOn, bench))
    graph.node_clicked.connect(bench.work.document.place.set_current)
    graph.node_clicked.connect(dialogue.uncover)
    graph.node_activated.connect(lambda i: run(lambda w: w.work.document.place.read(i)))
    graph.reparent_asked.connect(lambda node, to: run(lambda w: carry(w, node, to)))
    graph.draft_chosen.connect(dialogue.show_draft)
    graph.space_tapped.connect(lambda: bench.actions.press_in_graph("Space"))
    graph.chosen_changed.connect(bench.actions.refresh)
    graph.put_away.connect(lambda i: come_out(bench, i))
    graph.hovered.connect(dialogue.set_hovered)
    graph.hovered.connect(bench.buffer.set_hovered)
    bench.views.crumbs.crumb_clicked.connect(lambda i: run(lambda w: go_to_crumb(w, i)))
    bench.views.crumbs.whole_asked.connect(lambda: run(unhoist))
    dialogue.hovered.connect(graph.set_hovered)
    graph.set_direction(kept_direction())
    kept = window_settings().value(OVERVIEW)
    graph.set_overview_corner(next((corner for corner in CORNERS if corner == kept), CORNERS[0]))


def kept_direction() -> Growing:
    """Return the direction in which trees grow in every window, as it was chosen last."""
    return "down" if window_settings().value(DIRECTION) == "down" else "right"


def show_crumbs(bench: Workbench) -> None:
    """The tree, the branch that stands alone, and the way to the current node from the nearest branch that
    has a name, above the graph.
    """
    document, tree = bench.work.document, bench.work.document.tree
    above = walks.parent(tree, document.current_id)
    above_it = dict.fromkeys((bench.views.graph.hoisted, _named_above(bench, above), above))
    ways = [*(i for i in above_it if i != document.current_id), document.current_id]
    shown = [i for i in ways if i in tree.nodes and not tree.is_empty_root(i or "")]
    words = [Crumb(i, _words(tree, tree.nodes[i])) for i in shown if i is not None]
    bench.views.crumbs.show_crumbs([Crumb(tree.root_id, tree.loom.title), *words])
    is_alone = bench.views.graph.hoisted in tree.nodes
    bench.views.crumbs.show_alone(alone=is_alone)
    if not is_alone:
        bench.views.status.forget_note(_alone_words(bench))


def _named_above(bench: Workbench, node_id: str | None) -> str | None:
    """The nearest node, from one upwards, whose branch has a name of its own or stands alone; None if there
    is none, or none near the path that is read.
    """
    tree, path = bench.work.document.tree, bench.work.document.path
    named = {*tree.branch_summaries, bench.views.graph.hoisted} if tree.branch_summaries else set()
    for _ in range(MOST_STEPS if named else 0):
        if node_id is None or node_id in named:
            return None if node_id == tree.root_id else node_id
        if (here := path.place_of(node_id)) is not None:  # no walk: the way down may be very long
            places = [place for one in named if 0 < (place := path.place_of(one) or 0) <= here]
            return path.node_ids[max(places)] if places else None
        node_id = walks.parent(tree, node_id)
    return None


def _words(tree: Tree, node: Node) -> str:
    """Return the title of the branch that a node heads, else its first words."""
    return branch_title(tree, node) or with_blank_named(words(node.content, node.text[:200])) or node.local_id


def go_to_crumb(bench: Workbench, node_id: str) -> None:
    """Go to a node above; the tree's own crumb is its start, and shows all of it."""
    if node_id == bench.work.document.tree.root_id:
        bench.views.graph.hoist("")
    navigate.show(bench, node_id)
    show_crumbs(bench)


# Several cards


def chosen(bench: Workbench) -> tuple[str, ...]:
    """The messages of a selection of several cards; the empty root may be one of these, but says nothing."""
    return bench.views.graph.chosen.messages(bench.work.document.tree)


def has_chosen(bench: Workbench) -> bool:
    """Return True where an action is for the several cards that are selected."""
    return not bench.pressed_id and bool(bench.views.graph.chosen.found(bench.work.document.tree))


def meant(bench: Workbench) -> tuple[str, ...]:
    """Return the messages that an action is for: a selection's, else one."""
    return (has_chosen(bench) and chosen(bench)) or (bench.meant_id,)


def exclude_branches(bench: Workbench) -> None:
    """Leave the current message and all below it out of the context, or take them back in; likewise with a
    selection.
    """
    exclude_branch(bench, meant(bench))


def exclude_branch(bench: Workbench, node_ids: Sequence[str]) -> None:
    """Leave messages and all below them out of the context, or take them back in."""
    bench.work.document.edit(node_ids, branches.exclude_branches, keeps_current=True)


def are_branches_excluded(bench: Workbench) -> bool:
    """Tell whether the selection, or the current node, is left out with all below it; of large branches the
    beginning tells.
    """
    tree = bench.work.document.tree
    tops = bench.views.graph.chosen.found(tree) if has_chosen(bench) else (bench.meant_id,)
    below = (child for top in tops for child in tree.children(top))
    # Looked at one by one: nearly always the first says no, and this is asked whenever another is current.
    several = (tree.nodes[i] for i in islice(chain(tops, below), FEW) if i in tree.nodes)
    first = next(several, None)
    if first is None:
        return False
    return all(n.metadata.excluded for n in chain((first,), several) if not tree.is_empty_root(n.id))


def prune_chosen(bench: Workbench) -> None:
    """Hide the selected messages and what hangs below them."""
    bench.work.document.edit(chosen(bench), branches.prune_all, keeps_current=True)
    bench.views.graph.choose([])


def chosen_notes(bench: Workbench) -> tuple[str, ...]:
    return () if bench.pressed_id else bench.views.graph.chosen.notes(bench.work.document.tree)


def include_chosen_notes(bench: Workbench) -> None:
    """Send the selected notes with their messages, or keep them to oneself."""
    document = bench.work.document
    document.commit(branches.include_notes(document.tree, chosen_notes(bench), document.pen()))


def mean(bench: Workbench, node_id: str) -> None:
    """Make a node the current one, which the next act is for; a selection goes along only if the node is in
    it.
    """
    bench.work.document.place.set_current(node_id)
    bench.views.dialogue.uncover(node_id)
    chosen = bench.views.graph.chosen.node_ids
    if chosen and node_id not in chosen:
        bench.views.graph.choose([])
        bench.actions.refresh()


# Walking


def walk(direction: Direction) -> Callable[[Workbench], None]:
    return lambda bench: bench.views.graph.go(direction)


def extend(direction: Direction) -> Callable[[Workbench], None]:
    return lambda bench: bench.views.graph.extend(direction)


def read(bench: Workbench) -> None:
    bench.views.graph.read_current()


def peek(bench: Workbench) -> None:
    bench.views.graph.peek()


# Folding


def toggle_fold(bench: Workbench) -> None:
    """Fold what is below the current node, or show it; likewise with a selection."""
    bring(bench)
    tree = bench.work.document.tree
    folded, meant = is_folded(bench), sorted(i for i in _leading_on(bench) if tree.children(i))
    for node_id in meant:
        bench.views.graph.unfold(node_id) if folded else bench.views.graph.fold(node_id)
    if meant:
        bench.views.announcer.say(tr("Unfolded") if folded else tr("Folded"))
    if meant and bench.views.graph.node_rect(meant[-1]).isEmpty():  # else it stays where it is
        bench.views.graph.ensure_visible(meant[-1])  # from a menu it may be done out of sight
    bench.actions.refresh()


def can_fold(bench: Workbench) -> bool:
    """True if something is below the current node; of a selection, below any."""
    tree = bench.work.document.tree
    if has_chosen(bench):
        return bench.views.graph.chosen.goes_on(tree)
    return bool(tree.children(bench.work.document.current_id))


def is_folded(bench: Workbench) -> bool:
    """True if what is below the current node is folded; of a selection, below all."""
    tree, is_open = bench.work.document.tree, bench.views.graph.open_of(_leading_on(bench))
    return can_fold(bench) and not any(tree.children(node_id) for node_id in is_open)


def _leading_on(bench: Workbench) -> Iterable[str]:
    """The current node, or those of a selection that may have something below them."""
    if has_chosen(bench):
        return bench.views.graph.chosen.leading_on(bench.work.document.tree)
    return (bench.work.document.current_id,)


def come_out(bench: Workbench, node_id: str) -> None:
    """Make a node current, if folding it hides the current one, which is not read beside it either."""
    document = bench.work.document
    if document.current_id not in document.path:
        document.place.set_current(node_id)


def unfold_all(bench: Workbench) -> None:
    bring(bench)
    bench.views.graph.unfold_all()


def hoist(bench: Workbench) -> None:
    """Show the current node and what is below it, nothing else."""
    bring(bench)
    bench.views.graph.hoist(bench.work.document.current_id)
    show_crumbs(bench)
    bench.frame.note(_alone_words(bench))
    bench.actions.refresh()


def _alone_words(bench: Workbench) -> str:
    way_back = bench.actions.key_in_graph("unhoist")
    words = tr("Only this branch is shown. {way} shows the whole tree again.")
    return words.format(way=way_back or tr("View → Show the whole tree"))


def unhoist(bench: Workbench) -> None:
    bring(bench)
    bench.views.graph.hoist("")
    show_crumbs(bench)
    bench.frame.note(tr("The whole tree is shown."))
    bench.actions.refresh()


def is_hoisted(bench: Workbench) -> bool:
    return bool(bench.views.graph.hoisted)


def carry(bench: Workbench, node_id: str, parent_id: str) -> None:
    """Hang the branch that was carried on another node; one of a selection takes the others along."""
    from loomapp.ui.commands.graph import move_branch  # late: a start moves no branch

    meant = chosen(bench)
    if node_id in meant:
        move_branch.reparent_all(bench, meant, parent_id)
    else:
        move_branch.reparent(bench, node_id, parent_id)


# Looking


def bring(bench: Workbench) -> None:
    """The graph in view, where a page or the text stands in its place: what is done there is to be seen."""
    bench.views.pages.show_graph()
    if not bench.views.graph.isVisible():
        bench.frame.bring_graph()
        bench.views.graph.setFocus()


def fit_all(bench: Workbench) -> None:
    bring(bench)
    bench.views.graph.fit_all()


def fit_selection(bench: Workbench) -> None:
    bring(bench)
    if several := chosen(bench):
        bench.views.graph.fit_cards(several)
    else:
        bench.views.graph.fit_current()


def toggle_direction(bench: Workbench) -> None:
    """Let the tree grow from the top down, or from left to right; remembered."""
    bring(bench)
    direction = "right" if bench.views.graph.direction == "down" else "down"
    bench.views.graph.set_direction("down" if direction == "down" else "right")
    window_settings().setValue(DIRECTION, direction)
    bench.views.graph.ensure_visible(bench.work.document.current_id)


def grows_down(bench: Workbench) -> bool:
    return bench.views.graph.direction == "down"


def move_overview(bench: Workbench) -> None:
    """Move the overview to the next corner, at last hide it, and then begin again; remembered."""
    bring(bench)
    graph = bench.views.graph
    corner = CORNERS[(CORNERS.index(graph.overview_corner) + 1) % len(CORNERS)]
    graph.set_overview_corner(corner)
    window_settings().setValue(OVERVIEW, corner)
    if corner == "hidden":
        bench.frame.note(tr("The overview is hidden. The same command shows it again."))


def zoom_in(bench: Workbench) -> None:
    bring(bench)
    bench.views.graph.zoom_in()


def zoom_out(bench: Workbench) -> None:
    bring(bench)
    bench.views.graph.zoom_out()


def zoom_to_full_size(bench: Workbench) -> None:
    bring(bench)
    bench.views.graph.zoom_to_full_size()


def next_unread(bench: Workbench) -> None:
    """Go to the next message that came while nobody looked."""
    node_id = bench.views.graph.next_unread()
    if node_id:
        bench.work.document.place.set_current(node_id)
        bench.views.graph.ensure_visible(node_id)
        bench.actions.refresh()


def has_unread(bench: Workbench) -> bool:
    return bench.views.graph.has_unread


def pin_preview(bench: Workbench) -> None:
    is_pinned = bench.views.graph.toggle_pin()
    bench.views.announcer.say(tr("Preview pinned") if is_pinned else tr("Preview closed"))
