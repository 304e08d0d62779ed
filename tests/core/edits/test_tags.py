"""Tags: given, taken, renamed; each step can be taken back."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from loomapp.core.edits import node_marks
from loomapp.core.edits.node_marks import (
    clean_name,
    find_tag,
    put_tag,
    rename_tag,
    sorted_tags,
    tagged_nodes,
    tags_of,
    take_tag,
)
from loomapp.core.errors import InvalidInput
from loomapp.core.model.change import Change, apply
from tests.kit.trees import Hand, chain, do, snapshot


def test_every_edit_of_tags_can_be_taken_back() -> None:
    hand = Hand()
    tree, ids = chain(3, hand=hand)
    do(tree, put_tag(tree, ids[:1], "letters", hand.pen()))
    steps: tuple[Callable[[], Change | None], ...] = (
        lambda: put_tag(tree, ids, " # to   check ", hand.pen()),
        lambda: put_tag(tree, ids[1:], "LETTERS", hand.pen()),
        lambda: take_tag(tree, ids[:1], "letters", hand.pen()),
        lambda: rename_tag(tree, "letters", "Letters", hand.pen()),
        lambda: rename_tag(tree, "Letters", "to check", hand.pen()),
        lambda: take_tag(tree, ids, "to check", hand.pen()),
    )
    said = []
    for step in steps:
        before = snapshot(tree)
        change = do(tree, step())
        after = snapshot(tree)
        apply(tree, change.inverse())
        assert snapshot(tree) == before
        apply(tree, change)
        assert snapshot(tree) == after
        said.append([(tag.name, len(tag.node_ids)) for tag in sorted_tags(tree)])

    assert said == [
        [("letters", 1), ("to check", 3)],
        [("letters", 3), ("to check", 3)],
        [("letters", 2), ("to check", 3)],
        [("Letters", 2), ("to check", 3)],
        [("to check", 3)],
        [],
    ]


def test_what_changes_nothing_is_no_step() -> None:
    hand = Hand()
    tree, ids = chain(1, hand=hand)
    do(tree, put_tag(tree, ids, "voice", hand.pen()))

    assert put_tag(tree, ids, "Voice", hand.pen()) is None
    assert take_tag(tree, ids, "other", hand.pen()) is None
    assert rename_tag(tree, "voice", "#voice", hand.pen()) is None


@pytest.mark.parametrize("typed", ["", "  ", "#", " # "])
def test_a_tag_needs_a_name(typed: str) -> None:
    tree, ids = chain(1)

    with pytest.raises(InvalidInput, match="name"):
        put_tag(tree, ids, typed, Hand().pen())
    assert clean_name(typed) == ""


def test_a_pruned_node_keeps_its_tag_and_is_not_listed() -> None:
    hand = Hand()
    tree, ids = chain(2, hand=hand)
    do(tree, put_tag(tree, ids, "voice", hand.pen()))
    do(tree, node_marks.prune(tree, ids[1], hand.pen()))

    tag = find_tag(tree, "VOICE")
    assert tag is not None
    assert [node.id for node in tagged_nodes(tree, tag)] == [ids[0]]
    assert tags_of(tree, ids[1]) == [tag]
