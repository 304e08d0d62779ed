"""The context of an edit: author, time, ids for new rows, as they come from outside of the tree."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from loomapp.core.model.entities import AuthorType
from loomapp.core.times import Milliseconds


@dataclass(frozen=True, slots=True)
class EditContext:
    """Author, time, ids for new rows, and name for the log, as an edit needs them from outside."""

    agent_id: str
    now: Milliseconds
    new_id: Callable[[], str]
    author_type: AuthorType = "human"
    by: str = "you"
    is_sketch: bool = (
        False  # what it writes is looked at and no more: it gets no hash, which costs a long text
    )

    def naming(self, node_id: str) -> EditContext:
        """Return a context whose first new row has an id given out before: a new node comes first."""
        given = iter((node_id,))
        return replace(self, new_id=lambda: next(given, "") or self.new_id())
