"""Calls of the open tree and the time they are judged by, for a context that shortens what is long."""

from __future__ import annotations

import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import islice

from PySide6.QtCore import QObject, QTimer, Signal

from loomapp.core.context.settings import AppContextSettings
from loomapp.core.economy.cache_misses import NodeUsage, usage_at_end
from loomapp.core.economy.calls import NO_CALLS, Call, Calls
from loomapp.core.errors import AssemblyError, GroveError
from loomapp.core.model.change import Change
from loomapp.core.model.entities import Node
from loomapp.core.model.tree import Tree
from loomapp.core.paths.resolve import resolve
from loomapp.core.sent.calls import are_calls_needed, calls_of
from loomapp.core.times import Milliseconds
from loomapp.session.open_tree import OpenTree
from loomapp.store.grove.grove import Grove

LOOKED_AT = 8  # answers upwards
READ_AT_ONCE = 300  # nodes of a tree; the calls of 5,000 answers take more than a second to read
TICK_MS = 15_000  # between two looks at the clock


class TreeCalls(QObject):
    """Calls behind the nodes of one tree, read when they are first wanted.

    The clock stands still between two ticks: what is shown and what is sent a moment later are judged by the
    same time.
    """

    ticked = Signal()  # it is later: what is judged by the time may be otherwise

    def __init__(self, owner: OpenTree, grove: Grove, parent: QObject) -> None:
        super().__init__(parent)
        self._owner, self._grove = owner, grove
        self._of: Tree | None = None  # the tree whose calls are known
        self._calls: Calls = NO_CALLS
        # Behind answers that were looked at one by one, by tree and node: copies have the same nodes.
        self._last: dict[tuple[str, str], Call | None] = {}
        self.now: Milliseconds = _clock()
        self._tick = QTimer(self)
        self._tick.setInterval(TICK_MS)
        self._tick.timeout.connect(self.on_tick)

    def calls(self, defaults: AppContextSettings, nodes: Sequence[Node] = ()) -> Calls:
        """Return the calls of the open tree; where nothing is judged by them, those behind the last answers
        among `nodes`: what is used is known by them, and all may be many.
        """
        tree = self._owner.tree
        if not are_calls_needed(tree, defaults):
            self._tick.stop()
            return self._calls if self._of is tree else self._last_calls(tree, nodes)
        if self._of is not tree:
            self._calls = calls_of(tree, self._grove.bodiless_evidence(tree.loom.id))
            self._of, self.now = tree, _clock()
        if not self._tick.isActive():
            self.now = _clock()
            self._tick.start()
        return self._calls

    @property
    def has_all(self) -> bool:
        """True if all calls of the open tree are known, and not only the last few."""
        return self._of is self._owner.tree

    def recorded(self) -> Calls:
        """Return the calls of the open tree, whatever is judged by them."""
        tree = self._owner.tree
        if self._of is not tree:
            self._calls = calls_of(tree, self._grove.bodiless_evidence(tree.loom.id))
            self._of = tree
        return self._calls

    def _last_calls(self, tree: Tree, nodes: Sequence[Node]) -> Calls:
        answers = (node.id for node in reversed(nodes) if node.author_type == "model")
        found = ((node_id, self._call_at(tree, node_id)) for node_id in islice(answers, LOOKED_AT))
        return {node_id: call for node_id, call in found if call is not None}

    def _call_at(self, tree: Tree, node_id: str) -> Call | None:
        key = tree.loom.id, node_id
        if key not in self._last:
            self._last[key] = None
            with suppress(GroveError):  # the next look for others' changes tells of it
                evidence = self._grove.evidence(tree.loom.id, node_id)
                if evidence is not None:
                    self._last[key] = calls_of(tree, (evidence,)).get(node_id)
        return self._last[key]

    def usage_at(self, node_id: str) -> NodeUsage | None:
        """Return the usage of the call behind a node; None if it came from none, or no path leads there. Of a
        tree of many nodes, whose calls are not known yet, without the totals of the path.
        """
        tree = self._owner.tree
        try:
            path = resolve(tree, node_id)
        except AssemblyError:
            return None
        if self.has_all or len(tree.nodes) <= READ_AT_ONCE:
            return usage_at_end(path, self.recorded())
        usage = usage_at_end(path, self._last_calls(tree, [tree.nodes[one] for one in path.node_ids]))
        return None if usage is None else replace(usage, totals=None)

    def follow(self, change: Change) -> None:
        """Take in the calls of answers that came; of those that came or went otherwise look anew."""
        if self._of is None:
            return
        added = {node.id for node in change.added_nodes() if node.author_type == "model"}
        told = {node_id for one in change.evidence for node_id in one.choices}
        if change.removed_nodes() or added - told:
            self._of = None
        elif added:
            self._calls = {**self._calls, **calls_of(self._of, change.evidence)}
            self.now = _clock()

    def close(self) -> None:
        """Stop the clock."""
        self._tick.stop()

    def on_tick(self) -> None:
        self.now = _clock()
        self.ticked.emit()


def _clock() -> Milliseconds:
    return time.time_ns() // 1_000_000
