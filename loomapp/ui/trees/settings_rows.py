"""Rows of a tree's settings: economy, its summaries, the scope of instructions, and Loomapp's words."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import partial
from typing import Any

from PySide6.QtCore import QSignalBlocker, Signal
from PySide6.QtWidgets import QWidget

from loomapp.core.context.settings import TEXTS, AppContextSettings
from loomapp.core.context.truncation import FAULTS
from loomapp.core.model.economy_settings import BY_NAME, CONVERSATION, THRESHOLDS, Economy
from loomapp.core.model.entities import LoomTree, Mode
from loomapp.core.settings.setting import BY_FIELD, KEPT, KINDS, MADE_OF, MAKING, MOST_RECENT, SHORTENED
from loomapp.core.summarisers.prompts import SUMMARISERS
from loomapp.ui.strings import tr
from loomapp.ui.trees.compression_table import CompressionTable
from loomapp.ui.widgets.fields import ExactLine, Line, as_line
from loomapp.ui.widgets.form import ChoiceField, FractionField, LongText, NumberField
from loomapp.ui.widgets.layouts import vertical
from loomapp.ui.widgets.rows import InheritableRow
from loomapp.ui.widgets.words.context_words import scope_choices

STRATEGY = "truncation_strategy"
RECENT = "minimum_recent_nodes"
ROOM = "token_buffer"
SCOPE = "instruction_scope"
TEXT = "system_context"
DESCRIPTION = "description"
OPT_IN = "buffer_mode_system_context"
ASSEMBLER = "assembler"
COMPRESSION = "compression"
COMPRESS_TEXT = "compress_text"
ECONOMY = tuple(BY_NAME)
OBJECT_NAMES = {
    "dialogue_marker": "dialogueMarker",
    "buffer_marker": "bufferMarker",
    "continue_text": "continueText",
}
TEXTS_OF: Mapping[Mode, tuple[str, ...]] = {  # what is said where something is left out, or is to go on
    "dialogue": ("dialogue_marker", "continue_text"),
    "buffer": ("buffer_marker",),
}


def edited(loom: LoomTree, pending: dict[str, object]) -> LoomTree:
    """Return the tree with new values of some fields."""
    # The names are fields of the two, and each value comes from the field of its name.
    own: dict[str, Any] = {name: pending[name] for name in (TEXT, OPT_IN, DESCRIPTION) if name in pending}
    economy: dict[str, Any] = {name: value for name, value in pending.items() if name in BY_NAME}
    settings: dict[str, Any] = {n: value for n, value in pending.items() if n not in own and n not in economy}
    before = loom.context_settings
    after = replace(before, economy=replace(before.economy, **economy), **settings)
    return replace(loom, context_settings=after, **own)


USE, LEAST, MODEL = "use_summaries", "min_recent_messages", "summary_model"
SOFT, HARD = "soft_threshold", "hard_threshold"
ON, OFF = "on", "off"
MAKE, KIND, KEEP, PROMPTS = "make_summaries", "summary_kind", "summary_keep", "summary_prompts"
FIELD_PX = 212
NUMBER_PX = 96
TEXT_PX = 280


class InheritableRows(QWidget):
    """Fields of a tree's settings below each other, each inherited or the tree's own."""

    edited = Signal(str, object)  # the name of a field, its value; None: what is inherited
    typed = Signal(str, object)  # likewise, of a text or number that is still being written
    typing_ended = Signal()

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._rows: dict[str, InheritableRow] = {}
        self._column = vertical(self, spacing=20)

    def on_back_asked(self, name: str) -> None:
        """Ask for what is inherited."""
        self.edited.emit(name, None)

    def fit(self, page_px: int) -> None:
        for row in self._rows.values():
            row.fit(page_px)

    def _add(self, name: str, words: str, hint: str, field: QWidget) -> None:
        row = self._rows[name] = InheritableRow(words, hint, field, self)
        row.back_asked.connect(partial(self.on_back_asked, name))
        self._column.addWidget(row)


class SummaryRows(InheritableRows):
    """Fields of summaries; the prompt is that of the kind that is chosen."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._own_prompts: Mapping[str, str] = {}
        self._inherited_prompts: Mapping[str, str] = {}

    def building(self) -> Iterator[None]:
        """Make the fields and their rows, with pauses."""
        self._make = self._choice("makeSummaries", [(name, tr(words)) for name, words in MAKING])
        self._use = self._choice("useSummaries", [(ON, tr("Used")), (OFF, tr("Not used"))])
        self._soft, self._hard = FractionField(), FractionField()
        self._least, self._model = NumberField(1, MOST_RECENT), Line()
        numbers: dict[str, FractionField | NumberField] = {
            SOFT: self._soft,
            HARD: self._hard,
            LEAST: self._least,
        }
        names = {SOFT: "softThreshold", HARD: "hardThreshold", LEAST: "minRecentMessages"}
        for name, number in numbers.items():
            number.setObjectName(names[name])
            number.setFixedWidth(NUMBER_PX)
        self._model.setObjectName("summaryModel")
        self._model.setFixedWidth(FIELD_PX)
        self._kind = self._choice("summaryKind", [(name, tr(words)) for name, words in KINDS])
        self._prompt = self._text("summaryPrompts", 6)
        self._keep = self._text("summaryKeep", 2)
        self._keep.setPlaceholderText(tr(KEPT.example))
        fields: dict[str, QWidget] = {
            USE: self._use,
            MAKE: self._make,
            SOFT: self._soft,
            HARD: self._hard,
            LEAST: self._least,
            MODEL: self._model,
            KIND: self._kind,
        }
        for field in (*fields.values(), self._prompt, self._keep):
            field.setParent(self)  # the page may go before they have a row
        yield
        for name, field in fields.items():
            self._add(name, tr(BY_FIELD[name].title), tr(BY_FIELD[name].help), field)
            yield
        self._add(PROMPTS, tr("Prompt"), tr("The prompt that asks for such a summary"), self._prompt)
        self._add(KEEP, tr(BY_FIELD[KEEP].title), tr(BY_FIELD[KEEP].help), self._keep)
        self._make.activated.connect(lambda _: self.edited.emit(MAKE, self._make.value()))
        self._kind.activated.connect(lambda _: self.edited.emit(KIND, self._kind.value()))
        self._use.activated.connect(lambda _: self.edited.emit(USE, self._use.value() == ON))
        for name, number in numbers.items():
            number.valueChanged.connect(partial(self._on_number, name))
            number.typing_ended.connect(self.typing_ended)
        self._model.textEdited.connect(lambda text: self.typed.emit(MODEL, text.strip() or None))
        self._model.editingFinished.connect(self.typing_ended)
        self._prompt.textChanged.connect(self.on_prompt_typed)
        self._keep.textChanged.connect(self.on_keep_typed)
        for text in (self._prompt, self._keep):
            text.typing_ended.connect(self.typing_ended)

    def show_values(self, value_of: Callable[[str], object], inherited: Economy) -> None:
        """Show the tree's own values, or those that it inherits."""
        for name, field in ((MAKE, self._make), (KIND, self._kind)):
            own, default = value_of(name), str(getattr(inherited, name))
            with QSignalBlocker(field):
                field.show_value(default if own is None else str(own))
            self._rows[name].show_origin(own=own is not None, inherited_words=field.words_of(default))
        self._show_more(value_of, inherited)
        keep = value_of(KEEP)
        with QSignalBlocker(self._keep):
            self._keep.show_text(str(keep if keep is not None else inherited.summary_keep or ""))
        self._rows[KEEP].show_origin(own=keep is not None, inherited_words=tr("nothing"))
        prompts = value_of(PROMPTS)
        self._own_prompts = prompts if isinstance(prompts, Mapping) else {}
        self._inherited_prompts = inherited.summary_prompts or {}
        kind = self._kind.value()
        with QSignalBlocker(self._prompt):
            self._prompt.show_text(self._own_prompts.get(kind) or self._usual_prompt(kind))
        words = tr("the usual one")
        self._rows[PROMPTS].show_origin(own=kind in self._own_prompts, inherited_words=words)

    def _show_more(self, value_of: Callable[[str], object], inherited: Economy) -> None:
        """Show whether summaries are used, the thresholds where they count, what stays, and the model."""
        use = value_of(USE)
        with QSignalBlocker(self._use):
            self._use.show_value(_word(inherited.use_summaries if use is None else use))
        words = self._use.words_of(_word(inherited.use_summaries))
        self._rows[USE].show_origin(own=use is not None, inherited_words=words)
        for name, field in ((SOFT, self._soft), (HARD, self._hard)):
            self._show_number(name, field, value_of(name), getattr(inherited, name))
            self._rows[name].setVisible(self._make.value() == THRESHOLDS)
        self._show_number(LEAST, self._least, value_of(LEAST), inherited.min_recent_messages)
        model = value_of(MODEL)
        self._model.setPlaceholderText(inherited.summary_model or tr("the model that is asked"))
        if self._model.text().strip() != str(model or ""):
            self._model.setText(str(model or ""))
        usual = inherited.summary_model or tr("the model that is asked")
        self._rows[MODEL].show_origin(own=model is not None, inherited_words=usual)

    def _show_number(
        self, name: str, field: FractionField | NumberField, own: object, default: float
    ) -> None:
        with QSignalBlocker(field):
            value = own if isinstance(own, int | float) else default
            if isinstance(field, NumberField):
                field.setValue(int(value))
            else:
                field.show_value(float(value))
        words = f"{default:.2f}" if isinstance(field, FractionField) else str(default)
        self._rows[name].show_origin(own=own is not None, inherited_words=words)

    def _on_number(self, name: str, value: float) -> None:
        self.typed.emit(name, round(value, 2) if name in (SOFT, HARD) else int(value))

    def _usual_prompt(self, kind: str) -> str:
        usual = SUMMARISERS.get(kind, SUMMARISERS[CONVERSATION])
        return self._inherited_prompts.get(kind) or usual("")

    def on_prompt_typed(self) -> None:
        """Tell the prompt of the kind that is chosen, among those of the others; none for the usual one."""
        kind, text = self._kind.value(), self._prompt.text()
        prompts = {name: words for name, words in self._own_prompts.items() if name != kind}
        if text.strip() and text != self._usual_prompt(kind):
            prompts[kind] = text
        self.typed.emit(PROMPTS, prompts or None)

    def on_keep_typed(self) -> None:
        self.typed.emit(KEEP, self._keep.text() or None)

    def on_back_asked(self, name: str) -> None:
        if name == PROMPTS:
            kind = self._kind.value()
            others = {one: words for one, words in self._own_prompts.items() if one != kind}
            self.edited.emit(PROMPTS, others or None)
        else:
            super().on_back_asked(name)

    def _choice(self, name: str, choices: list[tuple[str, str]]) -> ChoiceField:
        field = ChoiceField(choices)
        field.setObjectName(name)
        field.setFixedWidth(FIELD_PX)
        return field

    def _text(self, name: str, lines: int) -> LongText:
        field = LongText(lines=lines, type_name="ui")
        field.setObjectName(name)
        field.setFixedWidth(TEXT_PX)
        return field


