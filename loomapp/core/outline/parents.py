"""Outline parents: the node that each one hangs on, also below what a buffer reads otherwise."""

from __future__ import annotations

from collections.abc import Callable, Collection, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from loomapp.core.model.tree import Tree
from loomapp.core.paths.piece_table import PART, PIECES, SPLIT
from loomapp.core.paths.siblings import is_merged
from loomapp.core.paths.version_groups import Kinship, VersionGroups, default_primary

NEAR = 1000  # passages that are put together in one


@dataclass(slots=True)
class OutlineParents:
    """Remembered while asked for many; of no use any more once the tree moved.

    Of several sources the one that is read counts; where none or more of them are, the newest that lives, as
    where no path says otherwise. That one and no choice is asked keeps versions together that have the same
    sources.
    """

    tree: Tree
    show_pruned: bool
    way: Container[str] = ()  # what is read
    families: VersionGroups = field(init=False)
    stems: Kinship = field(init=False)
    _texts: dict[str, str] = field(default_factory=dict)
    _taken_up: dict[str, frozenset[str]] = field(default_factory=dict)
    _read: dict[str, bool] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.families, self.stems = VersionGroups(self.tree), Kinship(self.tree)

    def is_shown(self, node_id: str) -> bool:
        """True for a node that is there, and not hidden since it is pruned."""
        node = self.tree.nodes.get(node_id)
        return node is not None and (self.show_pruned or not node.metadata.pruned)

    def parent(self, node_id: str) -> str | None:
        """The node that it continues, or is a note on; where that is hidden the nearest shown one above it;
        None if there is none.
        """
        above, seen = self._directly_above(node_id), set[str]()
        while above is not None and not self.is_shown(above) and above not in seen:
            seen.add(above)
            above = self._directly_above(above)
        return above if above is not None and self.is_shown(above) else None

    def _directly_above(self, node_id: str) -> str | None:
        """Return the node that this one continues or is a note on, a shown one if there is any."""
        plain = self.tree.plain_parents.get(node_id)
        if plain is not None:
            return plain
        edges = self.tree.incoming(node_id) or self.tree.annotation_edges_into(node_id)
        there = [one for one in edges[0].with_role("primary") if one in self.tree.nodes] if edges else []
        shown = [one for one in there if self.is_shown(one)] or there
        read = [one for one in shown if one in self.way]
        if len(read) == 1:
            return read[0]
        return default_primary(self.tree, shown, self.families) if shown else None

    def text(self, node_id: str) -> str:
        """The first that a node is an edit of as a whole: none of them was parted or put together."""
        chain: dict[str, None] = {}
        current = node_id
        while current not in self._texts and current not in chain:
            chain[current] = None
            node = self.tree.nodes.get(current)
            if node is None or node.edited_from is None or PART in node.extra:
                self._texts[current] = current
            else:
                current = node.edited_from
        text = self._texts.get(current, current)
        self._texts.update(dict.fromkeys(chain, text))
        return text

    def is_read(self, text_id: str) -> bool:
        """True if a text is read, in one of its versions."""
        if text_id not in self._read:
            self._read[text_id] = self._reads(text_id, lambda one: self.text(one) == text_id)
        return self._read[text_id]

    def is_read_apart(self, merged_id: str) -> bool:
        """True if of what was put together a passage is read for itself, or in parts."""
        return any(
            self.is_read(text) or self._reads(text, lambda one: not self.is_merged(one))
            for text in self.taken_up(merged_id)
        )

    def _reads(self, node_id: str, belongs: Callable[[str], bool]) -> bool:
        """True if a node is read, or one of those edits of it, and of these, that belong to it."""
        waiting, met = [node_id], {node_id}
        while waiting:
            current = waiting.pop()
            if current in self.way:
                return True
            more = [one for one in self.tree.edits_of(current) if one not in met and belongs(one)]
            met.update(more)
            waiting += more
        return False

    def parted_from(self, node_id: str) -> str | None:
        """The node that one is a part of, or a version of a part; None for a whole."""
        part = self.tree.nodes.get(self.text(node_id))
        return part.edited_from if part is not None and part.extra.get(PART) == SPLIT else None

    def read_whole(self, node_id: str) -> str | None:
        """The node that is read in one version or another, and of which one is a part of a part; None if it
        is not read whole.
        """
        seen: set[str] = set()
        whole = self.parted_from(node_id)
        while whole is not None and whole not in seen:
            if self.is_read(self.text(whole)):
                return whole
            seen.add(whole)
            whole = self.parted_from(whole)
        return None

    def parts(self, whole_id: str) -> set[str]:
        """The parts of a node that is read whole, and all that was made of them."""
        nodes = self.tree.nodes
        edits = self.tree.edits_of(whole_id)
        waiting = [one for one in edits if one in nodes and nodes[one].extra.get(PART) == SPLIT]
        if not waiting or not self.is_read(self.text(whole_id)):
            return set()
        found = set(waiting)
        while waiting:
            more = [one for one in self.tree.edits_of(waiting.pop()) if one not in found]
            found.update(more)
            waiting += more
        return found

    def is_merged(self, node_id: str) -> bool:
        """True for a node that says what several said."""
        node = self.tree.nodes.get(node_id)
        return node is not None and is_merged(node)

    def chain(self, merged_id: str) -> list[str]:
        """The nodes that were put together in one, but the first, whose place that has."""
        node = self.tree.nodes[merged_id]
        said = node.extra.get(PIECES)
        pieces = said if isinstance(said, list) else []
        named = [i[0] for i in pieces if isinstance(i, list) and i and isinstance(i[0], str)]
        if not named or node.edited_from is None:
            return []
        first = self.text(named[0])
        found = dict.fromkeys(i for i in named if self.text(i) != first)
        current: str | None = node.edited_from
        walked: dict[str, None] = {}  # an empty passage has no piece
        while current is not None and len(walked) < NEAR and current not in walked:
            if self.text(current) == first:
                found.update(walked)
                break
            walked[current] = None
            edges = self.tree.incoming(current)
            current = next(iter(edges[0].with_role("primary")), None) if edges else None
        found.setdefault(node.edited_from)
        return [i for i in found if i in self.tree.nodes and self.text(i) != first]

    def taken_up(self, merged_id: str) -> frozenset[str]:
        """The texts of that chain."""
        if merged_id not in self._taken_up:
            self._taken_up[merged_id] = frozenset(map(self.text, self.chain(merged_id)))
        return self._taken_up[merged_id]

    def in_order(self, node_ids: Collection[str], elders: Mapping[str, str] | None = None) -> Iterator[str]:
        """Yield these nodes, each after what it hangs on, was made of, and was taken up in, and after its
        elder.
        """
        elders = elders or {}
        waiting = node_ids if isinstance(node_ids, (dict, set)) else set(node_ids)
        merges: dict[str, list[str]] = {}
        for node_id in node_ids:
            if self.is_merged(node_id):
                for text in self.taken_up(node_id):
                    merges.setdefault(text, []).append(node_id)
        entered: set[str] = set()
        # What was taken up goes last, so that versions come in their own order.
        starts = sorted(node_ids, key=lambda one: self.text(one) in merges) if merges else node_ids
        for start in starts:
            stack = [(start, False)]
            while stack:
                node_id, is_ready = stack.pop()
                if is_ready:
                    yield node_id
                elif node_id not in entered:
                    entered.add(node_id)
                    stack.append((node_id, True))
                    before = (self.parent(node_id), self.stems.before(node_id), elders.get(node_id))
                    later = reversed(merges.get(self.text(node_id), ())) if merges else ()
                    stack += [(one, False) for one in (*later, *before) if one is not None and one in waiting]


