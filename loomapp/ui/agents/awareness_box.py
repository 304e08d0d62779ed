"""Box of the agents page for one that sees the tree: what it may do, its limits, and what it is told."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QCheckBox, QHBoxLayout, QVBoxLayout, QWidget

from loomapp.core.context.awareness import ADDENDUM, LOOM_AWARE, aware_agent
from loomapp.core.model.agent import (
    ASK,
    PERMISSION_NAMES,
    USUAL_SECONDS,
    USUAL_STEPS,
    USUAL_TOKENS,
    Agent,
    Permission,
    PermissionName,
)
from loomapp.core.text.token_counts import estimate
from loomapp.ui import figures
from loomapp.ui.agents.fields import OptionalNumber, Words, whole
from loomapp.ui.strings import tr
from loomapp.ui.widgets.buttons import Segments
from loomapp.ui.widgets.labels import label, rule

YES, NO = "yes", "no"
NUMBER_PX = 76
TOLD_LINES = 9


def permission_words() -> Mapping[PermissionName, tuple[str, str]]:
    """Return what each permission is called, and what it allows."""
    return {
        "loom_write": (tr("Write in the tree"), tr("Answer, note, link, edit, bookmark, delete")),
        "loom_generate": (tr("Ask models"), tr("Have another agent continue a message")),
        "doc_read": (tr("Read documents"), tr("All in this tree")),
        "doc_write": (tr("Write documents"), tr("Makes a new version each time")),
    }


class AwarenessBox(QWidget):
    """Shows that side of an `Agent`, and puts what was chosen into one."""

    changed = Signal()  # something was chosen
    typed = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("agentAwareness")
        self.switch = QCheckBox(tr("Sees the tree (loom-aware)"))
        self.switch.setObjectName("loomAwareSwitch")
        self._more = QWidget(self)
        self._permissions: dict[PermissionName, Segments] = {}
        self._steps = self._number("agentRunSteps", tr("Steps of a run"), USUAL_STEPS)
        self._tokens = self._number("agentRunTokens", tr("Tokens that it writes in a run"), USUAL_TOKENS)
        self._seconds = self._number("agentRunSeconds", tr("Seconds of a run"), USUAL_SECONDS)
        self._told = Words("agentAddendum", tr("What it is told"), lines=TOLD_LINES, mono=True)
        self._told.setReadOnly(True)
        self._told_tokens = label("", "small", "muted", name="agentAddendumTokens")
        self._build()
        self.switch.clicked.connect(self.on_chosen)

    def show_agent(self, agent: Agent) -> None:
        self.switch.setChecked(agent.loom_aware)
        self._more.setVisible(agent.loom_aware)
        for name, segments in self._permissions.items():
            segments.show_value(_value(agent.permissions.of(name)))
        limits = agent.run_limits
        numbers = (
            (self._steps, limits.steps),
            (self._tokens, limits.tokens),
            (self._seconds, limits.seconds),
        )
        for number, value in numbers:
            number.show_value(value)
        self._show_told(agent)

    def put_into(self, agent: Agent) -> Agent:
        """Return an agent with what was chosen here; a number that cannot be leaves what was."""
        permissions, limits = agent.permissions, agent.run_limits
        return replace(
            agent,
            loom_aware=self.switch.isChecked(),
            permissions=replace(
                permissions,
                loom_write=self._permission("loom_write"),
                loom_generate=self._permission("loom_generate"),
                doc_read=self._permission("doc_read"),
                doc_write=self._permission("doc_write"),
            ),
            run_limits=replace(
                limits,
                steps=_whole(self._steps, limits.steps),
                tokens=_whole(self._tokens, limits.tokens),
                seconds=_whole(self._seconds, limits.seconds),
            ),
        )

    def on_chosen(self) -> None:
        self._more.setVisible(self.switch.isChecked())
        self.changed.emit()

    def _permission(self, name: PermissionName) -> Permission:
        value = self._permissions[name].value()
        return ASK if value == ASK else value == YES

    def _show_told(self, agent: Agent) -> None:
        aware = aware_agent(replace(agent, type="model", loom_aware=True), (), can_ask=True)
        told = ADDENDUM.format(permissions=", ".join((LOOM_AWARE, *(aware.permissions if aware else ()))))
        self._told.show_text(told)
        words = tr("about {0} tokens, in every request").format(figures.number(estimate(told)))
        self._told_tokens.setText(words)

    # Building

    def _number(self, name: str, title: str, usual: int) -> OptionalNumber:
        number = OptionalNumber(name, title, whole, tr("A whole number, or nothing."))
        number.line.setPlaceholderText(figures.number(usual))
        number.line.setFixedWidth(NUMBER_PX)
        number.changed.connect(lambda: number.hint.setVisible(bool(number.hint.text())))
        number.changed.connect(self.typed)
        return number

    def _build(self) -> None:
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(8)
        column.addWidget(self.switch)
        about = tr(
            "Reads the tree and moves about in it by commands, and keeps a memory. All that it does for one "
            "answer is undone as one step. In a buffer it is asked like any other."
        )
        column.addWidget(label(about, "small", "muted", wrap=True))
        column.addWidget(self._more)
        more = QVBoxLayout(self._more)
        more.setContentsMargins(0, 4, 0, 0)
        more.setSpacing(12)
        more.addWidget(self._built_permissions())
        more.addWidget(rule())
        more.addWidget(self._built_limits())
        more.addWidget(self._built_told())

    def _built_permissions(self) -> QWidget:
        box = QWidget()
        box.setObjectName("agentPermissions")
        column = QVBoxLayout(box)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(10)
        choices = ((YES, tr("Yes")), (ASK, tr("Ask me")), (NO, tr("No")))
        words = permission_words()
        for name in PERMISSION_NAMES:
            title, about = words[name]
            segments = self._permissions[name] = Segments(f"agentPermission_{name}", title, choices)
            segments.chosen.connect(self.on_chosen)
            lines = QVBoxLayout()
            lines.setSpacing(0)
            lines.addWidget(label(title))
            lines.addWidget(label(about, "small", "muted", wrap=True))
            row = QHBoxLayout()
            row.addLayout(lines, 1)
            row.addWidget(segments)
            column.addLayout(row)
        return box

    def _built_limits(self) -> QWidget:
        box = QWidget()
        column = QVBoxLayout(box)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(4)
        column.addWidget(label(tr("A run ends after")))
        row = QHBoxLayout()
        row.setSpacing(8)
        numbers = (
            (self._steps, tr("steps")),
            (self._tokens, tr("tokens")),
            (self._seconds, tr("seconds")),
        )
        for number, unit in numbers:
            row.addWidget(number.line)
            row.addWidget(label(unit, "small", "secondary"))
        row.addStretch(1)
        column.addLayout(row)
        for number, _ in numbers:
            number.setParent(box)  # its parts stand in the row and below it
            number.hide()
            number.hint.hide()
            column.addWidget(number.hint)
        return box

    def _built_told(self) -> QWidget:
        box = QWidget()
        column = QVBoxLayout(box)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(4)
        head = QHBoxLayout()
        head.addWidget(label(tr("What it is told")), 1)
        head.addWidget(self._told_tokens)
        column.addLayout(head)
        column.addWidget(self._told)
        return box


def _value(permission: Permission) -> str:
    return ASK if permission == ASK else YES if permission else NO


def _whole(number: OptionalNumber, before: int | None) -> int | None:
    if not number.is_sound:
        return before
    value = number.value()
    return None if value is None else int(value)
