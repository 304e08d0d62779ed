"""The page of a tree's settings, in the graph's place: system context, what is sent; saved as typed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial

from PySide6.QtCore import QSignalBlocker, Qt, QTimer, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QCheckBox, QHBoxLayout, QVBoxLayout, QWidget

from loomapp.core.context.settings import FIELDS, AppContextSettings
from loomapp.core.model.agent import Agent
from loomapp.core.model.entities import LoomTree
from loomapp.core.text.token_counts import Scaled
from loomapp.session.background.background_work import IdleTimer
from loomapp.session.recovery import value_of
from loomapp.ui import figures
from loomapp.ui.keys import KeyOf
from loomapp.ui.strings import tr
from loomapp.ui.trees.compression_table import CompressionFacts
from loomapp.ui.trees.context_lines import DescriptionLine, SaysFirst, SummaryLine, room_words, token_words
from loomapp.ui.trees.settings_rows import (
    DESCRIPTION,
    ECONOMY,
    OPT_IN,
    RECENT,
    ROOM,
    STRATEGY,
    TEXT,
    EconomyRows,
    WordsRows,
    edited,
)
from loomapp.ui.widgets.form import ChoiceField, LongText, NumberField
from loomapp.ui.widgets.labels import IconLabel, label, rule
from loomapp.ui.widgets.layouts import ScrolledColumn, vertical
from loomapp.ui.widgets.page import Page
from loomapp.ui.widgets.rows import InheritableRow
from loomapp.ui.widgets.words.context_words import recent_words, strategy_choices, strategy_tips

PAUSE_MS = 400  # after typing, before it is saved
COLUMN_PX = 600
APP_DEFAULTS = AppContextSettings()


class TreeSettingsPage(Page):
    """Settings of one tree: what it says to every model and how much of itself it sends.

    Shows a `LoomTree` value and emits edited ones; what is being typed is never overwritten by a value that
    comes back. Its fields are made when it is first wanted, those below the first screen bit by bit.
    """

    loom_edited = Signal(object)  # LoomTree
    typed = Signal(object, object)  # LoomTree as it is saved, and dict: fields typed and not yet handed on

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("treeSettingsPage", tr("Tree settings"), parent)
        self._loom: LoomTree | None = None
        self._defaults = APP_DEFAULTS
        self._agent: Agent | None = None
        self._rows: dict[str, InheritableRow] = {}
        self._pending: dict[str, object] = {}
        self._pause = QTimer(self, singleShot=True, interval=PAUSE_MS)
        self._pause.timeout.connect(self.flush)
        self._is_built = False
        self.is_whole = False  # all fields are made
        self._rest_steps: Iterator[None] = iter(())
        self._rest_turn = IdleTimer(self)
        self._rest_turn.timeout.connect(self.on_rest_turn)
        self._promised = tr("Saved as you type.")
        self._compression = CompressionFacts()
        self.summary = SummaryLine(self)
        for leaving in (self.close_asked, self.left):  # nothing typed is lost by closing
            leaving.connect(self.flush)

    def show_loom(
        self, loom: LoomTree, agent: Agent | None, defaults: AppContextSettings = APP_DEFAULTS
    ) -> None:
        """Show a tree's settings, what the agent says before them, and what is inherited."""
        if self._loom is not None and loom.id != self._loom.id:
            self.flush()
            self._pending = {}  # what could not be saved of the other tree is kept for it elsewhere
            if self._is_built:
                self._area.verticalScrollBar().setValue(0)
        self._loom, self._defaults, self._agent = loom, defaults, agent
        self._show_fields()

    def show_compression(self, facts: CompressionFacts) -> None:
        self._compression = facts
        if self.is_whole:
            self._economy.table.show_facts(facts)

    def show_keys(self, key_of: KeyOf) -> None:
        key, words = key_of("undo"), tr("Saved as you type. {key} undoes it.")
        self._promised = words.format(key=key) if key else tr("Saved as you type.")
        if self.is_whole:
            self._promise.setText(self._promised)

    def flush(self) -> None:
        """Hand on what was typed and not yet saved."""
        self._pause.stop()
        loom, pending = self._loom, self._pending
        if loom is None or not pending:
            return
        self._pending = {}
        self._loom = edited(loom, pending)
        self.loom_edited.emit(self._loom)  # also if it is what is saved: it may have been another and failed

    def take_up(self, fields: Mapping[str, object]) -> None:
        """Go on with what was typed into the shown tree's settings before a crash; saved like typing."""
        self._pending.update(fields)
        self.typed.emit(self._loom, dict(self._pending))
        self._show_fields()
        self._pause.start()

    def keep_typed(self, typed: LoomTree, saved: LoomTree) -> None:
        """Keep an edit that could not be saved as typed; it is not saved again."""
        if not self.is_about(saved.id):
            return
        names = (DESCRIPTION, TEXT, OPT_IN, *FIELDS, *ECONOMY)
        differing = {n: value_of(typed, n) for n in names if value_of(typed, n) != value_of(saved, n)}
        self._loom, self._pending = saved, {**differing, **self._pending}
        self.typed.emit(saved, dict(self._pending))
        self._show_fields()

    def is_about(self, tree_id: str) -> bool:
        return self._loom is not None and self._loom.id == tree_id

    @property
    def has_typed(self) -> bool:
        return bool(self._pending)

    # Showing

    def setVisible(self, visible: bool) -> None:
        """Make the fields before they are seen for the first time."""
        if visible and not self._is_built:
            self._is_built = True
            self._build()
            self._connect()
            self.setFocusProxy(self._text)
            if self._loom is not None:
                self._show_fields()
            self._rest_steps = self._building_rest()
            self._rest_turn.start()
        super().setVisible(visible)

    def on_rest_turn(self) -> None:
        """Make a few more fields; show them when all stand."""
        try:
            next(self._rest_steps)
            self._rest_turn.start()
        except StopIteration:
            self.is_whole = True
            self._connect_rest()
            if self._loom is not None:
                self._show_fields()
            self._fit()
            self._rest.show()

    def _show_fields(self) -> None:
        loom = self._loom
        assert loom is not None, "fields belong to a tree"
        if not self._is_built:
            return
        self._title.setText(loom.title or tr("Untitled"))
        self.summary.show_summary(loom.summary)
        self._description.show_text(str(self._value(DESCRIPTION) or ""))
        self._says_first.show_agent(self._agent)
        with QSignalBlocker(self._text):
            self._text.show_text(str(self._value(TEXT) or ""))
        with QSignalBlocker(self._strategy):
            self._strategy.show_value(str(self._effective(STRATEGY)))
        for control, name in ((self._recent, RECENT), (self._room, ROOM)):
            with QSignalBlocker(control):
                control.setValue(int(str(self._effective(name))))
        if self.is_whole:
            self._opt_in.setChecked(bool(self._value(OPT_IN)))
        self._show_words()

    def _show_words(self) -> None:
        """Update the notes beside the fields: tokens, inherited values, hints."""
        loom, defaults = self._loom, self._defaults
        assert loom is not None, "fields belong to a tree"
        self._tokens.setText(token_words(Scaled().of(self._text.text().strip())))
        inherited = {
            STRATEGY: self._strategy.words_of(defaults.truncation_strategy),
            RECENT: figures.number(defaults.minimum_recent_nodes),
            ROOM: figures.number(defaults.token_buffer),
        }
        for name, words in inherited.items():
            self._rows[name].show_origin(own=self._value(name) is not None, inherited_words=words)
        why = tr("The agent's longest answer is larger, so that much is kept free")
        self._rows[ROOM].show_agent(room_words(self._agent, int(str(self._effective(ROOM)))), why)
        in_buffer = loom.mode == "buffer"
        self._rows[RECENT].rename(recent_words(is_buffer=in_buffer))
        if self.is_whole:
            self._economy.show_values(self._value, defaults.economy, in_buffer=in_buffer)
            self._own_words.show_values(self._value, defaults, loom.mode)
            self._opt_in.setEnabled(in_buffer)
            self._opt_in_hint.setText(
                tr("Off: the model gets only the text.")
                if in_buffer
                else tr("Only for buffers. In a dialogue like this one it is always sent.")
            )
        unsent = in_buffer and not self._value(OPT_IN)
        self._hint.setText(
            tr("Not sent now, because this tree is a buffer. Switch it on below, under Buffer.")
            if unsent
            else tr("Only for this tree: another tree can give the same model another voice.")
        )

    def _value(self, field: str) -> object:
        """Return the tree's own value as it stands on the page."""
        if field in self._pending or self._loom is None:
            return self._pending.get(field)
        return value_of(self._loom, field)

    def _effective(self, field: str) -> object:
        own = self._value(field)
        return getattr(self._defaults, field) if own is None else own

    # What the user did

    def on_text_typed(self) -> None:
        self._note(TEXT, self._text.text() or None)

    def on_strategy_chosen(self) -> None:
        self._note(STRATEGY, self._strategy.value())
        self.flush()

    def on_row_edited(self, field: str, value: object) -> None:
        self._note(field, value)
        self.flush()

    def on_opt_in_clicked(self, checked: bool) -> None:
        self._note(OPT_IN, checked)
        self.flush()

    def on_back_asked(self, field: str) -> None:
        self._note(field, None)
        self._show_fields()
        self.flush()

    def _note(self, field: str, value: object) -> None:
        self._pending[field] = value
        self.typed.emit(self._loom, dict(self._pending))
        self._show_words()
        self._pause.start()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if self._is_built:
            self._fit()

    def _fit(self) -> None:
        for row in self._rows.values():
            row.fit(self.width())
        if self.is_whole:
            self._economy.fit(self.width())
            self._own_words.fit(self.width())

    # Building

    def _build(self) -> None:
        self._area = ScrolledColumn(COLUMN_PX, "treeSettingsArea", self)
        vertical(self, spacing=0).addWidget(self._area)
        page = vertical(self._area.column, (0, 0, 0, 24), spacing=0)
        self._title = label("", "title", wrap=True)
        self._area.add_head(self.head(self._title, "treeSettingsClose"))
        self._add_title(page)
        page.addSpacing(28)
        self._add_system_context(page)
        _add_rule(page)
        self._add_what_is_sent(page)
        page.addSpacing(20)
        self._rest = QWidget(self._area.column)
        self._rest.hide()
        page.addWidget(self._rest)
        page.addStretch(1)

    def _building_rest(self) -> Iterator[None]:
        """Make what is below the first screen, with pauses."""
        page = vertical(self._rest, spacing=0)
        self._economy = EconomyRows(self._rest)
        yield from self._economy.building()
        page.addWidget(self._economy)
        _add_rule(page)
        self._add_buffer(page)
        _add_rule(page)
        yield
        page.addWidget(label(tr("Instructions and markers"), "ui_strong"))
        page.addSpacing(12)
        self._own_words = WordsRows(self._rest)
        page.addWidget(self._own_words)
        page.addSpacing(20)
        self._add_promise(page)

    def _add_title(self, page: QVBoxLayout) -> None:
        page.addSpacing(4)
        sentence = tr("What this tree says to every model, and how much of itself it sends.")
        page.addWidget(label(sentence, "ui", "secondary", wrap=True))
        page.addWidget(self.summary)
        self._description = DescriptionLine()
        page.addWidget(self._description)

    def _add_system_context(self, page: QVBoxLayout) -> None:
        name = label(tr("System context"), "ui_strong")
        self._tokens = label("", "small", "secondary", name="treeSystemContextTokens")
        self._tokens.setToolTip(tr("A cautious estimate: rather too high than too low"))
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
        page.addWidget(label(tr("What is sent"), "ui_strong"))
        page.addSpacing(12)
        rows = vertical(spacing=20)
        page.addLayout(rows)
        self._add_row(
            rows,
            STRATEGY,
            tr("When it gets too long"),
            tr("Which messages are left out then (truncation strategy)"),
            self._strategy,
        )
        self._add_row(rows, RECENT, recent_words(is_buffer=False), tr("At least this many"), self._recent)
        self._add_row(rows, ROOM, tr("Room for the answer"), tr("Tokens kept free"), self._room)

    def _add_buffer(self, page: QVBoxLayout) -> None:
        self._opt_in = QCheckBox(tr("Send the system context in Buffer mode"))
        self._opt_in.setObjectName("bufferSystemContext")
        self._opt_in_hint = label("", "small", "muted", wrap=True)
        self._opt_in_hint.setContentsMargins(24, 0, 0, 0)
        page.addWidget(label(tr("Buffer"), "ui_strong"))
        page.addSpacing(8)
        page.addWidget(self._opt_in, 0, Qt.AlignmentFlag.AlignLeft)
        page.addWidget(self._opt_in_hint)

    def _add_row(self, rows: QVBoxLayout, name: str, words: str, hint: str, control: QWidget) -> None:
        self._rows[name] = InheritableRow(words, hint, control, self._area.column)
        self._rows[name].back_asked.connect(partial(self.on_back_asked, name))
        rows.addWidget(self._rows[name])

    def _add_promise(self, page: QVBoxLayout) -> None:
        row = QHBoxLayout()
        row.setSpacing(8)
        row.addWidget(IconLabel("check", "state.success", 14))
        self._promise = label(self._promised, "small", "muted", name="treeSettingsPromise")
        row.addWidget(self._promise)
        row.addStretch(1)
        page.addLayout(row)

    def _connect(self) -> None:
        self._text.textChanged.connect(self.on_text_typed)
        self._strategy.activated.connect(self.on_strategy_chosen)
        self._recent.valueChanged.connect(partial(self._note, RECENT))  # an arrow held down is one edit
        self._room.valueChanged.connect(partial(self._note, ROOM))
        self._description.textEdited.connect(lambda text: self._note(DESCRIPTION, text or None))
        for field in (self._description, self._text, self._recent, self._room):
            field.typing_ended.connect(self.flush)

    def _connect_rest(self) -> None:
        for rows in (self._economy, self._own_words):
            rows.edited.connect(self.on_row_edited)
            rows.typed.connect(self._note)
            rows.typing_ended.connect(self.flush)
        self._economy.table.show_facts(self._compression)
        self._opt_in.clicked.connect(self.on_opt_in_clicked)


def _add_rule(page: QVBoxLayout) -> None:
    page.addSpacing(20)
    page.addWidget(rule())
    page.addSpacing(24)
