"""Passage change: one Change of a buffer's text as it comes together, and where places are after one."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from difflib import SequenceMatcher
from itertools import accumulate

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
from loomapp.core.paths.path import Path, apart
from loomapp.core.paths.piece_table import PART, PIECES, Pieces, to_json
from loomapp.core.paths.resolve import place_on
from loomapp.core.prose.authorship import Author
from loomapp.core.prose.buffer_text import BufferText, TextChange, difference
from loomapp.core.response_text.rules import rule_for_pieces
from loomapp.core.sentences import worded
from loomapp.core.text.diff import WORD


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


MOST_CHARACTERS = 300  # of words that are looked at by their characters: some scripts have no spaces
LEAST_CHARACTERS = 3  # that say where they stood
MOST_WORDS = 300  # of a stretch; of a longer one it is only known where it begins and ends


def splices_to(buffer_text: BufferText, path: Path) -> tuple[TextChange, ...]:
    """Return the splices that make a text that of another path; see `splices_between`."""
    head, tail = apart(buffer_text.way, path)
    end, end_on = len(buffer_text.node_ids) - tail, len(path.node_ids) - tail
    if head == end == end_on:
        return ()
    start = buffer_text.passage(head).start
    return splices_between(buffer_text.run(head, end), buffer_text.run_on(path, head, end_on), start)


def splices_between(
    before: Sequence[tuple[str, str]], after: Sequence[tuple[str, str]], start: int = 0
) -> tuple[TextChange, ...]:
    """Return the splices that make one run of passages, each an id and its text, another that begins at the
    same place: as little as possible, the last first, so that each is counted in the text in which those
    before it are done.

    Passages that both have stay where they are, and between them the words that both have.
    """
    places = {node_id: place for place, (node_id, _) in enumerate(after)}
    starts = [*accumulate((len(text) for _, text in before), initial=start)]
    found: list[TextChange] = []
    since, since_after = 0, 0
    for place, (node_id, _) in enumerate((*before, ("", ""))):
        is_end = place == len(before)
        there = len(after) if is_end else places.get(node_id, -1)
        if there < since_after:
            continue
        until, until_after = (place, there) if is_end else (place + 1, there + 1)
        stays = () if is_end else ((before[place][1], after[there][1], starts[place]),)
        gap = (_said(before[since:place]), _said(after[since_after:there]), starts[since])
        for was, says, at in (gap, *stays):
            found += _words_between(was, says, at)
        since, since_after = until, until_after
    return tuple(reversed(found))


def place_after(place: int, splices: Iterable[TextChange], *, stays: bool = False) -> int:
    """Move a place of a text through splices done one after the other: it stays before the character that it
    stood before, or with `stays` behind the one that it stood behind. Within what is gone, behind what came
    instead.
    """
    for splice in splices:
        is_at_start = place == splice.start and (stays or splice.start < splice.end)
        if is_at_start or place < splice.start:
            continue
        place = place + splice.shift if place >= splice.end else splice.start + len(splice.text)
    return place


def selection_after(anchor: int, caret: int, splices: Sequence[TextChange]) -> tuple[int, int]:
    """Move an anchor and a caret through splices done one after the other: what is selected between them is
    still, and nothing that came at its ends. With nothing selected, or nothing left of it, both stand at the
    caret's place.
    """
    begin, end = sorted((anchor, caret))
    first, last = place_after(begin, splices), place_after(end, splices, stays=True)
    if first >= last:
        place = place_after(caret, splices)
        return place, place
    return (first, last) if anchor == begin else (last, first)


def stretches_after(start: int, end: int, splices: Iterable[TextChange]) -> list[tuple[int, int]]:
    """Return the rest of a stretch after some splices, in order: nothing that came into it is part of it."""
    left = [(start, end)]
    for splice in splices:
        left = [one for stretch in left for one in _without(*stretch, splice)]
    return left


def _without(start: int, end: int, splice: TextChange) -> Iterator[tuple[int, int]]:
    if start < splice.start:
        yield start, min(end, splice.start)
    if splice.end < end:
        yield max(start, splice.end) + splice.shift, end + splice.shift


def _said(passages: Sequence[tuple[str, str]]) -> str:
    return "".join(text for _, text in passages)


def _words_between(before: str, after: str, start: int) -> Iterator[TextChange]:
    """Give the splices that make one text another, by words, in order, each counted in the text before."""
    whole = difference(before, after, start)
    if whole is None:
        return
    first = _word_before(before, whole.start - start)
    rest = _word_before(before[::-1], len(before) - (whole.end - start))
    was, says = before[first : len(before) - rest], after[first : len(after) - rest]
    old, new = WORD.findall(was), WORD.findall(says)
    if len(old) > MOST_WORDS or len(new) > MOST_WORDS or not old or not new:
        yield whole
        return
    at = at_after = 0
    for a, c, size in SequenceMatcher(None, old, new, autojunk=False).get_matching_blocks():
        if size and not any(word[0].isalnum() for word in old[a : a + size]):
            continue  # a space says nothing of where it stood
        begin, begin_after = len("".join(old[:a])), len("".join(new[:c]))
        yield from _within(was[at:begin], says[at_after:begin_after], start + first + at)
        length = len("".join(old[a : a + size]))
        at, at_after = begin + length, begin_after + length


def _within(before: str, after: str, start: int) -> Iterator[TextChange]:
    """Give the splices that make some words others: all of them, unless most of the characters stay."""
    if before == after:
        return
    stays: list[tuple[int, int, int]] = []
    if len(before) <= MOST_CHARACTERS and len(after) <= MOST_CHARACTERS:
        blocks = SequenceMatcher(None, before, after, autojunk=False).get_matching_blocks()
        stays = [(a, b, size) for a, b, size in blocks if size >= LEAST_CHARACTERS]
    if 2 * sum(size for _, _, size in stays) < min(len(before), len(after)):
        stays = []
    at = at_after = 0
    for a, b, size in (*stays, (len(before), len(after), 0)):
        if (at, at_after) != (a, b):
            yield TextChange(start + at, start + a, after[at_after:b])
        at, at_after = a + size, b + size


def _word_before(text: str, at: int) -> int:
    """Find the beginning of the word that goes on at a place; the place itself between words."""
    while at > 0 and text[at - 1].isalnum():
        at -= 1
    return at
