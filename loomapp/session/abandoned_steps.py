"""Steps that were undone and cannot be redone any more: what they wrote is brought back."""

from __future__ import annotations

from typing import TYPE_CHECKING

from loomapp.core.edits.abandoned_steps import bring_back
from loomapp.core.model.change import Change

if TYPE_CHECKING:
    from loomapp.session.document import Document


def bring_step_back(document: Document, sequence: int) -> None:
    """Add what a step made to the tree again, as one step of undo, and read it. Nothing if it is all there.

    Raises: LoomError if it cannot be read or saved.
    """

    def make() -> tuple[Change, None] | None:
        step = document.history.logged_step(sequence)
        change = bring_back(document.tree, step, document.pen())
        return None if change is None else (change, None)

    document.commit_made(make)
