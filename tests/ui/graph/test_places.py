"""Large trees: a change is shown at once, tidied later elsewhere, and what is looked at stays."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from PySide6.QtCore import QPointF
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from loomapp.core.generation.drafts import Draft, LiveDraft
from loomapp.core.model.change import RowChange, apply
from loomapp.core.model.entities import Metadata
from loomapp.core.model.tree import Tree
from loomapp.ui.graph.scene import card_nodes, card_places, scene
from loomapp.ui.graph.scene.card_nodes import UNKNOWN
from loomapp.ui.graph.scene.scene import Scene
from loomapp.ui.graph.view import GraphView
from tests.kit import graph_trees as trees
from tests.kit.chance import examples
from tests.kit.desktop import show_active

PRUNED = Metadata(pruned=True)


@pytest.fixture
def large(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every tree counts as a large one."""
    monkeypatch.setattr(card_places, "AT_ONCE", 0)


@pytest.fixture
def view(qtbot: QtBot, large: None) -> Iterator[GraphView]:
    view = GraphView()
    qtbot.addWidget(view)
    view.set_reduced_motion(True)
    view.resize(1120, 760)
    tree = trees.grown_tree(200)
    view.show_tree(tree, trees.AGENTS)
    view.set_path(trees.ancestors(tree, "n150"))
    view.set_current("n150")
    show_active(qtbot, view)
    view.node_ids()
    yield view
    view.tidy_up()


def grow(view: GraphView, parent: str, node_id: str, text: str = "And then.") -> None:
    tree = view._scene.tree
    assert tree is not None
    change = trees.added(tree, parent, node_id, text)
    apply(tree, change)
    view.patch(change)


def corner(view: GraphView, node_id: str) -> QPointF:
    row = view._scene.row_of(node_id)
    assert row is not None
    box = view._scene.box(row)
    return view.camera.to_view(box.left, box.top)


def test_a_new_card_is_there_at_once_and_tidied_when_idle(view: GraphView, qtbot: QtBot) -> None:
    low = max(view.node_ids(), key=lambda node_id: corner(view, node_id).y())
    view.set_current(low)
    view.ensure_visible(low)
    before, on_canvas = corner(view, low), view.camera.top

    for parent in ("n5", "n17", "n40", "n60", "n80"):
        grow(view, parent, f"under {parent}")
        assert f"under {parent}" in view.node_ids()
        assert (corner(view, low) - before).manhattanLength() <= 1

    assert view._scene.places.untidy
    qtbot.waitUntil(lambda: not view._scene.places.untidy)
    assert (corner(view, low) - before).manhattanLength() <= 1
    assert view.camera.top != on_canvas, "the card did move on the canvas"
    assert "under n40" in view.node_ids()


def test_what_came_while_it_was_tidied_elsewhere_is_not_lost(view: GraphView, qtbot: QtBot) -> None:
    grow(view, "n40", "first")
    view.node_ids()
    view._tidier.on_idle()
    grow(view, "n41", "second")

    assert {"first", "second"} <= set(view.node_ids())
    qtbot.waitUntil(lambda: not view._scene.places.untidy)
    assert {"first", "second"} <= set(view.node_ids())


def test_what_is_folded_away_is_measured_and_tinted_when_it_is_shown_first(qtbot: QtBot, large: None) -> None:
    view = GraphView()
    qtbot.addWidget(view)
    view.set_reduced_motion(True)
    tree = trees.grown_tree(900)
    view.show_tree(tree, trees.AGENTS)
    view.set_current("n899")
    show_active(qtbot, view)
    few = len(view.node_ids())
    scene, card_places = view._scene, view._scene.places

    def are_measured() -> list[bool]:
        return [float(height) == scene._height(card) for card, height in cards()]

    def cards() -> list[tuple[str, float]]:
        return list(zip(card_places.roster.keys, card_places.roster.heights.tolist(), strict=False))

    folded = [card for card, height in cards() if height == 0]
    assert sum(are_measured()) == few == 900 - len(folded)
    scene.tints_of(scene.rows())
    assert (scene.tinting.of(np.arange(900)) != UNKNOWN).sum() == few, "nor is it told who wrote it"
    assert len(folded) > 100

    view.unfold_all()
    qtbot.waitUntil(lambda: not card_places.folded and not card_places.untidy and not card_places.stale)

    assert all(are_measured())
    assert len(view.node_ids()) == 900
    at_once = Scene()
    at_once.show(tree, trees.AGENTS)
    at_once.set_fold_state({})
    at_once.settle()
    assert [scene.box(row) for row in scene.rows()] == [at_once.box(row) for row in at_once.rows()]


