"""Stages of economy tried: switched off and on in the inputs of a request, and made the tree's own."""

from __future__ import annotations

import random
from dataclasses import replace
from typing import cast, get_args

import pytest

from loomapp.core.context.assembly import Assembled, to_json
from loomapp.core.context.settings import AppContextSettings
from loomapp.core.edits import node_edits
from loomapp.core.errors import AssemblyError
from loomapp.core.generation.answers import Sources
from loomapp.core.generation.assemble_request import AskedQuestion, assembled_for
from loomapp.core.model.agent import Agent
from loomapp.core.model.change import apply
from loomapp.core.model.content import AttachedDocument, Mixed, Text
from loomapp.core.model.economy_settings import SUMMARIES, EconomySettings
from loomapp.core.model.entities import ContextSettings, ContextSummary, Mode
from loomapp.core.model.tree import Tree
from loomapp.core.sent.inputs import Inputs, Model, assembled_from, inputs_of
from loomapp.core.sent.trial import (
    EconomyStage,
    agent_made_so,
    all_stages,
    by_branches,
    decided,
    made_so,
    stages_in,
    usable_summaries,
    with_nodes,
    with_stage,
    without,
    without_stage,
)
from loomapp.core.sent.trial import with_summary as with_summary_of
from tests.core.economy.trees import document, mixed, with_heads, with_summary, words
from tests.core.sent.test_trial import noted_chain, tried
from tests.kit import chance
from tests.kit.trees import Hand, do
from tests.kit.written_trees import chain, node

FIRST_SEED = chance.seed(1)
MODES: tuple[Mode, ...] = ("dialogue", "dialogue", "buffer")
KNOWN = Model(context_window=128_000)
EVERY = EconomySettings(compression=True)


def study(economy: EconomySettings) -> Tree:
    """A talk with a long file among its newest messages, and a summary of its beginning."""
    subject = chain(
        node("n1", "Read this, all of it. " * 60),
        node("n2", "I do.", "model"),
        mixed("n3", words("Here"), document("x" * 60_000)),
        *(node(f"n{number}", "On.") for number in range(4, 9)),
    )
    subject.loom = replace(subject.loom, context_settings=ContextSettings(economy=economy))
    with_summary(subject, "n2", "They read.")
    return subject


def question() -> AskedQuestion:
    return AskedQuestion(Agent("a", "A", "model", "m:1"), Sources("n8"), defaults=AppContextSettings())


def today(tree: Tree) -> Inputs:
    return inputs_of(tree, question(), KNOWN)


@pytest.mark.parametrize("stage", ["summaries", "compression"])
def test_a_stage_that_is_switched_off_and_on_again_sends_the_same(stage: EconomyStage) -> None:
    tree = study(EVERY)
    inputs = today(tree)
    assert stages_in(inputs) == {"summaries", "compression"}

    off = without_stage(inputs, stage)
    on = with_stage(off, stage, all_stages(tree, question(), KNOWN))

    assert stages_in(off) == {"summaries", "compression"} - {stage}
    before, without = assembled_from(tree, inputs), assembled_from(tree, off)
    assert without.report.after_tokens > before.report.after_tokens
    assert assembled_from(tree, on).messages == before.messages


def test_stages_that_are_off_in_the_tree_can_be_tried() -> None:
    tree = study(EconomySettings(use_summaries=False))
    inputs = today(tree)
    assert (stages_in(inputs), inputs.economy) == (frozenset(), None)
    possible = all_stages(tree, question(), KNOWN)

    wanted = with_stage(with_stage(inputs, "summaries", possible), "compression", possible)

    assert stages_in(wanted) == {"summaries", "compression"}
    found = assembled_from(tree, wanted)
    assert found.report.economy.summary_used is not None
    assert [part.node_id for part in found.report.economy.compressed] == ["n3"]
    assert without_stage(without_stage(wanted, "summaries"), "compression").economy is None


