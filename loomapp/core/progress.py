"""Progress of long work, told by whoever does it."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

# How much is done, of how much; 0 for all means that nobody knows. It may raise: then the work ends there.
Progress: TypeAlias = Callable[[int, int], None]


def unheard(done: int, of: int) -> None:
    """Progress of which nobody wants to hear."""
