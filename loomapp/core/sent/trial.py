"""A trial: what would be sent if something were otherwise, a stage of economy too; remedies, all tried."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Literal, TypeAlias

from loomapp.core.context.assembly import Assembled
from loomapp.core.context.request import placing_of
from loomapp.core.context.settings import FIELDS, effective
from loomapp.core.context.summaries import units_from
from loomapp.core.context.truncation import STRATEGIES
from loomapp.core.dataclass import dataclass
from loomapp.core.economy.coverage import valid_on
from loomapp.core.edits.edit_context import EditContext
from loomapp.core.errors import AssemblyError
from loomapp.core.generation.assemble_request import AskedQuestion, ModelCapability, context_request
from loomapp.core.model.agent import Agent
from loomapp.core.model.change import Change, RowChange
from loomapp.core.model.economy_settings import AUTO, SUMMARIES, EconomySettings
from loomapp.core.model.entities import ContextSettings, IncludedAnnotations, LoomTree
from loomapp.core.model.tree import Tree
from loomapp.core.paths.resolve import resolve
from loomapp.core.sent.economy import SentEconomy, SentSummary
from loomapp.core.sent.inputs import NO_ECONOMY, Inputs, as_seen, assembled_from, inputs_of, settings_of

TREE_SETTINGS = FIELDS  # the tree's own values of these can be another's


@dataclass(frozen=True, slots=True)
class Trial:
    """Other inputs than those of today, under a name that its answers are recorded with."""

    name: str
    inputs: Inputs


def without(inputs: Inputs, node_ids: Iterable[str]) -> Inputs:
    return replace(inputs, excluded=inputs.excluded | frozenset(node_ids))


def with_nodes(inputs: Inputs, node_ids: Iterable[str]) -> Inputs:
    return replace(inputs, excluded=inputs.excluded - frozenset(node_ids))


def with_pruned(inputs: Inputs, node_ids: Iterable[str]) -> Inputs:
    """The inputs with these nodes restored, and nothing that hangs below them."""
    return replace(inputs, pruned=inputs.pruned - frozenset(node_ids))


def with_note(inputs: Inputs, note_id: str, included: bool) -> Inputs:
    """The inputs with an annotation switched on or off."""
    others = tuple(node_id for node_id in inputs.included if node_id != note_id)
    return replace(inputs, included=(*others, note_id) if included else others)


def made_so(tree: Tree, today: Inputs, wanted: Inputs, pen: EditContext) -> Change | None:
    """One Change after which the tree sends what is wanted: flags, notes, the tree's own settings.

    None if only the agent has to change for that; see `agent_made_so`. What a settings row inherits is
    overridden where it differs from today. What hangs on paths, sources and the model is not made so.
    """
    rows = [
        *_flags(tree, today, wanted),
        *_notes(tree, today, wanted),
        *_settings(tree, today, wanted),
    ]
    return Change(tree.loom.id, "Send it this way", pen.now, tuple(rows), by=pen.by) if rows else None


def agent_made_so(agent: Agent, today: Inputs, wanted: Inputs) -> Agent:
    """The agent with the prompt and the longest answer that are wanted, where they differ from today."""
    configuration = agent.configuration
    if wanted.system_prompt != today.system_prompt:
        configuration = replace(configuration, system_prompt=wanted.system_prompt)
    if wanted.max_tokens != today.max_tokens:
        configuration = replace(configuration, max_tokens=wanted.max_tokens)
    return replace(agent, configuration=configuration)


def _flags(tree: Tree, today: Inputs, wanted: Inputs) -> Iterator[RowChange]:
    turned, pruned = wanted.excluded ^ today.excluded, wanted.pruned ^ today.pruned
    for node_id in sorted((turned | pruned) & tree.nodes.keys()):
        node = tree.nodes[node_id]
        marks = node.metadata
        if node_id in turned:
            marks = replace(marks, excluded=node_id in wanted.excluded)
        if node_id in pruned:
            marks = replace(marks, pruned=node_id in wanted.pruned)
        if marks != node.metadata:
            yield RowChange(node, replace(node, metadata=marks))


def _notes(tree: Tree, today: Inputs, wanted: Inputs) -> Iterator[RowChange]:
    before = tree.included_annotations
    off = frozenset(today.included) - frozenset(wanted.included)
    on = [node_id for node_id in wanted.included if node_id not in before.node_ids]
    after = IncludedAnnotations((*(i for i in before.node_ids if i not in off), *on))
    if after != before:
        yield RowChange(before, after)


def _settings(tree: Tree, today: Inputs, wanted: Inputs) -> Iterator[RowChange]:
    after: LoomTree = tree.loom
    own: ContextSettings = after.context_settings
    for name in TREE_SETTINGS:
        if getattr(wanted, name) != getattr(today, name):
            own = replace(own, **{name: getattr(wanted, name)})
    own = replace(own, economy=own_settings(own.economy, today, wanted))
    after = replace(after, context_settings=own)
    if wanted.system_context != today.system_context:
        after = replace(after, system_context=wanted.system_context)
    if wanted.buffer_system_context != today.buffer_system_context:
        after = replace(after, buffer_mode_system_context=wanted.buffer_system_context)
    if after != tree.loom:
        yield RowChange(tree.loom, after)


Kind: TypeAlias = Literal["include", "strategy", "room", "answer", "exclude", "withoutSystem", "shorten"]
LEAST_ROOM = 128  # tokens: an answer of less is no answer
FEW = 3  # of the largest nodes are tried


@dataclass(frozen=True, slots=True)
class Remedy:
    """Other inputs that can be sent, and what they cost.

    `value` is the name of a strategy, the tokens of the room for the answer or of the longest answer, or how
    many nodes are taken in. `node_id` is the node that is left out for it.
    """

    kind: Kind
    inputs: Inputs
    tokens: int
    value: int | str = ""
    node_id: str | None = None


def remedies_for(tree: Tree, today: Inputs, error: AssemblyError) -> tuple[Remedy, ...]:
    """Return the remedies for an error of assembly, the likeliest first. Only what can then be sent."""
    return tuple(_working(tree, _candidates(today, error)))


def room_for(
    tree: Tree, today: Inputs, assembled: Assembled, node_id: str, possible: SentEconomy = NO_ECONOMY
) -> tuple[Remedy, ...]:
    """Return the remedies that make room for a node that has none, the smallest change first; that node is
    then sent. Long parts are shortened as in `possible`, if anything there decides how.
    """
    found = []
    for remedy, outcome in _tried(tree, _roomier(today, assembled, node_id, possible)):
        if outcome.fates.get(node_id) == "sent" and not outcome.report.over_limit:
            found.append(remedy)
    return tuple(found)


def _candidates(today: Inputs, error: AssemblyError) -> Iterator[Remedy]:
    window = today.model.context_window
    match error.code:
        case "EMPTY_CONTEXT":
            yield Remedy("include", with_nodes(today, today.excluded), 0, len(today.excluded))
        case "INVALID_BUDGET":
            yield from _smaller_answers(today, max(LEAST_ROOM, window // 4))
        case "SYSTEM_TOO_LARGE":
            needed = error.details.get("needed")
            if isinstance(needed, int):
                yield from _smaller_answers(today, (window - needed) // 2)
            if today.buffer_system_context:
                yield Remedy("withoutSystem", replace(today, buffer_system_context=False), 0)
        case "CONTEXT_TOO_LONG":
            yield from _other_strategies(today)
            over = error.details.get("over_by")
            if isinstance(over, int):
                yield from _smaller_answers(today, _reserved(today) - over)
        case _:
            return


def _roomier(today: Inputs, assembled: Assembled, node_id: str, possible: SentEconomy) -> Iterator[Remedy]:
    report = assembled.report
    yield from _smaller_answers(today, _reserved(today) - (report.before_tokens - report.available))
    if possible.numbers is not None and "compression" not in stages_in(today):
        yield Remedy("shorten", with_stage(today, "compression", possible), 0)
    yield from _other_strategies(today)
    passages = assembled.fitted.passages
    costs = passages.tokens_by_node(range(len(passages)))
    others = [one for one in costs if one not in (node_id, today.at)]
    for largest in sorted(others, key=lambda one: -costs[one])[:FEW]:
        yield Remedy("exclude", without(today, [largest]), 0, node_id=largest)


def _reserved(today: Inputs) -> int:
    return max(today.token_buffer, today.max_tokens or 0)


def _smaller_answers(today: Inputs, tokens: int) -> Iterator[Remedy]:
    """Less kept for the answer: of the tree's room, and of the agent's longest answer where that is more."""
    if not LEAST_ROOM <= tokens < _reserved(today):
        return
    wanted = replace(today, token_buffer=min(today.token_buffer, tokens))
    if today.max_tokens is not None and today.max_tokens > tokens:
        yield Remedy("answer", replace(wanted, max_tokens=tokens), 0, tokens)
    else:
        yield Remedy("room", wanted, 0, tokens)


def _other_strategies(today: Inputs) -> Iterator[Remedy]:
    for name in STRATEGIES:
        if name != today.truncation_strategy:
            yield Remedy("strategy", replace(today, truncation_strategy=name), 0, name)


def _working(tree: Tree, candidates: Iterable[Remedy]) -> Iterator[Remedy]:
    for remedy, outcome in _tried(tree, candidates):
        # What is taken in again may be too much, and that has remedies of its own.
        if remedy.kind == "include" or not outcome.report.over_limit:
            yield remedy


def _tried(tree: Tree, candidates: Iterable[Remedy]) -> Iterator[tuple[Remedy, Assembled]]:
    for remedy in candidates:
        try:
            outcome = assembled_from(tree, remedy.inputs)
        except AssemblyError:
            continue
        yield replace(remedy, tokens=outcome.report.after_tokens), outcome


EconomyStage: TypeAlias = Literal["summaries", "compression"]


def stages_in(inputs: Inputs) -> frozenset[EconomyStage]:
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
    return _taken(inputs, stage, possible)


def without_stage(inputs: Inputs, stage: EconomyStage) -> Inputs:
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
