"""Rows of the import page: a tree of a file as the command line tells it, and what there is to know of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import cast

from loomapp.core.json_values import Json
from loomapp.core.times import Milliseconds, parse_time
from loomapp.ui import figures
from loomapp.ui.strings import tr


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
    return ImportRow(str(event["id"]), str(event["title"]), last_at=last_at, fault=tr(str(event["reason"])))


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