def test_what_was_tried_becomes_the_tree_s_own() -> None:
    tree = study(EVERY)
    inputs = today(tree)

    change = made_so(tree, inputs, without_stage(inputs, "compression"), Hand().pen())

    assert change is not None
    apply(tree, change)
    own = tree.loom.context_settings.economy
    assert (own.compression, own.use_summaries) == (False, None)
    inputs = today(tree)
    change = made_so(tree, inputs, without_stage(inputs, "summaries"), Hand().pen())
    assert change is not None
    apply(tree, change)
    assert stages_in(today(tree)) == frozenset()


def test_without_summaries_a_tree_of_branches_sends_its_messages() -> None:
    tree = with_heads(study(EconomySettings(assembler=SUMMARIES)), n1="All.", n4="Some.")
    inputs = today(tree)
    assert stages_in(inputs) == {"summaries"}

    change = made_so(tree, inputs, without_stage(inputs, "summaries"), Hand().pen())

    assert change is not None
    apply(tree, change)
    assert today(tree).economy is None
    assert tree.loom.context_settings.economy.assembler == "auto"

    wanted = by_branches(tree, today(tree), question(), KNOWN)
    assert wanted is not None
    assert assembled_from(tree, wanted).report.economy.threads is not None
    again = made_so(tree, today(tree), wanted, Hand().pen())
    assert again is not None
    apply(tree, again)
    assert today(tree).economy == inputs.economy


def talk_with_two(economy: EconomySettings) -> Tree:
    """Eight messages with summaries of the first two and of the first four, whose deeper one is in use."""
    subject = chain(*(node(f"n{number}", f"Word {number}.") for number in range(1, 9)))
    subject.loom = replace(subject.loom, context_settings=ContextSettings(economy=economy))
    with_summary(subject, "n2", "Two.")
    with_summary(subject, "n4", "Four.")
    return subject


def used(tree: Tree, inputs: Inputs) -> str | None:
    summary = assembled_from(tree, inputs).report.economy.summary_used
    return None if summary is None else summary.anchor_node_id


def as_decided(tree: Tree, wanted: Inputs) -> Inputs:
    return decided(tree, today(tree), wanted, question(), KNOWN)


def test_without_a_message_the_summary_that_still_holds_is_in_use_as_if_the_tree_said_so() -> None:
    tree = talk_with_two(EconomySettings())
    inputs = today(tree)
    assert used(tree, inputs) == "n4"

    for left_out, in_use in (("n3", "n2"), ("n1", None), ("n6", "n2"), ("n8", "n2")):
        wanted = as_decided(tree, without(inputs, [left_out]))
        assert used(tree, wanted) == in_use, left_out
        change = made_so(tree, inputs, wanted, Hand().pen())
        assert change is not None
        apply(tree, change)
        assert assembled_from(tree, wanted).messages == assembled_from(tree, today(tree)).messages
        apply(tree, change.inverse())


def test_taking_a_message_in_again_brings_back_the_summary_that_holds_with_it() -> None:
    tree = talk_with_two(EconomySettings())
    flagged = replace(tree.nodes["n1"].metadata, excluded=True)
    tree.put_node(replace(tree.nodes["n1"], metadata=flagged))
    inputs = today(tree)
    assert used(tree, inputs) is None

    assert used(tree, as_decided(tree, with_nodes(inputs, ["n1"]))) == "n4"


def test_another_summary_can_be_chosen_and_stays_while_it_holds() -> None:
    tree = talk_with_two(EconomySettings())
    inputs = today(tree)
    usable = usable_summaries(tree, inputs, question())
    assert [one.anchor_node_id for one in usable] == ["n4", "n2"]

    chosen = with_summary_of(inputs, usable[1])

    assert used(tree, as_decided(tree, chosen)) == "n2"
    assert used(tree, as_decided(tree, without(chosen, ["n3"]))) == "n2"
    assert used(tree, as_decided(tree, without(chosen, ["n2"]))) is None
    off = without_stage(inputs, "summaries")
    assert used(tree, as_decided(tree, without(off, ["n6"]))) is None
    stops = replace(inputs, truncation_strategy="stopAtLimit")
    assert used(tree, as_decided(tree, stops)) is None


