"""Ahead: the cards of a tree and their places, made before it is shown, mostly on another thread."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from loomapp.core.model.agent import Agent
from loomapp.core.model.tree import Tree
from loomapp.core.paths.path import node_sequence
from loomapp.ui.graph.scene.card_heights import measured
from loomapp.ui.graph.scene.scene import Scene
from loomapp.ui.graph.scene.scene_state import FoldState
from loomapp.ui.graph.scene.spatial_index import Direction


class Ahead:
    """Made on the GUI thread, then `enrol`, `measuring` and `arrange` in turn; `measuring` again on the GUI
    thread, the others on any. Nothing else has it before it is handed over, to be shown or thrown away.
    """

    def __init__(
        self, direction: Direction = "right", *, show_pruned: bool = False, folds: FoldState | None = None
    ) -> None:
        self.folds = folds
        self.scene = Scene()
        self.scene.places.set_direction(direction)
        self.scene.set_show_pruned(show_pruned)
        self.scene.look_at_types()
        self._measures = measured()

    def enrol(self, tree: Tree, agents: Iterable[Agent], path_ids: Iterable[str]) -> None:
        """Number the cards of a tree that nobody else has yet."""
        self.scene.show(tree, agents)
        self.scene.set_path(node_sequence(path_ids))
        if self.folds is not None:
            self.scene.set_fold_state(self.folds)
        self.scene.places.enrol()

    def measuring(self) -> Iterator[None]:
        """Measure the cards, a few between two steps."""
        return self.scene.places.measuring()

    def arrange(self) -> None:
        """Fold, lay out, tint."""
        self.scene.places.arrange()
        self.scene.tint()

    def fits(self, tree: Tree, there: Scene) -> bool:
        """Tell whether it can be shown in a place as that is now: types and settings may have changed."""
        places, wanted = self.scene.places, there.places
        alike = places.show_pruned == wanted.show_pruned and places.direction == wanted.direction
        return self.scene.tree is tree and alike and self._measures == measured()
