"""Note below the choice of a preset of keys: what it changes, and which of its keys cannot be had."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

from loomapp.ui.keys.keys import Binding, left_out, on_this_system, preset_keys, shown
from loomapp.ui.strings import tr


def words(bindings: Sequence[Binding], preset: str) -> str:
    """A line for what is other than Loomapp's own, and one for each reason why a key is not; or nothing."""
    return "\n".join(filter(None, (_added(bindings, preset), *_missing(bindings, preset))))


def _added(bindings: Sequence[Binding], preset: str) -> str:
    found = []
    for binding in bindings:
        usual = [on_this_system(key) for key in binding.usual]
        more = [shown(key) for key in preset_keys(binding, preset) if key not in usual]
        if more:
            found.append(f"{binding.title} {', '.join(more)}")
    return tr("Besides the usual ones: {keys}.").format(keys="; ".join(found)) if found else ""


def _missing(bindings: Sequence[Binding], preset: str) -> list[str]:
    says = tr("Not here: {keys}. {why}")
    by_reason = groupby(sorted(left_out(bindings, preset), key=lambda row: row[2]), key=lambda row: row[2])
    return [
        says.format(keys="; ".join(_instead(binding, key) for binding, key, _ in rows), why=why)
        for why, rows in by_reason
    ]


def _instead(binding: Binding, key: str) -> str:
    """Return words on a key that cannot be had, and what to press for the same."""
    usual = [shown(on_this_system(other)) for other in binding.usual]
    if not usual:
        return f"{shown(key)} ({binding.title})"
    return tr("{key} ({action}: {usual})").format(key=shown(key), action=binding.title, usual=usual[0])
