"""G1 to G6: the graph and its layout, beside a scene of items and a layout in plain Python."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import lru_cache

import numpy as np
from PySide6.QtCore import QPointF
from PySide6.QtWidgets import QApplication

from loomapp.core.edits import edit_context, node_edits
from loomapp.core.layout.card_table import CardTable
from loomapp.core.layout.card_table_build import enrol
from loomapp.core.layout.incremental import Growth
from loomapp.core.layout.layout import lay_out
from loomapp.core.model.agent import Agent
from loomapp.core.model.change import apply
from loomapp.core.model.tree import Tree
from loomapp.store.identity import new_id
from loomapp.ui.graph.view import GraphView
from loomapp.ui.look import theme
from tests.bench import floors, groves
from tests.bench.floors import timed_ms
from tests.bench.groves import BEGINNING_MS, MODEL, WRITER, Shape
from tests.bench.table import Goal, Opened, Place, Rivals, Row, Unit, grown_once

AGENTS = (Agent(WRITER, "You", "human"), MODEL)
FRAMES = 40
DEEP, FEW = 9, 64  # how far arrays are looked for, and in lists of how many
GAP_PX = 14.0
CARD_HEIGHT_PX = 62.0
LARGE = 100_000  # the goals beside rivals speak of such trees
EVERY_SIZE = (1_000, 10_000, 100_000, 1_000_000)


def application() -> QApplication:
    """The process's one, dressed as the program's."""
    app = QApplication.instance() or QApplication([])
    assert isinstance(app, QApplication)
    theme.apply(app, "dark")
    return app


def graph_on(tree: Tree) -> GraphView:
    """A graph on the screen, its newest node current; nothing flies."""
    app = application()
    view = GraphView()
    view.set_reduced_motion(True)
    view.resize(1600, 1000)
    view.show_tree(tree, AGENTS)
    view.set_current(tree.path.leaf_id)
    view.show()
    while not (window := view.windowHandle()) or not window.isExposed():
        app.processEvents()
    view.unfold_all()
    view.tidy_up()
    view.viewport().repaint()
    return view


def shared_graph(place: Place) -> GraphView:
    """The graph on the tree that all rows of this process are measured on."""
    return _graph(place.shape, place.nodes)


@lru_cache(maxsize=1)
def _graph(shape: Shape, nodes: int) -> GraphView:
    return graph_on(grown_once(shape, nodes))


def nothing_ms() -> float:
    """The time of a rival that is not run."""
    return 0.0


def pan_ms(view: GraphView) -> float:
    """The median frame of a hand's movement."""
    times = []
    for number in range(FRAMES):
        by = 9 if number % 20 < 10 else -9
        view.pan(QPointF(by, by * 0.7))
        times.append(timed_ms(view.viewport().repaint))
    return statistics.median(times)


def at_reading_zoom(view: GraphView) -> None:
    """Letters can be read; the newest card is in the middle."""
    view.fit_current()
    view.zoom_to_full_size()
    view.viewport().repaint()
    pan_ms(view)  # its cards are drawn once


def reading_ms_a_card(view: GraphView) -> float:
    """The median reading frame for each card in it."""
    frame = pan_ms(view)
    return frame / max(1, view.painted.cards)


@contextmanager
def reading(place: Place) -> Iterator[Rivals]:
    """G1."""
    large, small = shared_graph(place), graph_on(groves.grown(place.shape, 1_000))
    for view in (large, small):
        at_reading_zoom(view)
    yield Rivals(lambda: reading_ms_a_card(large), lambda: reading_ms_a_card(small))


@contextmanager
def fitting(place: Place) -> Iterator[Rivals]:
    """G2, frames."""
    view = shared_graph(place)
    view.fit_all()
    view.viewport().repaint()
    if place.nodes > LARGE:
        yield Rivals(lambda: pan_ms(view), nothing_ms)
        return
    scene = item_scene(place)
    scene.show()
    scene.fit_all()
    QApplication.processEvents()
    yield Rivals(lambda: pan_ms(view), scene.frame_ms)


@contextmanager
def index_size(place: Place) -> Iterator[Rivals]:
    """G2, memory."""
    view = shared_graph(place)
    yield Rivals(lambda: array_bytes(view) / place.nodes, lambda: 1.0)


def array_bytes(view: GraphView) -> int:
    """The arrays that the graph keeps by row, each once."""
    seen: dict[int, int] = {}
    waiting: list[tuple[object, int]] = [(view, 0)]
    met = set()
    while waiting:
        item, depth = waiting.pop()
        if id(item) in met or depth > DEEP:
            continue
        met.add(id(item))
        if isinstance(item, np.ndarray):
            whole = item if item.base is None else item.base
            seen[id(whole)] = getattr(whole, "nbytes", item.nbytes)
            continue
        parts = [getattr(item, name, None) for name in getattr(type(item), "__slots__", ())]
        parts += list(getattr(item, "__dict__", {}).values())
        if isinstance(item, tuple | list):
            parts += item
        waiting += [(part, depth + 1) for part in parts if _may_hold_arrays(part)]
    return sum(seen.values())


def _may_hold_arrays(part: object) -> bool:
    if isinstance(part, tuple | list):
        return len(part) < FEW
    return isinstance(part, np.ndarray) or type(part).__module__.startswith("loomapp")


def item_scene(place: Place) -> floors.ItemScene:
    """The rival, laid out without taking part in the time."""
    above = groves.parents(place.shape, place.nodes)
    heights = [CARD_HEIGHT_PX] * place.nodes
    middles = floors.buchheim(above, heights, GAP_PX)
    return floors.ItemScene(floors.depths(above), middles, above, groves.texts(place.nodes))


