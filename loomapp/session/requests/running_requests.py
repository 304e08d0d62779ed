"""Every request under way, and which of those that were asked together is read."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from loomapp.core.errors import LoomError
from loomapp.core.model.change import Change
from loomapp.session.requests.running_request import RunningRequest


class Fleet:
    """Requests under way, in the order in which they were asked. Who iterates may remove some meanwhile."""

    def __init__(self) -> None:
        self._flights: dict[str, RunningRequest] = {}

    def __len__(self) -> int:
        """Return the number of requests under way."""
        return len(self._flights)

    def __iter__(self) -> Iterator[RunningRequest]:
        return iter(list(self._flights.values()))

    def add(self, flight: RunningRequest) -> None:
        self._flights[flight.key] = flight

    def remove(self, flight: RunningRequest) -> None:
        del self._flights[flight.key]

    def of_draft(self, key: str) -> RunningRequest | None:
        """Return the request whose draft has this key; None if it is under way no longer."""
        return self._flights.get(key.rpartition(":")[0])

    def in_tree(self, tree_id: str) -> list[RunningRequest]:
        return [flight for flight in self if flight.tree.loom.id == tree_id]

    def mates(self, flight: RunningRequest) -> list[RunningRequest]:
        return [f for f in self if f.place.group == flight.place.group and f is not flight]

    def is_another_read(self, flight: RunningRequest) -> bool:
        """Return True if, of those asked together, another that still streams is read: the path goes on
        there.
        """
        return not flight.place.is_read and any(mate.place.is_read for mate in self.mates(flight))

    def read(self, key: str, *, follows: bool | None = None) -> None:
        """A draft is read, of those that were asked together; see `Generator.read_draft`."""
        flight = self.of_draft(key)
        if flight is None:
            return
        for one in (flight, *self.mates(flight)):
            wanted = one.place.follows if follows is None else follows
            one.place = replace(one.place, is_read=one is flight, follows=wanted)
        flight.read_index = int(key.rpartition(":")[2])

    def guard_undo(self, change: Change) -> None:
        """Raises: LoomError if an undo would take away a node that one of them hangs on."""
        going = {node.id for node in change.removed_nodes()}
        for flight in self:
            sources = flight.sources
            if going & {sources.gap_id, *(source.node_id for source in sources.as_edge_sources())}:
                raise LoomError("An answer to this is being written. Stop it first, then undo.")

    @property
    def choices_being_written(self) -> int:
        return sum(not draft.ended for flight in self for draft in flight.drafts.values())

    @property
    def choices_waiting(self) -> int:
        """Number of choices for which nothing has come yet."""
        drafts = (draft for flight in self for draft in flight.drafts.values())
        return sum(not (draft.ended or draft.text or draft.reasoning) for draft in drafts)
