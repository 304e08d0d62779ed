"""Acts of a hand at the file of a plain tree are told of, also where they touch more than one row."""

from __future__ import annotations

from pathlib import Path

import pytest

from loomapp.core.edits import edit_context, node_edits, node_marks
from loomapp.core.model.content import Image, Mixed, Text
from loomapp.store.checks.grove_verification import verify_as_seen
from loomapp.store.grove.open import create_grove
from loomapp.store.statements import driver
from tests.kit.groves import generated, planted
from tests.kit.trees import Hand
from tests.store.checks.test_resealed_columns import forging

ACTS = {  # what a hand at the file may add
    "a node that was undone": "UPDATE nodes SET present = 0 WHERE id = 3",
    "an edge that was undone": "UPDATE edges SET present = 0 WHERE id = 2",
    "a node that is gone": "DELETE FROM nodes WHERE id = (SELECT max(id) FROM nodes)",
    "an edge that is gone": "DELETE FROM edges WHERE id = (SELECT max(id) FROM edges)",
    "a source that is gone": "DELETE FROM edge_sources WHERE edge = (SELECT max(id) FROM edges)",
    "edges that changed their places": "UPDATE edges SET id = id + 1000 * (id = 1)",
    "a second source": "INSERT INTO edge_sources (edge, position, node, role) VALUES (2, 1, 1, 'primary')",
    "a circle": "UPDATE edge_sources SET node = (SELECT max(id) FROM nodes)",
}


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A grove of one plain tree: a version, a bookmark, an image, a model's node, signs that JSON escapes."""
    path = tmp_path_factory.mktemp("plain") / "plain.loom"
    hand = Hand()
    with create_grove(path) as grove:
        tree, ids = planted(grove, hand)
        model = edit_context.EditContext("model", hand.pen().now, hand.new_id, author_type="model")
        grove.commit(tree, node_edits.add_node(tree, ids[0], 'A "lamp"\\\n\tand the säa', model))
        content = Mixed((Text("See this."), Image(ref="0" * 64, mime_type="image/png", alt_text="a lamp")))
        grove.commit(tree, node_edits.add_content(tree, ids[1], content, hand.pen()))
        version = node_edits.edit_as_sibling(tree, ids[2], "message two", hand.pen())
        bookmark = node_marks.bookmark(tree, ids[0], "first", hand.pen())
        assert version is not None
        assert bookmark is not None
        grove.commit(tree, version)
        grove.commit(tree, bookmark)
    return path


def test_a_plain_tree_is_found_sound(plain: Path) -> None:
    with forging(plain) as connection:
        verified = verify_as_seen(connection, True)

    assert not verified.failed
    assert "no evidence" in {finding.verdict for finding in verified.trees[0].findings}


@pytest.mark.parametrize("what", ACTS)
def test_an_act_at_the_file_is_told_of(plain: Path, what: str) -> None:
    with forging(plain) as connection:
        driver(connection).execute(ACTS[what])

        assert verify_as_seen(connection, True).failed


def test_a_response_of_another_tree_is_told_of(plain: Path) -> None:
    hand = Hand()
    with create_grove(plain.with_name("two.loom")) as grove:
        tree, ids = planted(grove, hand)
        grove.commit(tree, generated(tree, ids[-1], ["Tides."], hand))
        planted(grove, hand)
    with forging(grove.path) as connection:
        add = "INSERT INTO node_responses SELECT max(id), 1, 0 FROM nodes"
        driver(connection).execute(add)

        [fault] = verify_as_seen(connection, True).faults

    assert fault.startswith("a response of another tree is said to be kept for node ")
