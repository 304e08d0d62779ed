"""Counts of what a frame of the graph drew, for tests and benches."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(slots=True)
class FrameCounts:
    """Counts of what the last frame drew. `owed` are cards that still lack their pictures."""

    cards: int = 0
    edges: int = 0
    rendered: int = 0  # card pictures made anew
    owed: int = 0
