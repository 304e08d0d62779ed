"""A span of a shown document, in the positions that Qt counts."""

from __future__ import annotations

from typing import NamedTuple


class Span(NamedTuple):
    """Stretch of a document from one position up to another, in Qt's counting."""

    begin: int
    end: int
