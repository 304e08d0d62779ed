"""The sources: what led to the selected node and in which role, what it is used for, and what comes next."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from PySide6.QtCore import Signal
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QPushButton, QVBoxLayout, QWidget

from loomapp.ui import figures
from loomapp.ui.inspector.node.source_row import SourceFacts, SourceRow
from loomapp.ui.look import theme
from loomapp.ui.strings import tr
from loomapp.ui.widgets.labels import label
from loomapp.ui.widgets.layouts import Scrolled

AT_FIRST = 60  # rows of one part of the list; the rest when it is asked for


@dataclass(frozen=True, slots=True)
class SourceList:
    """Part of the panel: a heading, a sentence below it, and rows."""

    name: str
    title: str
    sentence: str
    rows: tuple[SourceFacts, ...] = ()


def _made(lists: Sequence[SourceList]) -> list[object]:
    """Return the facts of which the widgets of some lists are made."""
    return [(one.name, one.title, one.sentence, [facts.build for facts in one.rows]) for one in lists]


class SourcesPanel(QWidget):
    """Lists of sources. They are asked for only while the panel is seen."""

    node_clicked = Signal(str)  # node id
    act_asked = Signal(str, str, str)  # name of the list, node id, name of the act

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("sourcesPanel")
        self.setAccessibleName(tr("Sources"))
        self._ask: Callable[[], Sequence[SourceList]] = tuple
        self._shown: tuple[SourceList, ...] = ()
        self._whole: set[str] = set()  # the lists that are shown to their end
        ground = QWidget()
        self._column = QVBoxLayout(ground)
        self._column.setContentsMargins(0, 8, 0, 12)
        self._column.setSpacing(0)
        self._column.addStretch(1)
        outer = QVBoxLayout(self)
        outer.setContentsMargins(0, 0, 0, 0)
        outer.addWidget(Scrolled(ground, "sourcesArea"))

    def set_source(self, ask: Callable[[], Sequence[SourceList]]) -> None:
        self._ask = ask

    def refresh(self) -> None:
        """Ask again and show what came; the keyboard stays where it was."""
        if not self.isVisible():
            return
        lists = tuple(self._ask())
        if lists == self._shown:
            return
        if [one.title for one in lists] != [one.title for one in self._shown]:
            self._whole.clear()
        before, self._shown = self._shown, lists
        if _made(before) == _made(lists):
            self._tell()
            return
        focused = self._focused()
        self._build()
        self._focus(focused)

    def rows(self, name: str = "") -> list[SourceRow]:
        """Return the rows that are shown, of one list or of all."""
        items = (self._column.itemAt(place) for place in range(self._column.count()))
        widgets = (item.widget() for item in items if item is not None)
        found = [row for row in widgets if isinstance(row, SourceRow)]
        return [row for row in found if not name or row.property("list") == name]

    def showEvent(self, event: QShowEvent) -> None:
        """Catch up with what was not asked while hidden."""
        super().showEvent(event)
        self.refresh()

    def _build(self) -> None:
        while self._column.count() > 1:
            item = self._column.takeAt(0)
            widget = item.widget() if item is not None else None
            if widget is not None:
                widget.hide()
                widget.setParent(None)
                widget.deleteLater()
        for one in self._shown:
            for part in self._parts(one):
                self._column.insertWidget(self._column.count() - 1, part)

    def _tell(self) -> None:
        """Show what is otherwise of the same rows, which stay: the pointer may be on one of them."""
        for one in self._shown:
            for row, facts in zip(self.rows(one.name), one.rows, strict=False):
                if row.facts != facts:
                    row.show_facts(facts)

    def _parts(self, one: SourceList) -> list[QWidget]:
        head = label(one.title, "ui_strong")
        head.setContentsMargins(12, 8, 12, 2)
        parts: list[QWidget] = [head]
        if one.sentence:
            words = label(one.sentence, "small", "muted", wrap=True)
            words.setContentsMargins(12, 0, 12, 4)
            parts.append(words)
        most = len(one.rows) if one.name in self._whole else AT_FIRST
        for facts in one.rows[:most]:
            row = SourceRow(facts)
            row.setProperty("list", one.name)
            row.clicked.connect(self.node_clicked)
            row.act_asked.connect(lambda node_id, act, name=one.name: self.act_asked.emit(name, node_id, act))
            parts.append(row)
        if len(one.rows) > most:
            parts.append(self._more(one.name, len(one.rows) - most))
        return parts

    def _more(self, name: str, count: int) -> QPushButton:
        button = QPushButton(tr("Show {count} more").format(count=figures.number(count)))
        button.setObjectName("moreSourcesButton")
        theme.set_look(button, kind="link")
        button.clicked.connect(lambda: self._show_whole(name))
        return button

    def _show_whole(self, name: str) -> None:
        self._whole.add(name)
        self._build()

    def _focused(self) -> tuple[str, str, str] | None:
        """Return the place of the keyboard: list, node, and the name of a button."""
        for row in self.rows():
            place = str(row.property("list")), row.facts.node_id
            if row.hasFocus():
                return (*place, "")
            for button in row.buttons:
                if button.hasFocus():
                    return (*place, button.objectName())
        return None

    def _focus(self, place: tuple[str, str, str] | None) -> None:
        if place is None:
            return
        for row in self.rows(place[0]):
            if row.facts.node_id == place[1]:
                named = [button for button in row.buttons if place[2] and button.objectName() == place[2]]
                (named[0] if named else row).setFocus()
                return
        (self.rows()[0] if self.rows() else self).setFocus()
