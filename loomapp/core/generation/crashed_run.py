"""A crashed run: an answer whose process ended before it could be saved, and the Change that keeps it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

from loomapp.core.generation.answers import Sources, nodes_from_drafts
from loomapp.core.generation.drafts import Draft
from loomapp.core.model.agent import Agent
from loomapp.core.model.change import Change
from loomapp.core.model.entities import ActivePath
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
