"""A trial: what would be sent if something were otherwise, without touching the tree; and making it so."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from loomapp.core.context.settings import FIELDS
from loomapp.core.edits.edit_context import EditContext
from loomapp.core.model.agent import Agent
from loomapp.core.model.change import Change, RowChange
from loomapp.core.model.entities import ContextSettings, IncludedAnnotations, LoomTree
from loomapp.core.model.tree import Tree
from loomapp.core.sent.inputs import Inputs

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
    after = replace(after, context_settings=own)
    if wanted.system_context != today.system_context:
        after = replace(after, system_context=wanted.system_context)
    if wanted.buffer_system_context != today.buffer_system_context:
        after = replace(after, buffer_mode_system_context=wanted.buffer_system_context)
    if after != tree.loom:
        yield RowChange(tree.loom, after)
