"""Order of creation: of a tree's nodes and edges, and of the children of nodes that have very many."""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any, Protocol, TypeVar

from loomapp.core.model.caches import Emptiable
from loomapp.core.model.entities import Edge, Node
from loomapp.core.model.overlay import overlay_of

V = TypeVar("V")
R = TypeVar("R", Node, Edge)
PART = 1000  # rows at once: less than a millisecond


def parts_of(rows: Iterable[R]) -> Iterator[list[R]]:
    rest = iter(rows)
    while part := list(islice(rest, PART)):
        yield part


class CreationOrder:
    """The place of each row, of those that left too: 0, 1, 2, … A row that comes back has its place again.

    Places of rows that came in together are told at the first question: a reader asks for few or none.
    """

    def __init__(self, keys: Iterable[str] = ()) -> None:
        self._places = {key: place for place, key in enumerate(keys)}
        self._untold: dict[str, Any] = {}  # rows that came in together and since, all of them still there
        self.is_restored = True  # False while rows that came back stand behind younger ones

    @property
    def places(self) -> dict[str, int]:
        """The place of each row. Nobody takes a row away before this was asked for."""
        if self._untold:
            self._places.update({key: place for place, key in enumerate(self._untold)})
            self._untold = {}
        return self._places

    @property
    def memory(self) -> Emptiable:
        """Its memory, to be let go of in slices."""
        return self._places

    def over(self) -> CreationOrder:
        """Return an order that is as this one, and into which rows may come without moving this one."""
        found = CreationOrder()
        found._places, found.is_restored = overlay_of(self.places), self.is_restored
        return found

    def admit(self, key: str, rows: dict[str, V]) -> None:
        """Give a place to a row that is about to come: behind all others, or the one it had."""
        if self._untold and key not in rows:
            return  # it will be told with them
        if key not in self.places:
            self.places[key] = len(self.places)
            return
        place, last = self.places[key], next(reversed(rows.keys()), None)
        if last is not None and self.places[last] > place:
            self.is_restored = False

    def take(self, rows: Sequence[R], here: dict[str, R]) -> bool:
        """Put rows behind all others; none of them if one is here already, or comes twice."""
        new = {row.id: row for row in rows}
        if len(new) < len(rows) or not here.keys().isdisjoint(new):
            return False
        first = len(self._places)
        if first:
            self._places.update(zip(new, range(first, first + len(new)), strict=True))
        else:
            self._untold = here
        here.update(new)
        return True

    def restored(self, rows: dict[str, V]) -> dict[str, V]:
        """Return the rows in order of creation: the same ones, unless some came back among others."""
        if self.is_restored:
            return rows
        self.is_restored = True
        return {key: rows[key] for key in sorted(rows, key=self.places.__getitem__)}

    def insert(self, keys: list[str], key: str) -> None:
        """Put a key into a list that is sorted by place: what is new nearly always comes last."""
        if self._untold and key == next(reversed(self._untold)):
            keys.append(key)
            return
        places = self.places
        if not keys or places[keys[-1]] < places[key]:
            keys.append(key)
        else:
            insort(keys, key, key=places.__getitem__)

    def remove(self, keys: list[str], key: str) -> None:
        """Take a key out of a list that is sorted by place, without looking at all of it."""
        del keys[bisect_left(keys, self.places[key], key=self.places.__getitem__)]

    def drop(self, lists: dict[str, list[str]], name: str, key: str) -> None:
        """Take a key out of the sorted list of that name, and the list with its last key."""
        self.remove(lists[name], key)
        if not lists[name]:
            del lists[name]


MANY = 48  # children; fewer are as fast looked up one by one
SLICE = 200  # children that are looked up at a step


class Rows(Protocol):
    """Rows of the tree, as the index of its children reads them."""

    @property
    def nodes(self) -> Mapping[str, Node]: ...

    @property
    def edges(self) -> Mapping[str, Edge]: ...

    @property
    def plain_parents(self) -> Mapping[str, str]: ...

    def incoming(self, node_id: str) -> tuple[Edge, ...]: ...

    def edge_place(self, edge_id: str) -> int: ...


