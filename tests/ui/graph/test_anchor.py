"""What is looked at stays where it is on the screen, whatever happens to the tree around it."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from PySide6.QtCore import QPointF, QRectF
from pytestqt.qtbot import QtBot

from loomapp.core.edits import branches
from loomapp.core.edits.edit_context import EditContext
from loomapp.core.errors import InvalidInput
from loomapp.core.generation.drafts import Draft, LiveDraft
from loomapp.core.model.change import Change, apply
from loomapp.core.model.entities import Metadata
from loomapp.core.model.tree import Tree
from loomapp.ui.graph.scene import card_places
from loomapp.ui.graph.scene.spatial_index import Direction
from loomapp.ui.graph.view import GraphView
from tests.kit import graph_trees as trees
from tests.kit.chance import examples
from tests.kit.desktop import show_active

PRUNED, EXCLUDED = Metadata(pruned=True), Metadata(excluded=True)
SIZES: dict[str, Callable[[], Tree]] = {
    "rich": trees.rich_tree,
    "buffer": trees.buffer_tree,
    "grown": lambda: trees.grown_tree(70),
}
ACTS = (
    *("add", "add", "answers", "prune", "restore", "exclude", "move", "undo"),
    *("fold", "unfold", "hoist", "unhoist", "show pruned", "turn"),
    *("draft", "grow", "end", "keep", "path", "tidy"),
)
LOOKS = ("pan", "zoom", "current")  # what the user does to look elsewhere

acts = st.lists(st.tuples(st.sampled_from((*ACTS, *LOOKS)), st.integers(0, 10**6)), min_size=1, max_size=16)


class Life:
    """A tree in a graph view, and what may happen to it; the first look is a random place of it."""

    def __init__(self, view: GraphView, tree: Tree) -> None:
        self.view, self.tree = view, tree
        self.drafts: list[LiveDraft] = []
        self.done: list[Change] = []
        self.made = 0
        view.show_tree(tree, trees.AGENTS)
        self.read(self.pick(7))
        view.set_drafts([])
        view.node_ids()

    def pick(self, which: int) -> str:
        """A node that has a card."""
        shown = self.view.node_ids()
        return shown[which % len(shown)] if shown else self.tree.loom.root_id

    def read(self, leaf: str) -> None:
        """The path to a node is the active one; notes and loose sources have none."""
        path = trees.ancestors(self.tree, leaf)
        if path[0] == self.tree.root_id:
            self.view.set_path(path)

    def commit(self, change: Change) -> None:
        apply(self.tree, change)
        self.done.append(change)
        self.view.patch(change)

    def mark(self, node_id: str, metadata: Metadata) -> None:
        self.commit(trees.marked(self.tree, self.tree.descendants(node_id), metadata))

    def act(self, name: str, which: int) -> None:
        """One thing that happens, by its number at a node that has a card."""
        self.made += 1
        for acts in (self.edit, self.arrange, self.stream):
            acts(name, self.pick(which), which)

    def edit(self, name: str, node_id: str, which: int) -> None:
        """An edit of the user's or of another program's: the view is told the same."""
        match name:
            case "add":
                self.commit(trees.added(self.tree, node_id, f"new{self.made}", "word " * (which % 40)))
            case "answers":
                for i in range(which % 4 + 1):
                    self.commit(trees.added(self.tree, node_id, f"new{self.made}.{i}", "word " * (which % 9)))
            case "prune" if node_id != self.tree.root_id:
                self.mark(node_id, PRUNED)
            case "restore":
                self.mark(node_id, Metadata())
            case "exclude":
                self.mark(node_id, EXCLUDED)
            case "move":
                self.move(node_id, self.pick(which // 7))
            case "undo" if self.done:
                change = self.done.pop().inverse()
                apply(self.tree, change)
                self.view.patch(change)
            case "path":
                self.read(node_id)

    def arrange(self, name: str, node_id: str, which: int) -> None:
        """Another look at the same tree."""
        view = self.view
        direction: Direction = "down" if which % 2 else "right"
        looks: dict[str, Callable[[], None]] = {
            "fold": lambda: view.fold(node_id),
            "unfold": view.unfold_all,
            "hoist": lambda: view.hoist(node_id),
            "unhoist": lambda: view.hoist(""),
            "show pruned": lambda: view.set_show_pruned(bool(which % 2)),
            "turn": lambda: view.set_direction(direction),
            "tidy": view.tidy_up,
            "pan": lambda: view.pan(QPointF(which % 701 - 350, which // 701 % 501 - 250)),
            "zoom": lambda: view._zoom_by(0.4 + which % 17 / 10, QPointF(which % 900, which // 900 % 600)),
            "current": lambda: view.set_current(node_id),
        }
        if name in looks:
            looks[name]()

    def move(self, node_id: str, parent_id: str) -> None:
        try:
            change = branches.reparent(self.tree, node_id, parent_id, EditContext("you", self.made, str))
        except InvalidInput:
            return
        if change is not None:
            self.commit(change)

    def stream(self, name: str, node_id: str, which: int) -> None:
        """An answer begins, grows, ends without a word, or becomes a node."""
        if name == "draft":
            self.drafts.append(LiveDraft(f"d{self.made}", node_id, "smol", Draft(self.made)))
            self.view.set_drafts(self.drafts)
        elif name in {"grow", "end", "keep"} and self.drafts:
            live = self.drafts.pop(which % len(self.drafts))
            if name == "grow":
                live = LiveDraft(live.key, live.parent_id, "smol", Draft(self.made, "word " * (which % 90)))
                self.drafts.append(live)
                self.view.drafts_grew([live])
                return
            self.view.set_drafts(self.drafts)
            if name == "keep" and live.parent_id in self.tree.nodes:
                text = "word " * (which % 60)
                self.commit(trees.added(self.tree, live.parent_id, f"new{self.made}", text))

    # What is seen.

    def painted(self) -> dict[str, QRectF]:
        """Where each card that is in view is painted, by the name that positions go by."""
        view = self.view
        view.node_ids()
        scene, camera = view._scene, view._camera
        whole = QRectF(0, 0, camera.width, camera.height)
        rects = {}
        for row in scene.rows().tolist():
            rect = camera.rect(scene.box(row)).translated(view._seen_drift.offset(row) * camera.zoom)
            if rect.intersects(whole):
                rects[scene.card(row)] = rect
        return rects

    def looked_at(self, seen: dict[str, QRectF]) -> str | None:
        """The card that holds the picture: the current one if it is in view."""
        current = self.view._scene.card_of(self.view.current_node_id)
        return current if current in seen else None


@pytest.fixture
def view(qtbot: QtBot) -> Iterator[GraphView]:
    view = GraphView()
    qtbot.addWidget(view)
    view.resize(900, 600)
    view.show_tree(trees.rich_tree(), trees.AGENTS)
    show_active(qtbot, view)
    yield view
    view.tidy_up()


@pytest.mark.parametrize("is_large", [False, True])
@pytest.mark.parametrize("moves", [False, True])
@settings(
    deadline=None, max_examples=examples(40), suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@example(kind="buffer", wishes=[("current", 0), ("turn", 1), ("tidy", 0)])
@example(kind="buffer", wishes=[("move", 72), ("zoom", 0), ("zoom", 0), ("current", 0), ("add", 0)])
@given(kind=st.sampled_from(sorted(SIZES)), wishes=acts)
def test_what_is_looked_at_stays_where_it_is_on_the_screen(
    view: GraphView,
    monkeypatch: pytest.MonkeyPatch,
    is_large: bool,
    moves: bool,
    kind: str,
    wishes: list[tuple[str, int]],
) -> None:
    """Edits of anyone, undo, streams, folding, hoisting, turning, tidying; at any place and zoom."""
    view.set_reduced_motion(not moves)
    view.set_direction("right")
    view.set_show_pruned(False)
    with monkeypatch.context() as patched:
        patched.setattr(card_places, "AT_ONCE", 0 if is_large else card_places.AT_ONCE)
        life = Life(view, SIZES[kind]())
        view.set_current(life.pick(3))
        for name, which in wishes:
            before = life.painted()
            anchor = life.looked_at(before)
            life.act(name, which)
            after = life.painted()
            if name not in LOOKS:
                assert_held(before, after, anchor)


def assert_held(before: dict[str, QRectF], after: dict[str, QRectF], anchor: str | None) -> None:
    """The card that is looked at did not move; without one, or if it is gone, something that was in view."""
    if anchor is not None and anchor in after:
        assert apart(before[anchor], after[anchor]) <= 1
    elif common := before.keys() & after.keys():
        assert min(apart(before[card], after[card]) for card in common) <= 1


def apart(one: QRectF, other: QRectF) -> float:
    by = one.topLeft() - other.topLeft()
    return max(abs(by.x()), abs(by.y()))


def test_a_card_that_is_flown_to_is_in_view_when_the_pane_narrows_meanwhile(
    view: GraphView, qtbot: QtBot
) -> None:
    right = max(view.node_ids(), key=lambda key: view._scene.box(view._scene.row_of(key) or 0).right)
    view.zoom_to_full_size()
    qtbot.waitUntil(lambda: view._flight.end is None)
    view.set_current(right)
    view.ensure_visible(right)
    assert view._flight.end is not None

    view.resize(500, 600)

    whole = view.viewport().rect()
    qtbot.waitUntil(lambda: view._flight.end is None and whole.contains(view.node_rect(right)))
    assert view._camera.width == whole.width()
    assert view.node_rect(right).isValid()

    before = view._camera.seen
    view.resize(1100, 600)
    assert view._camera.seen.left == pytest.approx(before.left - 600, abs=200), "not empty desk is won"
    view.resize(1300, 600)
    assert view._camera.seen.left >= view._scene.index.bounds.left - 40


def test_a_change_in_mid_flight_moves_nothing_in_view_and_the_flight_goes_on(view: GraphView) -> None:
    life, clock = Life(view, trees.rich_tree()), view._flight._clock
    first, *_, last = view.node_ids()
    view.set_current(first)
    view.zoom_to_full_size()
    clock.setCurrentTime(clock.duration())
    view.set_current(last)
    view.ensure_visible(last)
    clock.setCurrentTime(clock.duration() // 8)
    row, end = view._scene.row_of(last), view._flight.end
    assert row is not None
    assert end is not None
    planned, before = end.rect(view._scene.box(row)), life.painted()

    life.commit(trees.added(life.tree, first, "late", "word " * 20))

    after = life.painted()
    seen = before.keys() & after.keys()
    assert len(seen) > 3
    assert max(apart(before[card], after[card]) for card in seen) <= 2, "what is worth no movement may jump"
    assert view._flight.end not in {None, view._camera}
    clock.setCurrentTime(clock.duration())
    assert view._flight.end is None
    assert apart(QRectF(view.node_rect(last)), planned) <= 1


@pytest.mark.parametrize("place", [0.02, 0.98], ids=["left", "right"])
def test_a_look_that_comes_back_in_a_smaller_view_shows_the_current_card_whole(
    qtbot: QtBot, place: float
) -> None:
    view, small = GraphView(), GraphView()
    for graph, (width, height) in ((view, (1120, 760)), (small, (560, 380))):
        qtbot.addWidget(graph)
        graph.set_reduced_motion(True)
        graph.resize(width, height)
        graph.show()
        graph.show_tree(trees.rich_tree(), trees.AGENTS)
    view.set_current("logbook")
    view.zoom_to_full_size()
    card, area = view.node_rect("logbook"), view.viewport().rect()
    view.pan(QPointF((area.width() - card.width()) * place - card.left(), 20 - card.top()))
    assert area.contains(view.node_rect("logbook"))

    small.set_look_state(view.look_state())
    small.set_current("logbook")

    assert small.viewport().rect().contains(small.node_rect("logbook"))
    view.pan(QPointF(0, -20 - card.height() // 2))
    half = view.node_rect("logbook")
    view.set_look_state(view.look_state())
    assert view.node_rect("logbook") == half, "one that was cut is left as it was"


def test_the_keyboard_comes_to_a_card_in_view(qtbot: QtBot) -> None:
    view = GraphView()
    qtbot.addWidget(view)
    view.resize(800, 500)
    view.show_tree(trees.rich_tree(), trees.AGENTS)
    view.set_current("logbook")
    view.pan(QPointF(-3000, 400))

    view.show_keyboard_place()

    assert view.viewport().rect().contains(view.node_rect("logbook"))
