"""The initiator of a change: a person, their typing, an answer, a text put back, or another program."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True)
class Initiator:
    """Told with every change, so that a listener need not ask around who made it.

    `typing` is the commit of what a person has written in a text, and `typing undone` takes that back as its
    words are: they go nowhere by either. `whole again` puts a text back that was cut for answers of which
    none came. `request` is the key of an answer's request.
    """

    kind: Literal["user", "typing", "typing undone", "answer", "whole again", "other program"]
    request: str = ""

    @property
    def is_typing(self) -> bool:
        """True if a person's own words only became nodes, or are no nodes any more."""
        return self.kind in ("typing", "typing undone")

    @property
    def is_here(self) -> bool:
        return self.kind != "other program"


USER = Initiator("user")  # an act of the person at this window, or what follows from one
TYPING = Initiator("typing")
TYPING_UNDONE = Initiator("typing undone")
WHOLE_AGAIN = Initiator("whole again")
OTHER_PROGRAM = Initiator("other program")
