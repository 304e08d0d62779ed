"""Loom trees in memory: rows in order of creation, the indexes over them, and walks without recursion."""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from copy import copy

from loomapp.core.model.caches import Caches, Emptiable, Touches
from loomapp.core.model.content import Extra, Text
from loomapp.core.model.creation_order import (
    MANY,
    ChildIndex,
    ChildList,
    CreationOrder,
    parents_by,
    parts_of,
)
from loomapp.core.model.entities import (
    ActivePath,
    AgentMemory,
    BranchSummary,
    ContextSummary,
    Edge,
    IncludedAnnotations,
    Link,
    LoomTree,
    Node,
    Summary,
    Tag,
)
from loomapp.core.model.local_ids import LocalIds
from loomapp.core.model.overlay import list_overlay_of, overlay_of


# One class: every row that is put or dropped keeps ten indexes in step, and every walk reads several of them.
class Tree:
    """A loom tree in memory: rows by key in order of creation, and the indexes that walks need.

    Nodes and edges keep their place when they leave, so undo and redo bring siblings back in their order.
    Owned and moved by one thread; `change.apply` is the only writer once it is built.
    """

    def __init__(self, loom: LoomTree, *, nodes: Iterable[Node] = (), edges: Iterable[Edge] = ()) -> None:
        self.loom = loom
        self.path = ActivePath(loom.root_id)
        self.included_annotations = IncludedAnnotations()
        self.tags: dict[str, Tag] = {}
        self.links: dict[str, Link] = {}
        self.branch_summaries: dict[str, BranchSummary] = {}
        self.context_summaries: dict[str, ContextSummary] = {}
        self.agent_memory: dict[str, AgentMemory] = {}
        self.extra: Extra = {}
        self._begin_without_rows()
        self.fill(nodes, edges)

    def _begin_without_rows(self) -> None:
        self.nodes: dict[str, Node] = {}
        self.edges: dict[str, Edge] = {}
        self._node_order, self._edge_order = CreationOrder(), CreationOrder()
        self._continuations_in: dict[str, list[str]] = {}
        self._annotations_in: dict[str, list[str]] = {}
        self._edges_out: dict[str, list[str]] = {}
        self._notes_out: dict[str, list[str]] = {}  # the annotation edges of _edges_out again
        self._goes_on: set[str] = set()
        self._plain_parents: dict[str, str] = {}
        self._local_ids = LocalIds()
        self._edited_to: dict[str, list[str]] = {}
        self._child_index: ChildIndex | None = None  # once one was asked for
        self.touches, self.caches = Touches(), Caches()

    # Writing: for the builder of a tree and for `change.apply`.

    def fill(self, nodes: Iterable[Node], edges: Iterable[Edge]) -> None:
        """Put the first rows of a tree that is empty, in order of creation: as `put_node` and `put_edge` do,
        at a third of the cost. What comes last belongs last everywhere, and nobody asked for anything yet.
        """
        self.touches.forget()
        for some_nodes in parts_of(nodes):
            if not self._node_order.take(some_nodes, self.nodes):
                for node in some_nodes:
                    self.put_node(node)
                continue
            self._local_ids.take(some_nodes, self.nodes)
            for node in some_nodes:
                if node.edited_from is not None:
                    self._edited_to.setdefault(node.edited_from, []).append(node.id)
        for some_edges in parts_of(edges):
            if self._edge_order.take(some_edges, self.edges):
                self._hang_all(some_edges)
            else:
                for edge in some_edges:
                    self.put_edge(edge)

    def _hang_all(self, edges: Sequence[Edge]) -> None:
        """Note where edges that just came lead: those that are as nearly all are together."""
        plain = [edge for edge in edges if _is_plain(edge)]
        ways_in = {edge.target_id: [edge.id] for edge in plain}
        if len(ways_in) < len(plain) or not self._continuations_in.keys().isdisjoint(ways_in):
            for edge in edges:
                self._hang(None, edge)
            return
        self._continuations_in.update(ways_in)
        source_ids = [edge.sources[0].node_id for edge in plain]
        self._plain_parents.update(zip(ways_in, source_ids, strict=True))
        leading_on, goes_on = self._edges_out, self._goes_on
        for source_id, edge in zip(source_ids, plain, strict=True):
            before = leading_on.get(source_id)
            if before is None:
                leading_on[source_id] = [edge.id]
            else:
                before.append(edge.id)
                goes_on.add(source_id)
        if len(plain) < len(edges):
            for edge in edges:
                if not _is_plain(edge):
                    self._hang(None, edge)

    def give_away(self) -> tuple[list[Node], list[Edge]]:
        """The nodes and edges, for somebody who is done with the tree: it is without them from now on, and
        without what it knew of them.
        """
        given = [*self.nodes.values()], [*self.edges.values()]
        self._begin_without_rows()
        return given

    def keep_places(self, node_ids: Iterable[str], edge_ids: Iterable[str]) -> None:
        """Tell the order of creation, with rows that are not there now among those that are."""
        self._node_order, self._edge_order = CreationOrder(node_ids), CreationOrder(edge_ids)

    def put_node(self, node: Node) -> None:
        """Add a node, or replace its changeable part."""
        is_new = node.id not in self.nodes
        if is_new:
            self._node_order.admit(node.id, self.nodes)
            self._local_ids.add(node.local_id, node.id)
        self.nodes[node.id] = node
        if is_new and node.edited_from is not None:
            self._node_order.insert(self._edited_to.setdefault(node.edited_from, []), node.id)
        self.touches.note(node.id)
        if self._child_index is not None:
            self._child_index.tell(node.id)

    def drop_node(self, node_id: str) -> None:
        """Take a node out; its edges are dropped by their own rows."""
        self.look_up_rows()
        node = self.nodes.pop(node_id)
        self._local_ids.drop(node.local_id, node_id)
        if node.edited_from is not None:
            self._node_order.remove(self._edited_to[node.edited_from], node_id)
        self.touches.note(node_id)
        if self._child_index is not None:
            self._child_index.tell(node_id)

    def put_edge(self, edge: Edge) -> None:
        """Add an edge, or replace its sources while keeping its place among its siblings."""
        before = self.edges.get(edge.id)
        if before is None:
            self._edge_order.admit(edge.id, self.edges)
        elif (before.type, before.target_id) != (edge.type, edge.target_id):
            self.drop_edge(edge.id)
            self._edge_order.is_restored = False
            before = None
        self.edges[edge.id] = edge
        self._hang(before, edge)

    def _hang(self, before: Edge | None, edge: Edge) -> None:
        """Note where an edge leads, and no more where it did before."""
        if before is None:
            arriving = self._arrivals(edge).setdefault(edge.target_id, [])
            self._edge_order.insert(arriving, edge.id)
        self._depart(before, edge)
        if self._child_index is not None:
            self._child_index.move(before, edge, self.edge_place(edge.id))
        self._find_plain_parent(edge.target_id)

    def _depart(self, before: Edge | None, edge: Edge) -> None:
        """Note from where an edge leads on, and no more from where it did."""
        order = self._edge_order
        old = {source.node_id for source in before.sources} if before else set()
        new = [source.node_id for source in edge.sources]
        if len(new) > 1:
            new = list(dict.fromkeys(new))
        for departures in self._departures(edge):
            for node_id in old.difference(new):
                order.drop(departures, node_id, edge.id)
            for node_id in new:
                if node_id not in old:
                    order.insert(departures.setdefault(node_id, []), edge.id)
        self._count_ways(old.union(new) if old else new)

    def drop_edge(self, edge_id: str) -> None:
        self.look_up_rows()
        edge = self.edges.pop(edge_id)
        self._edge_order.remove(self._arrivals(edge)[edge.target_id], edge_id)
        for departures in self._departures(edge):
            for node_id in {source.node_id for source in edge.sources}:
                self._edge_order.drop(departures, node_id, edge_id)
        self._count_ways({source.node_id for source in edge.sources})
        if self._child_index is not None:
            self._child_index.move(edge, None, self.edge_place(edge_id))
        self._find_plain_parent(edge.target_id)

    def look_up_rows(self) -> None:
        """Look up what the first change asks for: places in the order of creation, and short ids."""
        self._node_order.places, self._edge_order.places, self._local_ids.names  # noqa: B018 - each looks

    def restore_order(self) -> None:
        """Put rows that came back where they were among the others; `apply` asks for it once a change."""
        if not self._node_order.is_restored:
            self.look_up_rows()  # of the rows here now: later ones come into another mapping
        self.nodes = self._node_order.restored(self.nodes)
        self.edges = self._edge_order.restored(self.edges)

    def sketch(self) -> Tree:
        """A tree that is as this one now, and that changes may move without moving this one. However large
        that is, only what is otherwise costs anything; it holds until this one moves.

        Rows may come and be replaced in it; one that went must not come back.
        """
        seen = copy(self)
        seen.lie_over()
        return seen

    def lie_over(self) -> None:
        """For `sketch`: write into layers from now on, and no more into what was copied."""
        self.nodes, self.edges = overlay_of(self.nodes), overlay_of(self.edges)
        self._node_order, self._edge_order = self._node_order.over(), self._edge_order.over()
        self.tags, self.links = overlay_of(self.tags), overlay_of(self.links)
        self.branch_summaries = overlay_of(self.branch_summaries)
        self.context_summaries = overlay_of(self.context_summaries)
        self.agent_memory = overlay_of(self.agent_memory)
        self._continuations_in = list_overlay_of(self._continuations_in)
        self._annotations_in = list_overlay_of(self._annotations_in)
        self._edges_out, self._notes_out = list_overlay_of(self._edges_out), list_overlay_of(self._notes_out)
        self._goes_on = self._goes_on.copy()
        self._plain_parents, self._local_ids = overlay_of(self._plain_parents), self._local_ids.over()
        self._edited_to = list_overlay_of(self._edited_to)
        self._child_index = None
        # What is known of this one is known of the other: a long path is not walked again.
        self.caches, self.touches = self.caches.for_sketch(), self.touches.copy()

    def _arrivals(self, edge: Edge) -> dict[str, list[str]]:
        return self._continuations_in if edge.type == "continuation" else self._annotations_in

    def _departures(self, edge: Edge) -> tuple[dict[str, list[str]], ...]:
        return (self._edges_out,) if edge.type == "continuation" else (self._edges_out, self._notes_out)

    def _count_ways(self, node_ids: Iterable[str]) -> None:
        for node_id in node_ids:
            if len(self._edges_out.get(node_id, ())) > 1:
                self._goes_on.add(node_id)
            else:
                self._goes_on.discard(node_id)

    def _find_plain_parent(self, target_id: str) -> None:
        self.touches.note(target_id)
        ways_in = self._continuations_in.get(target_id, ())
        edge = self.edges[ways_in[0]] if len(ways_in) == 1 else None
        if edge is not None and _is_plain(edge):
            self._plain_parents[target_id] = edge.sources[0].node_id
        else:
            self._plain_parents.pop(target_id, None)

    def _child_list(self, node_id: str) -> ChildList | None:
        """The children of a node that has many, None for one that has few."""
        if len(self._edges_out.get(node_id, ())) < MANY:
            return None
        return self._children_index().of(node_id, self._placed_edges(node_id))

    def _children_index(self) -> ChildIndex:
        if self._child_index is None:
            self._child_index = ChildIndex(self)
        return self._child_index

    def _placed_edges(self, node_id: str) -> Iterator[tuple[str, int]]:
        places = self._edge_order.places
        return ((edge_id, places[edge_id]) for edge_id in self._edges_out[node_id])

    def with_many_children(self) -> list[str]:
        """The nodes of whose children a list is kept, once they were asked for."""
        return [node_id for node_id in self._goes_on if len(self._edges_out[node_id]) >= MANY]

    def index_children(self, node_ids: Iterable[str]) -> Iterator[None]:
        """Look up the children of those nodes that have very many, some at each step: the first time it takes
        a while. It ends where the tree moves meanwhile.
        """
        mark = self.touches.mark
        for node_id in node_ids:
            if len(self._edges_out.get(node_id, ())) < MANY:
                continue
            for _ in self._children_index().look_up(node_id, self._placed_edges(node_id)):
                yield
                if self.touches.mark != mark:
                    return

    # Reading.

    def parts(self) -> list[Emptiable]:
        """Collections with most of its memory: who lets go of a large tree empties them in slices, when
        nobody else has it any more.
        """
        indexes = (self._continuations_in, self._annotations_in, self._edges_out, self._notes_out)
        others = (
            self._plain_parents,
            self._local_ids.memory,
            self._node_order.memory,
            self._edge_order.memory,
        )
        return [self.nodes, self.edges, *indexes, *others]

    @property
    def root_id(self) -> str:
        return self.loom.root_id

    def incoming(self, node_id: str) -> tuple[Edge, ...]:
        """The continuation edges into a node: none or one, more only in damaged data."""
        return tuple(self.edges[e] for e in self._continuations_in.get(node_id, ()))

    def annotation_edges_into(self, node_id: str) -> tuple[Edge, ...]:
        return tuple(self.edges[e] for e in self._annotations_in.get(node_id, ()))

    @property
    def plain_parents(self) -> Mapping[str, str]:
        """The node before each node whose one way in is a continuation of a single source: nearly all.

        It makes walking up a long path cheap. What is not in it is decided by its edges.
        """
        return self._plain_parents

    @property
    def leading_on(self) -> AbstractSet[str]:
        """The nodes that an edge leads on from, whatever it leads to."""
        return self._edges_out.keys()

    @property
    def noted(self) -> AbstractSet[str]:
        return self._notes_out.keys()

    @property
    def note_ids(self) -> AbstractSet[str]:
        """Nodes that annotation edges lead to, or led to once."""
        return self._annotations_in.keys()

    @property
    def node_places(self) -> Mapping[str, int]:
        """The place of each node in the order of creation, of those that left too: 0, 1, 2, …"""
        return self._node_order.places

    def was_here(self, node_id: str) -> bool:
        """True for a node that went, and may come back."""
        return node_id not in self.nodes and node_id in self._node_order.places

    def edge_place(self, edge_id: str) -> int:
        return self._edge_order.places[edge_id]

    def edges_out(self, node_id: str) -> tuple[Edge, ...]:
        """Return every edge that has the node among its sources, whatever the role, in order of creation."""
        return tuple(self.edges[e] for e in self._edges_out.get(node_id, ()))

    def children(self, node_id: str) -> tuple[str, ...]:
        """Targets of the continuation edges that have the node as a primary source, in order."""
        brood = self._child_list(node_id)
        return tuple(self._few_children(node_id)) if brood is None else brood.children

    def _few_children(self, node_id: str) -> list[str]:
        edges, plain = self.edges, self._plain_parents
        found: list[str] = []
        for edge_id in self._edges_out.get(node_id, ()):
            edge = edges[edge_id]
            is_plain = edge.type == "continuation" and plain.get(edge.target_id) == node_id
            if is_plain or node_id in parents_by(edge):
                found.append(edge.target_id)
        return found

    def living_children(self, node_id: str) -> tuple[str, ...]:
        """Return the children that are there and not pruned."""
        ways = self._edges_out.get(node_id)
        if ways is None:
            return ()  # asked of leaves most often
        if len(ways) >= MANY:
            return self._children_index().of(node_id, self._placed_edges(node_id)).living
        nodes = self.nodes
        few = self._few_children(node_id)
        return tuple([i for i in few if (node := nodes.get(i)) is not None and not node.metadata.pruned])

    def first_living_child(self, node_id: str) -> str | None:
        """The first of those, if there are any."""
        if node_id not in self._edges_out:
            return None
        brood = self._child_list(node_id)
        if brood is not None:
            return brood.first_living
        nodes = self.nodes
        return next(
            (i for i in self._few_children(node_id) if i in nodes and not nodes[i].metadata.pruned), None
        )

    def living_place(self, node_id: str, child: str) -> int:
        """Return the place of a child, which continues the node in one way, among those that live, from 0."""
        brood = self._child_list(node_id)
        if brood is not None:
            return brood.living_place(self.edge_place(self._continuations_in[child][0]))
        return self.living_children(node_id).index(child)

    @property
    def goes_on(self) -> AbstractSet[str]:
        """The nodes with more than one edge that leads on; all others are passed by quickly."""
        return self._goes_on

    def notes(self, node_id: str) -> tuple[str, ...]:
        """The annotations on a node, in the order of their edges."""
        ways = self._notes_out.get(node_id)
        return tuple([self.edges[e].target_id for e in ways]) if ways else ()

    def edits_of(self, node_id: str) -> tuple[str, ...]:
        return tuple(self._edited_to.get(node_id, ()))

    @property
    def edited(self) -> AbstractSet[str]:
        """Nodes that others were edited from, or were once."""
        return self._edited_to.keys()

    def family(self, node_id: str) -> str:
        """The original that a node goes back to along `edited_from`; stops at what is not in the tree."""
        seen = {node_id}
        node = self.nodes.get(node_id)
        while node is not None and node.edited_from is not None and node.edited_from not in seen:
            node_id = node.edited_from
            seen.add(node_id)
            node = self.nodes.get(node_id)
        return node_id

    def find(self, name: str) -> str | None:
        if name in self.nodes:
            return name
        return self._local_ids.find(name)

    def new_local_id(self, node_id: str, taken: Container[str] = ()) -> str:
        """A short id for a new node; `taken` are those given in the same change, not yet in the tree."""
        return self._local_ids.new_for(node_id, taken)

    def descendants(self, *node_ids: str) -> list[str]:
        """The nodes and all below them along continuation edges, notes included, each once, parents first."""
        seen: dict[str, None] = {}
        for top in node_ids:
            stack = [] if top in seen else [top]
            seen[top] = None
            while stack:
                current = stack.pop()
                for child in reversed((*self.children(current), *self.notes(current))):
                    if child not in seen:
                        seen[child] = None
                        stack.append(child)
        return list(seen)

    def sleeps(self, summary: Summary) -> bool:
        """True if the node of a summary is undone: till it is back the summary is neither used nor
        exported.
        """
        return summary.node_id not in self.nodes

    def is_empty_root(self, node_id: str) -> bool:
        """True for the empty text a tree may start with; it is not drawn as a message."""
        if node_id != self.root_id or node_id not in self.nodes:
            return False
        content = self.nodes[node_id].content
        return isinstance(content, Text) and not content.text


def _is_plain(edge: Edge) -> bool:
    """True if an edge is a continuation of a single node, as nearly all are."""
    sources = edge.sources
    return edge.type == "continuation" and len(sources) == 1 and sources[0].role == "primary"
