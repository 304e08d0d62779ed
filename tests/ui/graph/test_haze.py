"""Edges of one card with very many children: those that only pass by are thinned, no other is."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtWidgets import QApplication

from loomapp.core.paths.path import node_sequence
from loomapp.ui.graph.painting.edges import MOST_PASSING, thinned
from loomapp.ui.graph.scene.scene import Scene
from tests.bench.groves import Shape, grown


def settled(shape: Shape, count: int) -> Scene:
    tree = grown(shape, count)
    scene = Scene()
    scene.show(tree, ())
    scene.set_path(node_sequence((tree.root_id, tree.path.leaf_id)))
    scene.settle()
    return scene


@pytest.mark.usefixtures("qapp")
def test_what_is_in_sight_or_read_keeps_its_edge() -> None:
    scene = settled("wide", 2_000)
    links = scene.index.linked(scene.rows())
    seen = links[900:920]

    kept = thinned(scene, links, seen)

    assert {*seen.tolist(), int(scene.path_rows()[-1])} <= {*kept.tolist()}
    assert len(seen) < len(kept) <= len(seen) + 1 + 2 * MOST_PASSING
    assert kept.tolist() == sorted({*kept.tolist()})


def test_where_no_card_has_very_many_all_edges_are_drawn(qapp: QApplication) -> None:
    scene = settled("bushy", 400)
    links = scene.index.linked(scene.rows())

    assert thinned(scene, links, np.zeros(0, np.int64)).tolist() == links.tolist()
