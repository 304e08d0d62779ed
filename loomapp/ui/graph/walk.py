"""Walking the graph by keys: which card lies in a direction."""

from __future__ import annotations

from typing import Literal, TypeAlias

from loomapp.ui.graph.scene import Scene

Direction: TypeAlias = Literal["left", "right", "up", "down"]
TURNED: dict[Direction, Direction] = {"left": "up", "up": "left", "right": "down", "down": "right"}


def step(scene: Scene, row: int | None, direction: Direction) -> int | None:
    """The card to go to from a card, or None at the edge. Without a card: the first one."""
    if row is None:
        return 0 if len(scene.index) else None
    if scene.index.frame.direction == "down":
        direction = TURNED[direction]
    if direction == "left":
        parent = scene.index.parent(row)
        return parent if parent >= 0 else None
    if direction == "right":
        return _child(scene, row)
    return _neighbour(scene, row, -1 if direction == "up" else 1)


def _child(scene: Scene, row: int) -> int | None:
    """The child the active path goes through, else the one that lies nearest."""
    index = scene.index
    children = [
        child for child in index.children(row) if index.is_linked(child) and not scene.is_draft(child)
    ]
    on_path = [child for child in children if scene.on_path(child)]
    middle = index.growth.middle
    return min(on_path or children, key=lambda child: abs(middle(child) - middle(row)), default=None)


def _neighbour(scene: Scene, row: int, by: int) -> int | None:
    """The next card of the level, whoever its parent is."""
    candidate = scene.index.beside(row, by)
    while candidate is not None and scene.is_draft(candidate):
        candidate = scene.index.beside(candidate, by)
    return candidate
