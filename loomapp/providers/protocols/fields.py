"""Fields of an answer, whose types nobody checked: what can be used of them."""

from __future__ import annotations

from typing import Any

MOST_TOKENS = 1 << 40  # more were never counted


def counted(values: Any, name: str) -> int | None:
    """A number of tokens, or None for what is none."""
    value = getattr(values, name, None)
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= MOST_TOKENS:
        return None
    return int(value)
