"""Walking the graph by keys: which card lies in a direction."""

from __future__ import annotations

from typing import Literal, TypeAlias

import numpy as np

from loomapp.ui.graph.scene.scene import Scene

Direction: TypeAlias = Literal["left", "right", "up", "down"]
TURNED: dict[Direction, Direction] = {"left": "up", "up": "left", "right": "down", "down": "right"}


def step(scene: Scene, row: int | None, direction: Direction, *, drafts: bool = False) -> int | None:
    """The card to go to from a card, or None at the edge. Without a card: the first one.

    With `drafts` their cards are gone to as well.
    """
    if row is None:
        return 0 if len(scene.index) else None
    if scene.index.frame.direction == "down":
        direction = TURNED[direction]
    if direction == "left":
        parent = scene.index.parent(row)
        return parent if parent >= 0 else None
    if direction == "right":
        return _child(scene, row, drafts=drafts)
    return _neighbour(scene, row, -1 if direction == "up" else 1, drafts=drafts)


def _child(scene: Scene, row: int, *, drafts: bool) -> int | None:
    """The child the active path goes through, else the one that lies nearest; a draft if there is no node."""
    index, growth = scene.index, scene.index.growth
    unborn = {scene.places.row_of_card(key) for key in scene.drafts}
    every = list(index.children(row))
    born = [child for child in every if child not in unborn]
    children = index.linked(np.array(born or (every if drafts else []), np.int64))
    on_way = np.zeros(len(index), bool)
    on_way[scene.path_rows()] = True
    on_path = children[on_way[children]]
    found = on_path if len(on_path) else children
    if not len(found):
        return None
    nearest = np.abs(growth.middles(found) - growth.middle(row)).argmin()
    return int(found[nearest])


def _neighbour(scene: Scene, row: int, by: int, *, drafts: bool) -> int | None:
    """Return the next card of the level, whoever its parent is."""
    candidate = scene.index.beside(row, by)
    while candidate is not None and scene.is_draft(candidate) and not drafts:
        candidate = scene.index.beside(candidate, by)
    return candidate
