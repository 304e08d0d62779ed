"""A context as one text for people: system, messages with their roles, or the document."""

from __future__ import annotations

from loomapp.core.context.assembly import Assembled

NAMES = {"user": "User", "assistant": "Assistant", "system": "System"}


def as_text(assembled: Assembled) -> str:
    """All of it; a blank line between its parts."""
    parts = [f"System:\n{assembled.system}"] if assembled.system else []
    parts += [f"{NAMES[message.role]}:\n{message.text}" for message in assembled.messages]
    if assembled.document is not None:
        parts.append(assembled.document)
    return "\n\n".join(parts)
