"""Trees and chains made whole again: lost rows from the log, a root for what is left over, a new head."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from sqlalchemy import Connection, select, update

from loomapp.core.dataclass import dataclass
from loomapp.core.edits import tree_edits
from loomapp.core.edits.edit_context import EditContext
from loomapp.core.model import log_chain
from loomapp.core.model.change import Change, RowChange
from loomapp.core.model.entities import ActivePath, Edge, EdgeSource, IncludedAnnotations, Node, Tag
from loomapp.core.model.hashes import is_same_json
from loomapp.core.model.tree import Tree
from loomapp.store.identity import now
from loomapp.store.rows import change_log, grove_rows
from loomapp.store.rows.chain import REPAIRED, RESEALED, ChainHead, ChainReplay, read_head, read_links
from loomapp.store.rows.grove_rows import SEALED, STATES, TOUCHED
from loomapp.store.rows.log_rows import LoggedRow
from loomapp.store.schema import change_log as log
from loomapp.store.schema import trees

ROOT_TEXT = "Recovered"
LABEL = "Recover"


@dataclass(frozen=True, slots=True)
class Reattached:
    """A change that makes a tree whole, and the nodes that hang below the new root because what was above is
    lost.
    """

    change: Change
    orphans: tuple[str, ...]


def reattach(tree: Tree, logged: Mapping[str, Edge | None], pen: EditContext) -> Reattached:
    """The Change after which every edge has its ends and every node its place; without rows if it is whole.

    `logged` is the last word of the change log on each edge, None where it was taken back. What hangs on a
    lost node, and what no longer says on which, comes below a new root with the text “Recovered”.
    """
    edges = dict(_edges(tree, logged))
    arrived = {edge.target_id for edge in edges.values()}
    had_one = {edge.target_id for edge in logged.values() if edge is not None}
    had_one |= {edge.target_id for edge in tree.edges.values()}
    adrift = [
        node
        for node in tree.nodes.values()
        if node.id not in arrived and node.id != tree.root_id and (node.parent_hashes or node.id in had_one)
    ]
    by_hash = {node.content_hash: node.id for node in reversed(tree.nodes.values())}
    places = {node_id: place for place, node_id in enumerate(tree.nodes)}
    orphans: list[str] = []
    for node in adrift:
        above = by_hash.get(node.parent_hashes[0]) if len(node.parent_hashes) == 1 else None
        if above is not None and places[above] < places[node.id]:
            edge = Edge(pen.new_id(), (EdgeSource(above),), node.id, created_at=node.created_at)
            edges[edge.id] = edge
        else:
            orphans.append(node.id)
    rows: list[RowChange] = []
    is_rootless = tree.root_id not in tree.nodes
    root_id = tree.root_id
    if orphans or is_rootless:
        root = _root(tree, pen)
        root_id = root.id if is_rootless else root_id
        rows.append(RowChange(None, root))
        for node_id in orphans:
            edge = Edge(pen.new_id(), (EdgeSource(root.id),), node_id, created_at=pen.now)
            edges[edge.id] = edge
    if is_rootless:
        rows.append(RowChange(tree.loom, replace(tree.loom, root_id=root_id)))
    rows += _moved(tree.edges, edges)
    rows += _marks(tree, root_id, edges)
    return Reattached(
        Change(tree.loom.id, LABEL, pen.now, tuple(rows), pen.by, undoable=False), tuple(orphans)
    )


def _edges(tree: Tree, logged: Mapping[str, Edge | None]) -> Iterator[tuple[str, Edge]]:
    """The edges that can be: both ends here, with as many of their sources as there are."""
    for edge_id in dict.fromkeys((*tree.edges, *logged)):
        edge = logged.get(edge_id) or tree.edges.get(edge_id)
        if edge is None or edge.target_id not in tree.nodes:
            continue
        sources = tuple(source for source in edge.sources if source.node_id in tree.nodes)
        if any(source.role == "primary" for source in sources):
            yield edge_id, replace(edge, sources=sources)


def _root(tree: Tree, pen: EditContext) -> Node:
    alone = tree_edits.new_tree(tree.loom.mode, ROOT_TEXT, pen, text=ROOT_TEXT)
    root = alone.nodes[alone.root_id]
    return replace(root, local_id=tree.new_local_id(root.id))


def _moved(before: Mapping[str, Edge], after: Mapping[str, Edge]) -> Iterator[RowChange]:
    for edge_id in dict.fromkeys((*before, *after)):
        old, new = before.get(edge_id), after.get(edge_id)
        if old != new:
            yield RowChange(old, new)


def _marks(tree: Tree, root_id: str, edges: Mapping[str, Edge]) -> Iterator[RowChange]:
    """Path, notes, tags and links without the nodes that are lost."""
    incoming = {edge.target_id: edge for edge in edges.values()}

    def is_choice(target: str, source: str) -> bool:
        return target in incoming and source in incoming[target].with_role("primary")

    path = tree.path
    leaf_id = path.leaf_id if path.leaf_id in tree.nodes else root_id
    choices = {target: source for target, source in path.selections.items() if is_choice(target, source)}
    after: ActivePath = replace(path, leaf_id=leaf_id, selections=choices)
    if after != path:
        yield RowChange(path, after)
    included = IncludedAnnotations(tuple(n for n in tree.included_annotations.node_ids if n in tree.nodes))
    if included != tree.included_annotations:
        yield RowChange(tree.included_annotations, included)
    for tag in tree.tags.values():
        tagged: Tag = replace(tag, node_ids=tuple(n for n in tag.node_ids if n in tree.nodes))
        if tagged != tag:
            yield RowChange(tag, tagged)
    for link in tree.links.values():
        if link.from_node_id not in tree.nodes:
            yield RowChange(link, None)


def mend(connection: Connection, by: str) -> None:
    """Let the chain say what agents, settings and trees are now, anew only where it no longer leads to the
    head that it had.
    """
    head = read_head(connection)
    is_broken = head is None or _link_anew(connection) != head.link
    following = ChainReplay()
    for link in read_links(connection):
        following.take(link)
    following.settle(connection)
    if is_broken:
        _seal_anew(connection, head, by)
    else:
        rows = [*_otherwise(connection, following), *_times(connection)]
        change_log.append_rows(connection, REPAIRED, rows, by=by, at=now())


def _otherwise(connection: Connection, following: ChainReplay) -> Iterator[LoggedRow]:
    for kind, read in STATES.items():
        here, said = read(connection), following.states[kind]
        if not is_same_json(list(here.values()), list(said.values())):
            for state in said.values():
                yield [kind, state, None]
            for state in here.values():
                yield [kind, None, state]


def _link_anew(connection: Connection) -> str:
    """Give every entry the link that follows from those before it, as they are found; the last of them."""
    link = log_chain.START
    for entry in list(read_links(connection)):
        link = log_chain.link_of(link, entry.facts, entry.body)
        where = log.c.sequence == entry.facts.sequence
        connection.execute(update(log).where(where).values(link=link))
    return link


def _seal_anew(connection: Connection, found: ChainHead | None, by: str) -> None:
    rows: list[LoggedRow] = [
        [SEALED, None, {"after": "" if found is None else found.link}],
        *grove_rows.all_states(connection),
        *_times(connection),
    ]
    change_log.append_rows(connection, RESEALED, rows, by=by, at=now())


def _times(connection: Connection) -> Iterator[LoggedRow]:
    times = connection.execute(select(trees.c.tree_id, trees.c.updated_at).order_by(trees.c.id))
    return ([TOUCHED, None, {"tree": tree_id, "at": at}] for tree_id, at in times)
