"""Answers whose process ended, or whose source is gone: where they hang, and the Change that keeps them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeAlias

from loomapp.core.generation.answers import Sources, nodes_from_drafts
from loomapp.core.generation.drafts import Draft
from loomapp.core.model.agent import Agent
from loomapp.core.model.change import Change
from loomapp.core.model.entities import ActivePath, Edge
from loomapp.core.model.raw_response import Evidence
from loomapp.core.model.tree import Tree
from loomapp.core.prose.answer_anchor import AnswerAnchor, versions_since
from loomapp.core.prose.path_choice import way_back
from loomapp.core.times import Milliseconds

CRASH = "crash"


@dataclass(frozen=True, slots=True)
class CrashedRun:
    """An answer that was being written, or that the file did not take."""

    run_id: str
    tree_id: str
    sources: Sources
    agent_id: str
    drafts: tuple[Draft, ...]
    evidence: tuple[Evidence, ...] = ()
    read_index: int = 0
    standing: AnswerAnchor | None = None  # None: it is not known any more
    back: ActivePath | None = None  # what was read before the text was cut for it, if it was
    follows: bool = True  # False: it was only offered
    ids: Mapping[int, str] = field(default_factory=dict)  # of the nodes that its drafts become
    agent: Agent | None = None  # where the grove has it only once it has written something
    trace: Sequence[Mapping[str, object]] | None = None  # of a loom-aware agent's run until then

    @property
    def text(self) -> str:
        return "\n\n".join(draft.text for draft in self.drafts if draft.text)


def as_change(tree: Tree, run: CrashedRun, *, now: Milliseconds, new_id: Callable[[], str]) -> Change | None:
    """The Change that keeps an answer, as far as it came, as nodes beside whatever was added since.

    None if it has no text. What was still being written is flagged as cut short by a crash.
    """
    change = nodes_from_drafts(
        tree,
        [draft if draft.ended else replace(draft, interrupted=CRASH) for draft in run.drafts],
        sources=run.sources,
        agent_id=run.agent_id,
        evidence=run.evidence,
        read_index=run.read_index,
        follow=run.follows,
        now=now,
        new_id=new_id,
        standing=run.standing,
        back=None if run.back is None else way_back(tree, run.back, ends_of(tree, run)),
        ids=run.ids,
        trace=run.trace,
    )
    return None if change is None else replace(change, label="Recover an answer")


def ends_of(tree: Tree, run: CrashedRun) -> tuple[str, ...]:
    """Return the nodes that end the text while it is cut for an answer: the continued node, and its versions
    since.
    """
    node_id, standing = run.sources.primary_id, run.standing
    return (node_id, *(() if standing is None else versions_since(tree, node_id, standing)))


def has_sources(tree: Tree, run: CrashedRun) -> bool:
    """True if all that an answer hangs on is still there."""
    return all(source.node_id in tree.nodes for source in run.sources.as_edge_sources())


ChangesOf: TypeAlias = Callable[[str], Sequence[Change]]  # the logged ones that name a node, oldest first


def with_living_sources(tree: Tree, run: CrashedRun, changes_of: ChangesOf) -> CrashedRun:
    """Return an answer that hangs on nodes of the tree: on what took the place of each that is gone, else on
    the nearest node above it. As it was if all are there, or if nothing of the continued node is known.

    It is read only by who goes there: what it would follow is not the text that it was asked for.
    """
    if has_sources(tree, run):
        return run
    sources = run.sources
    primary_id = place_of(tree, sources.primary_id, changes_of)
    if primary_id is None:
        return run
    living = Sources(
        primary_id,
        tuple(node_id for node_id in sources.context_ids if node_id in tree.nodes),
        tuple(node_id for node_id in sources.instruction_ids if node_id in tree.nodes),
        sources.gap_id,
    )
    if primary_id == sources.primary_id:
        return replace(run, sources=living)
    return replace(run, sources=living, standing=None, follows=False)


def place_of(tree: Tree, node_id: str, changes_of: ChangesOf) -> str | None:
    """Return a node if it is in the tree, else what took its place in the same sitting, else the node that
    it was a version of or hung on, however far above; None if the log does not know it.
    """
    tried: set[str] = set()
    waiting = [node_id]
    while waiting:
        current = waiting.pop()
        if current in tree.nodes:
            return current
        if current not in tried:
            tried.add(current)
            waiting += _instead(current, changes_of(current))
    return None


def _instead(node_id: str, changes: Sequence[Change]) -> Iterator[str]:
    """Return the nodes to look for in the place of one that is gone, the best last."""
    made = next((change for change in changes if any(n.id == node_id for n in change.added_nodes())), None)
    if made is None:
        return
    above = _above(made, node_id)
    node = next(node for node in made.added_nodes() if node.id == node_id)
    yield from above
    if node.edited_from is not None:
        yield node.edited_from
    for change in changes:
        if any(gone.id == node_id for gone in change.removed_nodes()):
            yield from (
                other.id
                for other in change.added_nodes()
                if other.edited_from == node.edited_from and set(_above(change, other.id)) & set(above)
            )


def _above(change: Change, node_id: str) -> tuple[str, ...]:
    """Return the nodes that a node hung on as it was made."""
    edges = (row.after for row in change.rows if row.before is None and isinstance(row.after, Edge))
    return next((edge.with_role("primary") for edge in edges if edge.target_id == node_id), ())
