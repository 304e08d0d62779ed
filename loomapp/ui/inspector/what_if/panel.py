"""Panel of variants, beside the rows: each as a card, and the settings of the chosen one that can differ."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import Any

from PySide6.QtCore import QSignalBlocker, Qt, QTimer, Signal
from PySide6.QtWidgets import QButtonGroup, QCheckBox, QLabel, QPushButton, QVBoxLayout, QWidget

from loomapp.core.context.assembly import Assembled
from loomapp.core.context.report import UsedSummary
from loomapp.core.context.settings import TEXTS
from loomapp.core.context.truncation import FAULTS
from loomapp.core.edits.tree_edits import title_from
from loomapp.core.model.agent import Agent
from loomapp.core.model.tree import Tree
from loomapp.core.sent.economy import SentSummary
from loomapp.core.sent.inputs import Inputs
from loomapp.core.sent.trial import EconomyStage, stages_in
from loomapp.session.context.what_if import MOST, Outcome, WhatIf
from loomapp.ui.inspector.what_if.strategies import LOW_PX, PADDING_PX, StrategyCard, share_of
from loomapp.ui.look import theme
from loomapp.ui.strings import tr
from loomapp.ui.widgets.buttons import push_button
from loomapp.ui.widgets.fields import ExactLine
from loomapp.ui.widgets.form import ChoiceField, LongText, NumberField
from loomapp.ui.widgets.labels import label
from loomapp.ui.widgets.layouts import Flow, fill, vertical
from loomapp.ui.widgets.words.context_words import (
    recent_words,
    scope_choices,
    strategy_choices,
    strategy_tips,
)
from loomapp.ui.widgets.words.outcome_words import difference_of, name_of, whose_words

PAUSE_MS = 250  # after typing, before it is assembled
TEXT_LINES = 2
LINE_NAMES = {
    "dialogue_marker": "trialDialogueMarker",
    "buffer_marker": "trialBufferMarker",
    "continue_text": "trialContinueText",
}


class TrialPanel(QWidget):
    """Shows a `WhatIf`; hands on other inputs for the variant that is looked at.

    Its fields are made when something is tried for the first time.
    """

    chosen = Signal(int)  # number of an outcome
    edited = Signal(object)  # Inputs
    act_asked = Signal(str)  # add, remove
    stage_switched = Signal(str, bool)  # an EconomyStage, and whether it is to be on
    summary_chosen = Signal(object)  # SentSummary; None: those of the branches

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("trialPanel")
        self._inputs: Inputs | None = None
        self._cards: list[StrategyCard] = []
        self._group = QButtonGroup(self)
        self._pause = QTimer(self)
        self._pause.setSingleShot(True)
        self._pause.setInterval(PAUSE_MS)
        self._pause.timeout.connect(self.flush)
        self._pending: dict[str, Any] = {}  # by the name of the field
        self._usable: tuple[SentSummary | None, ...] = ()
        self._is_built = False

    # Showing

    def show_trying(
        self, trying: WhatIf, tree: Tree, agents: Mapping[str, Agent], agent_name: str, asked: int
    ) -> None:
        """Show every outcome, and the fields of the one that is looked at. Of so many models that are asked
        the numbers are those of `agent_name`.
        """
        if not self._is_built:
            self._is_built = True
            self._build()
        outcomes = trying.outcomes
        whole = next((o.assembled for o in outcomes if o.assembled is not None), None)
        self._show_cards(outcomes, whole, trying.chosen, tree, agents)
        self._whose.setVisible(asked > 1)
        said = tr("Shown for {name}, which has the least room; all {count} models are asked.")
        self._whose.setText(said.format(name=agent_name, count=asked))
        shown = trying.shown
        if shown is None:
            return
        self._inputs = shown.inputs
        name = name_of(shown.variant)
        self._add.setEnabled(len(trying.variants) < MOST)
        self._remove.setVisible(shown.variant is not None)
        self._remove.setText(tr("Drop {name}").format(name=name))
        self._head.setText(name)
        self._hint.setText(
            tr("Your tree as it is. Change something below to get a variant of it.")
            if shown.variant is None
            else tr("Untick a message in the list to leave it out.")
        )
        several = asked > 1
        prompt = tr("Prompt of every model asked") if several else tr("Prompt of {name}")
        longest = tr("Longest answer of every model asked") if several else tr("Longest answer of {name}")
        self._name_field(self._prompt_words, self._prompt, prompt.format(name=agent_name))
        self._name_field(self._most_words, self._most, longest.format(name=agent_name))
        self._show_fields(shown.inputs, is_buffer=tree.loom.mode == "buffer")
        self._show_stages(shown.inputs, tree)
        branches = (None,) if trying.by_branches() is not None else ()
        self._show_summaries((*trying.summaries(), *branches), shown.assembled, tree)

    def _show_stages(self, inputs: Inputs, tree: Tree) -> None:
        """Show which stages of economy are on; what there is nothing for cannot be switched on."""
        on, is_buffer = stages_in(inputs), tree.loom.mode == "buffer"
        has = {
            "summaries": bool(tree.context_summaries or tree.branch_summaries),
            "compression": not is_buffer,
        }
        for stage, box in self._stages.items():
            with QSignalBlocker(box):
                box.setChecked(stage in on)
            box.setEnabled(stage in on or has[stage])

    def _show_summaries(
        self, usable: tuple[SentSummary | None, ...], assembled: Assembled | None, tree: Tree
    ) -> None:
        """Show which summary is in use, where others could be; None is those of the branches."""
        used = None if assembled is None else assembled.report.economy.summary_used
        by_branches = assembled is not None and assembled.report.economy.threads is not None
        self._usable = usable if used is not None or by_branches else ()
        is_choice = len(self._usable) > 1
        for part in (self._summary_words, self._summary):
            part.setVisible(is_choice)
        with QSignalBlocker(self._summary):
            self._summary.clear()
            for number, one in enumerate(self._usable):
                self._summary.addItem(_summary_words(one, tree), str(number))
                is_used = by_branches if one is None else used is not None and _is_of(one, used)
                if is_used:
                    self._summary.setCurrentIndex(number)

    def _show_cards(
        self,
        outcomes: tuple[Outcome, ...],
        whole: Assembled | None,
        chosen: int,
        tree: Tree,
        agents: Mapping[str, Agent],
    ) -> None:
        while len(self._cards) < len(outcomes):
            card = StrategyCard("", "", self, height_px=LOW_PX)
            card.setObjectName(f"variantCard{len(self._cards)}")
            card.clicked.connect(partial(self._on_card, len(self._cards)))
            self._group.addButton(card)
            self._cards.append(card)
            self._card_column.addWidget(card)
        for number, card in enumerate(self._cards):
            card.setVisible(number < len(outcomes))
            if number < len(outcomes):
                outcome = outcomes[number]
                share = replace(
                    share_of(outcome.result, whole, tree, agents), whose=whose_words(outcome.by_agent)
                )
                words = difference_of(outcome.variant, tree)
                card.rename(name_of(outcome.variant), words)
                card.show_share(
                    share if outcome.error is not None or not words else replace(share, words=words)
                )
                card.setChecked(number == chosen)

    def _show_fields(self, inputs: Inputs, *, is_buffer: bool) -> None:
        fields = (
            self._strategy,
            self._recent,
            self._room,
            self._scope,
            self._system,
            self._prompt,
            self._opt_in,
            self._most,
        )
        blocked = [QSignalBlocker(field) for field in fields]
        self._strategy.show_value(inputs.truncation_strategy)
        self._name_field(self._titles[self._recent], self._recent, recent_words(is_buffer=is_buffer))
        self._recent.setValue(inputs.minimum_recent_nodes)
        self._room.setValue(inputs.token_buffer)
        self._scope.show_value(inputs.instruction_scope)
        self._opt_in.setChecked(inputs.buffer_system_context)
        self._opt_in.setVisible(is_buffer)
        self._most.setValue(inputs.max_tokens or 0)
        for name, line in self._lines.items():
            line.show_text(getattr(inputs, name))
            is_meant = name != ("dialogue_marker" if is_buffer else "buffer_marker")
            for part in (line, self._line_words[name]):
                part.setVisible(is_meant)
        for name, field in (("system_context", self._system), ("system_prompt", self._prompt)):
            if name not in self._pending:
                field.show_text(getattr(inputs, name) or "")
        del blocked

    # Building

    def _build(self) -> None:
        self._column = vertical(self, (PADDING_PX, 10, PADDING_PX, 10), spacing=8)
        self._column.addWidget(label(tr("Variants"), "ui_strong", "secondary"))
        self._whose = label("", "small", "secondary", wrap=True, name="trialWhose")
        self._column.addWidget(self._whose)
        self._card_column = QVBoxLayout()
        self._card_column.setSpacing(6)
        self._column.addLayout(self._card_column)
        self._add = self._link("addVariantButton", tr("+ Another variant"), "add")
        self._remove = self._link("removeVariantButton", "", "remove")
        links = Flow()
        fill(links, self._add, self._remove)
        self._column.addLayout(links)
        self._head = label("", "ui_strong", "secondary")
        self._hint = label("", "small", "muted", wrap=True)
        self._column.addSpacing(4)
        fill(self._column, self._head, self._hint)
        self._build_fields()
        self._column.addStretch(1)

    def _build_fields(self) -> None:
        self._strategy = ChoiceField(strategy_choices())
        self._strategy.setObjectName("trialStrategy")
        for index, tip in enumerate(strategy_tips()):
            self._strategy.setItemData(index, tip, Qt.ItemDataRole.ToolTipRole)
        self._recent = NumberField(1, 1_000_000)
        self._recent.setObjectName("trialRecentNodes")
        self._room = NumberField(0, 100_000_000, step=256)
        self._room.setObjectName("trialTokenBuffer")
        self._scope = ChoiceField(scope_choices())
        self._scope.setObjectName("trialScope")
        self._system, self._prompt = LongText(lines=TEXT_LINES), LongText(lines=TEXT_LINES)
        self._system.setObjectName("trialSystem")
        self._prompt.setObjectName("trialPrompt")
        self._stages: dict[EconomyStage, QCheckBox] = {
            "summaries": QCheckBox(tr("Send summaries for older messages")),
            "compression": QCheckBox(tr("Shorten long parts")),
        }
        for stage, box in self._stages.items():
            box.setObjectName(f"trial_{stage}")
            box.clicked.connect(partial(self._switch, stage))
        self._opt_in = QCheckBox(tr("Send the system context in Buffer mode"))
        self._opt_in.setObjectName("trialBufferSystem")
        self._titles: dict[QWidget, QLabel] = {}
        for words, field in (
            (tr("When it gets too long"), self._strategy),
            ("", self._recent),
            (tr("Room for the answer"), self._room),
            (tr("Instructions"), self._scope),
            (tr("System context of the tree"), self._system),
        ):
            self._titles[field] = self._row(words, field)
        fill(self._column, self._stages["summaries"])
        self._summary = ChoiceField(())
        self._summary.setObjectName("trialSummary")
        self._summary_words = self._row(tr("The summary in use"), self._summary)
        self._summary.activated.connect(self._choose_summary)
        fill(self._column, self._stages["compression"], self._opt_in)
        self._prompt_words = self._row(tr("Prompt of the agent"), self._prompt)
        self._most = NumberField(0, 100_000_000, step=64)
        self._most.setObjectName("trialMaxTokens")
        self._most.setSpecialValueText(tr("the room for the answer"))
        self._most_words = self._row(tr("Longest answer"), self._most)
        self._build_lines()
        self._strategy.activated.connect(lambda _: self._put("truncation_strategy", self._strategy.value()))
        self._scope.activated.connect(lambda _: self._put("instruction_scope", self._scope.value()))
        self._recent.valueChanged.connect(lambda value: self._put("minimum_recent_nodes", value))
        self._room.valueChanged.connect(lambda value: self._put("token_buffer", value))
        self._most.valueChanged.connect(lambda value: self._put("max_tokens", value or None))
        self._opt_in.clicked.connect(lambda on: self._put("buffer_system_context", on))
        self._system.textChanged.connect(lambda: self._type("system_context", self._system.text()))
        self._prompt.textChanged.connect(lambda: self._type("system_prompt", self._prompt.text()))
        for text in (self._system, self._prompt):
            text.typing_ended.connect(self.flush)

    def _build_lines(self) -> None:
        """Build the fields for the words that Loomapp itself puts in."""
        titles = {
            "dialogue_marker": tr("Marker: {n} = messages left out"),
            "buffer_marker": tr("Marker: \\n = new line"),
            "continue_text": tr("Request to continue"),
        }
        self._lines = {name: ExactLine(FAULTS[name]) for name in TEXTS}
        self._line_words: dict[str, QLabel] = {}
        for name, line in self._lines.items():
            line.setObjectName(LINE_NAMES[name])
            self._line_words[name] = self._row(titles[name], line)
            self._column.addWidget(line.complaint)
            line.typed.connect(partial(self._type_line, name))
            line.given.connect(partial(self._put, name))

    def _row(self, words: str, field: QWidget) -> QLabel:
        name = label(words, "small", "secondary")
        name.setBuddy(field)
        field.setAccessibleName(words)
        self._column.addSpacing(2)
        fill(self._column, name, field)
        return name

    @staticmethod
    def _name_field(title: QLabel, field: QWidget, words: str) -> None:
        title.setText(words)
        field.setAccessibleName(words)

    def flush(self) -> None:
        self._pause.stop()
        pending, self._pending = self._pending, {}
        if pending and self._inputs is not None:
            self.edited.emit(replace(self._inputs, **pending))

    def forget_typed(self) -> None:
        self._pause.stop()
        self._pending = {}

    def _type(self, name: str, text: str) -> None:
        self._pending[name] = text or None
        self._pause.start()

    def _type_line(self, name: str, text: str) -> None:
        self._pending[name] = text
        self._pause.start()

    def _put(self, name: str, value: object) -> None:
        self._pending[name] = value
        self.flush()

    def _switch(self, stage: EconomyStage, is_on: bool) -> None:
        self.flush()
        self.stage_switched.emit(stage, is_on)

    def _choose_summary(self, number: int) -> None:
        self.flush()
        self.summary_chosen.emit(self._usable[number])

    def _on_card(self, number: int) -> None:
        self.flush()
        self.chosen.emit(number)

    def _link(self, name: str, words: str, act: str) -> QPushButton:
        button = push_button(name, words, self, kind="link")
        theme.set_look(button, flush=True)
        button.clicked.connect(lambda: self._on_link(act))
        return button

    def _on_link(self, act: str) -> None:
        self.flush()
        self.act_asked.emit(act)


def _summary_words(summary: SentSummary | None, tree: Tree) -> str:
    if summary is None:
        return tr("Summaries of the branches")
    node = tree.nodes.get(summary.anchor_node_id)
    words = tr("Up to {id}: {words}")
    return words.format(id="" if node is None else node.local_id, words=title_from(summary.text))


def _is_of(summary: SentSummary, used: UsedSummary) -> bool:
    return (summary.anchor_node_id, summary.covered_hash) == (used.anchor_node_id, used.covered_hash)
