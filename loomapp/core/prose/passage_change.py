"""Passage change: one Change of a buffer's text as it comes together; each step sees those before it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from loomapp.core.edits.edit_context import EditContext
from loomapp.core.edits.node_edits import included_instead
from loomapp.core.errors import InvalidInput
from loomapp.core.json_values import Json
from loomapp.core.model.change import Change, ChangeKind, RowChange
from loomapp.core.model.content import Text, well_formed
from loomapp.core.model.entities import Edge, EdgeSource, EdgeType, Interrupted, Metadata, Node
from loomapp.core.model.hashes import ResponseDigest, content_hash
from loomapp.core.model.raw_response import Evidence
from loomapp.core.model.tree import Tree
from loomapp.core.paths.piece_table import PART, PIECES, Pieces, to_json
from loomapp.core.paths.resolve import place_on
from loomapp.core.prose.authorship import Author
from loomapp.core.response_text.rules import rule_for_pieces
from loomapp.core.sentences import worded


class PassageChange:
    """Rows of one Change, and the way the active path takes through them, root first.

    Nothing that is in the tree is touched but the sources of edges, which only ever gain: who follows a node
    follows its versions too, and the hashes below stay true.
    """

    def __init__(self, tree: Tree, way: Sequence[str], pen: EditContext) -> None:
        self._tree, self._pen = tree, pen
        self._way = list(way)
        self._nodes: dict[str, Node] = {}
        self._edges: dict[str, Edge] = {}  # new and changed ones, as they will be
        self._into: dict[str, Edge] = {}  # new ones, by target
        self._chosen: dict[str, str] = {}
        self._turns: set[int] = set()  # places of the way that are come to another way
        self._evidence: dict[str, Evidence] = {}

    def node(self, node_id: str) -> Node:
        """A node of the tree, or one that was added."""
        return self._nodes.get(node_id) or self._tree.nodes[node_id]

    def sources_of(self, node_id: str) -> tuple[EdgeSource, ...]:
        """Return the future sources of a node, which continues them or is a note on them; () for a root."""
        edge = self._edge_into(node_id)
        return () if edge is None else edge.sources

    def kind_of(self, node_id: str) -> EdgeType:
        """Return the future kind of the edge into a node: it continues others or is a note on them."""
        edge = self._edge_into(node_id)
        return "continuation" if edge is None else edge.type

    def add(
        self,
        text: str,
        sources: Iterable[EdgeSource],
        *,
        edited_from: str | None,
        pieces: Pieces,
        author: Author | None = None,
        evidence: tuple[Evidence, int] | None = None,
        interrupted: Interrupted | None = None,
        excluded: bool = False,
        part: str | None = None,
        kind: EdgeType = "continuation",
        extra: Json | None = None,
        node_id: str = "",
    ) -> str:
        """A new node that hangs on sources, by the pen's author unless another is given; its id, a new one
        unless it is given.

        `evidence` is the response that it rests on, and the index of its choice there.
        """
        sources = tuple(sources)
        author = author or Author(self._pen.author_type, self._pen.agent_id)
        node_id = node_id or self._pen.new_id()
        hashed = sources if kind == "continuation" else ()  # a note proves its own words alone
        taken = {node.local_id for node in self._nodes.values()}
        node = Node(
            id=node_id,
            local_id=self._tree.new_local_id(node_id, taken),
            content=Text(well_formed(text)),
            author_type=author.author_type,
            author_agent_id=author.agent_id,
            created_at=self._pen.now,
            parent_hashes=tuple(sorted(self.node(source.node_id).content_hash for source in hashed)),
            edited_from=edited_from,
            interrupted=interrupted,
            metadata=Metadata(excluded=excluded),
            extra={PIECES: to_json(pieces), **({} if part is None else {PART: part}), **(extra or {})},
        )
        digest: ResponseDigest | None = None
        if evidence is not None:
            response, index = evidence
            known = self._evidence.get(response.id) or replace(response, choices={}, texts={})
            self._evidence[response.id] = replace(
                known,
                choices={**known.choices, node_id: index},
                texts={**known.texts, node_id: rule_for_pieces(len(pieces))},
            )
            digest = self._evidence[response.id].digest(node_id)
        hashed_too = "" if self._pen.is_sketch else content_hash(node, digest)
        self._nodes[node_id] = replace(node, content_hash=hashed_too)
        if sources:
            edge = Edge(self._pen.new_id(), sources, node_id, kind, self._pen.now)
            self._edges[edge.id] = self._into[node_id] = edge
        return node_id

    def follow_too(self, original_id: str, node_id: str) -> None:
        """Let the continuations of a node continue another one too, to be read after that from now on; notes
        on the one become notes on the other.
        """
        for known in self._tree.edges_out(original_id):
            edge = self._edges.get(known.id, known)
            if original_id in edge.with_role("primary"):
                self._edges[edge.id] = replace(edge, sources=(*edge.sources, EdgeSource(node_id)))
                if edge.type == "continuation":
                    self._chosen[edge.target_id] = node_id

    def note_too(self, original_id: str, node_id: str) -> None:
        """Notes on a node are notes on another one too."""
        for known in self._tree.edges_out(original_id):
            edge = self._edges.get(known.id, known)
            if edge.type == "annotation" and original_id in edge.with_role("primary"):
                self._edges[edge.id] = replace(edge, sources=(*edge.sources, EdgeSource(node_id)))

    def go_through(self, node_ids: Sequence[str], *, instead_of: Sequence[str]) -> None:
        """The active path takes these nodes in the place of neighbours on it; if they are none, as it was."""
        place = place_on(self._tree, self._way, instead_of[0])
        if place is None:
            return
        if self._way[place : place + len(instead_of)] == list(instead_of):
            self._way[place : place + len(instead_of)] = node_ids
            self._turns.update(range(place, place + len(node_ids) + 1))

    def change(self, label: str, kind: ChangeKind = "") -> Change | None:
        """Return all of it as one Change; None if it adds nothing."""
        if not self._nodes and not self._edges:
            return None
        tree = self._tree
        rows = [RowChange(None, node) for node in self._nodes.values()]
        rows += (RowChange(tree.edges.get(edge_id), edge) for edge_id, edge in self._edges.items())
        rows += included_instead(tree, self._edited_notes())
        before = tree.path
        selections = {**before.selections, **self._chosen}
        for above, node_id in self._changed_steps():
            edge = self._edge_into(node_id)
            if edge is not None and len(edge.with_role("primary")) > 1:
                selections[node_id] = above
        after = replace(before, leaf_id=self._way[-1], selections=selections)
        if after != before:
            rows.append(RowChange(before, after))
        evidence = tuple(self._evidence.values())
        made = tuple(rows)
        return Change(tree.loom.id, label, self._pen.now, made, by=self._pen.by, evidence=evidence, kind=kind)

    def _edited_notes(self) -> dict[str, str]:
        notes = (node for node in self._nodes.values() if self.kind_of(node.id) == "annotation")
        return {node.edited_from: node.id for node in notes if node.edited_from is not None}

    def _changed_steps(self) -> Iterator[tuple[str, str]]:
        """The steps of the way to and from what is new, and to what another one could lead to now."""
        way, places = self._way, self._turns
        led_to = {way[place] for place in places if place < len(way)}
        if elsewhere := self._chosen.keys() - led_to:
            places = places | {way.index(target) for target in elsewhere & set(way)}
        for place in sorted(places):
            if 0 < place < len(way):
                yield way[place - 1], way[place]

    def _edge_into(self, node_id: str) -> Edge | None:
        if node_id in self._into:
            return self._edges[self._into[node_id].id]
        arrivals = self._tree.incoming(node_id) or self._tree.annotation_edges_into(node_id)
        return self._edges.get(arrivals[0].id, arrivals[0]) if arrivals else None


def plain_text_of(node: Node) -> str:
    """The text of a node that can be edited as text. Raises: InvalidInput for any other."""
    if not isinstance(node.content, Text):
        raise InvalidInput(
            worded("{node} is not plain text and cannot be edited as text.", node=node.local_id)
        )
    return node.content.text
