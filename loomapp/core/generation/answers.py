"""Answers that ended, or whose process did: drafts with text become nodes, all of one request in a Change."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import field, replace
from itertools import dropwhile
from types import MappingProxyType
from typing import TypeAlias

from loomapp.core.dataclass import dataclass
from loomapp.core.generation.drafts import Draft
from loomapp.core.model.agent import Agent
from loomapp.core.model.change import Change, RowChange, generate_label
from loomapp.core.model.content import Extra, Text, well_formed
from loomapp.core.model.creation_order import parents_by
from loomapp.core.model.entities import (
    REASONING,
    TRACE,
    ActivePath,
    Edge,
    EdgeSource,
    Interrupted,
    Metadata,
    Node,
)
from loomapp.core.model.hashes import content_hash
from loomapp.core.model.raw_response import Evidence
from loomapp.core.model.tree import Tree
from loomapp.core.paths.navigation import lives
from loomapp.core.paths.resolve import resolve
from loomapp.core.prose.fill_in import AnswerAnchor, filled, versions_since
from loomapp.core.prose.path_choice import way_back
from loomapp.core.response_text.rules import rule_for_answer
from loomapp.core.text.command_lines import answer_text
from loomapp.core.times import Milliseconds


@dataclass(frozen=True, slots=True)
class Sources:
    """Nodes that a generation hangs on: the one it continues and the material beside it. What is filled in
    stands in a gap: an empty passage after that node, see `prose.fill_in`.
    """

    primary_id: str
    context_ids: tuple[str, ...] = ()
    instruction_ids: tuple[str, ...] = ()
    gap_id: str | None = None

    def as_edge_sources(self) -> tuple[EdgeSource, ...]:
        """Primary first, then context, then instruction sources."""
        return (
            EdgeSource(self.primary_id, "primary"),
            *(EdgeSource(node_id, "context") for node_id in self.context_ids),
            *(EdgeSource(node_id, "instruction") for node_id in self.instruction_ids),
        )


def nodes_from_drafts(
    tree: Tree,
    drafts: Sequence[Draft],
    *,
    sources: Sources,
    agent_id: str,
    evidence: Sequence[Evidence],
    now: Milliseconds,
    new_id: Callable[[], str],
    follow: bool = True,
    read_index: int = 0,
    by: str = "you",
    record: Mapping[str, object] | None = None,
    standing: AnswerAnchor | None = None,
    back: ActivePath | None = None,
    ids: Mapping[int, str] = MappingProxyType({}),
    trace: Sequence[Mapping[str, object]] | None = None,
    later: Collection[str] = (),
) -> Change | None:
    """One Change that makes a node of every draft with text, all as siblings; None if none has text.

    `standing` is what stood there when it was asked, where that is known. The answers follow the versions
    that the continued node got since, and their hashes are made with what they were asked for.

    `back` is the path that was read before the text was cut for the answers, if it was: undo leads there.
    `ids` are those that the nodes are to have, by the drafts' numbers, where they were given out before.
    `later` are those of answers that were asked for after these: what came of them stays behind these.

    `trace` is that of the run whose last answer this is, None for no run of a loom-aware agent: of its answer
    a node gets what it says to people, and none if that is nothing.

    `record` is the request's, kept with its responses.
    `evidence.choices` names drafts by their numbers; from here on it names the nodes. With `follow` the
    active path moves to the choice `read_index`, else to the first new node, if it now ends at the node that
    was continued, or at one of these versions. Answers to what was pruned meanwhile are pruned, as all below
    that is: who restores it has them. What fills a gap becomes versions of it: what follows it follows them,
    and the path takes the one that is read in the place of what stood there.
    """
    said = {draft.index: draft.text for draft in drafts}
    if trace is not None:
        drafts = [replace(draft, text=spoken_text(draft.text)) for draft in drafts]
    written = [draft for draft in drafts if draft.text]
    if not written:
        return None
    node_ids = [ids.get(draft.index) or new_id() for draft in written]
    numbers = {str(draft.index): node_id for node_id, draft in zip(node_ids, written, strict=True)}
    rules = {
        node_id: rule_for_answer(said[draft.index], draft.text, interrupted=draft.interrupted is not None)
        for node_id, draft in zip(node_ids, written, strict=True)
    }
    evidence = tuple(
        _of_nodes(one, numbers, rules, record)
        for one in evidence
        if not numbers.keys().isdisjoint(one.choices)
    )
    digests = {node_id: digest for one in evidence for node_id, digest in one.digests()}
    edge_sources = sources.as_edge_sources()
    parent_hashes = tuple(sorted(tree.nodes[source.node_id].content_hash for source in edge_sources))
    versions = () if standing is None else versions_since(tree, sources.primary_id, standing)
    edge_sources += tuple(EdgeSource(node_id) for node_id in versions)
    continued = (sources.primary_id, *versions)
    gap_id = sources.gap_id if sources.gap_id in tree.nodes else None
    # Living ones would stand below what is pruned, out of sight.
    metadata = Metadata(pruned=not any(lives(tree, node_id) for node_id in continued))
    rows: list[RowChange] = []
    taken: set[str] = set()
    for node_id, draft in zip(node_ids, written, strict=True):
        local_id = tree.new_local_id(node_id, taken)
        taken.add(local_id)
        node = Node(
            id=node_id,
            local_id=local_id,
            content=Text(well_formed(draft.text)),
            author_type="model",
            author_agent_id=agent_id,
            created_at=now,
            parent_hashes=parent_hashes,
            edited_from=gap_id,
            interrupted=Interrupted(draft.interrupted) if draft.interrupted else None,
            metadata=metadata,
            extra=_beside(draft, trace),
        )
        rows.append(RowChange(None, replace(node, content_hash=content_hash(node, digests.get(node_id)))))
        rows.append(RowChange(None, Edge(new_id(), edge_sources, node_id, created_at=now)))
    rows += () if gap_id is not None else _put_behind(tree, continued, later, new_id)
    by_index = {draft.index: node_id for node_id, draft in zip(node_ids, written, strict=True)}
    read_id = by_index.get(read_index, node_ids[0]) if follow else None
    way = resolve(tree, tree.path.leaf_id).node_ids if versions else ()
    chosen = {node_id: read for node_id in node_ids for read in continued if read in way}
    label = generate_label(len(written))
    if gap_id is not None:
        instead_of = (standing and standing.filled_id) or gap_id
        rows += filled(tree, gap_id, node_ids, read_id, chosen, instead_of=instead_of)
        label = "Fill in" if len(written) == 1 else f"Fill in {len(written)} versions"
    elif read_id is not None and tree.path.leaf_id in continued:
        path = ActivePath(read_id, {**tree.path.selections, **chosen}, tree.path.extra)
        rows.append(RowChange(back or tree.path, path))
    elif back is not None and tree.path.leaf_id in continued:  # they are only offered as yet
        rows.append(RowChange(back, tree.path))
    return Change(tree.loom.id, label, now, tuple(rows), by=by, evidence=evidence)


def _put_behind(
    tree: Tree, continued: Sequence[str], later: Collection[str], new_id: Callable[[], str]
) -> Iterator[RowChange]:
    """Lead to the ways on from versions of a node, from the first of `later` on, by new edges between the
    same nodes: ways stand in the order of their edges, and none comes before one that is there.
    """
    here = {other for other in later if other in tree.nodes}
    out = ((above, edge) for above in continued for edge in tree.edges_out(above)) if here else ()
    ways = {edge.id: edge for above, edge in out if above in parents_by(edge)}
    in_order = sorted(ways.values(), key=lambda way: tree.edge_place(way.id))
    for edge in dropwhile(lambda way: way.target_id not in here, in_order):
        yield RowChange(edge, None)
        yield RowChange(None, replace(edge, id=new_id()))


def spoken_text(said: str) -> str:
    """The words for people in an answer of a loom-aware agent; empty where only white space is left."""
    text = answer_text(said)
    return text if text.strip() else ""


def _beside(draft: Draft, trace: Sequence[Mapping[str, object]] | None) -> Extra:
    """The keys of a node that are shown with it, and never sent."""
    thought = {REASONING: well_formed(draft.reasoning)} if draft.reasoning else {}
    return {**thought, TRACE: list(trace)} if trace else thought


def _of_nodes(
    evidence: Evidence,
    numbers: Mapping[str, str],
    rules: Mapping[str, str],
    record: Mapping[str, object] | None,
) -> Evidence:
    choices = {numbers[number]: choice for number, choice in evidence.choices.items() if number in numbers}
    texts = {node_id: rules[node_id] for node_id in choices}
    return replace(evidence, choices=choices, texts=texts).with_record(record)


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
    later: tuple[str, ...] = ()  # the nodes of what was asked for after it, together with it

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
        later=run.later,
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
