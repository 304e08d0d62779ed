"""Sums of an import in sentences: how much there is, what becomes of it, what can't be kept."""

from __future__ import annotations

import re
from collections.abc import Sequence

from loomapp.ui import figures
from loomapp.ui.imports.rows import ImportRow, span, spoken
from loomapp.ui.strings import tr

MOST_AUTHORS = 6
_COUNT = re.compile(r"^(\d+) (.+)$")


def totals(rows: Sequence[ImportRow]) -> str:
    """`312 conversations · 9,418 messages · 641 branches · Mar 2024 to Nov 2026`."""
    sound = [row for row in rows if not row.fault]
    counts = (
        (len(rows), tr("1 conversation"), tr("{count} conversations")),
        (sum(row.nodes for row in sound), tr("1 message"), tr("{count} messages")),
        (sum(row.forks for row in sound), tr("1 branch"), tr("{count} branches")),
    )
    told = [one if n == 1 else several.format(count=figures.number(n)) for n, one, several in counts]
    return " · ".join(filter(None, (*told, span(sound))))


def becomes(chosen: Sequence[ImportRow]) -> list[str]:
    """Return sentences on what the chosen conversations become."""
    lines = [tr("A tree for each conversation, every branch kept")]
    names = list(dict.fromkeys(name for row in chosen for name in row.authors))
    if names:
        more = len(names) - MOST_AUTHORS
        shown = ", ".join(names[:MOST_AUTHORS]) + (f" +{more}" if more > 0 else "")
        lines.append(tr("Agents: {names}, You").format(names=shown))
    if any(row.has_system_context for row in chosen):
        lines.append(tr("Your custom instructions: each tree’s system context"))
    return lines


def losses(rows: Sequence[ImportRow], chosen: Sequence[ImportRow]) -> list[str]:
    """Return sentences on what cannot be kept of the chosen conversations, and how many are left out."""
    sums: dict[str, int] = {}
    alone: dict[str, str] = {}
    for row in chosen:
        for loss in row.losses:
            found = _COUNT.match(loss)
            kind = _plural(found[2]) if found else loss
            sums[kind] = sums.get(kind, 0) + (int(found[1]) if found else 0)
            alone.setdefault(kind, loss)
    lines = [f"{figures.number(n)} {kind}" if n > 1 else alone[kind] for kind, n in sums.items()]
    damaged = sum(1 for row in rows if row.fault)
    if damaged == 1:
        lines.append(tr("1 conversation is damaged and is left out"))
    elif damaged:
        lines.append(
            tr("{count} conversations are damaged and are left out").format(count=figures.number(damaged))
        )
    return lines or [tr("Everything is kept")]


def _plural(words: str) -> str:
    """The words for several, where a conversation has one: they are counted together."""
    for one, several in _SEVERAL:
        words = words.replace(one, several)
    return words


_SEVERAL = (
    ("image is", "images are"),
    ("attached file is", "attached files are"),
    ("sound part is", "sound parts are"),
)


def report(rows: Sequence[ImportRow]) -> str:
    return "\n".join(map(spoken, rows))
