"""Rows of the import page, and its foot with what is going on and what it came to."""

from __future__ import annotations

import re
import time
from collections.abc import Sequence
from typing import cast

from PySide6.QtCore import Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QProgressBar, QPushButton, QStackedWidget, QWidget

from loomapp.core.dataclass import dataclass
from loomapp.core.json_values import Json
from loomapp.core.times import Milliseconds, parse_time
from loomapp.ui import figures
from loomapp.ui.look import theme
from loomapp.ui.strings import tr
from loomapp.ui.widgets.buttons import KeyButton
from loomapp.ui.widgets.labels import ElidedLabel, label

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


BAR_PX = 96
NARROW_PX = 480  # below that only what must be there is
_DONE, _KEEPS = "{done} of {of}", "keeps the {done} that are done"


class ImportFoot(QStackedWidget):
    """Foot of the import page; its two lines stand in one place, so that nothing moves."""

    import_clicked = Signal()
    cancel_clicked = Signal()
    stop_clicked = Signal()

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._began = 0.0
        self._words = tr("Import"), tr("Import")  # on the button, where there is room and where there is not
        self._button = KeyButton(tr("Import"), parent=self, kind="primary")
        self._button.setObjectName("importButton")
        self._button.clicked.connect(self.import_clicked)
        self._cancel = QPushButton(tr("Cancel"), self)
        self._cancel.setObjectName("importCancel")
        self._cancel.clicked.connect(self.cancel_clicked)
        theme.set_look(self._cancel, kind="quiet", large=True)
        self._count = label("", "ui_strong")
        self._count.setObjectName("importCount")
        self._count.setFont(theme.numbers("ui_strong"))
        self._bar = QProgressBar(self)
        self._bar.setObjectName("importBar")
        self._bar.setTextVisible(False)
        self._bar.setFixedWidth(BAR_PX)
        self._at = ElidedLabel(self)
        self._stop = QPushButton(tr("Stop"), self)
        self._stop.setObjectName("importStop")
        self._stop.clicked.connect(self.stop_clicked)
        theme.set_look(self._stop, large=True)
        self._keeps = label("", "small", "muted")
        self._keeps.setFont(theme.numbers("small"))
        self.addWidget(self._waiting_line())
        self.addWidget(self._running_line())
        self.setFixedHeight(theme.px("control.height_primary") + 8)

    def show_chosen(self, count: int, *, can_import: bool) -> None:
        """Show the number of conversations to import."""
        if not count:
            words = tr("Import")
        elif count == 1:
            words = tr("Import 1 conversation")
        else:
            words = tr("Import {count} conversations").format(count=figures.number(count))
        self._words = words, tr("Import {count}").format(count=figures.number(count)) if count else words
        self._button.setAccessibleName(words)
        self._fit()
        self._button.setEnabled(can_import and count > 0)
        self._cancel.setText(tr("Cancel") if count else tr("Close"))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def _fit(self) -> None:
        is_narrow = self.width() < NARROW_PX
        self._button.setText(self._words[is_narrow])
        self._button.updateGeometry()
        self._at.setHidden(is_narrow)
        self._keeps.setHidden(is_narrow)

    def begin(self, of: int) -> None:
        self._began = time.monotonic()
        self._bar.setRange(0, of)
        for words, sentence in ((self._count, _DONE), (self._keeps, _KEEPS)):  # they grow and move nothing
            longest = tr(sentence).format(done=figures.number(of), of=figures.number(of))
            words.setMinimumWidth(words.fontMetrics().horizontalAdvance(longest) + 4)
        self.show_done(0, of, "")
        self.setCurrentIndex(1)
        self._stop.setFocus()

    def show_done(self, done: int, of: int, title: str) -> None:
        """Show how many are in, the last one's title, and about how long the others take."""
        said = tr(_DONE).format(done=figures.number(done), of=figures.number(of))
        self._count.setText(said)
        self._bar.setValue(done)
        self._bar.setAccessibleName(said)
        self._at.show_words(f"{{0}}{_left(time.monotonic() - self._began, done, of)}", title)
        self._keeps.setText(tr(_KEEPS).format(done=figures.number(done)))

    def end(self) -> None:
        self.setCurrentIndex(0)

    @property
    def button(self) -> QPushButton:
        return self._button

    def _waiting_line(self) -> QWidget:
        line = QWidget(self)
        row = QHBoxLayout(line)
        row.setContentsMargins(0, 4, 0, 4)
        row.setSpacing(12)
        hint = ElidedLabel(line)
        hint.setFont(theme.font("small"))
        theme.set_look(hint, tone="muted")
        hint.show_words("{0}", tr("The same file again adds only what is new."))
        row.addWidget(hint, 1)
        row.addWidget(self._cancel)
        row.addWidget(self._button)
        return line

    def _running_line(self) -> QWidget:
        line = QWidget(self)
        row = QHBoxLayout(line)
        row.setContentsMargins(0, 4, 0, 4)
        row.setSpacing(12)
        row.addWidget(self._count)
        row.addWidget(self._bar)
        row.addWidget(self._at, 1)
        row.addWidget(self._stop)
        row.addWidget(self._keeps)
        return line


def _left(seconds: float, done: int, of: int) -> str:
    """Return ` · about 20 s`, once that can be said."""
    if seconds < 2 or not done or done >= of:
        return ""
    left = seconds / done * (of - done)
    if left < 90:
        return " · " + tr("about {seconds} s").format(seconds=figures.number(max(1, round(left))))
    return " · " + tr("about {minutes} min").format(minutes=figures.number(round(left / 60)))
