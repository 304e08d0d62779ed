"""Amounts in words: tokens and characters, of one as of several."""

from __future__ import annotations

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