class ChildList:
    """The children of one node in the order of their edges, and those of them that live: that are there and
    not pruned. An edge is known by its place in the order of all edges.
    """

    def __init__(self) -> None:
        self._places: list[int] = []
        self._children: list[str] = []
        self._living_places: list[int] = []
        self._living: list[str] = []
        self._told: tuple[tuple[str, ...], tuple[str, ...]] | None = None  # until one comes or goes

    def extend(self, children: Sequence[tuple[int, str, bool]]) -> None:
        """Add children after all others: place of the edge, id, and whether it lives; by place."""
        self._told = None
        self._places += [place for place, _, _ in children]
        self._children += [child for _, child, _ in children]
        self._living_places += [place for place, _, lives in children if lives]
        self._living += [child for _, child, lives in children if lives]

    @property
    def children(self) -> tuple[str, ...]:
        return self._both()[0]

    @property
    def living(self) -> tuple[str, ...]:
        return self._both()[1]

    @property
    def first_living(self) -> str | None:
        """The first of those; of all of them a list would have to be made."""
        return self._living[0] if self._living else None

    def living_place(self, place: int) -> int:
        """Return a child's place among those that live, from 0; by the place of its edge."""
        return bisect_left(self._living_places, place)

    def _both(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        if self._told is None:
            self._told = tuple(self._children), tuple(self._living)
        return self._told

    def add(self, place: int, child: str, *, lives: bool) -> None:
        self._told = None
        at = bisect_left(self._places, place)
        self._places.insert(at, place)
        self._children.insert(at, child)
        if lives:
            self.set_living(place, child, lives=True)

    def remove(self, place: int) -> None:
        at = bisect_left(self._places, place)
        self._told = None
        self.set_living(place, self._children[at], lives=False)
        del self._places[at]
        del self._children[at]

    def set_living(self, place: int, child: str, *, lives: bool) -> None:
        """A child is there and not pruned, or is not."""
        at = bisect_left(self._living_places, place)
        known = at < len(self._living_places) and self._living_places[at] == place
        if lives and not known:
            self._told = None
            self._living_places.insert(at, place)
            self._living.insert(at, child)
        elif known and not lives:
            self._told = None
            del self._living_places[at]
            del self._living[at]


class ChildIndex:
    """The broods of a tree that were asked for. The tree tells what moves; few of its nodes have any."""

    def __init__(self, tree: Rows) -> None:
        self._tree = tree
        self._by_parent: dict[str, ChildList] = {}

    def of(self, parent_id: str, edges: Iterable[tuple[str, int]]) -> ChildList:
        """The brood of a node; `edges` are all that go out of it, with their places."""
        if parent_id not in self._by_parent:
            for _ in self.look_up(parent_id, edges):
                pass
        return self._by_parent[parent_id]

    def look_up(self, parent_id: str, edges: Iterable[tuple[str, int]]) -> Iterator[None]:
        """Find the brood of a node, some of it at each step: it may be a hundred thousand.
        It is known once all of it is found.
        """
        if parent_id in self._by_parent:
            return
        here, plain = self._tree.edges, self._tree.plain_parents
        brood, waiting = ChildList(), iter(edges)
        while some := list(islice(waiting, SLICE)):
            known = ((here[edge_id], place) for edge_id, place in some)
            children = [
                (place, edge.target_id, self._lives(edge.target_id))
                for edge, place in known
                if (edge.type == "continuation" and plain.get(edge.target_id) == parent_id)
                or parent_id in parents_by(edge)
            ]
            brood.extend(children)
            yield
        self._by_parent[parent_id] = brood

    def tell(self, node_id: str) -> None:
        """A node came, went or was replaced."""
        for edge in self._tree.incoming(node_id):
            for parent_id in set(parents_by(edge)) & self._by_parent.keys():
                place = self._tree.edge_place(edge.id)
                self._by_parent[parent_id].set_living(place, node_id, lives=self._lives(node_id))

    def move(self, before: Edge | None, after: Edge | None, place: int) -> None:
        """An edge came, went, or leads to the same node from others."""
        edge = after or before
        assert edge is not None, "an edge is there before or after"
        old, new = (set(parents_by(one)) & self._by_parent.keys() for one in (before, after))
        for parent_id in old - new:
            self._by_parent[parent_id].remove(place)
        for parent_id in new - old:
            lives = self._lives(edge.target_id)
            self._by_parent[parent_id].add(place, edge.target_id, lives=lives)

    def _lives(self, node_id: str) -> bool:
        node = self._tree.nodes.get(node_id)
        return node is not None and not node.metadata.pruned


def parents_by(edge: Edge | None) -> tuple[str, ...]:
    """The nodes that an edge makes its target a child of."""
    return edge.with_role("primary") if edge is not None and edge.type == "continuation" else ()