@pytest.mark.usefixtures("qapp")
def test_no_step_of_measuring_looks_at_many_nodes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(card_nodes, "PORTION", 100)
    anew = Scene()
    anew.show(trees.grown_tree(900), trees.AGENTS)
    anew.set_fold_state({})
    anew.settle()
    anew.places.roster.heights[:] = 0

    steps = sum(1 for _ in anew.places.measuring_for(anew.index.growth) or ())

    assert steps >= 18
    assert (anew.places.roster.heights > 0).sum() == 900
    assert (anew.tinting.of(np.arange(900)) != UNKNOWN).all(), "they are tinted in steps too"


def test_an_answer_takes_the_place_of_its_draft(view: GraphView) -> None:
    view.set_drafts(
        [LiveDraft("d1", "n150", "smol", Draft(0, "And")), LiveDraft("d2", "n150", "smol", Draft(1))]
    )
    places_of_drafts = [view.node_rect("d1").topLeft(), view.node_rect("d2").topLeft()]
    heights = [view.node_rect("d1").height(), view.node_rect("d2").height()]

    view.set_drafts([])
    grow(view, "n150", "a")
    grow(view, "n150", "b")
    view.node_ids()

    assert heights == [84, 84]
    assert [view.node_rect("a").topLeft(), view.node_rect("b").topLeft()] == places_of_drafts
    assert view.node_rect("d1").isEmpty()


def test_an_answer_comes_after_what_was_added_before_it_came_and_stays_there_when_tidied(
    view: GraphView,
) -> None:
    view.set_drafts([LiveDraft("d1", "n150", "smol", Draft(0, "And"))])
    place = view.node_rect("d1").topLeft()

    grow(view, "n150", "sibling")
    assert view.node_rect("sibling").topLeft() == place
    assert view.node_rect("d1").top() > view.node_rect("sibling").bottom()
    place = view.node_rect("d1").topLeft()
    view.set_drafts([])
    grow(view, "n150", "answer")

    assert view.node_rect("answer").topLeft() == place
    view.tidy_up()
    assert view.node_rect("answer").top() > view.node_rect("sibling").bottom()


def test_answers_that_end_in_another_order_than_they_began_in_never_change_places(view: GraphView) -> None:
    drafts = [LiveDraft(f"d{i}", "n150", "smol", Draft(i)) for i in range(3)]
    view.set_drafts(drafts)
    card_places = [view.node_rect(draft.key).topLeft() for draft in drafts]

    for ended, answer in ((2, "a"), (0, "b"), (0, "c")):
        del drafts[ended]
        view.set_drafts(drafts)
        grow(view, "n150", answer)
        shown = [*["a", "b", "c"][: 3 - len(drafts)], *(draft.key for draft in drafts)]
        assert [view.node_rect(key).topLeft() for key in shown] == card_places


def test_an_answer_that_is_kept_first_stays_behind_what_was_asked_for_before_it(view: GraphView) -> None:
    first = LiveDraft("d1", "n150", "smol", Draft(0, "And"), later=("b",))
    view.set_drafts([first, LiveDraft("d2", "n150", "smol", Draft(0, "So"))])
    card_places = [view.node_rect(key).topLeft() for key in ("d1", "d2")]

    grow(view, "n150", "b")
    view.set_drafts([first])
    assert [view.node_rect(key).topLeft() for key in ("d1", "b")] == card_places

    tree = view._scene.tree
    assert tree is not None
    change, behind = trees.added(tree, "n150", "a"), tree.incoming("b")[0]
    again = RowChange(behind, None), RowChange(None, replace(behind, id="again"))
    change = replace(change, rows=(*change.rows, *again))
    apply(tree, change)
    view.patch(change)
    view.set_drafts([])
    assert [view.node_rect(key).topLeft() for key in ("a", "b")] == card_places
    view.tidy_up()
    assert view.node_rect("a").bottom() < view.node_rect("b").top()


def test_a_card_that_was_never_laid_out_can_be_left_again(view: GraphView) -> None:
    tree = view._scene.tree
    assert tree is not None
    grow(view, "n150", "a")
    view.node_ids()
    change = trees.added(tree, "n150", "a").inverse()
    apply(tree, change)

    view.patch(change)

    assert "a" not in view.node_ids()
    view.tidy_up()
    assert "a" not in view.node_ids()


def test_a_pruned_branch_goes_at_once_and_comes_back_when_tidied(view: GraphView, qtbot: QtBot) -> None:
    tree = view._scene.tree
    assert tree is not None
    branch = tree.descendants("n20")
    for metadata, shown in ((PRUNED, False), (Metadata(), True)):
        change = trees.marked(tree, branch, metadata)
        apply(tree, change)
        view.patch(change)
        assert "n20" not in view.node_ids()
        qtbot.waitUntil(lambda: not view._scene.places.untidy)
        assert ("n20" in view.node_ids()) is shown


def test_a_large_tree_turns_once_it_is_laid_out_and_stands_until_then(view: GraphView, qtbot: QtBot) -> None:
    before = {node_id: view.node_rect(node_id) for node_id in view.node_ids()}

    view.set_direction("down")

    assert view.direction == "down"
    assert {node_id: view.node_rect(node_id) for node_id in view.node_ids()} == before
    grow(view, "n150", "meanwhile")
    qtbot.waitUntil(lambda: view._scene.is_down)
    view.ensure_visible("meanwhile")
    assert view.node_rect("meanwhile").top() > view.node_rect("n150").bottom()


