"""Rows of a tree's settings for economy: branch summaries in place of messages, and what is shortened."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from PySide6.QtCore import QSignalBlocker, Signal
from PySide6.QtWidgets import QWidget

from loomapp.core.model.economy_settings import Economy
from loomapp.core.settings.economy import BY_FIELD, MADE_OF, SHORTENED
from loomapp.ui.strings import tr
from loomapp.ui.trees.compression_table import CompressionTable
from loomapp.ui.trees.settings_fields import ASSEMBLER, COMPRESS_TEXT, COMPRESSION
from loomapp.ui.trees.summary_rows import SummaryRows
from loomapp.ui.widgets.form import ChoiceField
from loomapp.ui.widgets.layouts import vertical
from loomapp.ui.widgets.rows import InheritableRow

FIELD_PX = 212
ON, OFF = "on", "off"
OBJECT_NAMES = {ASSEMBLER: "assembler", COMPRESSION: "compression", COMPRESS_TEXT: "compressText"}
SWITCHES = (COMPRESSION, COMPRESS_TEXT)


class EconomyRows(QWidget):
    """Choices and texts, each inherited or the tree's own, and the table of what is shortened."""

    edited = Signal(str, object)  # the name of a field, its value; None: what is inherited
    typed = Signal(str, object)  # likewise, of a number that is still being written
    typing_ended = Signal()

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._fields: dict[str, ChoiceField] = {}
        self._rows: dict[str, InheritableRow] = {}
        self._column = vertical(self, spacing=20)

    def building(self) -> Iterator[None]:
        """Make the rows, with pauses."""
        made_of = [(name, tr(words)) for name, words in MADE_OF]
        switched = [(OFF, tr(SHORTENED.off)), (ON, tr(SHORTENED.on))]
        self._add(ASSEMBLER, made_of)
        self.summaries = SummaryRows(self)
        self.summaries.edited.connect(self.edited)
        self.summaries.typed.connect(self.typed)
        self.summaries.typing_ended.connect(self.typing_ended)
        yield from self.summaries.building()
        self._column.addWidget(self.summaries)
        self._add(COMPRESSION, switched)
        self.table = CompressionTable(self)
        self.table.typed.connect(self.typed)
        self.table.typing_ended.connect(self.typing_ended)
        self._column.addWidget(self.table)
        self._add(COMPRESS_TEXT, switched)

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
        for row in self._rows.values():
            row.fit(page_px)
        self.table.fit(page_px)
        self.summaries.fit(page_px)

    def _add(self, name: str, choices: list[tuple[str, str]]) -> None:
        field = ChoiceField(choices)
        field.setObjectName(OBJECT_NAMES[name])
        field.setFixedWidth(FIELD_PX)
        row = InheritableRow(tr(BY_FIELD[name].title), tr(BY_FIELD[name].help), field, self)
        self._fields[name], self._rows[name] = field, row
        self._column.addWidget(row)
        field.activated.connect(lambda _: self.edited.emit(name, self._value(name)))
        row.back_asked.connect(lambda: self.edited.emit(name, None))

    def _value(self, name: str) -> object:
        value = self._fields[name].value()
        return value == ON if name in SWITCHES else value


def _word(value: object) -> str:
    """A value as the field knows it."""
    if isinstance(value, bool):
        return ON if value else OFF
    return str(value)
