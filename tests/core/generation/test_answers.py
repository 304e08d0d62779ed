"""Answers that become nodes: where they stand among the other ways on."""

from __future__ import annotations

from loomapp.core.edits import node_edits
from loomapp.core.generation.answers import Sources, nodes_from_drafts
from loomapp.core.generation.drafts import Draft
from loomapp.core.prose.fill_in import anchor_at
from tests.kit.trees import Hand, chain, counted_id, do


def test_what_was_written_after_a_version_meanwhile_stays_behind_all_answers_of_a_request() -> None:
    tree, ids = chain(1, mode="buffer")
    hand = Hand(1_800_000_000_000)
    standing = anchor_at(tree, ids[0])
    (kept,) = do(tree, node_edits.add_node(tree, ids[0], "Later.", hand.pen())).added_nodes()
    (version,) = do(tree, node_edits.edit_as_version(tree, ids[0], "message", hand.pen())).added_nodes()
    (own,) = do(tree, node_edits.add_node(tree, version.id, "Own.", hand.pen())).added_nodes()

    change = nodes_from_drafts(
        tree,
        [Draft(0, text="Sooner.", reason="stop")],
        sources=Sources(ids[0]),
        agent_id="model",
        evidence=[],
        now=hand.pen().now,
        new_id=counted_id,
        standing=standing,
        later=(kept.id,),
    )
    (sooner,) = do(tree, change).added_nodes()

    assert tree.children(version.id) == (sooner.id, kept.id, own.id)
