"""Walking the graph by keys: which card lies in a direction."""

from __future__ import annotations

from typing import Literal, TypeAlias

from loomapp.ui.graph.scene import Scene

Direction: TypeAlias = Literal["left", "right", "up", "down"]


def step(scene: Scene, row: int | None, direction: Direction) -> int | None:
    """The card to go to from a card, or None at the edge. Without a card: the first one."""
    if row is None:
        return 0 if len(scene.index) else None
    if direction == "left":
        parent = int(scene.index.layout.parents[row])
        return parent if parent >= 0 else None
    if direction == "right":
        return _child(scene, row)
    return _neighbour(scene, row, -1 if direction == "up" else 1)


def _child(scene: Scene, row: int) -> int | None:
    """The child the active path goes through, else the one that lies nearest."""
    index = scene.index
    children = [child for child in index.children(row) if index.linked[child] and not scene.is_draft(child)]
    on_path = [child for child in children if scene.on_path(child)]
    middle = index.middle[row]
    return min(on_path or children, key=lambda child: abs(index.middle[child] - middle), default=None)


def _neighbour(scene: Scene, row: int, by: int) -> int | None:
    """The next card of the column, whoever its parent is."""
    column = scene.index.column(row)
    starts = scene.index.layout.starts
    candidate = row + by
    while starts[column] <= candidate < starts[column + 1]:
        if not scene.is_draft(candidate):
            return candidate
        candidate += by
    return None
