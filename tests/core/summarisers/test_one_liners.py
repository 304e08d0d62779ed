"""One-liners: what is asked, what is taken of an answer, and that undo fits however many were made since."""

from __future__ import annotations

import pytest

from loomapp.core.edits.node_edits import add_node, sum_up_node, sum_up_tree
from loomapp.core.edits.node_marks import bookmark
from loomapp.core.edits.undo import redoing, undoing
from loomapp.core.model.change import apply
from loomapp.core.summarisers.prompts import needs_one_liner, node_request, sentences_of
from tests.kit.trees import Hand, chain, do


@pytest.mark.parametrize(
    ("answer", "most", "taken"),
    [
        ('"She keeps the lamp."\n\nAnything else?', 1, "She keeps the lamp."),
        ("She keeps the lamp! It burns. More.", 2, "She keeps the lamp! It burns."),
        ("no full stop", 1, "no full stop"),
        ("<think>Who is she? I see.</think>\nShe keeps the lamp.", 1, "She keeps the lamp."),
        ("word " * 50, 1, "word " * 29 + "word…"),
        ("  \n ", 1, ""),
    ],
)
def test_so_many_sentences_of_an_answer_are_taken(answer: str, most: int, taken: str) -> None:
    assert sentences_of(answer, most) == taken


def test_a_long_message_is_asked_for_with_what_it_answers_to() -> None:
    hand = Hand()
    tree, ids = chain(2, hand=hand)
    long = do(tree, add_node(tree, ids[-1], "The lamp. " * 40, hand.pen())).added_nodes()[0]

    request = node_request(tree, long, "fake:wise", takes_messages=True)

    [message] = request.messages
    said = "".join(part.text for part in message.parts if hasattr(part, "text"))
    assert said.index("message 0") < said.index("message 1") < said.index("The lamp.")
    assert needs_one_liner(long)
    assert not needs_one_liner(tree.nodes[ids[0]])


def test_steps_are_undone_and_done_again_whatever_was_summed_up_since() -> None:
    hand = Hand()
    tree, ids = chain(2, hand=hand)
    step = do(tree, bookmark(tree, ids[1], "here", hand.pen()))
    added = do(tree, add_node(tree, ids[1], "new", hand.pen()))
    new_id = added.added_nodes()[0].id
    for node_id in (ids[1], new_id):
        made = do(tree, sum_up_node(tree, node_id, "In short.", hand.pen()))
        assert not made.undoable
    do(tree, sum_up_tree(tree, "All in short.", hand.pen()))

    apply(tree, undoing(tree, [added], at=hand.pen().now, by="you"))
    apply(tree, undoing(tree, [step], at=hand.pen().now, by="you"))
    assert new_id not in tree.nodes
    assert tree.nodes[ids[1]].summary == "In short."
    assert not tree.nodes[ids[1]].metadata.bookmarked
    apply(tree, redoing(tree, [step], at=hand.pen().now, by="you"))

    assert tree.nodes[ids[1]].metadata.bookmarked
    assert tree.nodes[ids[1]].summary == "In short."
    assert tree.loom.summary == "All in short."
