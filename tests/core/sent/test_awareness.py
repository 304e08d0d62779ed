"""The record of what a loom-aware agent was sent: it is assembled again to the byte, whatever came since."""

from __future__ import annotations

import json
from dataclasses import replace

from loomapp.core.context.awareness import AwareAgent, RunExchange
from loomapp.core.edits.node_edits import add_node, annotate
from loomapp.core.generation.answers import Sources
from loomapp.core.generation.assemble_request import AskedQuestion, assembled_for
from loomapp.core.model.agent import Agent
from loomapp.core.sent.inputs import Model, assembled_from, inputs_of
from loomapp.core.sent.record import from_json, record_of, to_json
from loomapp.core.sent.replay import replay
from tests.kit.trees import Hand, chain, do

AGENT = Agent("claude", "Claude", "model", "anthropic:c", loom_aware=True)
AWARE = AwareAgent("claude", ("loom_write",), {"claude": "Claude"})


def test_what_a_loom_aware_agent_was_sent_is_kept_and_comes_again() -> None:
    hand = Hand()
    tree, ids = chain(3, hand=hand)
    question, model = AskedQuestion(AGENT, Sources(ids[-1]), aware=AWARE), Model()
    first = inputs_of(tree, question, model)
    assert first.awareness is not None
    inputs = replace(first, awareness=replace(first.awareness, exchanges=(RunExchange("→ help", "…"),)))
    sent = assembled_from(tree, inputs)
    kept = json.loads(json.dumps(to_json(record_of(inputs, sent), tree)))

    do(tree, annotate(tree, ids[0], "A note.", hand.pen()))
    do(tree, add_node(tree, ids[-1], "An answer.", hand.pen()))

    record = from_json(kept, tree, "context")
    assert record.inputs == inputs
    replayed = replay(tree, record, inputs_of(tree, replace(question, aware=record.inputs.awareness), model))
    assert replayed.is_identical
    assert replayed.then is not None
    assert replayed.then.messages == sent.messages
    today = replay(tree, record, inputs_of(tree, question, model))
    assert not today.is_identical
    assert [one.name for one in today.differences] == ["awareness"]


def test_the_preview_and_the_record_of_an_agent_that_sees_nothing_stay_what_they_were() -> None:
    tree, ids = chain(3)
    question, model = AskedQuestion(AGENT, Sources(ids[-1])), Model()

    inputs = inputs_of(tree, question, model)

    assert inputs.awareness is None
    assert "loomAware" not in to_json(record_of(inputs, assembled_for(tree, question, model)), tree)