@contextmanager
def opening(place: Place) -> Iterator[Rivals]:
    """G3: from a tree in memory to its first frame."""
    tree = place.tree()
    view = graph_on(groves.grown("bushy", 10))
    is_large = place.nodes > LARGE
    nodes = 10 if is_large else place.nodes
    above, texts = groves.parents(place.shape, nodes), groves.texts(nodes)
    middles = floors.buchheim(above, [CARD_HEIGHT_PX] * nodes, GAP_PX)
    columns = floors.depths(above)
    kept: list[floors.ItemScene] = []

    def ours() -> float:
        view.show_tree(groves.grown("bushy", 10), AGENTS)
        return timed_ms(show)

    def show() -> None:
        view.show_tree(tree, AGENTS)
        view.set_current(tree.path.leaf_id)
        view.viewport().repaint()

    def rival() -> float:
        kept.clear()
        start = time.perf_counter()
        kept.append(floors.ItemScene(columns, middles, above, texts))
        kept[-1].show()
        return (time.perf_counter() - start) * 1e3

    yield Rivals(ours, rival)


@contextmanager
def zooming(place: Place) -> Iterator[Rivals]:
    """G4: the slowest step from everything to letters and back, beside a frame of panning."""
    view = shared_graph(place)
    at_reading_zoom(view)

    def steps(step: Callable[[], None], count: int) -> list[float]:
        return [timed_ms(lambda: _then_paint(step, view)) for _ in range(count)]

    def slowest() -> float:
        found = steps(view.zoom_out, 20) + steps(view.zoom_in, 20)
        at_reading_zoom(view)
        return max(found)

    slowest()
    yield Rivals(slowest, lambda: pan_ms(view))


def _then_paint(step: Callable[[], None], view: GraphView) -> None:
    step()
    view.viewport().repaint()


@contextmanager
def laying_out(place: Place) -> Iterator[Rivals]:
    """G5: both from the same parents, all cards of one height."""
    shape = cards_of(place.tree()).shape()
    above = groves.parents(place.shape, place.nodes)
    plain = [CARD_HEIGHT_PX] * place.nodes
    yield Rivals(
        lambda: timed_ms(lambda: lay_out(shape, GAP_PX)),
        lambda: timed_ms(lambda: floors.buchheim(above, plain, GAP_PX)),
    )


@contextmanager
def one_card_more(place: Place) -> Iterator[Rivals]:
    """G6: finding a place for one new card and for what it pushes, beside laying all of them out."""
    tree = place.tree()
    roster = cards_of(tree)
    growth = Growth(lay_out(roster.shape(), GAP_PX), GAP_PX)
    parent = growth.row_of(roster.numbers[tree.path.leaf_id])
    assert parent is not None
    numbers = iter(range(len(roster), len(roster) + growth.room))

    def joined() -> float:
        return timed_ms(lambda: growth.join(next(numbers), parent, CARD_HEIGHT_PX))

    yield Rivals(joined, lambda: timed_ms(lambda: lay_out(roster.shape(), GAP_PX)))


def cards_of(tree: Tree) -> CardTable:
    """The cards of a tree, all of one height."""
    roster = enrol(tree)
    roster.heights[:] = CARD_HEIGHT_PX
    return roster


@contextmanager
def one_card_shown(place: Place) -> Iterator[Rivals]:
    """G6 in the window: the view's answer to a change that adds a card, beside showing the tree anew."""
    tree, view = place.tree(), shared_graph(place)
    moments = iter(range(BEGINNING_MS * 2, BEGINNING_MS * 3))

    def added() -> float:
        change = node_edits.add_node(
            tree, tree.path.leaf_id, "One more.", edit_context.EditContext(WRITER, next(moments), new_id)
        )
        apply(tree, change)

        def patch() -> None:
            view.patch(change)
            view.node_rect(change.added_nodes()[0].id)

        return timed_ms(patch)

    def anew() -> float:
        view._scene.places.arrange_anew()
        return timed_ms(view.node_ids)

    yield Rivals(added, anew)


ALL: tuple[Shape, ...] = ("bushy", "deep", "wide")
SCENE, PLAIN = "scene of items", "Buchheim in Python"


def _faster(times: float) -> Goal:
    return Goal(times, at_most=False, nodes=LARGE)


def _row(
    name: str, says: str, rival: str, opened: Opened, goal: Goal, unit: Unit = "ms", up_to: int = 0
) -> Row:
    sizes = ALL, EVERY_SIZE
    return Row(name, says, rival, opened, goal, unit, *sizes, together="graph", rival_up_to=up_to)


ROWS = (
    _row("G1", "reading frame", "at 1,000", reading, Goal(1.25), "ms a card"),
    _row("G2 bytes", "index of the graph", "a byte", index_size, Goal(64, nodes=LARGE), "bytes a node"),
    _row("G4", "slowest zoom step", "pan frame", zooming, Goal(6)),
    _row("G5", "layout", PLAIN, laying_out, _faster(5)),
    _row("G6", "one card more", "whole layout", one_card_more, _faster(1000)),
    _row("G2", "everything in sight", SCENE, fitting, _faster(300), up_to=LARGE),
    _row("G3", "open to first frame", SCENE, opening, _faster(30), up_to=LARGE),
    _row("G6 shown", "one card more, shown", "all anew", one_card_shown, _faster(20)),
)
