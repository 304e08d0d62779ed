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
    many = tr("Of {count} calls no tokens are known: they ended first, or their server tells none.")
    one = tr("Of 1 call no tokens are known: it ended first, or its server tells none.")
    return one if count == 1 else many.format(count=figures.number(count))