FEW = 1_000  # nodes that are looked at one by one


def read_otherwise(hanging: OutlineParents, stretches: Iterable[Sequence[str]]) -> set[str]:
    """Nodes that may hang elsewhere now that these are read, or no more: what has one of several versions
    above it, and what was parted or put together.
    """
    tree, found = hanging.tree, set[str]()
    nodes, edited = tree.nodes, tree.edited
    for node_ids in stretches:
        for node_id in _versions_in(tree, node_ids) if len(node_ids) > len(edited) + FEW else node_ids:
            if node_id in nodes and (node_id in edited or nodes[node_id].edited_from is not None):
                found |= _following(tree, node_id)
                found |= _parts(hanging, node_id)
    return found


def _versions_in(tree: Tree, node_ids: Sequence[str]) -> set[str]:
    """Return the nodes of a long stretch that others were edited from, or that are edits."""
    edits = (one for original in tree.edited for one in tree.edits_of(original))
    return {*tree.edited, *edits}.intersection(node_ids)


def _following(tree: Tree, node_id: str) -> set[str]:
    """Return the nodes that have this one and others above them."""
    before = tree.plain_parents
    notes = tree.notes(node_id) if node_id in tree.noted else ()
    return {one for one in (*tree.children(node_id), *notes) if one not in before}


def _parts(hanging: OutlineParents, node_id: str) -> set[str]:
    """Return the merges with this node, the parts of it, and the nodes it was merged from, with all their
    versions.
    """
    tree, first = hanging.tree, hanging.text(node_id)
    waiting, met = [first], {first}
    found: set[str] = set()
    while waiting:
        for one in tree.edits_of(waiting.pop()):
            if one not in met:
                met.add(one)
                waiting.append(one)
                if hanging.text(one) != first:
                    found.add(one)
    found.update(one for one in met if hanging.is_merged(one))
    return found
