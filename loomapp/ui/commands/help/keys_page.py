"""The help page: uses, every action with the keys that it has now, signs, places of data, and a search."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import NamedTuple

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QLabel, QPushButton, QTreeWidget, QTreeWidgetItem, QVBoxLayout, QWidget

from loomapp.ui.commands import preferences
from loomapp.ui.commands.help.help_lists import HelpList, HelpRow, data_rows, sign_rows, use_rows
from loomapp.ui.keys import effective, shown, usable
from loomapp.ui.look import theme
from loomapp.ui.strings import tr
from loomapp.ui.widgets.buttons import Segments, push_button
from loomapp.ui.widgets.clipboard import copy as copy_words
from loomapp.ui.widgets.fields import Line
from loomapp.ui.widgets.labels import plain_tip
from loomapp.ui.widgets.layouts import horizontal, side_px
from loomapp.ui.widgets.page import Page
from loomapp.ui.workbench import Workbench

BELOW_PX = 24
TITLE, KEYS = 0, 1  # columns
GAP_PX = 12
TITLE_SHARE = 0.55  # of the width, at most
KEYS_SECTION, USES, SIGNS, DATA = "keys", "uses", "signs", "data"


class KeyEntry(NamedTuple):
    """An action on the page: its menu, its title, and its keys as they are printed on a keyboard."""

    menu: str
    title: str
    keys: tuple[str, ...]


class KeysPage(Page):
    """Page of help, in the graph’s place: uses, all keys, which the settings change, signs and places. It
    opens with the uses, and later as it was left. `rows` are those of the sections but for the keys, asked
    for when one is first wanted.
    """

    change_asked = Signal(str)  # the title of an action, "" for all

    def __init__(self, parent: QWidget, rows: Mapping[str, Callable[[], list[HelpRow]]]) -> None:
        super().__init__("keysPage", tr("Help"), parent)
        self._rows, self._lists = rows, dict[str, HelpList]()
        self._title = QLabel(tr("Help"), self)
        self._title.setTextFormat(Qt.TextFormat.PlainText)
        self._title.setFont(theme.font("title"))
        self._search = Line(self)
        self._search.setObjectName("keysSearch")
        self._search.setAccessibleName(tr("Search keys, signs and all of help"))
        self._search.setPlaceholderText(tr("Search keys, signs and all of help"))
        self._search.textChanged.connect(self.on_searched)
        self._nothing = QLabel(tr("Nothing here has these words or keys."), self)
        self._nothing.setTextFormat(Qt.TextFormat.PlainText)
        theme.set_look(self._nothing, tone="muted")
        self._nothing.hide()
        self._list = self._made_list()
        self._section = USES
        self._sections = Segments("helpSections", tr("Help"), section_titles())
        self._sections.show_value(USES)
        self._sections.chosen.connect(self.on_section_chosen)
        self._copy = push_button("copyHelpButton", tr("Copy path"), self)
        self._copy.clicked.connect(self.on_copy_clicked)
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
            heard = ", ".join((entry.title, *entry.keys))  # a reader is told of the first column alone
            row.setData(TITLE, Qt.ItemDataRole.AccessibleTextRole, heard)
            titles.append(entry.title)
            row.setToolTip(TITLE, plain_tip(entry.title))
            row.setToolTip(KEYS, tr("Double-click to change it"))
        self._list.expandAll()
        measure = self._list.fontMetrics()
        words = max((measure.horizontalAdvance(title) for title in titles), default=0)
        self._title_px = words + self._list.indentation() + 2 * GAP_PX
        self._fit_columns()
        for name, rows in self._lists.items():
            rows.show_rows(self._rows[name]())
        self.on_searched(self._search.text())

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit_columns()

    def changeEvent(self, event: QEvent) -> None:
        """Show pictures and icons of the theme."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange and hasattr(self, "_lists"):
            for name, rows in self._lists.items():
                rows.show_rows(self._rows[name]())
            self.on_searched(self._search.text())

    def _fit_columns(self) -> None:
        """Give titles the room that they take, and in a narrow page no more than leaves room for keys."""
        most = round((self.width() - 2 * side_px(self.width())) * TITLE_SHARE)
        self._list.setColumnWidth(TITLE, min(most, self._title_px))

    def on_section_chosen(self, name: str) -> None:
        self._section = name
        self._show(self._searched())

    def on_searched(self, _words: str) -> None:
        """Hide what does not have all of the words; where the section that is shown has nothing of them, the
        first that has comes in its place.
        """
        counts = self._searched()
        if not counts[self._section]:
            self._section = next((name for name, count in counts.items() if count), self._section)
            self._sections.show_value(self._section)
        self._show(counts)

    def _searched(self) -> dict[str, int]:
        """Search the sections, all of them where there are words to be found; return the rows of each."""
        wanted = self._search.text().casefold().split()
        counts = {KEYS_SECTION: self._search_keys(wanted)}
        for name in self._rows:
            if wanted or name == self._section or name in self._lists:
                counts[name] = self._list_of(name).search(wanted)
        return counts

    def on_copy_clicked(self) -> None:
        if path := self._lists[DATA].value:
            copy_words(path)

    def on_row_changed(self) -> None:
        self._copy.setEnabled(bool(self._lists[DATA].value))

    def _show(self, counts: Mapping[str, int]) -> None:
        """Show the section that was chosen, and say so if it has nothing of what is searched."""
        has_found = counts[self._section] > 0
        self._nothing.setVisible(not has_found)
        self._list.setVisible(has_found and self._section == KEYS_SECTION)
        for name, rows in self._lists.items():
            rows.setVisible(has_found and self._section == name)
        self._change.setVisible(self._section == KEYS_SECTION)
        self._copy.setVisible(self._section == DATA)
        if self._section == DATA:
            self.on_row_changed()

    def _list_of(self, name: str) -> HelpList:
        """Return the list of a section; it is made when it is first wanted."""
        if name not in self._lists:
            rows = self._lists[name] = HelpList(f"{name}List", list_title(name), self)
            rows.show_rows(self._rows[name]())
            rows.hide()
            self._column.insertWidget(self._column.indexOf(self._list), rows, 1)
            if name == DATA:
                rows.currentRowChanged.connect(self.on_row_changed)
                rows.itemActivated.connect(self.on_copy_clicked)
        return self._lists[name]

    def _search_keys(self, wanted: Sequence[str]) -> int:
        """Hide actions that lack one of the words in menu, title and keys; return how many are left."""
        found = 0
        for heading in map(self._list.topLevelItem, range(self._list.topLevelItemCount())):
            assert heading is not None, "it is among them"
            matching = [_has(heading, row, wanted) for row in _rows(heading)]
            for row, is_found in zip(_rows(heading), matching, strict=True):
                row.setHidden(not is_found)
            heading.setHidden(not any(matching))
            found += sum(matching)
        return found

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
        column = self._column = QVBoxLayout(self)
        self.frame(column, below_px=BELOW_PX)
        column.setSpacing(theme.px("space.s"))
        column.addLayout(self.head(self._title, "closeKeysButton"))
        bar = horizontal(spacing=0)
        bar.addWidget(self._sections)
        bar.addStretch(1)
        column.addLayout(bar)
        column.addWidget(self._search)
        column.addWidget(self._nothing)
        column.addWidget(self._list, 1)
        column.addStretch(0)
        column.addWidget(self._change, 0, Qt.AlignmentFlag.AlignLeft)
        column.addWidget(self._copy, 0, Qt.AlignmentFlag.AlignLeft)


def section_titles() -> list[tuple[str, str]]:
    """Return the sections of the page in their order, by their names."""
    return [
        (USES, tr("Three uses")),
        (KEYS_SECTION, tr("Keys")),
        (SIGNS, tr("Signs")),
        (DATA, tr("Your data")),
    ]


def list_title(name: str) -> str:
    """Return the title of a section that is not keys, in full."""
    return {USES: tr("Three uses"), SIGNS: tr("What the signs mean"), DATA: tr("Where your data is")}[name]


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
    def data() -> list[HelpRow]:
        return data_rows(bench.work.document.grove.path, bench.work.preferences.settings)

    page = KeysPage(bench.views.pages, {USES: use_rows, SIGNS: sign_rows, DATA: data})
    page.close_asked.connect(bench.views.pages.show_graph)
    page.change_asked.connect(lambda title: preferences.show_page(bench, title or tr("keys")))
    bench.work.preferences.changed.connect(lambda _: page.show_entries(entries_of(bench)))
    bench.views.pages.addWidget(page)
    return page