CHOICE_NAMES = {ASSEMBLER: "assembler", COMPRESSION: "compression", COMPRESS_TEXT: "compressText"}
SWITCHES = (COMPRESSION, COMPRESS_TEXT)


class EconomyRows(InheritableRows):
    """Settings of a long context: choices and texts, and the table of what is shortened."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._fields: dict[str, ChoiceField] = {}

    def building(self) -> Iterator[None]:
        """Make the rows, with pauses."""
        made_of = [(name, tr(words)) for name, words in MADE_OF]
        switched = [(OFF, tr(SHORTENED.off)), (ON, tr(SHORTENED.on))]
        self._add_choice(ASSEMBLER, made_of)
        self.summaries = SummaryRows(self)
        self.summaries.edited.connect(self.edited)
        self.summaries.typed.connect(self.typed)
        self.summaries.typing_ended.connect(self.typing_ended)
        yield from self.summaries.building()
        self._column.addWidget(self.summaries)
        self._add_choice(COMPRESSION, switched)
        self.table = CompressionTable(self)
        self.table.typed.connect(self.typed)
        self.table.typing_ended.connect(self.typing_ended)
        self._column.addWidget(self.table)
        self._add_choice(COMPRESS_TEXT, switched)

    def show_values(self, value_of: Callable[[str], object], inherited: Economy, *, in_buffer: bool) -> None:
        """Show the tree's own values, or those that it inherits. In a buffer nothing is shortened."""
        for name, field in self._fields.items():
            own, default = value_of(name), getattr(inherited, name)
            with QSignalBlocker(field):
                field.show_value(_word(default if own is None else own))
            words = field.words_of(_word(default))
            self._rows[name].show_origin(own=own is not None, inherited_words=words)
            self._rows[name].setVisible(name == ASSEMBLER or not in_buffer)
        is_on = self._fields[COMPRESSION].value() == ON
        self._fields[COMPRESS_TEXT].setEnabled(is_on)
        self.table.setVisible(is_on and not in_buffer)
        self.table.show_values(value_of, inherited)
        self.summaries.show_values(value_of, inherited)

    def fit(self, page_px: int) -> None:
        super().fit(page_px)
        self.table.fit(page_px)
        self.summaries.fit(page_px)

    def _add_choice(self, name: str, choices: list[tuple[str, str]]) -> None:
        field = ChoiceField(choices)
        field.setObjectName(CHOICE_NAMES[name])
        field.setFixedWidth(FIELD_PX)
        self._fields[name] = field
        self._add(name, tr(BY_FIELD[name].title), tr(BY_FIELD[name].help), field)
        field.activated.connect(lambda _: self.edited.emit(name, self._value(name)))

    def _value(self, name: str) -> object:
        value = self._fields[name].value()
        return value == ON if name in SWITCHES else value


