"""Answers that a context preview needs of the open grove."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from loomapp.core.context.assembly import Assembled
from loomapp.core.errors import LoomError
from loomapp.core.sent.trial import Remedy
from loomapp.ui.inspector.sides import Coming


class ContextAnswers(Protocol):
    """Answers about the context that is shown; a preview without them shows and changes nothing."""

    def by_strategy(self) -> Coming:
        """Return the contexts of each strategy, one after the other; fewer if it is another context
        by then.
        """

    def strategy(self) -> tuple[str, bool]:
        """Return the strategy that counts, and True if another can be chosen."""

    def remedies(self, error: LoomError) -> Sequence[Remedy]: ...

    def request_text(self, assembled: Assembled) -> str: ...
