"""Signs on the help page: every badge that a card can carry is explained, each by an icon that there is."""

from __future__ import annotations

from dataclasses import replace

import pytest

from loomapp.core.model.entities import Metadata
from loomapp.ui.commands.help.help_lists import sign_rows
from loomapp.ui.graph.scene.card_faces import Standing, node_face
from loomapp.ui.look.icons import drawing
from tests.kit import graph_trees as trees

FATES = ("sent", "empty", "instruction_without_system", "truncated", "refused", "excluded", "pruned")


@pytest.mark.usefixtures("qapp")
def test_every_badge_of_a_card_is_explained_on_the_help_page() -> None:
    tree = trees.rich_tree()
    node = replace(tree.nodes["father"], metadata=Metadata(bookmarked=True, excluded=True, pruned=True))
    standings = [Standing(fate=fate, merged=True, versions=2, notes=2, tagged=True) for fate in FATES]

    faces = [
        node_face(tree, each, {}, standing, 3)
        for each in (node, *tree.nodes.values())
        for standing in standings
    ]

    explained = {row.icon for row in sign_rows()}
    assert {badge.icon for face in faces for badge in face.badges} <= explained
    assert all(drawing(icon) for icon in explained if icon)
