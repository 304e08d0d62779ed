"""The page of a tree's settings, in the graph's place: system context, what is sent; saved as typed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial

from PySide6.QtCore import QSignalBlocker, Qt, QTimer, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import (
    QCheckBox,
    QGridLayout,
    QHBoxLayout,
    QVBoxLayout,
    QWidget,
)

from loomapp.core.context.settings import AppContextSettings
from loomapp.core.tokens import estimate
from loomapp.core.tree import Agent, LoomTree
from loomapp.session.recovery import value_of
from loomapp.ui.inspector.words import strategy_choices, strategy_tips
from loomapp.ui.strings import tr
from loomapp.ui.trees.agent_says import SaysFirst, token_words
from loomapp.ui.widgets.form import ChoiceField, IconLabel, InheritableRow, LongText, NumberField, label, rule
from loomapp.ui.widgets.page import Page
from loomapp.ui.widgets.scrolled import Scrolled

PAUSE_MS = 400  # after typing, before it is saved
COLUMN_PX = 600
APP_DEFAULTS = AppContextSettings()
LABELS_PX = 256
NARROW_LABELS_PX = 148
MARGIN_PX = 40
NARROW_MARGIN_PX = 20

STRATEGY = "truncation_strategy"
RECENT = "minimum_recent_nodes"
ROOM = "token_buffer"
TEXT = "system_context"
OPT_IN = "buffer_mode_system_context"


class TreeSettingsPage(Page):
    """What one tree says to every model and how much of itself it sends.

    Shows a `LoomTree` value and emits edited ones; what is being typed is never overwritten by a value that
    comes back.
    """

    loom_edited = Signal(object)  # LoomTree
    typed = Signal(object, object)  # LoomTree as it is saved, and dict: fields typed and not yet handed on

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("treeSettingsPage", tr("Tree settings"), parent)
        self._loom: LoomTree | None = None
        self._defaults = APP_DEFAULTS
        self._pending: dict[str, object] = {}
        self._pause = QTimer(self)
        self._pause.setSingleShot(True)
        self._pause.setInterval(PAUSE_MS)
        self._pause.timeout.connect(self.flush)
        self._build()
        self._connect()
        self.setFocusProxy(self._text)

    def show_loom(
        self, loom: LoomTree, agent: Agent | None, defaults: AppContextSettings = APP_DEFAULTS
    ) -> None:
        """Show a tree's settings, what the agent says before them, and what is inherited."""
        if self._loom is not None and loom.id != self._loom.id:
            self.flush()
            self._pending = {}  # what could not be saved of the other tree is kept for it elsewhere
        self._loom = loom
        self._defaults = defaults
        self._title.setText(loom.title or tr("Untitled"))
        self._says_first.show_agent(agent)
        self._show_fields()

    def flush(self) -> None:
        """Hand on what was typed and not yet saved."""
        self._pause.stop()
        loom, pending = self._loom, self._pending
        if loom is None or not pending:
            return
        self._pending = {}
        self._loom = _edited(loom, pending)
        self.loom_edited.emit(self._loom)  # also if it is what is saved: it may have been another and failed

    def take_up(self, fields: Mapping[str, object]) -> None:
        """Go on with what was typed into the shown tree's settings before a crash; saved like typing."""
        self._pending.update(fields)
        self._show_fields()
        self._pause.start()

    def keep_typed(self, typed: LoomTree, saved: LoomTree) -> None:
        """What was handed on could not be saved: it is typed and not saved again."""
        if not self.is_about(saved.id):
            return
        names = (TEXT, OPT_IN, STRATEGY, RECENT, ROOM)
        differing = {n: value_of(typed, n) for n in names if value_of(typed, n) != value_of(saved, n)}
        self._loom, self._pending = saved, {**differing, **self._pending}
        self.typed.emit(saved, dict(self._pending))
        self._show_fields()

    def is_about(self, tree_id: str) -> bool:
        """True if the settings of this tree are shown."""
        return self._loom is not None and self._loom.id == tree_id

    @property
    def has_typed(self) -> bool:
        """True while something is typed that is not saved."""
        return bool(self._pending)

    # Showing

    def _show_fields(self) -> None:
        loom = self._loom
        assert loom is not None, "fields belong to a tree"
        with QSignalBlocker(self._text):
            self._text.show_text(str(self._value(TEXT) or ""))
        with QSignalBlocker(self._strategy):
            self._strategy.show_value(str(self._effective(STRATEGY)))
        for control, name in ((self._recent, RECENT), (self._room, ROOM)):
            with QSignalBlocker(control):
                control.setValue(int(str(self._effective(name))))
        self._opt_in.setChecked(bool(self._value(OPT_IN)))
        self._show_words()

    def _show_words(self) -> None:
        """What the fields say beside themselves."""
        loom, defaults = self._loom, self._defaults
        assert loom is not None, "fields belong to a tree"
        self._tokens.setText(token_words(estimate(self._text.text().strip())))
        inherited_strategy = self._strategy.words_of(defaults.truncation_strategy)
        self._strategy_row.show_origin(own=self._is_own(STRATEGY), inherited_words=inherited_strategy)
        self._recent_row.show_origin(
            own=self._is_own(RECENT), inherited_words=f"{defaults.minimum_recent_nodes:,}"
        )
        self._room_row.show_origin(own=self._is_own(ROOM), inherited_words=f"{defaults.token_buffer:,}")
        in_buffer = loom.mode == "buffer"
        self._opt_in.setEnabled(in_buffer)
        self._opt_in_hint.setText(
            tr("Off: a document is continued just as it stands.")
            if in_buffer
            else tr("For documents. This tree is a dialogue, where it is always sent.")
        )
        unsent = in_buffer and not self._value(OPT_IN)
        self._hint.setText(
            tr("Not sent now: this tree is a buffer. The box below, under Buffer, sends it.")
            if unsent
            else tr("Stays with this tree. Another tree can give the same model another voice.")
        )

    def _value(self, field: str) -> object:
        """The tree's own value as it stands on the page."""
        if field in self._pending:
            return self._pending[field]
        holder = self._loom if field in (TEXT, OPT_IN) else self._loom and self._loom.context_settings
        return getattr(holder, field)

    def _effective(self, field: str) -> object:
        own = self._value(field)
        return getattr(self._defaults, field) if own is None else own

    def _is_own(self, field: str) -> bool:
        return self._value(field) is not None

    # What the user did

    def on_text_typed(self) -> None:
        """Save after a pause."""
        self._note(TEXT, self._text.text() or None)

    def on_strategy_chosen(self) -> None:
        """Save at once."""
        self._note(STRATEGY, self._strategy.value())
        self.flush()

    def on_recent_changed(self, value: int) -> None:
        """Save after a pause: an arrow held down is one edit."""
        self._note(RECENT, value)

    def on_room_changed(self, value: int) -> None:
        """Save after a pause."""
        self._note(ROOM, value)

    def on_opt_in_clicked(self, checked: bool) -> None:
        """Save at once."""
        self._note(OPT_IN, checked)
        self.flush()

    def on_back_asked(self, field: str) -> None:
        """The value of the settings counts again."""
        self._note(field, None)
        self._show_fields()
        self.flush()

    def _note(self, field: str, value: object) -> None:
        self._pending[field] = value
        self.typed.emit(self._loom, dict(self._pending))
        self._show_words()
        self._pause.start()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """In a narrow page the labels give way to the fields."""
        super().resizeEvent(event)
        wide = self.width() >= COLUMN_PX
        self._grid.setColumnMinimumWidth(0, LABELS_PX if wide else NARROW_LABELS_PX)
        left = MARGIN_PX if wide else NARROW_MARGIN_PX
        self._ground.setContentsMargins(left, 0, NARROW_MARGIN_PX, 0)

    # Building

    def _build(self) -> None:
        self._column = QWidget()
        self._column.setMaximumWidth(COLUMN_PX)
        page = QVBoxLayout(self._column)
        page.setContentsMargins(0, 28, 0, 24)
        page.setSpacing(0)
        self._add_title(page)
        page.addSpacing(28)
        self._add_system_context(page)
        page.addSpacing(20)
        page.addWidget(rule())
        page.addSpacing(24)
        self._add_what_is_sent(page)
        page.addSpacing(20)
        page.addWidget(rule())
        page.addSpacing(24)
        self._add_buffer(page)
        page.addSpacing(20)
        self._add_promise(page)
        page.addStretch(1)
        ground = QWidget()
        self._ground = QHBoxLayout(ground)
        self._ground.addWidget(self._column, 1)
        self._ground.addStretch(0)
        outer = QVBoxLayout(self)
        outer.setContentsMargins(0, 0, 0, 0)
        outer.addWidget(Scrolled(ground, "treeSettingsArea"))

    def _add_title(self, page: QVBoxLayout) -> None:
        self._title = label("", "title", wrap=True)
        page.addLayout(self.head(self._title, "treeSettingsClose"))
        page.addSpacing(4)
        sentence = tr("What this tree says to every model, and how much of itself it sends.")
        page.addWidget(label(sentence, "ui", "secondary", wrap=True))

    def _add_system_context(self, page: QVBoxLayout) -> None:
        name = label(tr("System context"), "ui_strong")
        self._tokens = label("", "small", "secondary")
        self._tokens.setObjectName("treeSystemContextTokens")
        self._tokens.setToolTip(tr("Estimated: a quarter of the characters"))
        row = QHBoxLayout()
        row.addWidget(name, 1)
        row.addWidget(self._tokens)
        self._says_first = SaysFirst()
        self._text = LongText()
        self._text.setObjectName("treeSystemContext")
        self._text.setAccessibleName(tr("System context"))
        self._text.setPlaceholderText(tr("Who the model is in this tree, and how it should write"))
        name.setBuddy(self._text)
        self._hint = label("", "small", "muted", wrap=True)
        page.addLayout(row)
        page.addSpacing(8)
        page.addWidget(self._says_first)
        page.addWidget(self._text)
        page.addSpacing(10)
        page.addWidget(self._hint)

    def _add_what_is_sent(self, page: QVBoxLayout) -> None:
        self._strategy = ChoiceField(strategy_choices())
        self._strategy.setObjectName("truncationStrategy")
        self._strategy.setFixedWidth(212)
        for index, tip in enumerate(strategy_tips()):
            self._strategy.setItemData(index, tip, Qt.ItemDataRole.ToolTipRole)
        self._recent = NumberField(1, 1_000_000)
        self._recent.setObjectName("minimumRecentNodes")
        self._room = NumberField(0, 100_000_000, step=256)
        self._room.setObjectName("tokenBuffer")
        for control in (self._recent, self._room):
            control.setFixedWidth(104)
        self._grid = grid = QGridLayout()
        grid.setColumnStretch(1, 1)
        grid.setVerticalSpacing(20)
        grid.setHorizontalSpacing(0)
        self._strategy_row = InheritableRow(
            grid, tr("When it gets too long"), tr("Truncation strategy"), self._strategy
        )
        self._recent_row = InheritableRow(
            grid, tr("Newest nodes to keep"), tr("At least this many"), self._recent
        )
        self._room_row = InheritableRow(grid, tr("Room for the answer"), tr("Tokens kept free"), self._room)
        page.addWidget(label(tr("What is sent"), "ui_strong"))
        page.addSpacing(12)
        page.addLayout(grid)

    def _add_buffer(self, page: QVBoxLayout) -> None:
        self._opt_in = QCheckBox(tr("Send the system context in Buffer mode"))
        self._opt_in.setObjectName("bufferSystemContext")
        self._opt_in_hint = label("", "small", "muted", wrap=True)
        self._opt_in_hint.setContentsMargins(24, 0, 0, 0)
        page.addWidget(label(tr("Buffer"), "ui_strong"))
        page.addSpacing(8)
        page.addWidget(self._opt_in, 0, Qt.AlignmentFlag.AlignLeft)
        page.addWidget(self._opt_in_hint)

    def _add_promise(self, page: QVBoxLayout) -> None:
        row = QHBoxLayout()
        row.setSpacing(8)
        row.addWidget(IconLabel("check", "state.success", 14))
        row.addWidget(label(tr("Saved as you type. Ctrl+Z takes it back."), "small", "muted"))
        row.addStretch(1)
        page.addLayout(row)

    def _connect(self) -> None:
        self._text.textChanged.connect(self.on_text_typed)
        self._strategy.activated.connect(self.on_strategy_chosen)
        self._recent.valueChanged.connect(self.on_recent_changed)
        self._room.valueChanged.connect(self.on_room_changed)
        for field in (self._text, self._recent, self._room):
            field.typing_ended.connect(self.flush)
        rows = {STRATEGY: self._strategy_row, RECENT: self._recent_row, ROOM: self._room_row}
        for name, row in rows.items():
            row.back_asked.connect(partial(self.on_back_asked, name))
        self._opt_in.clicked.connect(self.on_opt_in_clicked)
        for leaving in (self.close_asked, self.left):  # nothing typed is lost by closing
            leaving.connect(self.flush)


def _edited(loom: LoomTree, pending: dict[str, object]) -> LoomTree:
    """The tree with new values of some fields."""
    own = {name: value for name, value in pending.items() if name in (TEXT, OPT_IN)}
    settings = {name: value for name, value in pending.items() if name not in own}
    return replace(loom, context_settings=replace(loom.context_settings, **settings), **own)  # type: ignore[arg-type]
