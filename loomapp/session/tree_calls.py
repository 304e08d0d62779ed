"""Calls of the open tree and the time they are judged by, for a context that shortens what is long."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import islice

from PySide6.QtCore import QObject, QTimer, Signal

from loomapp.core.context.settings import AppContextSettings
from loomapp.core.economy.calls import NO_CALLS, Call, Calls, NodeUsage, cut_answers, usage_at_end
from loomapp.core.errors import AssemblyError, GroveError, LoomError
from loomapp.core.model.change import Change
from loomapp.core.model.entities import Node
from loomapp.core.model.raw_response import Evidence
from loomapp.core.model.tree import Tree
from loomapp.core.paths.resolve import resolve
from loomapp.core.sent.calls import are_calls_needed, calls_of
from loomapp.core.times import Milliseconds
from loomapp.session.background.background_work import BackgroundTask, IdleTimer
from loomapp.session.open_tree import OpenTree
from loomapp.store.grove.grove import Grove

LOOKED_AT = 8  # answers upwards
READ_AT_ONCE = 300  # nodes of a tree; the calls of 5,000 answers take more than a second to read
TAKEN_AT_ONCE = 50  # answers in one turn of the event loop
TICK_MS = 15_000  # between two looks at the clock


class _Reading(QObject):
    """Reading of all calls of a large tree: the file on a thread of its own, then a few calls in a turn."""

    def __init__(self, tree: Tree, grove: Grove, take: Callable[[Calls], None], parent: QObject) -> None:
        super().__init__(parent)
        self.tree, self.has_failed = tree, False
        self._take, self._calls = take, dict[str, Call]()
        self._evidence: list[Evidence] = []
        self.later: list[Change] = []  # that came meanwhile
        self._task = BackgroundTask(lambda _: grove.bodiless_evidence(tree.loom.id), self)
        self._task.done.connect(self.on_read)
        self._task.failed.connect(self.on_failed)
        self._next = IdleTimer(self)
        self._next.timeout.connect(self.on_next)
        self._task.start()

    def on_read(self, evidence: list[Evidence]) -> None:
        self._evidence = evidence[::-1]
        self._next.start()

    def on_next(self) -> None:
        some = [self._evidence.pop() for _ in range(min(TAKEN_AT_ONCE, len(self._evidence)))]
        self._calls.update(calls_of(self.tree, some))
        if self._evidence:
            self._next.start()
        else:
            self._take(self._calls)

    def on_failed(self, _: LoomError) -> None:
        """Leave it: the next look for others' changes tells why the file cannot be read."""
        self.has_failed = True

    def leave(self) -> None:
        """Nobody wants it any more; it ends by itself."""
        self._next.stop()
        self._task.cancel()
        self.deleteLater()

    def end(self) -> None:
        self._next.stop()
        self._task.end()