def test_a_window_that_is_emptier_without_a_message_shortens_less() -> None:
    tree = chain(
        mixed("n1", words("Here"), document("x" * 20_000)),
        *(node(f"n{number}", "On. " * 1_000) for number in range(2, 9)),
    )
    own = ContextSettings(economy=EconomySettings(compression=True))
    tree.loom = replace(tree.loom, context_settings=own)
    known = Model(context_window=16_000)
    inputs = inputs_of(tree, question(), known)
    assert assembled_from(tree, inputs).report.economy.compressed

    wanted = decided(tree, inputs, without(inputs, ["n2", "n3", "n4", "n5", "n6"]), question(), known)

    assert not assembled_from(tree, wanted).report.economy.compressed


def told(assembled: Assembled) -> dict[str, object]:
    """What is sent, with its report but for what only the tree's settings tell."""
    value = dict(to_json(assembled))
    report = dict(cast("dict[str, object]", value["report"]))
    for name in ("stages", "warnings", "load"):  # of a load that was found out the digits are another's
        report.pop(name, None)
    return {**value, "report": report}


def talk_at_random(dice: random.Random, mode: Mode, hand: Hand) -> tuple[Tree, list[str], list[str]]:
    """A talk with notes, flags, long files, summaries that hold and one that does not, and settings."""
    tree, ids, notes = noted_chain(mode, hand)
    for number in range(dice.randint(0, 6)):
        paper = AttachedDocument(f"{number % 2}.txt", "text/plain", "x" * dice.choice((50, 16_000, 31_000)))
        is_paper = mode == "dialogue" and dice.random() < 0.4
        content = Mixed((Text("See."), paper)) if is_paper else Text(f"more {number}")
        ids.append(do(tree, node_edits.add_content(tree, ids[-1], content, hand.pen())).added_nodes()[0].id)
    for anchor in dice.sample(ids[:-1], dice.randint(0, 3)):
        with_summary(tree, anchor, f"Until {anchor}.")
    if dice.random() < 0.3:
        stale = ContextSummary(ids[1], "0" * 64, {"text": "Of before."})
        tree.context_summaries[stale.key] = stale
    if dice.random() < 0.5:
        with_heads(tree, **{ids[1]: "A branch."})
    economy = EconomySettings(
        dice.choice((None, None, SUMMARIES)),
        dice.choice((None, True, False)),
        None,
        dice.choice((None, True, False)),
        dice.choice((None, True)),
        min_recent_messages=dice.choice((1, 2, 3)),
    )
    own = ContextSettings(dice.choice((None, "stopAtLimit", "rollingWindow")), economy=economy)
    tree.loom = replace(tree.loom, context_settings=own, buffer_mode_system_context=dice.random() < 0.6)
    return tree, ids, notes


@pytest.mark.parametrize("seeds", [range(12), pytest.param(range(12, 400), marks=pytest.mark.slow)])
def test_what_is_tried_with_every_stage_is_what_a_tree_that_is_made_so_sends(seeds: range) -> None:
    compared = 0
    for seed in seeds:
        dice, hand = random.Random(FIRST_SEED + seed), Hand()
        tree, ids, notes = talk_at_random(dice, dice.choice(MODES), hand)
        known = Model(dice.choice((2_600, 9_000, 30_000)), "anthropic", continues_documents=False)
        asked = AskedQuestion(Agent("a", "A", "model", "m:1"), Sources(ids[-1]))
        inputs = inputs_of(tree, asked, known)
        wanted, stage = tried(inputs, ids, notes, dice), dice.choice(get_args(EconomyStage))
        if dice.random() < 0.3:
            wanted = without_stage(wanted, stage)
        elif dice.random() < 0.3:
            wanted = with_stage(wanted, stage, all_stages(tree, asked, known))
        if dice.random() < 0.3:
            wanted = by_branches(tree, wanted, asked, known) or wanted
        try:
            shown = assembled_from(tree, decided(tree, inputs, wanted, asked, known))
        except AssemblyError:
            continue

        change = made_so(tree, inputs, wanted, hand.pen())
        if change is not None:
            apply(tree, change)
        agent = agent_made_so(asked.agent, inputs, wanted)

        assert told(assembled_for(tree, replace(asked, agent=agent), known)) == told(shown), seed
        compared += 1
    assert compared > len(seeds) / 2
