"""Stages of economy tried: switched off and on in the inputs of a request, and made the tree's own."""

from __future__ import annotations

from dataclasses import replace

import pytest

from loomapp.core.context.settings import AppContextSettings
from loomapp.core.generation.answers import Sources
from loomapp.core.generation.assemble_request import AskedQuestion
from loomapp.core.model.agent import Agent
from loomapp.core.model.change import apply
from loomapp.core.model.economy_settings import SUMMARIES, EconomySettings
from loomapp.core.model.entities import ContextSettings
from loomapp.core.model.tree import Tree
from loomapp.core.sent.inputs import Inputs, Model, assembled_from, inputs_of
from loomapp.core.sent.stages import EconomyStage, all_stages, stages_in, with_stage, without_stage
from loomapp.core.sent.trial import made_so
from tests.core.economy.trees import document, mixed, with_heads, with_summary, words
from tests.kit.trees import Hand
from tests.kit.written_trees import chain, node

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
