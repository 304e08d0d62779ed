"""Rows of the import page: a tree of a file, what there is to know of it, and the sum of several."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import cast

from loomapp.core.dataclass import dataclass
from loomapp.core.json_values import Json
from loomapp.core.times import Milliseconds, parse_time
from loomapp.ui import figures
from loomapp.ui.strings import tr

MOST_AUTHORS = 6
_COUNT = re.compile(r"^(\d+) (.+)$")


@dataclass(frozen=True, slots=True)
class ImportRow:
    """One tree. `fault` says why it cannot be chosen; `new` counts what is not here yet, None: it is not."""

    id: str
    title: str
    nodes: int = 0
    branches: int = 0
    first_at: Milliseconds | None = None
    last_at: Milliseconds | None = None
    losses: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    authors: tuple[str, ...] = ()
    has_system_context: bool = False
    new: int | None = None
    fault: str = ""
    is_beside: bool = False  # something else of the same export, no tree

    @property
    def forks(self) -> int:
        """Return its branches, where it has more than the one way from the beginning to the end."""
        return self.branches if self.branches > 1 else 0

    @property
    def is_new(self) -> bool:
        return not self.fault and self.new != 0


def row_of(event: Json) -> ImportRow:
    """Return the row of a tree that was found."""
    here = event.get("here")
    return ImportRow(
        str(event["id"]),
        str(event["title"]),
        cast(int, event["nodes"]),
        cast(int, event["branches"]),
        _moment(event.get("from")),
        _moment(event.get("to")),
        _texts(event.get("losses")),
        _texts(event.get("notes")),
        _texts(event.get("authors")),
        bool(event.get("systemContext")),
        cast(int, here["new"]) if isinstance(here, dict) else None,
    )


def damaged_row_of(event: Json) -> ImportRow:
    """Return the row of a tree that cannot be read."""
    last_at = _moment(event.get("to"))
    return ImportRow(
        str(event["id"]),
        str(event["title"]),
        last_at=last_at,
        fault=tr(str(event["reason"])),
        is_beside=event.get("beside") is True,
    )


def _moment(text: object) -> Milliseconds | None:
    return parse_time(text) if isinstance(text, str) else None


def _texts(value: object) -> tuple[str, ...]:
    return tuple(map(str, value)) if isinstance(value, list) else ()


def known(row: ImportRow) -> tuple[str, str, str]:
    """Return an icon, a role for its colour, and words on a row's faults and losses. Empty: none."""
    if row.fault:
        return "circle-alert", "state.error", row.fault
    if row.losses:
        return "triangle-alert", "state.warning", "; ".join((*row.losses, *row.notes))
    if row.new is not None:
        words = tr("already here")
        if row.new == 1:
            words = tr("already here: 1 new message")
        elif row.new:
            words = tr("already here: {count} new messages").format(count=figures.number(row.new))
        return "refresh-cw", "accent.base", "; ".join((words, *row.notes))
    return "", "text.muted", "; ".join(row.notes)


def spoken(row: ImportRow) -> str:
    """Return a row as a sentence."""
    title = row.title or tr("(no title)")
    facts = [title]
    if not row.fault:
        facts.append(tr("{count} messages").format(count=figures.number(row.nodes)))
        facts.append(tr("{count} branches").format(count=figures.number(row.forks)))
    if row.last_at is not None:
        facts.append(day(row.last_at))
    return ", ".join(filter(None, (*facts, known(row)[2])))


def day(at: Milliseconds) -> str:
    """`3 Nov 2026`."""
    return figures.day(at)


def span(rows: Sequence[ImportRow]) -> str:
    """`Mar 2024 to Nov 2026`, or one month; empty where no time is known."""
    firsts = [row.first_at for row in rows if row.first_at is not None]
    lasts = [row.last_at for row in rows if row.last_at is not None and not row.fault]
    if not firsts or not lasts:
        return ""
    first, last = figures.month(min(firsts)), figures.month(max(lasts))
    return first if first == last else tr("{first} to {last}").format(first=first, last=last)


def totals(rows: Sequence[ImportRow]) -> str:
    """`312 conversations · 9,418 messages · 641 branches · Mar 2024 to Nov 2026`."""
    sound = [row for row in rows if not row.fault]
    counts = (
        (sum(not row.is_beside for row in rows), tr("1 conversation"), tr("{count} conversations")),
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
    lines += [f"{row.title}: {row.fault}" for row in rows if row.is_beside]
    damaged = sum(1 for row in rows if row.fault and not row.is_beside)
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
