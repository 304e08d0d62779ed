"""A trial shows what would be sent and touches nothing; made so, exactly that is sent.

An ordinary run takes the most telling of these tests; the others are marked `slow`.
"""

from __future__ import annotations

import random
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from loomapp.core.context.assembly import to_json
from loomapp.core.edits import node_edits, node_marks
from loomapp.core.errors import AssemblyError
from loomapp.core.generation.answers import Sources
from loomapp.core.generation.assemble_request import AskedQuestion, assembled_for
from loomapp.core.model.agent import Agent, Configuration
from loomapp.core.model.change import apply
from loomapp.core.model.entities import Mode
from loomapp.core.model.tree import Tree
from loomapp.core.sent.inputs import Inputs, Model, assembled_from, inputs_of
from loomapp.core.sent.trial import agent_made_so, made_so, with_nodes, with_note, with_pruned, without
from tests.kit.chance import examples
from tests.kit.trees import Hand, chain, do, snapshot

AGENT = Agent("claude", "Claude", "model", "anthropic:c", Configuration(system_prompt="Be brief."))
MODEL = Model(context_window=1100, provider_rules="anthropic", continues_documents=False)


def noted_chain(mode: Mode, hand: Hand) -> tuple[Tree, list[str], list[str]]:
    """Six messages, two of them pruned, two with a note; the ids of the messages and of the notes."""
    tree, ids = chain(6, mode=mode, hand=hand)
    notes = [
        do(tree, node_edits.annotate(tree, ids[i], f"note {i}", hand.pen())).added_nodes()[0].id
        for i in (1, 3)
    ]
    do(tree, node_marks.exclude(tree, [ids[2]], hand.pen()))
    do(tree, node_marks.prune(tree, ids[2], hand.pen()))
    do(tree, node_marks.restore(tree, ids[4], hand.pen()))  # two messages of the path are pruned now
    do(tree, node_edits.include_annotation(tree, notes[0], True, hand.pen()))
    return tree, ids, notes


def tried(today: Inputs, ids: list[str], notes: list[str], dice: random.Random) -> Inputs:
    """Something else at random."""
    wanted = today
    for _ in range(dice.randint(1, 4)):
        match dice.randrange(6):
            case 5:
                wanted = with_pruned(wanted, [dice.choice(ids)])
            case 0:
                wanted = without(wanted, [dice.choice(ids)])
            case 1:
                wanted = with_nodes(wanted, [dice.choice(ids)])
            case 2:
                wanted = with_note(wanted, dice.choice(notes), dice.random() < 0.5)
            case 3:
                wanted = replace(
                    wanted,
                    truncation_strategy=dice.choice(("rollingWindow", "stopAtLimit")),
                    token_buffer=dice.choice((1024, 1080)),
                    minimum_recent_nodes=dice.choice((1, 4)),
                )
            case _:
                wanted = replace(
                    wanted,
                    system_context=dice.choice((None, "T")),
                    system_prompt=dice.choice((None, "A")),
                    buffer_system_context=dice.random() < 0.5,
                )
    return wanted


@pytest.mark.slow
@given(seed=st.integers(0, 2**32), mode=st.sampled_from(["dialogue", "buffer"]))
@settings(max_examples=examples(150), deadline=None)
def test_made_so_it_is_sent_as_it_was_tried(seed: int, mode: Mode) -> None:
    hand, dice = Hand(), random.Random(seed)
    tree, ids, notes = noted_chain(mode, hand)
    question = AskedQuestion(AGENT, Sources(ids[-1]))
    today = inputs_of(tree, question, MODEL)
    wanted = tried(today, ids, notes, dice)
    before = snapshot(tree)
    try:
        shown = assembled_from(tree, wanted)
    except AssemblyError:
        return
    assert snapshot(tree) == before, "trying touches nothing"

    change = made_so(tree, today, wanted, hand.pen())
    if change is not None:
        apply(tree, change)
    agent = agent_made_so(AGENT, today, wanted)
    sent = assembled_for(tree, replace(question, agent=agent), MODEL)

    assert to_json(sent) == to_json(shown)
    if change is not None:
        apply(tree, change.inverse())
        assert snapshot(tree) == before, "one undo takes it back"


def test_nothing_to_make_so_is_no_change() -> None:
    hand = Hand()
    tree, ids, _ = noted_chain("dialogue", hand)
    today = inputs_of(tree, AskedQuestion(AGENT, Sources(ids[-1])), MODEL)
    assert made_so(tree, today, today, hand.pen()) is None
    assert agent_made_so(AGENT, today, today) == AGENT
