"""The rows of a context as an item model: shown anew without losing the place."""

from __future__ import annotations

from PySide6.QtCore import QModelIndex, QObject, QPersistentModelIndex, QStringListModel, Qt

from loomapp.ui.inspector.context.rows import ContextRow, ContextRows
from loomapp.ui.strings import tr
from loomapp.ui.widgets.labels import plain_tip
from loomapp.ui.widgets.words import amounts
from loomapp.ui.widgets.words.context_words import reason_words

Index = QModelIndex | QPersistentModelIndex
ROW_ROLE = Qt.ItemDataRole.UserRole
TIP_CHARACTERS = 1000
FEW = 500  # rows that come or go one by one; a view takes seconds for many, and no time for all anew


class ContextTable(QStringListModel):
    """One row of the context a line.

    Qt's own list of strings, all of them empty, stands for their number: a view asks for it with every row
    that it lays out, and asked in Python that would take seconds for a long path.
    """

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self.rows: ContextRows | None = None

    def show(self, rows: ContextRows | None) -> bool:
        """Show these rows; True if they are as many as before, then the view has only to draw them anew."""
        before, now = len(self), 0 if rows is None else len(rows)
        if rows is None or abs(now - before) > FEW:
            self.rows = None
            self.setStringList([""] * now)
        elif now < before:
            self.removeRows(now, before - now)
        self.rows = rows
        if len(self) < now:
            self.insertRows(before, now - before)
        return now == before and rows is not None

    def __len__(self) -> int:
        return self.rowCount()

    def flags(self, index: Index) -> Qt.ItemFlag:
        """Let rows be chosen, not edited or dragged."""
        return Qt.ItemFlag.ItemIsSelectable | Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemNeverHasChildren

    def row(self, index: Index) -> ContextRow:
        assert self.rows is not None, "an index belongs to rows"
        return self.rows[index.row()]

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        if not index.isValid() or self.rows is None:
            return None
        if role == ROW_ROLE:
            return self.row(index)
        if role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.AccessibleTextRole):
            return spoken(self.row(index))
        if role == Qt.ItemDataRole.ToolTipRole:
            row = self.row(index)
            words = f"{spoken(row, with_text=False)}\n\n{row.text[:TIP_CHARACTERS]}" if row.name else row.text
            return plain_tip(words)
        return None


def spoken(row: ContextRow, *, with_text: bool = True) -> str:
    """A row as a sentence: who, which node, what becomes of it, what it costs, and its words."""
    said = [row.name, row.chip]
    if row.reason is not None:
        said.append(tr("left out: {reason}").format(reason=reason_words(row.reason)))
    elif row.kind != "info":
        said.append(row.note)
    if row.joined:
        said.append(tr("same message as above"))
    if row.tokens is not None:
        said.append(amounts.tokens(row.tokens))
    if with_text:
        said.append(row.text[:TIP_CHARACTERS])
    return " · ".join(filter(None, said))
