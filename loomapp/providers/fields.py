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


def text_of(value: Any) -> str:
    """A text; some servers send it as a list of parts. Raises: TypeError for what is none."""
    if isinstance(value, str):
        return value
    if not isinstance(value, list):
        raise TypeError(f"{type(value).__name__} in place of a text")
    parts = (part.get("text") if isinstance(part, dict) else getattr(part, "text", part) for part in value)
    return "".join(part for part in parts if isinstance(part, str))
