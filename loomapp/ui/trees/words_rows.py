"""Rows of a tree's settings for the scope of instructions, and for the words that Loomapp puts in itself."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from PySide6.QtCore import QSignalBlocker, Signal
from PySide6.QtWidgets import QWidget

from loomapp.core.context.settings import TEXTS, AppContextSettings
from loomapp.core.context.truncation import FAULTS
from loomapp.core.model.entities import Mode
from loomapp.ui.strings import tr
from loomapp.ui.trees.settings_fields import OBJECT_NAMES, SCOPE, TEXTS_OF
from loomapp.ui.widgets.fields import ExactLine, as_line
from loomapp.ui.widgets.form import ChoiceField
from loomapp.ui.widgets.layouts import vertical
from loomapp.ui.widgets.rows import InheritableRow
from loomapp.ui.widgets.words.context_words import scope_choices

LINE_PX = 260


class WordsRows(QWidget):
    """A choice and lines, each inherited or the tree's own."""

    edited = Signal(str, object)  # the name of a field, its value; None: what is inherited
    typed = Signal(str, object)  # likewise, of a line that is still being written
    typing_ended = Signal()

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._rows: dict[str, InheritableRow] = {}
        self._effective: Callable[[str], str] = lambda _name: ""
        self._column = vertical(self, spacing=20)
        self._scope = ChoiceField(scope_choices())
        self._scope.setObjectName("instructionScope")
        self._scope.setFixedWidth(212)
        self._add(SCOPE, tr("Instructions that are sent"), tr("Of the path, or of one request"), self._scope)
        self._scope.activated.connect(lambda _: self.edited.emit(SCOPE, self._scope.value()))
        self._lines = {name: ExactLine(FAULTS[name]) for name in TEXTS}
        words = {
            "dialogue_marker": (tr("Marker"), tr("For messages left out; {n} is how many")),
            "buffer_marker": (tr("Marker"), tr("Where text is left out; \\n is a new line")),
            "continue_text": (tr("Asking to go on"), tr("If a model cannot go on by itself")),
        }
        for name, line in self._lines.items():
            line.setObjectName(OBJECT_NAMES[name])
            line.setFixedWidth(LINE_PX)
            line.typed.connect(partial(self.typed.emit, name))
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
        self.edited.emit(name, None)
        if name in self._lines:
            self._lines[name].show_text(self._effective(name), insist=True)

    def fit(self, page_px: int) -> None:
        for row in self._rows.values():
            row.fit(page_px)

    def _add(self, name: str, words: str, hint: str, field: QWidget) -> None:
        self._rows[name] = InheritableRow(words, hint, field, self)
        self._rows[name].back_asked.connect(partial(self.on_back_asked, name))
        self._column.addWidget(self._rows[name])
