"""Ways that a tree goes on below a node, one node each, as the pagers of its text offer them."""

from __future__ import annotations

from collections.abc import Generator, Iterable, Iterator, Sequence
from dataclasses import field
from itertools import islice, pairwise
from typing import TypeVar

from loomapp.core.context.economy import stages_on
from loomapp.core.context.settings import AppContextSettings, effective
from loomapp.core.dataclass import dataclass
from loomapp.core.economy.coverage import covered_by
from loomapp.core.errors import AssemblyError
from loomapp.core.model.content import Text
from loomapp.core.model.entities import ContextSettings
from loomapp.core.model.tree import Tree
from loomapp.core.paths.path import NodeSequence, node_sequence
from loomapp.core.paths.resolve import resolve
from loomapp.core.paths.siblings import told_apart
from loomapp.core.paths.version_groups import Kinship, VersionGroups, default_primary

SLICE = 200  # messages a step of whatever looks into each of them
FEW = 50  # passages a step, each of which may have versions
MANY = 10_000  # nodes a step of looking through the tree
Item = TypeVar("Item")
Answer = TypeVar("Answer")


@dataclass(slots=True)
class TreeWays:
    """Ways on below each node. Of the versions of a passage in a buffer one stands for all: the one on the
    way to the current node, else the one that is read, else the newest. It holds until the tree moves.
    """

    tree: Tree
    path: NodeSequence
    trail: NodeSequence  # the way to the current node
    show_pruned: bool
    defaults: AppContextSettings = field(default_factory=AppContextSettings)  # what the tree inherits
    beginnings: list[str] = field(default_factory=list)  # nodes that continue nothing, the root first
    versions: dict[str, tuple[str, ...]] = field(default_factory=dict)  # of what stands for several
    only: dict[str, str] = field(default_factory=dict)  # node -> the one way on, where there is no other
    noted: set[str] = field(default_factory=set)  # bookmarks and branches with a title
    covered: set[str] = field(default_factory=set)  # nodes that a summary stands for
    _on: dict[str, tuple[str, ...]] = field(default_factory=dict)
    _lifted: dict[str, list[str]] = field(default_factory=dict)  # node -> what lives below its pruned ones
    _families: VersionGroups = field(init=False)

    def __post_init__(self) -> None:
        self._families = VersionGroups(self.tree)

    def look_through(self) -> Iterator[None]:
        """Find what is no child of what is shown: beginnings, and what lives below pruned nodes; and what is
        known at once of nodes that go on in one way, or in very many.
        """
        tree, plain, leading = self.tree, self.tree.plain_parents, self.tree.goes_on
        nodes = tree.nodes
        pruned: list[str] = []
        without: list[str] = []
        self.noted.update(tree.branch_summaries)
        settings = effective(self.defaults, tree.loom.context_settings, ContextSettings())
        rows = tuple(tree.context_summaries.values()) if stages_on(tree, settings).summary else ()
        for row in reversed(rows):  # later ones mostly cover what those before them do
            if row.anchor_node_id not in self.covered:
                self.covered.update(covered_by(tree, row))
                yield
        for some in _sliced(plain.items(), MANY):
            self.only |= {above: i for i, above in some if above not in leading}
            yield
        for some_nodes in _sliced(nodes.items(), MANY):
            self.noted.update(i for i, node in some_nodes if node.metadata.bookmarked)
            pruned += [i for i, node in some_nodes if node.metadata.pruned]
            without += [i for i, _ in some_nodes if i not in plain or plain[i] not in nodes]
            yield
        self.beginnings.append(tree.root_id)
        for some_ids in _sliced(without, SLICE):
            self.beginnings += [i for i in some_ids if i != tree.root_id and self._begins(i)]
            yield
        hubs = tree.with_many_children()
        yield
        yield from tree.index_children(hubs)
        if not self.show_pruned:
            yield from self._lift_from(pruned)
        for hub in hubs:
            children = self._children(hub)
            yield
            self._on[hub] = yield from self.finding_ways(children)

    def _lift_from(self, pruned: Iterable[str]) -> Iterator[None]:
        """Nodes that live below pruned ones hang on those above them."""
        plain, looked_at = self.tree.plain_parents, 0
        for node_id in pruned:
            self.only.pop(plain.get(node_id, ""), None)
            for child in self.tree.living_children(node_id):
                if plain.get(child) == node_id:
                    self._lift(child, node_id)
                looked_at += 1
                if looked_at % SLICE == 0:
                    yield
            looked_at += 1
            if looked_at % SLICE == 0:
                yield

    def _begins(self, node_id: str) -> bool:
        edges = self.tree.incoming(node_id) or self.tree.annotation_edges_into(node_id)
        is_hidden = not self.show_pruned and self.tree.nodes[node_id].metadata.pruned
        return not is_hidden and not any(
            p in self.tree.nodes for e in edges[:1] for p in e.with_role("primary")
        )

    def _lift(self, node_id: str, above: str) -> None:
        """A living node hangs on the nearest one above it that is not pruned."""
        met: set[str] = set()
        current: str | None = above
        while current is not None and current not in met and self.tree.nodes[current].metadata.pruned:
            met.add(current)
            found = self.tree.plain_parents.get(current)
            current = found if found in self.tree.nodes else None
        if current is not None and current not in met:
            self._lifted.setdefault(current, []).append(node_id)

    def on(self, node_id: str) -> tuple[str, ...]:
        """The ways on from a node, in order of creation."""
        if node_id not in self._on:
            self._on[node_id] = self.stand_for(self._children(node_id))
        return self._on[node_id]

    def stand_for(self, found: Sequence[str]) -> tuple[str, ...]:
        """One node for each way, of some that a choice is between."""
        if len(found) < 2 or self.tree.loom.mode != "buffer":
            return tuple(found)
        return at_once(self.finding_ways(found))

    def finding_ways(self, found: Sequence[str]) -> Generator[None, None, tuple[str, ...]]:
        """Find these with pauses, since there may be very many."""
        if len(found) < 2 or self.tree.loom.mode != "buffer":
            return tuple(found)
        groups, kinship = dict[str, list[str]](), Kinship(self.tree)
        for place, some in enumerate(_sliced(found, SLICE)):
            if place:
                yield
            for stem, child in zip(kinship.of_each(some), some, strict=True):
                groups.setdefault(stem, []).append(child)
        standing: list[str] = []
        for place, some_groups in enumerate(_sliced(groups.values(), FEW)):
            if place:
                yield
            standing += map(self._standing, some_groups)
        return tuple(standing)

    def _standing(self, group: list[str]) -> str:
        if len(group) == 1:
            return group[0]
        on_trail = next((one for one in group if one in self.trail), None)
        shown = on_trail or next((one for one in group if one in self.path), group[-1])
        self.versions[shown] = told_apart(self.tree, shown, group)
        return shown

    def versions_of(self, node_id: str) -> tuple[str, ...]:
        """The versions of the passage that a node stands for; none if there are not several."""
        found = self.versions.get(node_id, ())
        return found if len(found) > 1 else ()

    def _children(self, node_id: str) -> tuple[str, ...]:
        tree, nodes = self.tree, self.tree.nodes
        if self.show_pruned:
            found = tuple(i for i in tree.children(node_id) if i in nodes)
        else:
            found = tree.living_children(node_id)
        if node_id in self._lifted:
            places = tree.node_places
            found = tuple(sorted((*found, *self._lifted[node_id]), key=places.__getitem__))
        plain = tree.plain_parents
        if all(map(plain.__contains__, found)):
            return found
        return tuple(i for i in found if i in plain or self._hangs_on(i, node_id))

    def _hangs_on(self, child: str, node_id: str) -> bool:
        """True unless a node of several sources has its place below another of them, no version of this."""
        primaries = [p for edge in self.tree.incoming(child)[:1] for p in edge.with_role("primary")]
        chosen = self.tree.path.selections.get(child)
        if chosen not in primaries:
            chosen = default_primary(self.tree, primaries, self._families)
        return chosen == node_id or self._families.of(chosen) == self._families.of(node_id)

    def goes_on(self, node_id: str) -> bool:
        if node_id in self.only:
            return True
        if node_id not in self.tree.leading_on and node_id not in self._lifted:
            return False
        return bool(self.on(node_id))

    def going(self, alternatives: tuple[str, ...]) -> list[str]:
        """Return the ways, of some, that go on further."""
        leading, lifted, only = self.tree.leading_on, self._lifted, self.only
        found = filter(leading.__contains__, alternatives)
        if lifted:
            return [i for i in alternatives if (i in leading or i in lifted) and self.goes_on(i)]
        return [i for i in found if i in only or self.goes_on(i)]  # of very many each call counts

    def notes(self, node_id: str) -> tuple[str, ...]:
        if node_id not in self.tree.noted:
            return ()
        nodes = self.tree.nodes
        notes = (i for i in self.tree.notes(node_id) if i in nodes and not self.tree.incoming(i))
        return tuple(i for i in notes if self.show_pruned or not nodes[i].metadata.pruned)

    def has_words(self, node_id: str) -> bool:
        """True unless a node is a passage of a buffer whose words were deleted, and nobody marked it."""
        content = self.tree.nodes[node_id].content
        is_blank = isinstance(content, Text) and (not content.text or content.text.isspace())
        is_marked = node_id in self.noted or node_id in self.tree.noted
        return not is_blank or is_marked or self.tree.loom.mode != "buffer"

    def count_below(self, node_id: str, most: int) -> int:
        """Count what follows a node, notes apart, and not further than `most`."""
        met: set[str] = set()
        waiting = [node_id]
        only, leading, lifted = self.only, self.tree.leading_on, self._lifted
        while waiting and len(met) <= most:
            here = waiting.pop()
            after = only.get(here)
            if after is None and (here in leading or here in lifted):
                below = [i for i in self.on(here) if i not in met]
            else:  # a leaf, or one of the many that go on in one way
                below = [] if after is None or after in met else [after]
            met.update(below)
            waiting += below
        return min(len(met - {node_id}), most)


