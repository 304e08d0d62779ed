"""A selection of several nodes, and what is true of them, each found once while nothing moves."""

from __future__ import annotations

from collections.abc import Callable, Collection
from collections.abc import Set as AbstractSet
from itertools import compress
from operator import attrgetter

from loomapp.core.model.entities import Node
from loomapp.core.model.tree import Tree

Question = Callable[[Node], bool]

NOBODY: frozenset[str] = frozenset()

IS_PRUNED: Question = attrgetter("metadata.pruned")


class Chosen:
    """Several nodes that were selected. Every action asks about them whenever anything changed, so what was
    found is kept as long as the tree stays as it is, and what has an order is put into it when it is wanted.
    """

    def __init__(self, node_ids: frozenset[str] = NOBODY) -> None:
        self.node_ids = node_ids
        self._asked_of: tuple[Tree, int] | None = None
        self._found: frozenset[str] | None = None
        self._messages: tuple[str, ...] | None = None
        self._leading_on: AbstractSet[str] | None = None
        self._goes_on: bool | None = None
        self._notes: tuple[str, ...] | None = None
        self._examples: dict[tuple[Question, bool], str | None] = {}

    def found(self, tree: Tree) -> frozenset[str]:
        """Return the selected messages of a tree: not the empty root, and none of one that stands alone."""
        now = tree, tree.touches.mark
        if self._asked_of != now:
            self._asked_of = now
            self._found = self._messages = self._notes = self._leading_on = self._goes_on = None
            self._examples = {}
        if self._found is None:
            there = tree.nodes.keys() >= self.node_ids
            found = self.node_ids if there else self.node_ids & tree.nodes.keys()
            silent = {tree.root_id} if tree.is_empty_root(tree.root_id) else NOBODY
            self._found = NOBODY if len(found) < 2 else found - silent if found & silent else found
        return self._found

    def messages(self, tree: Tree) -> tuple[str, ...]:
        """Return the selected messages, always in the same order."""
        found = self.found(tree)
        if self._messages is None:
            self._messages = tuple(sorted(found))
        return self._messages

    def leading_on(self, tree: Tree) -> AbstractSet[str]:
        """Return the selected nodes that an edge leads on from: those that others continue are among them."""
        found = self.found(tree)
        if self._leading_on is None:
            self._leading_on = tree.leading_on & found
        return self._leading_on

    def goes_on(self, tree: Tree) -> bool:
        maybe = self.leading_on(tree)
        if self._goes_on is None:
            self._goes_on = any(tree.children(node_id) for node_id in maybe)
        return self._goes_on

    def notes(self, tree: Tree) -> tuple[str, ...]:
        """Return the selected notes, in order."""
        found = self.found(tree)
        if self._notes is None:
            maybe = tree.note_ids & found
            self._notes = tuple(sorted(i for i in maybe if tree.annotation_edges_into(i)))
        return self._notes

    def any_is(self, tree: Tree, question: Question) -> bool:
        """True if something is so of any of them."""
        return self._example(tree, question, self.found(tree), wanted=True) is not None

    def all_are(self, tree: Tree, question: Question) -> bool:
        """True if something is so of each of them."""
        return self._example(tree, question, self.found(tree), wanted=False) is None

    def can_be_pruned(self, tree: Tree) -> bool:
        """True if any of them lives, the root aside."""
        return self._example(tree, IS_PRUNED, self.found(tree) - {tree.root_id}, wanted=False) is not None

    def _example(self, tree: Tree, question: Question, among: Collection[str], *, wanted: bool) -> str | None:
        """Return a node for which `question` is `wanted`, or None."""
        key = question, wanted
        if key not in self._examples:
            answers = map(question, map(tree.nodes.__getitem__, among))
            suits = answers if wanted else (not answer for answer in answers)
            self._examples[key] = next(compress(among, suits), None)
        return self._examples[key]
