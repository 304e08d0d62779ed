"""Edits of an agent's memory: texts are put away, renamed and rewritten without losing what else is there."""

from __future__ import annotations

from loomapp.core.context.awareness import recalling
from loomapp.core.edits.agent_memory import memory_of, put_away, recall, rewrite_stash, stash
from loomapp.core.model.tree import Tree
from tests.kit.trees import Hand, chain, do


def texts(tree: Tree) -> list[tuple[str, str]]:
    return [(one.name, one.text) for one in memory_of(tree, "claude").stashed]


def test_a_stashed_text_is_rewritten_in_its_place_and_stays_recalled() -> None:
    hand = Hand()
    tree, _ = chain(2, hand=hand)
    for name in ("plan", "words"):
        do(tree, stash(tree, "claude", name, f"the {name}", hand.pen()))
    kept = recalling(tree, memory_of(tree, "claude"), "plan")
    assert kept is not None
    do(tree, recall(tree, "claude", kept, hand.pen()))

    assert rewrite_stash(tree, "claude", "plan", "plan", "the plan", hand.pen()) is None
    do(tree, rewrite_stash(tree, "claude", "plan", "scheme", "in short", hand.pen()))

    assert texts(tree) == [("scheme", "in short"), ("words", "the words")]
    assert memory_of(tree, "claude").recalled == ("scheme",)

    do(tree, rewrite_stash(tree, "claude", "scheme", "words", "of both", hand.pen()))
    assert texts(tree) == [("words", "of both")]
    assert memory_of(tree, "claude").recalled == ("words",)

    do(tree, put_away(tree, "claude", "words", hand.pen()))
    assert memory_of(tree, "claude").recalled == ()
    assert put_away(tree, "claude", "words", hand.pen()) is None

    do(tree, rewrite_stash(tree, "claude", "gone meanwhile", "new", "text", hand.pen()))
    assert texts(tree) == [("words", "of both"), ("new", "text")]


def test_what_is_too_long_to_be_recalled_leaves_the_memory_as_it_was() -> None:
    hand = Hand()
    tree, _ = chain(2, hand=hand)
    do(tree, stash(tree, "claude", "long", "word " * 9_000, hand.pen()))

    assert recalling(tree, memory_of(tree, "claude"), "long") is None
