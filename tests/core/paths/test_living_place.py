"""The place to go on from is a node that lives: the nearest on the path that is read."""

from __future__ import annotations

import pytest

from loomapp.core.edits import node_marks
from loomapp.core.edits.edit_context import EditContext
from loomapp.core.model.change import apply
from loomapp.core.model.tree import Tree
from loomapp.core.paths.navigation import is_put_away, lives, living_end, nearest_living
from loomapp.core.paths.resolve import resolve
from tests.kit.graph_trees import buffer_tree, rich_tree


def pen() -> EditContext:
    return EditContext("you", 1, iter(map(str, range(1000))).__next__)


def prune(tree: Tree, *node_ids: str) -> None:
    """Prune nodes alone: what is below them stays, as in trees of other programs."""
    change = node_marks._hidden(tree, node_ids, pen())
    assert change is not None
    apply(tree, change)


@pytest.mark.parametrize(
    ("node_id", "pruned", "expected"),
    [
        ("logbook", ("logbook",), "root"),
        ("keeper", ("keeper", "logbook"), "root"),
        ("tides", ("tides",), "root"),
        ("weather", ("weather",), "father"),
        ("weather", ("weather", "father"), "root"),
        ("no such node", (), "weather"),
    ],
)
def test_beside_the_path_it_is_where_the_branch_leaves_it_and_on_it_what_comes_before(
    node_id: str, pruned: tuple[str, ...], expected: str
) -> None:
    tree = rich_tree()
    read = resolve(tree, "weather")
    assert read.node_ids == ("root", "father", "weather")
    if pruned:
        prune(tree, *pruned)

    assert nearest_living(tree, read, node_id) == expected


def test_in_a_buffer_it_is_the_version_that_is_read_instead() -> None:
    tree = buffer_tree()
    read = resolve(tree, "two", {"two": "v2"})
    prune(tree, "v3")

    assert nearest_living(tree, read, "v3") == "v2"


def test_a_path_ends_at_its_last_living_node_and_a_root_always_lives() -> None:
    tree = rich_tree()
    read = resolve(tree, "weather")
    prune(tree, "father")
    assert living_end(tree, read) == "weather"

    prune(tree, "weather", "root")

    assert living_end(tree, read) == "root"
    assert lives(tree, "root")


def test_only_what_was_not_pruned_before_is_put_away() -> None:
    tree = rich_tree()
    first = node_marks.prune(tree, "father", pen())
    assert first is not None
    assert is_put_away(first, "weather")
    assert not is_put_away(first, "root")
    apply(tree, first)

    marked = node_marks.bookmark(tree, "father", None, pen())

    assert marked is not None
    assert not is_put_away(marked, "father")
