"""List of words under headings, each with a sign before it: searched, walked by keys, and copied from."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from PySide6.QtCore import QSize, Qt
from PySide6.QtWidgets import QListView, QListWidget, QListWidgetItem, QWidget

from loomapp.ui.look import theme

SIGN_PX, SPACING_PX = 16, 2
HEADING_ROLE = Qt.ItemDataRole.UserRole
VALUE_ROLE = Qt.ItemDataRole.UserRole + 1


class HelpRow(NamedTuple):
    """Words below a heading, with the icon that they explain; `value` is copied in their place."""

    heading: str
    words: str
    icon: str = ""
    role: str = "text.secondary"
    value: str = ""


class HelpList(QListWidget):
    """Rows of help. Long ones wrap; headings cannot be chosen."""

    def __init__(self, name: str, title: str, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName(name)
        self.setAccessibleName(title)
        self.setWordWrap(True)
        self.setSpacing(SPACING_PX)
        self.setResizeMode(QListView.ResizeMode.Adjust)  # or rows keep the height of another width
        self.setIconSize(QSize(SIGN_PX, SIGN_PX))
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setVerticalScrollMode(QListView.ScrollMode.ScrollPerPixel)

    def show_rows(self, rows: Iterable[HelpRow]) -> None:
        """Show rows, a heading before the first of each; the same row stays current."""
        current = max(0, self.currentRow())
        self.clear()
        heading = ""
        for row in rows:
            if row.heading != heading:
                heading = row.heading
                item = QListWidgetItem(heading, self)
                item.setFlags(Qt.ItemFlag.ItemIsEnabled)
                item.setFont(theme.font("ui_strong"))
            item = QListWidgetItem(row.words, self)
            item.setData(HEADING_ROLE, heading)
            item.setData(VALUE_ROLE, row.value)
            if row.icon:
                item.setIcon(theme.icon(row.icon, row.role, filled=row.icon == "bookmark"))
        self.setCurrentRow(max(1, min(current, self.count() - 1)))

    def search(self, wanted: Sequence[str]) -> int:
        """Show the rows that have all of the words, here or in their heading; return how many there are."""
        found, heading, below = 0, None, 0
        for place in range(self.count()):
            item = self.item(place)
            words = item.data(HEADING_ROLE)
            if words is None:
                _hide_empty(heading, below)
                heading, below = item, 0
                continue
            is_found = all(word in f"{words} {item.text()}".casefold() for word in wanted)
            item.setHidden(not is_found)
            below += is_found
            found += is_found
        _hide_empty(heading, below)
        return found

    @property
    def value(self) -> str:
        """Return the value of the current row, empty if it is not shown or has none."""
        item = self.currentItem()
        return "" if item is None or item.isHidden() else str(item.data(VALUE_ROLE) or "")


def _hide_empty(heading: QListWidgetItem | None, below: int) -> None:
    if heading is not None:
        heading.setHidden(not below)
