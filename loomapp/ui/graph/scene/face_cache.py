"""Faces that were made already: each is made when it is asked for, and kept until something on it changes."""

from __future__ import annotations

from loomapp.core.model.content import Text, images_of
from loomapp.core.model.entities import Node
from loomapp.core.paths.siblings import told_apart
from loomapp.ui.graph.scene.card_faces import draft_face, node_face
from loomapp.ui.graph.scene.card_heights import lines_in
from loomapp.ui.graph.scene.card_nodes import CardNodes
from loomapp.ui.graph.scene.cards import Face, Sight, card_height
from loomapp.ui.graph.scene.scene_state import SceneState
from loomapp.ui.media.thumbnails import Thumbnails


class FaceCache:
    """Cache of faces, by card."""

    def __init__(self, state: SceneState, nodes: CardNodes) -> None:
        self.thumbnails: Thumbnails | None = None
        self._state = state
        self._nodes = nodes
        self._faces: dict[str, Face] = {}

    def get(self, card: str) -> Face | None:
        return self._faces.get(card)

    def made(self, card: str, height: float) -> Face:
        face = self._faces[card] = self._make(card, height)
        return face

    def drop(self, card: str) -> None:
        self._faces.pop(card, None)

    def clear(self) -> None:
        self._faces.clear()

    def _make(self, card: str, height: float) -> Face:
        state, nodes = self._state, self._nodes
        assert state.tree is not None
        if card in state.drafts:
            live = state.drafts[card]
            return draft_face(live, state.agents.get(live.agent_id), on_path=state.is_on_path(card))
        node = state.node(nodes.shown(card))
        note = nodes.is_note(card)
        versions = len(told_apart(state.tree, node.id, nodes.members(card)))
        standing = state.standing(node, versions=versions, note=note)
        lines = lines_in(height + (card_height("message", 1) - card_height("note", 1)) * note)
        return node_face(state.tree, node, state.agents, standing, lines, self._sight(node))

    def _sight(self, node: Node) -> Sight | None:
        """Return the first image in a node, as far as it is there."""
        images = () if type(node.content) is Text else images_of(node.content)
        if not images or self.thumbnails is None:
            return None
        picture = self.thumbnails.image(images[0].ref)
        key = 0 if picture is None else picture.cacheKey()
        return Sight(images[0], picture, key, self.thumbnails.is_missing(images[0].ref))
