"""A tree that comes in where it already is: what is new is added, and a contradiction is named."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import replace

from loomapp.core.change import Change, RowChange
from loomapp.core.encoding import content_to_json
from loomapp.core.errors import LoomError
from loomapp.core.generation import Evidence
from loomapp.core.tree import Edge, Milliseconds, Node, Row, Tag, Tree, base32
from loomapp.formats.imported import Imported


class Contradiction(LoomError):
    """The tree that comes in says something else of a row that is already here."""

    code = "contradiction"


def addition(here: Tree, imported: Imported, *, now: Milliseconds, by: str) -> Change | None:
    """The Change that adds what is new; None if nothing is. What is here keeps its flags, path and title.

    Raises: Contradiction if a node or edge of the same id says something else: then it is another tree.
    """
    coming = imported.tree
    if (here.loom.mode, here.root_id) != (coming.loom.mode, coming.root_id):
        raise Contradiction("the tree that is here has another mode or another root")
    nodes = list(_new_nodes(here, coming))
    rows = [
        *(RowChange(None, node) for node in nodes),
        *_edge_rows(here, coming),
        *_small_rows(here, coming),
    ]
    if not rows:
        return None
    label = f"Import {len(nodes)} {'node' if len(nodes) == 1 else 'nodes'}"
    evidence = tuple(_of_nodes(imported.evidence, {node.id for node in nodes}))
    return Change(here.loom.id, label, now, tuple(rows), by=by, evidence=evidence)


def as_copy(imported: Imported, tree_id: str) -> Imported:
    """The same under another tree id; links that stay inside the tree follow it."""
    tree = imported.tree
    old_id = tree.loom.id
    tree.loom = replace(tree.loom, id=tree_id)
    links = (
        replace(link, to_tree_id=tree_id) if link.to_tree_id == old_id else link
        for link in tree.links.values()
    )
    tree.links = {link.key: link for link in links}
    return imported


def says_the_same(one: Node, other: Node) -> bool:
    """True for one text by one kind of author; times and flags may differ."""
    return one.author_type == other.author_type and content_to_json(one.content) == content_to_json(
        other.content
    )


def _new_nodes(here: Tree, coming: Tree) -> Iterable[Node]:
    taken: set[str] = set()
    for node in coming.nodes.values():
        known = here.nodes.get(node.id)
        if known is not None:
            if not says_the_same(known, node):
                raise Contradiction(f"the node {node.id} that is here has another text")
            continue
        local_id = node.local_id
        if here.find(local_id) is not None or local_id in taken:
            local_id = here.new_local_id(node.id, taken)
        taken.add(local_id)
        yield replace(node, local_id=local_id)


def _edge_rows(here: Tree, coming: Tree) -> Iterable[RowChange]:
    for edge in coming.edges.values():
        known = here.edges.get(edge.id)
        if known is None:
            if edge.type == "continuation" and edge.target_id in here.nodes:
                raise Contradiction(f"the node {edge.target_id} that is here continues otherwise")
            yield RowChange(None, edge)
        elif (more := _with_more_sources(known, edge)) != known:
            yield RowChange(known, more)


def _with_more_sources(known: Edge, edge: Edge) -> Edge:
    """The edge that is here with the sources that came to it elsewhere, such as new versions."""
    if (known.type, known.target_id) != (edge.type, edge.target_id):
        raise Contradiction(f"the edge {edge.id} that is here leads elsewhere")
    ends = {(source.node_id, source.role) for source in known.sources}
    more = (source for source in edge.sources if (source.node_id, source.role) not in ends)
    return replace(known, sources=(*known.sources, *more))


def _small_rows(here: Tree, coming: Tree) -> Iterable[RowChange]:
    for tag in coming.tags.values():
        known = here.tags.get(tag.key)
        more = tag if known is None else _with_more_nodes(known, tag)
        if more != known:
            yield RowChange(known, more)
    tables: tuple[tuple[dict[str, Row], dict[str, Row]], ...] = (
        ({**here.links}, {**coming.links}),
        ({**here.branch_summaries}, {**coming.branch_summaries}),
        ({**here.context_summaries}, {**coming.context_summaries}),
    )
    for present, arriving in tables:
        yield from (RowChange(None, row) for key, row in arriving.items() if key not in present)


def _with_more_nodes(known: Tag, tag: Tag) -> Tag:
    return replace(known, node_ids=tuple(dict.fromkeys((*known.node_ids, *tag.node_ids))))


def _of_nodes(evidence: Iterable[Evidence], node_ids: set[str]) -> Iterable[Evidence]:
    """The exchanges behind new nodes, under ids of their own: siblings that are here keep their copy."""
    for one in evidence:
        choices = {node_id: index for node_id, index in one.choices.items() if node_id in node_ids}
        if choices:
            name = "\0".join((one.id, *choices)).encode("utf-8", "surrogatepass")
            yield replace(one, id=base32(hashlib.sha256(name).digest())[:26], choices=choices)
