"""Errors of calls: one line that a client's model reads and acts on."""

from __future__ import annotations

from loomapp.core.errors import LoomError

LONGEST = 60  # characters of what an error repeats


class ToolError(LoomError):
    """A call that cannot be carried out as it was made."""

    code = "toolError"


def shown(value: object) -> str:
    """A value as an error repeats it, at most a short line of it."""
    text = repr(value)
    return text if len(text) <= LONGEST else text[: LONGEST - 3] + "..."


def quoted(name: str) -> str:
    """A name in quotes, as messages have it; of a long one the beginning."""
    return f'"{name}"' if len(name) <= LONGEST else f'"{name[: LONGEST - 3]}..."'


def in_one_line(text: str) -> str:
    """A message without line breaks, and without what no JSON can carry."""
    return sound(" ".join(text.split()))


def sound(text: str) -> str:
    """A text that can be sent: lone surrogates, which UTF-8 has not, as question marks."""
    return text.encode("utf-8", "replace").decode("utf-8")