def test_another_theme_moves_no_card_and_another_type_measures_all_anew(
    view: GraphView, monkeypatch: pytest.MonkeyPatch
) -> None:
    roster = view._scene.places.roster

    view._scene.restyle()

    assert not view._scene.stale
    monkeypatch.setattr(scene, "measured", lambda: ("another type",))
    view._scene.restyle()
    view.node_ids()
    assert view._scene.places.roster is not roster


def test_cards_that_were_given_other_places_glide_there(qtbot: QtBot, large: None) -> None:
    view = GraphView()
    qtbot.addWidget(view)
    view.resize(1120, 760)
    view.show_tree(trees.rich_tree(), trees.AGENTS)
    view.set_current("logbook")
    show_active(qtbot, view)
    view.node_ids()
    before = corner(view, "father2")

    grow(view, "logbook", "a", "long " * 40)
    grow(view, "logbook", "b", "long " * 40)
    view.node_ids()
    view._tidier.on_idle()
    qtbot.waitUntil(lambda: not view._scene.places.untidy)

    row = view._scene.row_of("father2")
    assert row is not None
    assert view._drift, "it is on its way"
    painted = corner(view, "father2") + view._drift.offset(row) * view.camera.zoom
    assert (painted - before).manhattanLength() <= 1 or view._drift.left < 1
    qtbot.waitUntil(lambda: not view._drift)


acts = st.lists(
    st.tuples(
        st.sampled_from(["add", "note", "draft", "answer", "prune", "restore", "tidy"]), st.integers(0, 10**6)
    ),
    max_size=14,
)


@settings(
    deadline=None, max_examples=examples(30), suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(acts)
def test_after_tidying_all_is_where_a_new_look_would_put_it(
    qapp: QApplication, monkeypatch: pytest.MonkeyPatch, wishes: list[tuple[str, int]]
) -> None:
    tree = trees.grown_tree(40)
    scene, drafts = Scene(), 0
    scene.show(tree, trees.AGENTS)
    scene.settle()
    with monkeypatch.context() as patched:
        patched.setattr(card_places, "AT_ONCE", 0)
        for number, (act, which) in enumerate(wishes):
            node_id = list(tree.nodes)[which % len(tree.nodes)]
            match act:
                case "add" | "answer":
                    if act == "answer" and scene.drafts:
                        *rest, ended = sorted(
                            scene.drafts.values(), key=lambda live: live.key < f"d{which % 9}"
                        )
                        node_id = ended.parent_id
                        scene.set_drafts(rest)
                    change = trees.added(tree, node_id, f"new{number}", "word " * (which % 30))
                    apply(tree, change)
                    scene.patch(change)
                case "note":
                    change = trees.noted(tree, node_id, f"note{number}", "word " * (which % 30))
                    apply(tree, change)
                    scene.patch(change)
                case "draft":
                    drafts += 1
                    live = LiveDraft(f"d{drafts}", node_id, "smol", Draft(drafts))
                    scene.set_drafts([*scene.drafts.values(), live])
                case "prune" | "restore" if node_id != "n0":
                    mark = PRUNED if act == "prune" else Metadata()
                    change = trees.marked(tree, tree.descendants(node_id), mark)
                    apply(tree, change)
                    scene.patch(change)
                case "tidy":
                    scene.take(scene.places.tidying().done())
            scene.settle()
            assert_nothing_overlaps(scene)
            assert_siblings_are_in_order(scene, tree)
        scene.set_drafts([])
        scene.settle()
        scene.take(scene.places.tidying().done())
    fresh = Scene()
    fresh.show(tree, trees.AGENTS)
    fresh.settle()

    assert placed(scene) == placed(fresh)


def assert_nothing_overlaps(scene: Scene) -> None:
    rows = scene.rows().tolist()
    for row in rows:
        box = scene.index.box(row)
        below = scene.index.beside(row, 1)
        if below is not None:
            assert scene.index.box(below).top >= box.bottom
        assert scene.index.row_at(box.left + 1, box.top + 1) == row
        assert scene.index.row_at(box.right - 1, box.bottom - 1) == row


def assert_siblings_are_in_order(scene: Scene, tree: Tree) -> None:
    """In that of their creation, and after them the drafts."""
    for row in scene.rows().tolist():
        shown = [scene.card(child) for child in scene.index.children(row)]
        order = [*tree.children(scene.card(row)), *scene.drafts]
        known = [card for card in shown if card in order]
        assert known == sorted(known, key=order.index)


def placed(scene: Scene) -> dict[str, tuple[float, ...]]:
    return {scene.card(row): tuple(scene.index.box(row)) for row in scene.rows().tolist()}
