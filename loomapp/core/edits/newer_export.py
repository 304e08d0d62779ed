"""A newer export of a conversation that is here: what changed there since comes beside what is here.

A message whose text is another one now comes as a version of its node, as in a buffer: everything that
continues the node continues the version too, and nothing is overwritten.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import field, replace

from loomapp.core.dataclass import dataclass
from loomapp.core.model.content import AttachedDocument, Content, Image, blocks_of
from loomapp.core.model.entities import Edge, EdgeSource, Node
from loomapp.core.model.new_tree import ASSET
from loomapp.core.model.tree import Tree

VERSION = "{node_id}~{number:02d}"
MOST_VERSIONS = 99


@dataclass(frozen=True, slots=True)
class NewerExport:
    """Their tree as it fits ours. `hashes`: hashes that their nodes have, and those of the nodes here that
    say the same.
    """

    tree: Tree
    hashes: Mapping[str, str] = field(default_factory=dict)


def with_same_root(ours: Tree, theirs: Tree) -> Tree:
    """Their tree on the root that it has here, where only the first message makes the difference.

    A tree begins with an empty node: the first message, while that says nothing, else one of its own. If it
    says something by now, what it says comes after the root that it is here; if it says nothing any more, it
    stays as it is here.
    """
    root, other = ours.root_id, theirs.root_id
    if root == other:
        return theirs
    if root in theirs.nodes and not theirs.nodes[other].text and other not in ours.nodes:
        return _after_root(ours, theirs)
    if other in ours.nodes and root not in theirs.nodes and not theirs.nodes[other].text:
        nodes = {root: ours.nodes[root], **theirs.nodes, other: ours.nodes[other]}
        return _like(theirs, root, nodes.values(), theirs.edges.values())
    return theirs


def _after_root(ours: Tree, theirs: Tree) -> Tree:
    root, other = ours.root_id, theirs.root_id
    said = theirs.nodes[root]
    text = replace(said, id=VERSION.format(node_id=root, number=2), local_id="")
    text = replace(text, local_id=theirs.new_local_id(text.id))
    nodes = [ours.nodes[root], text, *(n for n in theirs.nodes.values() if n.id not in (root, other))]
    edges: list[Edge] = []
    for edge in theirs.edges.values():
        if edge.target_id == root:
            edges.append(replace(edge, id=f"to-{text.id}", sources=(EdgeSource(root),), target_id=text.id))
            continue
        names = {other: root, root: text.id}
        moved = tuple(replace(s, node_id=names.get(s.node_id, s.node_id)) for s in edge.sources)
        here = ours.edges.get(edge.id)
        base = () if here is None else here.sources
        present = {source.node_id for source in base}
        edges.append(replace(edge, sources=(*base, *(s for s in moved if s.node_id not in present))))
    return _like(theirs, root, nodes, edges)


def _like(theirs: Tree, root_id: str, nodes: Iterable[Node], edges: Iterable[Edge]) -> Tree:
    tree = Tree(replace(theirs.loom, root_id=root_id), nodes=nodes, edges=edges)
    tree.path, tree.extra, tree.tags = theirs.path, theirs.extra, theirs.tags
    return tree


def version_ids(ours: Tree, theirs: Tree, undone: Mapping[str, Node]) -> list[str]:
    """The ids that versions of what changed may have in the file, also such as were undone."""
    known = {**undone, **ours.nodes}
    changed = (i for i, node in theirs.nodes.items() if (here := known.get(i)) and not _says_same(here, node))
    numbers = range(2, MOST_VERSIONS + 1)
    return [VERSION.format(node_id=node_id, number=number) for node_id in changed for number in numbers]


def with_versions(ours: Tree, theirs: Tree, undone: Mapping[str, Node]) -> NewerExport:
    """Their tree, in which what is here too is as it is here, and what it says now is a version of it."""
    known = {**undone, **ours.nodes}
    nodes: dict[str, Node] = {}
    versions: dict[str, Node] = {}
    hashes: dict[str, str] = {}
    for node_id, node in theirs.nodes.items():
        here = known.get(node_id)
        if here is None or (here.content, here.author_type) == (node.content, node.author_type):
            nodes[node_id] = node
            continue
        nodes[node_id] = same = replace(here, metadata=node.metadata, summary=node.summary)
        if not _says_same(here, node):
            same = versions[node_id] = _version(known, theirs, node)
            nodes.setdefault(same.id, same)
        hashes[node.content_hash] = same.content_hash
    if len(nodes) == len(theirs.nodes) and not hashes:
        return NewerExport(theirs)
    tree = Tree(theirs.loom, nodes=nodes.values(), edges=_edges(ours, theirs, versions))
    tree.path, tree.extra = theirs.path, theirs.extra
    return NewerExport(tree, hashes)


def _version(known: Mapping[str, Node], theirs: Tree, node: Node) -> Node:
    """The version of a node that has its content: one that is here, or a new one."""
    names = [VERSION.format(node_id=node.id, number=number) for number in range(2, MOST_VERSIONS + 1)]
    here = next((known[name] for name in names if name in known and _says_same(known[name], node)), None)
    if here is not None:
        return here
    name = next((name for name in names if name not in known), names[-1])
    return replace(node, id=name, local_id=theirs.new_local_id(name), edited_from=node.id)


def _says_same(here: Node, there: Node) -> bool:
    return here.author_type != there.author_type or is_same(here.content, there.content)


def _edges(ours: Tree, theirs: Tree, versions: Mapping[str, Node]) -> Iterator[Edge]:
    """Yield their edges; one that is here begins where it does here, and a version hangs where its
    node does.
    """
    for edge in theirs.edges.values():
        here = ours.edges.get(edge.id)
        base = edge.sources if here is None else here.sources
        present = {source.node_id for source in base}
        more = (versions[s.node_id].id for s in base if s.node_id in versions)
        sources = (*base, *(EdgeSource(name) for name in more if name not in present))
        yield replace(edge, sources=sources)
        version = versions.get(edge.target_id)
        if version is not None:
            yield replace(edge, id=f"to-{version.id}", sources=sources, target_id=version.id)


def is_same(here: Content, there: Content) -> bool:
    """Tell whether two contents say the same; a file that an export no longer holds is no difference."""
    if here == there:
        return True
    ours, theirs = blocks_of(here), blocks_of(there)
    if len(ours) != len(theirs) or type(here) is not type(there):
        return False
    for one, other in zip(ours, theirs, strict=True):
        if one == other:
            continue
        if type(one) is not type(other) or not isinstance(other, Image | AttachedDocument):
            return False
        if ASSET not in other.extra or one.extra.get(ASSET) != other.extra[ASSET] or not _is_absent(other):
            return False
    return True


def _is_absent(block: Image | AttachedDocument) -> bool:
    return not block.text if isinstance(block, AttachedDocument) else len(block.ref) != 64
