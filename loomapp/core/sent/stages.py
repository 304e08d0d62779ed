"""Stages of economy in the inputs of a request: which are on, one switched, and as others are decided."""

from __future__ import annotations

from dataclasses import replace
from typing import Literal, TypeAlias

from loomapp.core.context.request import placing_of
from loomapp.core.context.settings import effective
from loomapp.core.context.summaries import units_from
from loomapp.core.economy.coverage import valid_on
from loomapp.core.errors import AssemblyError
from loomapp.core.generation.assemble_request import AskedQuestion, ModelCapability, context_request
from loomapp.core.model.economy_settings import AUTO, SUMMARIES, EconomySettings
from loomapp.core.model.entities import ContextSettings
from loomapp.core.model.tree import Tree
from loomapp.core.paths.resolve import resolve
from loomapp.core.sent.economy import SentEconomy, SentSummary
from loomapp.core.sent.inputs import NO_ECONOMY, Inputs, as_seen, inputs_of, settings_of

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
    was, now = (today.economy or NO_ECONOMY).assembler, (wanted.economy or NO_ECONOMY).assembler
    if was != now:
        own = replace(own, assembler=now)
    if "summaries" in changed and now == AUTO:
        own = replace(own, use_summaries="summaries" in after)
    return own


# Other inputs than those of today


def with_summary(inputs: Inputs, summary: SentSummary) -> Inputs:
    """The inputs with this context summary in use."""
    economy = inputs.economy or NO_ECONOMY
    return replace(inputs, economy=replace(economy, assembler=AUTO, summary=summary, heads=None))


def is_only_another_summary(today: Inputs, wanted: Inputs) -> bool:
    """True where nothing is otherwise but which context summary is in use: no setting of a tree says that."""
    before, after = today.economy or NO_ECONOMY, wanted.economy or NO_ECONOMY
    if before.summary is None or after.summary is None or before.summary == after.summary:
        return False
    return replace(wanted, economy=replace(after, summary=before.summary)) == today


def by_branches(tree: Tree, inputs: Inputs, question: AskedQuestion, known: ModelCapability) -> Inputs | None:
    """The inputs with the summaries of the branches in place of what they stand for; None where none of them
    says anything, or nothing would be left to send.
    """
    if not tree.branch_summaries:
        return None
    asked = _asked(question, inputs)
    economy = replace(asked.overrides.economy, assembler=SUMMARIES)
    asked = replace(asked, overrides=replace(asked.overrides, economy=economy))
    try:
        found = inputs_of(_as_written(tree, inputs), asked, known).economy or NO_ECONOMY
    except AssemblyError:
        return None
    is_said = any(head.text for head in found.heads or ())
    return with_stage(inputs, "summaries", found) if is_said else None


def usable_summaries(tree: Tree, inputs: Inputs, question: AskedQuestion) -> tuple[SentSummary, ...]:
    """The context summaries that could be in use for inputs, the deepest first: those that hold with their
    flags, and that leave something after them.
    """
    if not tree.context_summaries:
        return ()
    seen = _as_written(tree, inputs)
    path = resolve(seen, inputs.at)
    passages = placing_of(seen, context_request(seen, _asked(question, inputs), inputs.model), path)
    return tuple(
        SentSummary(one.row.anchor_node_id, one.row.covered_hash, one.text)
        for one in reversed(valid_on(seen, path))
        if units_from(passages.passages, passages.part_at(one.place + 1))
    )


def decided(
    tree: Tree, today: Inputs, wanted: Inputs, question: AskedQuestion, known: ModelCapability
) -> Inputs:
    """The inputs that are wanted instead of today's, with summaries and compression as a tree that says so
    decides them: without a message that a summary covers another summary holds, and stages that nobody
    switched follow their settings. A summary that was chosen stays while it holds.
    """
    own = effective(question.defaults, tree.loom.context_settings, question.overrides).economy
    uses_rows = bool(tree.context_summaries) and own.use_summaries
    if wanted == today or not (uses_rows or own.compression or own.assembler == SUMMARIES or wanted.economy):
        return wanted
    seen = _as_written(tree, wanted)
    settings = ContextSettings(economy=own_settings(tree.loom.context_settings.economy, today, wanted))
    seen.loom = replace(seen.loom, context_settings=settings)
    try:
        found = replace(wanted, economy=inputs_of(seen, _asked(question, wanted), known).economy)
    except AssemblyError:
        return wanted
    chosen = (wanted.economy or NO_ECONOMY).summary
    if chosen in (None, (today.economy or NO_ECONOMY).summary) or "summaries" not in stages_in(found):
        return found
    is_usable = chosen in usable_summaries(tree, wanted, question)
    return with_summary(found, chosen) if chosen is not None and is_usable else found


def _as_written(tree: Tree, inputs: Inputs) -> Tree:
    """The tree as if it said itself what the inputs say, with its own summaries."""
    seen = as_seen(tree, replace(inputs, economy=None))
    seen.context_summaries, seen.branch_summaries = tree.context_summaries, tree.branch_summaries
    return seen


def _asked(question: AskedQuestion, inputs: Inputs) -> AskedQuestion:
    """The question with the settings of the inputs; choices are those that the tree then stores."""
    agent = question.agent
    configuration = replace(
        agent.configuration, system_prompt=inputs.system_prompt, max_tokens=inputs.max_tokens
    )
    overrides = settings_of(inputs, question.overrides.economy)
    agent = replace(agent, configuration=configuration)
    return replace(question, agent=agent, overrides=overrides, selections=None)
