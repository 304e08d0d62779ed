"""Amounts in words: tokens and characters, of one as of several, and the wait for a first word."""

from __future__ import annotations

from loomapp.core.generation.drafts import Awaited
from loomapp.ui import figures
from loomapp.ui.strings import tr


def tokens(count: int) -> str:
    """Return `1 token` or `1,658 tokens`."""
    return tr("1 token") if count == 1 else tr("{count} tokens").format(count=figures.number(count))


def characters_cut(count: int) -> str:
    """Return `1 character cut off` or `1,658 characters cut off`."""
    many = tr("{count} characters cut off").format(count=figures.number(count))
    return tr("1 character cut off") if count == 1 else many


def uncounted_calls(count: int) -> str:
    """Return a sentence on calls whose tokens nobody told."""
    many = tr("The tokens of {count} calls are not known: they were stopped, or their server does not tell.")
    one = tr("The tokens of 1 call are not known: it was stopped, or its server does not tell.")
    return one if count == 1 else many.format(count=figures.number(count))


LONG_S = 30  # of waiting: it is said that nothing came


def awaited_words(awaited: Awaited) -> str:
    """`Reading 7,161 tokens (32 %) · 12 s`, or where nobody tells `Waiting · 12 s`, at last `Nothing yet`."""
    seconds = figures.number(awaited.seconds)
    if not awaited.total_tokens:
        waits = tr("Waiting · {seconds}\u00a0s")
        return (tr("Nothing yet · {seconds}\u00a0s") if awaited.seconds >= LONG_S else waits).format(
            seconds=seconds
        )
    return tr("Reading {count} tokens ({percent}\u00a0%) · {seconds}\u00a0s").format(
        count=figures.number(awaited.total_tokens), percent=round(100 * share_read(awaited)), seconds=seconds
    )


def share_read(awaited: Awaited) -> float:
    """Return the part of the prompt that is read, from 0 to 1."""
    return min(1.0, awaited.read_tokens / awaited.total_tokens) if awaited.total_tokens else 0.0
