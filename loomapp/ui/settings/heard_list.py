"""The list of programs that called last: when each was heard, what it did, and what was refused."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QGridLayout, QLabel, QWidget

from loomapp.core.model.agent import Agent
from loomapp.mcp.last_heard import Heard
from loomapp.ui import figures
from loomapp.ui.strings import tr, unsteered
from loomapp.ui.widgets.agent_mark import AgentMark
from loomapp.ui.widgets.labels import label, plain_tip, rule
from loomapp.ui.widgets.layouts import horizontal, vertical

MARK, NAME, WHEN, WHAT = range(4)  # columns


class HeardList(QWidget):
    """A row for each program, the one heard last first."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("heardList")
        self._shown: tuple[tuple[Heard, Agent], ...] = ()
        self._nobody = label(tr("No program has called yet."), "ui", "muted", name="heardNobody")
        self._column = vertical(self, spacing=0)
        self._column.addWidget(self._nobody)
        self._rows: QWidget | None = None

    def show_programs(self, heard: Sequence[tuple[Heard, Agent]]) -> None:
        """Show these; each with the agent that stands for it."""
        if tuple(heard) == self._shown:
            return
        self._shown = tuple(heard)
        if self._rows is not None:
            self._rows.hide()
            self._column.removeWidget(self._rows)
            self._rows.deleteLater()
            self._rows = None
        self._nobody.setVisible(not self._shown)
        if self._shown:
            self._rows = self._built()
            self._column.addWidget(self._rows)

    def _built(self) -> QWidget:
        rows = QWidget(self)
        grid = QGridLayout(rows)
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setHorizontalSpacing(16)
        grid.setVerticalSpacing(6)
        grid.setColumnStretch(WHAT, 1)
        for number, (heard, agent) in enumerate(self._shown):
            line = 2 * number
            grid.addWidget(rule(), line, MARK, 1, WHAT + 1)
            mark = AgentMark(rows)
            mark.show_agent(agent)
            name = horizontal(spacing=8)
            name.addWidget(mark, 0, Qt.AlignmentFlag.AlignTop)
            called = label(unsteered(heard.client), "ui_strong", name="heardName")
            name.addWidget(called, 1, Qt.AlignmentFlag.AlignTop)
            grid.addLayout(name, line + 1, MARK, 1, 2)
            top = Qt.AlignmentFlag.AlignTop
            when = label(figures.moment(heard.at), "small", "secondary", name="heardWhen")
            grid.addWidget(when, line + 1, WHEN, top)
            grid.addWidget(_what(heard), line + 1, WHAT)
        return rows


def _what(heard: Heard) -> QLabel:
    words = label(done_words(heard), "small", "secondary", wrap=True, name="heardWhat")
    words.setToolTip(plain_tip(unsteered(heard.refusal)))
    return words


def done_words(heard: Heard) -> str:
    """Return what a program did in words: `wrote 2 times, read 14 times · 3,180 tokens · last: show`."""
    counts = (
        (heard.writes, tr("wrote once"), tr("wrote {n} times")),
        (heard.reads, tr("read once"), tr("read {n} times")),
        (heard.refused, tr("refused once"), tr("refused {n} times")),
    )
    said = [
        (once if count == 1 else often).format(n=figures.number(count))
        for count, once, often in counts
        if count
    ]
    parts = [", ".join(said)]
    if heard.tokens:
        parts.append(tr("{n} tokens").format(n=figures.number(heard.tokens)))
    if heard.tool:
        parts.append(tr("last: {tool}").format(tool=unsteered(heard.tool)))
    told = " · ".join(filter(None, parts))
    return f"{told}\n{unsteered(heard.refusal)}" if heard.refusal else told