class TreeCalls(QObject):
    """Calls behind the nodes of one tree, read when they are first wanted; those of a large tree beside the
    window.

    The clock stands still between two ticks: what is shown and what is sent a moment later are judged by the
    same time.
    """

    ticked = Signal()  # it is later: what is judged by the time may be otherwise
    came = Signal()  # all calls of the open tree are known

    def __init__(self, owner: OpenTree, grove: Grove, parent: QObject) -> None:
        super().__init__(parent)
        self._owner, self._grove = owner, grove
        self._of: Tree | None = None  # the tree whose calls are known
        self._reading: _Reading | None = None
        self._calls: Calls = NO_CALLS
        # Behind answers that were looked at one by one, by tree and node: copies have the same nodes.
        self._last: dict[tuple[str, str], Call | None] = {}
        self._cut_of: Tree | None = None  # the tree whose answers were looked at for those that were cut
        self._cut: dict[str, int] = {}
        self.now: Milliseconds = _clock()
        self._tick = QTimer(self)
        self._tick.setInterval(TICK_MS)
        self._tick.timeout.connect(self.on_tick)

    def calls(self, defaults: AppContextSettings, nodes: Sequence[Node] = ()) -> Calls:
        """Return the calls of the open tree; those behind the last answers among `nodes` where nothing is
        judged by all of them, for they may be many, or as long as they are read: see `settle`.
        """
        tree = self._owner.tree
        if not are_calls_needed(tree, defaults):
            self._tick.stop()
            return self._calls if self.has_all else self._last_calls(tree, nodes)
        if not self._tick.isActive():
            self.now = _clock()
            self._tick.start()
        known = self.known()
        return self._last_calls(tree, nodes) if known is None else known

    def settle(self, defaults: AppContextSettings) -> None:
        """Read all calls now if what is sent depends on them: something is to be sent."""
        if are_calls_needed(self._owner.tree, defaults):
            self.recorded()

    @property
    def has_all(self) -> bool:
        """True if all calls of the open tree are known, and not only the last few."""
        return self._of is self._owner.tree

    def known(self) -> Calls | None:
        """Return all calls of the open tree, whatever is judged by them; None as long as they are read, which
        begins here: `came` tells.
        """
        tree = self._owner.tree
        if self.has_all or len(tree.nodes) <= READ_AT_ONCE:
            return self.recorded()
        if self._reading is None or self._reading.has_failed or self._reading.tree is not tree:
            self._leave_reading()
            self._reading = _Reading(tree, self._grove, self._take, self)
        return None

    def recorded(self) -> Calls:
        """Return all calls of the open tree, read at once if they are not known."""
        tree = self._owner.tree
        if not self.has_all:
            self._leave_reading()
            self._calls = calls_of(tree, self._grove.bodiless_evidence(tree.loom.id))
            self._of, self.now = tree, _clock()
        return self._calls

    def _take(self, calls: Calls) -> None:
        """Take in all calls, and those that came while they were read."""
        reading = self._reading
        assert reading is not None, "it was read"
        self._leave_reading()
        self._calls, self._of, self.now = calls, reading.tree, _clock()
        for change in reading.later:
            self.follow(change)
        self.came.emit()

    def _leave_reading(self) -> None:
        if self._reading is not None:
            self._reading.leave()
            self._reading = None

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

    def cut_at(self, node_id: str) -> int | None:
        """Return the tokens at which a limit cut one answer, 0 if they are not known; None if none did."""
        call = self._call_at(self._owner.tree, node_id)
        return (call.cut_at or 0) if call is not None and node_id in call.cut else None

    def cut_answers(self, nodes: Sequence[Node]) -> Mapping[str, int]:
        """Return the answers of a dialogue that were cut by a limit, each with its tokens, 0 if they are not
        known: all of them, but of a tree that was large when it was opened those among the last on paths that
        were read, as `nodes` are.
        """
        tree = self._owner.tree
        if tree.loom.mode != "dialogue":
            return {}
        is_large = len(tree.nodes) > READ_AT_ONCE
        if self._cut_of is not tree:
            self._cut_of, self._cut = tree, {} if is_large else self._read_cut(tree)
        if is_large:
            self._cut |= cut_answers(self._last_calls(tree, nodes))
        return dict(self._cut)

    def _read_cut(self, tree: Tree) -> dict[str, int]:
        if self.has_all:
            return cut_answers(self._calls)
        with suppress(GroveError):  # the next look for others' changes tells of it
            return cut_answers(calls_of(tree, self._grove.bodiless_evidence(tree.loom.id)))
        return {}

    def follow(self, change: Change) -> None:
        """Take in the calls of answers that came; of those that came or went otherwise look anew."""
        if self._reading is not None:
            self._reading.later.append(change)
        added = {node.id for node in change.added_nodes() if node.author_type == "model"}
        told = {node_id for one in change.evidence for node_id in one.choices}
        if added - told:
            self._cut_of = None
        elif added and self._cut_of is not None:
            self._cut |= cut_answers(calls_of(self._cut_of, change.evidence))
        if self._of is None:
            return
        if change.removed_nodes() or added - told:
            self._of = None
        elif added:
            self._calls = {**self._calls, **calls_of(self._of, change.evidence)}
            self.now = _clock()

    def close(self) -> None:
        self._tick.stop()
        if self._reading is not None:
            self._reading.end()

    def on_tick(self) -> None:
        self.now = _clock()
        self.ticked.emit()


def _clock() -> Milliseconds:
    return time.time_ns() // 1_000_000
