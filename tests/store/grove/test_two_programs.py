"""Several programs write one grove: each hears of the others, and nothing is lost or doubled."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from loomapp.core.edits import node_edits, node_marks
from loomapp.core.errors import GroveError, StaleChange
from loomapp.core.model.change import Change
from loomapp.core.model.tree import Tree
from loomapp.store.checks.tree_verification import verify_tree
from loomapp.store.grove.grove import Grove
from loomapp.store.grove.open import open_grove
from tests.kit.groves import agree, everything, planted
from tests.kit.trees import Hand
from tests.store.programs import program


@pytest.fixture
def other(grove: Grove, path: Path) -> Iterator[Grove]:
    """The same grove, opened once more."""
    with open_grove(path) as other:
        yield other


def bookmark(tree: Tree, node_id: str, label: str | None, hand: Hand) -> Change:
    change = node_marks.bookmark(tree, node_id, label, hand.pen())
    assert change is not None
    return change


def test_a_commit_takes_in_what_others_did_first_and_tells_of_it_in_order(grove: Grove, other: Grove) -> None:
    hand = Hand()
    tree, ids = planted(grove, hand)
    theirs = other.load_tree(tree.loom.id)
    foreign = bookmark(theirs, ids[0], "theirs", hand)
    other.commit(theirs, foreign)
    heard: list[tuple[str, int]] = []
    grove.foreign = lambda change: heard.append((change.label, len(tree.nodes)))

    grove.commit(tree, node_edits.annotate(tree, ids[1], "mine", hand.pen()))

    assert heard == [("Bookmark", 4)]  # before the note was there
    assert tree.nodes[ids[0]].metadata.bookmark_label == "theirs"
    assert agree(grove, tree)


def test_a_commit_is_done_though_others_write_as_often_as_it_tells_of_one(grove: Grove, other: Grove) -> None:
    hand = Hand()
    tree, ids = planted(grove, hand)
    theirs = other.load_tree(tree.loom.id)
    other.hurry()  # or it would wait in this thread for the commit that tells it
    heard: list[tuple[str, int]] = []

    def write() -> None:
        other.commit(theirs, node_edits.add_aside(theirs, ids[0], "theirs", hand.pen()))

    def write_again(change: Change) -> None:
        heard.append((change.label, len(tree.nodes)))
        if len(heard) < 9:
            with suppress(GroveError):
                write()

    write()
    grove.foreign = write_again
    grove.commit(tree, node_edits.annotate(tree, ids[1], "mine", hand.pen()))

    assert heard == [("Write", 5), ("Write", 6)]
    assert len(tree.nodes) == 7
    assert agree(grove, tree)


def test_a_commit_that_others_made_stale_is_refused_but_theirs_is_heard(grove: Grove, other: Grove) -> None:
    hand = Hand()
    tree, ids = planted(grove, hand)
    theirs = other.load_tree(tree.loom.id)
    mine = bookmark(tree, ids[0], "mine", hand)
    other.commit(theirs, bookmark(theirs, ids[0], "theirs", hand))

    with pytest.raises(StaleChange):
        grove.commit(tree, mine)

    assert tree.nodes[ids[0]].metadata.bookmark_label == "theirs"
    assert agree(grove, tree)


def test_catching_up_gives_every_foreign_change_also_undo_and_redo(grove: Grove, other: Grove) -> None:
    hand = Hand()
    tree, ids = planted(grove, hand)
    theirs = other.load_tree(tree.loom.id)
    other.commit(theirs, node_edits.add_node(theirs, ids[2], "more", hand.pen()))
    other.undo(theirs, by="command line")
    other.undo(theirs)
    other.redo(theirs)

    heard = grove.catch_up(tree)

    assert [(c.label, c.by) for c in heard] == [
        ("Write", "you"),
        ("Undo Write", "command line"),
        ("Undo Write", "you"),
        ("Redo Write", "you"),
    ]
    assert everything(tree) == everything(theirs)
    assert grove.catch_up(tree) == []


def test_undo_takes_back_the_newest_step_whoever_made_it(grove: Grove, other: Grove) -> None:
    hand = Hand()
    tree, ids = planted(grove, hand)
    theirs = other.load_tree(tree.loom.id)
    other.commit(theirs, bookmark(theirs, ids[0], None, hand))

    undone = grove.undo(tree)

    assert undone is not None
    assert undone.label == "Undo Bookmark"
    assert agree(grove, tree)
    other.catch_up(theirs)
    assert agree(other, theirs)


def test_an_undo_elsewhere_leaves_the_path_on_a_node_that_is_there(grove: Grove, other: Grove) -> None:
    hand = Hand()
    tree, ids = planted(grove, hand)
    theirs = other.load_tree(tree.loom.id)
    other.undo(theirs)

    grove.catch_up(tree)

    assert tree.path.leaf_id == ids[1]
    assert agree(grove, tree)


def test_two_programs_commit_at_once_and_nothing_is_lost(grove: Grove, path: Path) -> None:
    hand = Hand()
    tree, _ = planted(grove, hand)
    mine: list[str] = []

    with program("write_many", str(path), tree.loom.id, "40") as other:
        assert other.stdout is not None
        other.stdout.readline()
        for _ in range(40):
            change = node_edits.annotate(tree, tree.root_id, "a note", hand.pen(grove.owner.id))
            grove.commit(tree, change)
            mine.append(change.added_nodes()[0].id)
        rest = other.stdout.read().split()
        assert other.wait() == 0

    grove.catch_up(tree)
    assert len(rest) == 39
    assert set(tree.nodes) >= {*mine, *rest}
    assert len(tree.nodes) == 4 + 80
    assert agree(grove, tree)
    assert {f.verdict for f in verify_tree(grove, tree.loom.id)} == {"ok"}
