"""Stages of economy in the inputs of a request: which are on, and the inputs with one switched."""

from __future__ import annotations

from dataclasses import replace
from typing import Literal, TypeAlias

from loomapp.core.errors import AssemblyError
from loomapp.core.generation.assemble_request import AskedQuestion, ModelCapability
from loomapp.core.model.economy_settings import AUTO, EconomySettings
from loomapp.core.model.tree import Tree
from loomapp.core.sent.economy import SentEconomy
from loomapp.core.sent.inputs import NO_ECONOMY, Inputs, inputs_of

EconomyStage: TypeAlias = Literal["summaries", "compression"]


def stages_in(inputs: Inputs) -> frozenset[EconomyStage]:
    """The stages that decide something for these inputs."""
    economy = inputs.economy or NO_ECONOMY
    found: list[tuple[EconomyStage, bool]] = [
        ("summaries", economy.summary is not None or economy.heads is not None),
        ("compression", economy.numbers is not None),
    ]
    return frozenset(stage for stage, is_on in found if is_on)


def all_stages(tree: Tree, question: AskedQuestion, known: ModelCapability) -> SentEconomy:
    """The decisions for a question with every stage on, as far as there is something to use."""
    own = question.overrides.economy
    every = replace(own, use_summaries=True, compression=True)
    asked = replace(question, overrides=replace(question.overrides, economy=every))
    try:
        return inputs_of(tree, asked, known).economy or NO_ECONOMY
    except AssemblyError:
        return NO_ECONOMY


def with_stage(inputs: Inputs, stage: EconomyStage, possible: SentEconomy) -> Inputs:
    """The inputs with a stage on, decided as in `possible`."""
    return _taken(inputs, stage, possible)


def without_stage(inputs: Inputs, stage: EconomyStage) -> Inputs:
    """The inputs with a stage off."""
    return _taken(inputs, stage, NO_ECONOMY)


def _taken(inputs: Inputs, stage: EconomyStage, source: SentEconomy) -> Inputs:
    before = inputs.economy or NO_ECONOMY
    if stage == "summaries":
        after = replace(before, assembler=source.assembler, summary=source.summary, heads=source.heads)
    else:
        after = replace(
            before,
            numbers=source.numbers,
            full=source.full,
            utilization=source.utilization,
            idle=source.idle,
            carried=source.carried,
        )
    wanted = replace(inputs, economy=after)
    return wanted if stages_in(wanted) else replace(inputs, economy=None)


def own_settings(own: EconomySettings, today: Inputs, wanted: Inputs) -> EconomySettings:
    """The tree's own settings by which the stages that are wanted are on, and no others of those two."""
    before, after = stages_in(today), stages_in(wanted)
    changed = before ^ after
    if "compression" in changed:
        own = replace(own, compression="compression" in after)
    if "summaries" in changed:
        own = replace(own, use_summaries="summaries" in after)
        if (today.economy or NO_ECONOMY).assembler != AUTO and "summaries" not in after:
            own = replace(own, assembler=AUTO)
    return own
