"""Words for the wait until an answer's first word: seconds, and how much of the prompt is read."""

from __future__ import annotations

from loomapp.core.generation.drafts import Awaited
from loomapp.ui import figures
from loomapp.ui.strings import tr


def awaited_words(awaited: Awaited) -> str:
    """`Reading 7,161 tokens (32 %) · 12 s`, or `Waiting · 12 s` where nobody tells."""
    seconds = figures.number(awaited.seconds)
    if not awaited.total_tokens:
        return tr("Waiting · {seconds}\u00a0s").format(seconds=seconds)
    return tr("Reading {count} tokens ({percent}\u00a0%) · {seconds}\u00a0s").format(
        count=figures.number(awaited.total_tokens), percent=round(100 * share_read(awaited)), seconds=seconds
    )


def share_read(awaited: Awaited) -> float:
    """Return the part of the prompt that is read, from 0 to 1."""
    return min(1.0, awaited.read_tokens / awaited.total_tokens) if awaited.total_tokens else 0.0
