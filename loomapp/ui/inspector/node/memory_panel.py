"""Operational memory of agents in a tree: what is pinned, recalled, stashed and done last, to be changed."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QPaintEvent, QShowEvent
from PySide6.QtWidgets import QWidget

from loomapp.core.dataclass import dataclass
from loomapp.core.model.agent import Agent
from loomapp.ui import figures
from loomapp.ui.inspector.node.memory_editor import MemoryEditor
from loomapp.ui.look import theme
from loomapp.ui.strings import tr
from loomapp.ui.widgets.buttons import icon_button, push_button
from loomapp.ui.widgets.chip import AgentMark
from loomapp.ui.widgets.labels import IconLabel, ShortLabel, label, set_tip
from loomapp.ui.widgets.layouts import Flow, fill, horizontal, vertical

ROW_PX, MOST_ROWS, LONGEST = 26, 40, 300  # of a row; rows of a part; characters of a row: more never fit
LONGEST_NAME = 24  # characters, beside the words of the text


@dataclass(frozen=True, slots=True)
class MemoryRow:
    """A pinned node, or a text: `key` is the id of the one, the name of the other. `state` says why it is
    not sent.
    """

    key: str
    name: str
    text: str
    tokens: str = ""
    tint: str = ""
    state: str = ""


@dataclass(frozen=True, slots=True)
class MemoryFacts:
    """The memory of one agent; `pins` is the node that can be pinned now, if any."""

    agent: Agent
    tokens: str
    pinned: tuple[MemoryRow, ...]
    recalled: tuple[MemoryRow, ...]
    recent: tuple[str, ...]
    stashed: tuple[MemoryRow, ...]
    pins: str = ""
    can_write: bool = True


class MemoryPanel(QWidget):
    """The memories of a tree; nothing where no agent has one. It asks only while it is seen."""

    seen = Signal()  # it came into view: what was not asked while hidden is to be caught up with
    node_clicked = Signal(str)
    act_asked = Signal(str, str, str)  # agent id; pin, unpin, recall, put_away, drop; node id or name

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("agentMemoryPanel")
        self.setAccessibleName(tr("Memory"))
        self._ask: Callable[[], Sequence[MemoryFacts]] = tuple
        self._save: Callable[[str, str, str, str], bool] = lambda *_: False
        self._shown: tuple[MemoryFacts, ...] = ()
        self._buttons: dict[tuple[str, str, str], QWidget] = {}  # by agent, act, key
        self._sections = QWidget()
        self._column = vertical(self._sections, spacing=2)
        self.editor = MemoryEditor(self._save_text)
        self.editor.other_name = self._other_name
        self.editor.closed.connect(self.on_editor_closed)
        outer = vertical(self, spacing=4)
        fill(outer, self.editor, self._sections)
        self._sections.hide()

    def set_source(
        self, ask: Callable[[], Sequence[MemoryFacts]], save: Callable[[str, str, str, str], bool]
    ) -> None:
        """Take where memories come from, and what saves a text; see `memory_editor.Save`."""
        self._ask, self._save = ask, save

    def refresh(self) -> None:
        """Ask again and show what came; the keyboard stays where it was."""
        if not self.isVisible():
            return
        facts = tuple(self._ask())
        if facts == self._shown:
            return
        self._shown = facts
        held = next((place for place, button in self._buttons.items() if button.hasFocus()), None)
        self._build()
        if held is not None:
            self._give_keyboard(held)

    def _save_text(self, agent_id: str, old_name: str, name: str, text: str) -> bool:
        return self._save(agent_id, old_name, name, text)

    @property
    def agents(self) -> tuple[Agent, ...]:
        return tuple(one.agent for one in self._shown)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.seen.emit()

    def on_editor_closed(self) -> None:
        """Give the keyboard back to where texts are added."""
        if self._shown:
            self._give_keyboard((self._shown[0].agent.id, "add", ""))

    def edit(self, agent_id: str, name: str) -> None:
        """Open the fields for a text of a memory, or for a new one if it has no name."""
        facts = next((one for one in self._shown if one.agent.id == agent_id), None)
        if facts is not None and facts.can_write:
            rows = (*facts.recalled, *facts.stashed)
            text = next((row.text for row in rows if row.key == name), "") if name else ""
            self.editor.open(agent_id, facts.agent.name, name, text)

    def _other_name(self, agent_id: str, own_name: str, name: str) -> str:
        """The name of the agent's text that a new name, in any case, would replace; empty for none."""
        every = (one for one in self._ask() if one.agent.id == agent_id)
        names = (row.key for facts in every for row in (*facts.recalled, *facts.stashed))
        same = (one for one in names if one != own_name and one.casefold() == name.casefold())
        return next(same, "")

    def _give_keyboard(self, place: tuple[str, str, str]) -> None:
        button = self._buttons.get(place) or self._buttons.get((place[0], "add", ""))
        if button is not None:
            button.setFocus(Qt.FocusReason.OtherFocusReason)

    def _build(self) -> None:
        self._buttons = {}
        while (item := self._column.takeAt(0)) is not None:
            widget = item.widget()
            if widget is not None:
                widget.hide()
                widget.deleteLater()
        for facts in self._shown:
            for part in self._parts(facts):
                self._column.addWidget(part)
        self._sections.setVisible(bool(self._shown))

    def _parts(self, facts: MemoryFacts) -> Iterator[QWidget]:
        yield self._head(facts)
        yield from self._rows(tr("Pinned: sent whole, every time"), facts, facts.pinned, self._pinned)
        yield from self._rows(tr("Recalled: sent whole"), facts, facts.recalled, self._recalled)
        if facts.recent:
            yield label(tr("Recent actions"), "small", "muted")
            lines = label("\n".join(one[:LONGEST] for one in facts.recent), "mono", "secondary", wrap=True)
            lines.setObjectName("memoryRecent")
            yield lines
        yield from self._rows(tr("Stashed: by name only, not sent"), facts, facts.stashed, self._stashed)
        if not (facts.pinned or facts.recalled or facts.recent or facts.stashed):
            yield label(
                tr("Nothing yet. What the agent pins or stashes appears here."), "small", "muted", wrap=True
            )

    def _head(self, facts: MemoryFacts) -> QWidget:
        head = QWidget()
        mark = AgentMark()
        mark.show_agent(facts.agent)
        words = tr("Memory of {agent}").format(agent=facts.agent.name)
        row = Flow(head, gap_px=8)
        fill(row, mark, label(words, "ui_strong", name="memoryTitle"))
        row.addWidget(label(facts.tokens, "small", "muted", name="memoryTokens"))
        if facts.can_write and facts.pins:
            row.addWidget(self._link(facts, "pin", facts.pins, tr("Pin this message")))
        if facts.can_write:
            add = self._link(facts, "add", "", tr("Add a text…"))
            row.addWidget(add)
        return head

    def _rows(
        self,
        title: str,
        facts: MemoryFacts,
        rows: Sequence[MemoryRow],
        fill_row: Callable[[MemoryFacts, MemoryRow], Sequence[QWidget]],
    ) -> Iterator[QWidget]:
        if not rows:
            return
        yield label(title, "small", "muted")
        for row in rows[:MOST_ROWS]:
            holder = QWidget()
            holder.setObjectName("memoryRow")
            holder.setFixedHeight(ROW_PX)
            line = horizontal(holder, spacing=6)
            parts = fill_row(facts, row)
            fill(line, *parts)
            line.setStretch(next(at for at, one in enumerate(parts) if isinstance(one, ShortLabel)), 1)
            yield holder
        if len(rows) > MOST_ROWS:
            more = tr("and {count} more").format(count=figures.number(len(rows) - MOST_ROWS))
            yield label(more, "small", "muted")

    def _pinned(self, facts: MemoryFacts, row: MemoryRow) -> Sequence[QWidget]:
        link = push_button("memoryNode", row.name, kind="link")
        link.setAccessibleName(tr("Go to {name}").format(name=row.name))
        link.setEnabled(not row.state or bool(row.text))
        link.clicked.connect(partial(self.node_clicked.emit, row.key))
        parts: list[QWidget] = [_Bar(row.tint), link, self._words(row)]
        parts += [label(row.state or row.tokens, "small", "muted")]
        if facts.can_write:
            parts += [self._away(facts, "unpin", row, tr("Unpin {name}"))]
        return parts

    def _recalled(self, facts: MemoryFacts, row: MemoryRow) -> Sequence[QWidget]:
        name = label(
            row.name if len(row.name) <= LONGEST_NAME else row.name[: LONGEST_NAME - 1] + "…", "small"
        )
        parts: list[QWidget] = [name, self._words(row)]
        parts += [label(row.tokens, "small", "muted")]
        if facts.can_write:
            parts += [self._link(facts, "put_away", row.key, tr("Put away")), self._edit(facts, row)]
            parts += [self._away(facts, "drop", row, tr("Drop {name}"))]
        return parts

    def _stashed(self, facts: MemoryFacts, row: MemoryRow) -> Sequence[QWidget]:
        name = ShortLabel()
        name.setFont(theme.font("small"))
        name.setText(row.name)
        set_tip(name, row.text[:LONGEST])
        parts: list[QWidget] = [IconLabel("archive", "text.muted", 14), name]
        if facts.can_write:
            parts += [self._link(facts, "recall", row.key, tr("Recall")), self._edit(facts, row)]
            parts += [self._away(facts, "drop", row, tr("Drop {name}"))]
        return parts

    def _words(self, row: MemoryRow) -> ShortLabel:
        words = ShortLabel()
        words.setObjectName("memoryWords")
        words.setFont(theme.font("small"))
        words.setText(" ".join(row.text[:LONGEST].split()))
        set_tip(words, row.text[:LONGEST])
        theme.set_look(words, tone="muted" if row.state else "primary")
        return words

    def _edit(self, facts: MemoryFacts, row: MemoryRow) -> QWidget:
        button = self._link(facts, "edit", row.key, tr("Edit"))
        button.setAccessibleName(tr("Edit {name}").format(name=row.name))
        return button

    def _link(self, facts: MemoryFacts, act: str, key: str, words: str) -> QWidget:
        button = push_button(f"memory_{act}", words, kind="link")
        button.setFont(theme.font("small"))
        button.setAccessibleName(f"{words} {key if act in ('recall', 'put_away') else ''}".strip())
        button.clicked.connect(partial(self._act, facts.agent.id, act, key))
        self._buttons[facts.agent.id, act, key] = button
        return button

    def _away(self, facts: MemoryFacts, act: str, row: MemoryRow, words: str) -> QWidget:
        button = icon_button(f"memory_{act}", theme.icon("x", "text.muted", 14), words.format(name=row.name))
        button.setAutoRaise(True)
        button.clicked.connect(partial(self._act, facts.agent.id, act, row.key))
        self._buttons[facts.agent.id, act, row.key] = button
        return button

    def _act(self, agent_id: str, act: str, key: str, _checked: bool = False) -> None:
        if act in ("add", "edit"):
            self.edit(agent_id, key)
        else:
            self.act_asked.emit(agent_id, act, key)


class _Bar(QWidget):
    """The bar in the tint of who wrote a node."""

    def __init__(self, tint: str) -> None:
        super().__init__()
        self._tint = tint
        self.setFixedSize(3, ROW_PX - 10)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = theme.smooth_painter(self)
        if self._tint:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(theme.colour(self._tint))
            painter.drawRoundedRect(self.rect(), 1.5, 1.5)
        painter.end()
