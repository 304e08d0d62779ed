"""Going to another point of a tree's history: as many undos, or redos, as lie between."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from loomapp.core.change import Change
from loomapp.core.errors import LoomError, StaleChange
from loomapp.core.past import BEGINNING
from loomapp.store.grove import Grove
from loomapp.store.steps import distance, read_step

if TYPE_CHECKING:
    from loomapp.session.document import Document


def go_to(document: Document, sequence: int, guard: Callable[[Change], None]) -> None:
    """Stand right after a step again, or at the BEGINNING. Each step goes and is told as any undo is.

    Raises: LoomError at the first step that is refused, saying how many went before it; those stay so.
    """
    tree_id = document.tree.loom.id
    check_reachable(document.grove, tree_id, sequence)
    # Asked again at the end: another program may have added a step meanwhile.
    while left := distance(document.grove, tree_id, sequence):
        for moved in range(abs(left)):
            try:
                change = document.undo(guard) if left > 0 else document.redo()
            except LoomError as error:
                raise _stopped(error, moved, left) from error
            if change is None:
                check_reachable(document.grove, tree_id, sequence)
                return


def check_reachable(grove: Grove, tree_id: str, sequence: int) -> None:
    """Raises: StaleChange for a point that undo and redo do not come to any more."""
    if sequence == BEGINNING:
        return
    step = read_step(grove, tree_id, sequence)
    if step is None:
        raise StaleChange("This point is no longer in the history of this tree.")
    if step.state == "abandoned":
        raise StaleChange(
            f"“{step.label}” had been undone when something else was done, so it cannot be redone any more."
        )


def _stopped(error: LoomError, moved: int, left: int) -> LoomError:
    """A refusal in the middle of several steps, saying how far they went."""
    if moved == 0:
        return error
    done = "undone" if left > 0 else "done again"
    stopped = LoomError(f"{moved} of {abs(left)} steps were {done}. Then: {error.message}", **error.details)
    stopped.code = error.code
    return stopped
