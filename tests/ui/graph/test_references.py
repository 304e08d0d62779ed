"""Lines of sources and notes: found by arrays as one by one, never too many in a frame, and felt."""

from __future__ import annotations

import random

import numpy as np
import pytest
from PySide6.QtCore import QRect
from pytestqt.qtbot import QtBot

from loomapp.core.model.entities import Edge, EdgeSource, LoomTree
from loomapp.core.model.tree import Tree
from loomapp.ui.graph.painting.edges import MOST_LINES, reference_path, thinned_lines, tip
from loomapp.ui.graph.scene.scene import Scene
from loomapp.ui.graph.scene.spatial_index import Box, ReferenceLine
from loomapp.ui.graph.view import GraphView
from tests.kit.conversations import AGENTS, SMOL, node
from tests.kit.desktop import Pointer, show_active

EVERYTHING = Box(-1e9, -1e9, 1e9, 1e9)


def used(count: int, dice: random.Random) -> Tree:
    """A bushy tree in which one loose rule goes with every answer, and some answers with others."""
    nodes = [node("root", "Begin."), node("rule", "Be brief.")]
    edges = []
    for number in range(count):
        name = f"n{number}"
        nodes.append(node(name, f"Answer {number}.", SMOL))
        parent = dice.choice(["root", *(f"n{i}" for i in range(max(0, number - 9), number))])
        sources = [EdgeSource(parent), EdgeSource("rule", "instruction")]
        other = f"n{dice.randrange(number)}" if number else "root"
        if other != parent and dice.random() < 0.3:
            sources.append(EdgeSource(other, "context"))
        edges.append(Edge(f"e{number}", tuple(sources), name))
    return Tree(LoomTree("t", "T", "dialogue", "root"), nodes=nodes, edges=edges)


def settled(tree: Tree) -> Scene:
    scene = Scene()
    scene.show(tree, ())
    scene.set_current("n5")
    scene.settle()
    return scene


def one_by_one(scene: Scene, box: Box) -> set[ReferenceLine]:
    """The lines near a box, looked at each by itself."""
    found = set()
    for source, target, kind in scene.places.roster.references:
        a, b = scene.places.row_of_card(source), scene.places.row_of_card(target)
        if a is not None and b is not None:
            around = scene.index.box(a).united(scene.index.box(b)).grown(scene.index.pitch)
            found |= {ReferenceLine(a, b, kind)} if around.meets(box) else set()
    return found


@pytest.mark.usefixtures("qapp")
def test_lines_near_a_place_are_those_that_a_look_at_each_finds() -> None:
    dice = random.Random(3)
    scene = settled(used(120, dice))
    scene.places.fold(scene.card(scene.row_of("n7") or 0))
    scene.settle()

    for _ in range(30):
        x, y = dice.uniform(-200, 3000), dice.uniform(-2000, 3000)
        box = Box(x, y, x + dice.uniform(1, 900), y + dice.uniform(1, 900))
        assert set(scene.lines_in(box).each()) == one_by_one(scene, box)


@pytest.mark.usefixtures("qapp")
def test_of_very_many_lines_those_of_the_current_card_are_drawn_and_enough_of_the_others() -> None:
    scene = settled(used(2_000, random.Random(4)))
    lines = scene.lines_in(EVERYTHING)
    assert len(lines.kinds) > 3 * MOST_LINES

    drawn = thinned_lines(scene, lines, scene.rows())

    current = scene.row_of("n5")
    meant = {line for line in lines.each() if current in (line.source, line.target)}
    assert meant <= set(drawn.each())
    assert len(drawn.kinds) <= 2 * MOST_LINES
    assert set(thinned_lines(scene, lines, np.zeros(0, np.int64)).each()) == meant


@pytest.mark.usefixtures("qapp")
def test_what_is_attached_leads_to_the_current_card_before_it_is_sent() -> None:
    scene = settled(used(12, random.Random(5)))
    before = set(scene.lines_in(EVERYTHING).each())

    scene.set_coming({"n1": "context", "n5": "instruction", "gone": "context"})

    source, target = scene.row_of("n1"), scene.row_of("n5")
    assert source is not None
    assert target is not None
    assert set(scene.lines_in(EVERYTHING).each()) - before <= {ReferenceLine(source, target, "context")}
    assert ReferenceLine(source, target, "context") in scene.lines_in(EVERYTHING).each()


def test_a_line_under_the_pointer_lights_up_both_ends_says_its_part_and_leads_away(
    qtbot: QtBot, pointer: Pointer
) -> None:
    tree = used(1, random.Random(6))
    view = GraphView()
    qtbot.addWidget(view)
    view.resize(900, 500)
    view.show_tree(tree, AGENTS)
    show_active(qtbot, view)
    (line,) = view._scene.lines_in(EVERYTHING).each()
    middle = reference_path(view._scene, view.camera, line).pointAtPercent(0.6).toPoint()

    pointer.move(view.viewport(), middle)
    qtbot.waitUntil(lambda: view._hand.hover.line == line)

    assert "Dashed" in tip("instruction")
    assert {tip(kind) for kind in ("context", "note", "primary", "")}.isdisjoint({tip("instruction")})
    with qtbot.waitSignal(view.node_clicked) as clicked:
        pointer.click(view.viewport(), middle)
    assert clicked.args == ["rule"]
    assert view.viewport().rect().intersects(QRect(view.node_rect("rule")))
