"""A span of a shown document, in the positions that Qt counts."""

from __future__ import annotations

from typing import NamedTuple


class Span(NamedTuple):
    """From one position of a document up to another one, in Qt's counting."""

    begin: int
    end: int
