"""A trial: what would be sent if something were otherwise; making it so; remedies, each one tried."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Literal, TypeAlias

from loomapp.core.context.assembly import Assembled
from loomapp.core.context.settings import FIELDS
from loomapp.core.context.truncation import STRATEGIES
from loomapp.core.dataclass import dataclass
from loomapp.core.edits.edit_context import EditContext
from loomapp.core.errors import AssemblyError
from loomapp.core.model.agent import Agent
from loomapp.core.model.change import Change, RowChange
from loomapp.core.model.entities import ContextSettings, IncludedAnnotations, LoomTree
from loomapp.core.model.tree import Tree
from loomapp.core.sent.economy import SentEconomy
from loomapp.core.sent.inputs import NO_ECONOMY, Inputs, assembled_from
from loomapp.core.sent.stages import own_settings, stages_in, with_stage

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
