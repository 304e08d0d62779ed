"""Plain trees are verified row by row: all that is said of them is what the general way says."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import Connection

from loomapp.core.edits import edit_context, node_edits, node_marks
from loomapp.core.model.content import Image, Mixed, Text
from loomapp.store.checks.grove_verification import Verified, verify_as_seen
from loomapp.store.checks.plain_trees import plain_findings
from loomapp.store.checks.tree_verification import LoggedState
from loomapp.store.grove.open import create_grove
from loomapp.store.rows import change_log, tree_rows
from loomapp.store.statements import driver
from tests.kit.groves import generated, planted
from tests.kit.trees import Hand
from tests.store.checks.resealing import rewrite_log_in
from tests.store.checks.test_resealed_columns import AT, STUCK, forging
from tests.store.rich_groves import Edit, every_edit, every_wrong_kind

OF_A_TREE = {"nodes", "edges", "edge_sources", "trees", "selections", "change_log", "tags", "tag_nodes"}
NOT_PLAIN = {  # what a hand at the file may add
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


def in_both_ways(connection: Connection) -> tuple[Verified, Verified]:
    """A grove as it is verified, and as whoever looks at its trees verifies it."""
    return verify_as_seen(connection, True), verify_as_seen(connection, True, look=lambda tree: None)


def is_taken_row_by_row(connection: Connection) -> bool:
    [(tree_id, number)] = driver(connection).execute("SELECT tree_id, id FROM trees").fetchall()
    said = LoggedState()
    for logged in change_log.read_each(connection, number):
        said.take(logged)
    assert tree_rows.read_marks(connection, tree_id).loom.id == tree_id
    return plain_findings(connection, number, said) is not None


def test_a_plain_tree_is_found_sound_row_by_row(plain: Path) -> None:
    with forging(plain) as connection:
        quick, general = in_both_ways(connection)

        assert is_taken_row_by_row(connection)
        assert not general.failed
        assert "no evidence" in {finding.verdict for finding in general.trees[0].findings}
        assert quick == general


@pytest.mark.parametrize("what", NOT_PLAIN)
def test_an_act_at_the_file_is_told_of_as_in_other_trees(plain: Path, what: str) -> None:
    with forging(plain) as connection:
        driver(connection).execute(NOT_PLAIN[what])

        quick, general = in_both_ways(connection)

        assert general.failed
        assert quick == general


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


def edits(path: Path) -> Iterator[Edit]:
    every = (*every_edit(path), *every_wrong_kind(path))
    return (edit for edit in every if edit.table in OF_A_TREE)


@pytest.mark.parametrize(
    "part", [47, pytest.param(1, marks=[pytest.mark.slow, pytest.mark.timeout(600)])], ids=["sample", "all"]
)
def test_every_edit_is_told_of_as_in_other_trees(plain: Path, part: int) -> None:
    otherwise: list[str] = []
    with forging(plain) as connection:
        for edit in list(edits(plain))[::part]:
            with connection.begin_nested() as edited:
                if edit.do_in(driver(connection)):
                    quick, general = in_both_ways(connection)
                    if quick != general:
                        otherwise.append(f"{edit.place}: {edit.what}")
                edited.rollback()

    assert otherwise == []


@pytest.mark.slow
def test_so_is_every_edit_that_the_log_is_made_to_follow(plain: Path) -> None:
    otherwise: list[str] = []
    with forging(plain) as connection:
        for edit in edits(plain):
            with connection.begin_nested() as edited:
                if edit.table != "change_log" and edit.do_in(driver(connection)):
                    try:
                        with connection.begin_nested():
                            rewrite_log_in(connection, AT)
                    except STUCK:
                        pass  # the sums stay as they were
                    quick, general = in_both_ways(connection)
                    if quick != general:
                        otherwise.append(f"{edit.place}: {edit.what}")
                edited.rollback()

    assert otherwise == []
