"""The keys page: every action of the window with the keys that it has now, and a search in them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import partial
from typing import NamedTuple

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QLabel, QPushButton, QTreeWidget, QTreeWidgetItem, QVBoxLayout, QWidget

from loomapp.ui.commands import preferences
from loomapp.ui.keys.keys import effective, shown, usable
from loomapp.ui.look import theme
from loomapp.ui.strings import tr
from loomapp.ui.widgets.fields import Line
from loomapp.ui.widgets.labels import plain_tip
from loomapp.ui.widgets.page import Page
from loomapp.ui.workbench import Workbench

MARGIN_PX, TOP_PX, BELOW_PX = 32, 28, 24
TITLE, KEYS = 0, 1  # columns
GAP_PX = 12
TITLE_SHARE = 0.55  # of the width, at most


class KeyEntry(NamedTuple):
    """An action on the page: its menu, its title, and its keys as they are printed on a keyboard."""

    menu: str
    title: str
    keys: tuple[str, ...]


class KeysPage(Page):
    """Page of all keys, in the graph's place. The settings change them."""

    change_asked = Signal(str)  # the title of an action, "" for all

    def __init__(self, parent: QWidget) -> None:
        super().__init__("keysPage", tr("Keys"), parent)
        self._title = QLabel(tr("Keys"), self)
        self._title.setTextFormat(Qt.TextFormat.PlainText)
        self._title.setFont(theme.font("title"))
        self._search = Line(self)
        self._search.setObjectName("keysSearch")
        self._search.setAccessibleName(tr("Search actions and keys"))
        self._search.setPlaceholderText(tr("Search actions and keys"))
        self._search.textChanged.connect(self.on_searched)
        self._nothing = QLabel(tr("No action has these words or keys."), self)
        self._nothing.setTextFormat(Qt.TextFormat.PlainText)
        theme.set_look(self._nothing, tone="muted")
        self._nothing.hide()
        self._list = self._made_list()
        self._title_px = 0  # what the titles take in one line
        self._change = QPushButton(tr("Change keys…"), self)
        self._change.setObjectName("changeKeysButton")
        self._change.clicked.connect(lambda: self.change_asked.emit(""))
        self._lay_out()
        self.setFocusProxy(self._search)

    def show_entries(self, entries: Iterable[KeyEntry]) -> None:
        """List entries, a heading a menu; the search that is there goes on."""
        self._list.clear()
        heading, menu, titles = None, "", list[str]()
        for entry in entries:
            if heading is None or entry.menu != menu:
                heading, menu = QTreeWidgetItem(self._list, [entry.menu]), entry.menu
                heading.setFirstColumnSpanned(True)
                heading.setFlags(Qt.ItemFlag.ItemIsEnabled)
                heading.setFont(TITLE, theme.font("ui_strong"))
            row = QTreeWidgetItem(heading, [entry.title, "   ".join(entry.keys)])
            titles.append(entry.title)
            row.setToolTip(TITLE, plain_tip(entry.title))
            row.setToolTip(KEYS, tr("Double-click to change it"))
        self._list.expandAll()
        measure = self._list.fontMetrics()
        words = max((measure.horizontalAdvance(title) for title in titles), default=0)
        self._title_px = words + self._list.indentation() + 2 * GAP_PX
        self._fit_columns()
        self.on_searched(self._search.text())

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit_columns()

    def _fit_columns(self) -> None:
        """Give titles the room that they take, and in a narrow page no more than leaves room for keys."""
        most = round((self.width() - 2 * MARGIN_PX) * TITLE_SHARE)
        self._list.setColumnWidth(TITLE, min(most, self._title_px))

    def on_searched(self, words: str) -> None:
        """Hide entries that do not have all of the words in menu, title or keys."""
        wanted = words.casefold().split()
        found = 0
        for heading in map(self._list.topLevelItem, range(self._list.topLevelItemCount())):
            assert heading is not None, "it is among them"
            matching = [_has(heading, row, wanted) for row in _rows(heading)]
            for row, is_found in zip(_rows(heading), matching, strict=True):
                row.setHidden(not is_found)
            heading.setHidden(not any(matching))
            found += sum(matching)
        self._nothing.setVisible(found == 0)
        self._list.setVisible(found > 0)

    def _made_list(self) -> QTreeWidget:
        rows = QTreeWidget(self)
        rows.setObjectName("keysList")
        rows.setAccessibleName(tr("Actions and their keys"))
        rows.setColumnCount(2)
        rows.setHeaderHidden(True)
        rows.setRootIsDecorated(False)
        rows.setItemsExpandable(False)
        rows.setUniformRowHeights(True)
        rows.setTabKeyNavigation(False)
        rows.header().setStretchLastSection(True)
        rows.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        rows.itemActivated.connect(
            lambda item: self.change_asked.emit(item.text(TITLE) if item.parent() else "")
        )
        return rows

    def _lay_out(self) -> None:
        column = QVBoxLayout(self)
        column.setContentsMargins(MARGIN_PX, TOP_PX, MARGIN_PX, BELOW_PX)
        column.setSpacing(theme.px("space.s"))
        column.addLayout(self.head(self._title, "closeKeysButton"))
        column.addWidget(self._search)
        column.addWidget(self._nothing)
        column.addWidget(self._list, 1)
        column.addStretch(0)
        column.addWidget(self._change, 0, Qt.AlignmentFlag.AlignLeft)


def _rows(heading: QTreeWidgetItem) -> list[QTreeWidgetItem]:
    children = (heading.child(place) for place in range(heading.childCount()))
    return [row for row in children if row is not None]


def _has(heading: QTreeWidgetItem, row: QTreeWidgetItem, wanted: Sequence[str]) -> bool:
    words = " ".join((heading.text(TITLE), row.text(TITLE), row.text(KEYS))).casefold()
    return all(word in words for word in wanted)


def entries_of(bench: Workbench) -> list[KeyEntry]:
    """Return every action in the order of the menus, with the keys that it has now."""
    settings, bindings = bench.work.preferences.settings, bench.actions.bindings
    own, _ = usable(bindings, settings.key_preset, settings.keys)
    now = effective(bindings, settings.key_preset, own)
    menus = {row.name: tr(row.menu) for row in bench.actions.rows}
    found: dict[str, KeyEntry] = {}
    for binding in bindings:
        keys = tuple(map(shown, now.get(binding.name, ())))
        if binding.place == "graph":
            keys = tuple(tr("{key} (in the graph)").format(key=key) for key in keys)
        known = found.get(binding.action)
        title = tr(binding.text).rstrip("…")
        entry = KeyEntry(menus[binding.action], title, (*known.keys, *keys) if known else keys)
        found[binding.action] = entry
    return list(found.values())


def toggle_keys(bench: Workbench) -> None:
    """Show the page in the graph's place, or the graph again."""
    page = bench.parts.one(KeysPage, partial(_built, bench))
    if bench.views.pages.currentWidget() is page:
        bench.views.pages.show_graph()
        return
    page.show_entries(entries_of(bench))
    bench.views.pages.show_instead(page)
    page.setFocus()


def _built(bench: Workbench) -> KeysPage:
    page = KeysPage(bench.views.pages)
    page.close_asked.connect(bench.views.pages.show_graph)
    page.change_asked.connect(lambda title: preferences.show_page(bench, title or tr("keys")))
    bench.work.preferences.changed.connect(lambda _: page.show_entries(entries_of(bench)))
    bench.views.pages.addWidget(page)
    return page