def _word(value: object) -> str:
    """A value as the field knows it."""
    if isinstance(value, bool):
        return ON if value else OFF
    return str(value)


LINE_PX = 260


class WordsRows(InheritableRows):
    """The scope of instructions, and the words that stand in a context for what is left out."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._effective: Callable[[str], str] = lambda _name: ""
        self._scope = ChoiceField(scope_choices())
        self._scope.setObjectName("instructionScope")
        self._scope.setFixedWidth(212)
        self._add(
            SCOPE,
            tr("Instructions that are sent"),
            tr("All of the path, or only those of this request"),
            self._scope,
        )
        self._scope.activated.connect(lambda _: self.edited.emit(SCOPE, self._scope.value()))
        self._lines = {name: ExactLine(FAULTS[name]) for name in TEXTS}
        words = {
            "dialogue_marker": (tr("Marker"), tr("Sent in place of messages left out; {n} = how many")),
            "buffer_marker": (tr("Marker"), tr("Sent in place of text left out; \\n = new line")),
            "continue_text": (
                tr("Request to continue"),
                tr("Sent to models that cannot continue their own message"),
            ),
        }
        for name, line in self._lines.items():
            line.setObjectName(OBJECT_NAMES[name])
            line.setFixedWidth(LINE_PX)
            line.typed.connect(partial(self.typed.emit, name))
            line.typed.connect(lambda _text, line=line: line.setModified(False))  # it is with the page now
            line.typing_ended.connect(self.typing_ended)
            self._add(name, *words[name], line)

    def show_values(
        self, value_of: Callable[[str], object], inherited: AppContextSettings, mode: Mode
    ) -> None:
        """Show the tree's own values, or those that it inherits; of the lines those of its mode."""

        def effective(name: str) -> str:
            own = value_of(name)
            return str(getattr(inherited, name) if own is None else own)

        self._effective = effective
        with QSignalBlocker(self._scope):
            self._scope.show_value(effective(SCOPE))
        usual = {SCOPE: self._scope.words_of(inherited.instruction_scope)}
        for name, line in self._lines.items():
            self._rows[name].setVisible(name in TEXTS_OF[mode])
            line.show_text(effective(name))
            usual[name] = as_line(getattr(inherited, name))
        for name, words in usual.items():
            self._rows[name].show_origin(own=value_of(name) is not None, inherited_words=words)

    def on_back_asked(self, name: str) -> None:
        super().on_back_asked(name)
        if name in self._lines:
            self._lines[name].show_text(self._effective(name), insist=True)