@dataclass(slots=True)
class OutlineFolds:
    """Folds of an outline: what a person, or the way to where she is, has opened and shut."""

    opened: dict[str, None] = field(default_factory=dict)  # heads of branches
    shown: dict[str, None] = field(default_factory=dict)  # messages that are in no folded run
    folded: set[str] = field(default_factory=set)  # forks and headings

    def open(self, node_ids: Iterable[str]) -> None:
        """Open the branches that begin with these; the last that were opened come last."""
        for node_id in node_ids:
            self.opened.pop(node_id, None)
            self.opened[node_id] = None

    def show(self, node_ids: Iterable[str]) -> None:
        for node_id in node_ids:
            self.shown.pop(node_id, None)
            self.shown[node_id] = None

    def fold(self, node_ids: Iterable[str]) -> None:
        """Fold branches, or let messages be one of a run again."""
        for node_id in node_ids:
            self.opened.pop(node_id, None)
            self.shown.pop(node_id, None)


def _sliced(items: Iterable[Item], size: int) -> Iterator[list[Item]]:
    """Give items in lists, each of which is looked through in few milliseconds."""
    waiting = iter(items)
    while some := list(islice(waiting, size)):
        yield some


def at_once(search: Generator[None, None, Answer]) -> Answer:
    """Return what a search finds, without its pauses."""
    while True:
        try:
            next(search)
        except StopIteration as found:
            answer: Answer = found.value
            return answer


def way_to(tree: Tree, node_id: str) -> NodeSequence:
    """Return the way to a node; of one that can't be walked to the node alone."""
    try:
        return resolve(tree, node_id)
    except AssemblyError:
        return node_sequence((node_id,) if node_id in tree.nodes else ())


def heads_on(tree: Tree, path: NodeSequence, before: NodeSequence) -> list[str]:
    """Return the nodes of a path that may be heads of branches, and that were not on one before."""
    leading = tree.goes_on
    return [i for above, i in pairwise(path.node_ids) if above in leading and i not in before]
