"""Texts at the border: what cannot be saved is mended once, everything else stays to the letter."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from loomapp.core.edits import node_edits
from loomapp.core.generation.answers import Sources, nodes_from_drafts
from loomapp.core.generation.drafts import Draft
from loomapp.core.model.content import well_formed
from tests.kit.trees import Hand, chain, counted_id, do


@given(st.text())
def test_a_text_that_can_be_saved_is_not_touched(text: str) -> None:
    assert well_formed(text) == text


@given(st.text(alphabet=st.characters(categories=["Cs", "Lu", "So"])))
def test_every_text_can_be_saved_afterwards(text: str) -> None:
    well_formed(text).encode()


def test_a_pair_cut_in_two_is_joined_and_a_lone_half_marked() -> None:
    assert well_formed("a \ud83c\udf19 moon") == "a 🌙 moon"
    assert well_formed("half \ud83c.") == "half \ufffd."


def test_a_committed_text_is_well_formed_whoever_wrote_it() -> None:
    hand = Hand()
    tree, ids = chain(1, hand=hand)

    written = do(tree, node_edits.add_node(tree, ids[0], "\ud83c\udf19", hand.pen())).added_nodes()[0]
    drafts = [Draft(0, text="\ud83c", reason="stop")]
    change = nodes_from_drafts(
        tree, drafts, sources=Sources(ids[0]), agent_id="m", evidence=(), now=hand.now, new_id=counted_id
    )

    assert written.text == "🌙"
    assert change is not None
    assert change.added_nodes()[0].text == "\ufffd"
