"""The settings page: everything in one searchable place, beside a file that people may edit too."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from PySide6.QtCore import Signal
from PySide6.QtGui import QResizeEvent, QShowEvent
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QWidget

from loomapp.core.settings.registry import SECTIONS, SETTINGS
from loomapp.core.settings.setting import Setting, Settings
from loomapp.session.background.background_work import IdleTimer
from loomapp.ui.keys import Binding, effective, usable
from loomapp.ui.look import theme
from loomapp.ui.settings.key_rows import KeyRow, preset_words
from loomapp.ui.settings.rows import Heading, LinkRow, SettingRow, model_links
from loomapp.ui.strings import told, tr
from loomapp.ui.widgets.error_strip import ErrorStrip
from loomapp.ui.widgets.fields import Line
from loomapp.ui.widgets.labels import IconLabel, label, set_tip
from loomapp.ui.widgets.layouts import ScrolledColumn, vertical
from loomapp.ui.widgets.page import Page
from loomapp.ui.widgets.rows import Row

COLUMN_PX = 680
SLICE_MS = 8  # for making rows, in a turn of the event loop: there are very many of them
KEYS_AT_ONCE = 8  # rows that appear together: each time the whole page is laid out


class SettingsPage(Page):
    """Shows `Settings` and says what is asked for; it writes nothing.

    Its rows come one after the other once it is shown, the keys last; whoever looks for words or a row has
    all of them made at once: `finish`.
    """

    setting_asked = Signal(str, object)  # field, value or None for the usual one
    keys_asked = Signal(str, object)  # binding, tuple of keys or None for the preset's
    key_moved = Signal(str, str, str)  # a key, from a binding, to a binding
    keys_reset_asked = Signal()
    file_asked = Signal()
    page_asked = Signal(str)  # name of the action that opens it

    def __init__(self, path: Path, bindings: Sequence[tuple[Binding, str]], parent: QWidget) -> None:
        """`bindings` come with the menu that each is in."""
        super().__init__("settingsPage", tr("Settings"), parent)
        self._path, self._bindings = path, tuple(bindings)
        self._rows: list[SettingRow] = []
        self._key_rows: list[KeyRow] = []
        self._links: list[Row] = []
        self._sections: list[tuple[Heading, list[Row]]] = []
        self._coming: Iterator[None] | None = self._making_rows()  # None once all are there
        self._settings = Settings()
        self._next = IdleTimer(self)
        self._next.timeout.connect(self.on_next)
        self._build()
        self.setFocusProxy(self._search)

    def show_settings(self, settings: Settings) -> None:
        self._settings = settings
        for row in self._rows:
            row.show_value(settings.value(row.setting.field))
        bindings = [binding for binding, _ in self._bindings]
        self._show_keys(self._key_rows)
        self._show_reset()
        self._preset_note.setText(preset_words(bindings, settings.key_preset))
        self.on_searched(self._search.text())

    def _show_reset(self) -> None:
        if self._reset is not None:
            self._reset.setVisible(bool(self._settings.keys))

    def _show_keys(self, rows: Sequence[KeyRow]) -> None:
        settings, bindings = self._settings, [binding for binding, _ in self._bindings]
        own, _ = usable(bindings, settings.key_preset, settings.keys)
        keys = effective(bindings, settings.key_preset, own)
        names = {b.name: b.title for b in bindings}
        for key_row in rows:
            key_row.show_keys(keys, names, own=key_row.binding.name in settings.keys)

    def show_problems(self, problems: Sequence[str]) -> None:
        """Show, by line, what of the settings file cannot be used; nothing if all is well."""
        if problems:
            self._problems.say("\n".join(map(told, problems)), tr("Open the file"), tone="warning")
        else:
            self._problems.clear()

    def search(self, words: str) -> None:
        self._search.setText(words)

    def is_whole(self) -> bool:
        return self._coming is None

    def finish(self) -> None:
        """Make every row that is still to come."""
        for _ in self._coming or ():
            pass
        self._end()

    # What happened

    def on_next(self) -> None:
        end = time.perf_counter() + SLICE_MS / 1e3
        while self._coming is not None and time.perf_counter() < end:
            try:
                next(self._coming)
            except StopIteration:
                self._end()
        if self._coming is not None:
            self._next.start()

    def showEvent(self, event: QShowEvent) -> None:
        """Begin to add the rows that are not there yet."""
        super().showEvent(event)
        if self._coming is not None:
            self._next.start()

    def on_searched(self, words: str) -> None:
        """Hide what does not match; a section without rows goes too."""
        wanted = words.casefold().split()
        if wanted:
            self.finish()
        found = 0
        for heading, rows in self._sections:
            shown = [row for row in rows if all(word in _searched(row, heading) for word in wanted)]
            for row in rows:
                row.setVisible(row in shown)
            heading.setVisible(bool(shown))
            heading.set_first(found == 0)
            found += len(shown)
        self._nothing.setVisible(bool(wanted) and found == 0)  # else the rows are only to come
        preset = next((row for row in self._rows if row.setting.field == "key_preset"), None)
        is_beside = preset is not None and not preset.isHidden()
        self._preset_note.setVisible(bool(self._preset_note.text()) and is_beside)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        for row in (*self._rows, *self._key_rows, *self._links):
            row.fit(self.width())

    # Building

    def _build(self) -> None:
        area = ScrolledColumn(COLUMN_PX, "settingsArea", self)
        vertical(self, spacing=0).addWidget(area)
        self._column = vertical(area.column, (0, 28, 0, 24), spacing=0)
        self._add_title()
        self._rows_end = self._column.count()
        self._reset: QPushButton | None = None
        self._add_foot()
        self._column.addStretch(1)

    def _making_rows(self) -> Iterator[None]:
        for section, title in SECTIONS:
            if section == "keys":  # the longest comes last
                yield from self._adding_models()
            yield from self._adding_section(section, tr(title))
        for begin in range(0, len(self._bindings), KEYS_AT_ONCE):
            group: list[KeyRow] = []
            for binding, menu in self._bindings[begin : begin + KEYS_AT_ONCE]:
                group.append(self._key_row(binding, menu))
                yield
            self._sections[-1][1].extend(group)  # theirs is the last
            self._show_keys(group)
            for row in group:
                row.show()
            yield

    def _end(self) -> None:
        if self._coming is not None:
            self._coming = None
            self.setTabOrder(self._key_rows[-1].field, self._opener)

    def _insert(self, widget: QWidget) -> None:
        """Add to the rows, above the foot."""
        self._column.insertWidget(self._rows_end, widget)
        self._rows_end += 1

    def _add_title(self) -> None:
        self._preset_note = label("", "small", "muted", wrap=True)
        self._preset_note.setObjectName("keyPresetNote")
        self._preset_note.setParent(self)  # its row comes later, or never if the window closes before
        self._preset_note.hide()
        self._preset_note.setContentsMargins(0, 0, 0, 16)
        self._search = Line(self)
        self._search.setObjectName("settingsSearch")
        self._search.setAccessibleName(tr("Search the settings"))
        self._search.setPlaceholderText(tr("Search: theme, backup, Ctrl+D…"))
        self._search.textChanged.connect(self.on_searched)
        self._problems = ErrorStrip(self)
        self._problems.setObjectName("settingsProblems")
        self._problems.action_clicked.connect(self.file_asked)
        self._nothing = label(tr("No setting has these words."), "ui", "muted")
        self._nothing.setObjectName("nothingFound")
        self._nothing.hide()
        self._column.addLayout(self.head(label(tr("Settings"), "title"), "settingsClose"))
        self._column.addSpacing(4)
        self._column.addWidget(
            label(tr("How Loomapp looks and works, for all trees."), "ui", "secondary", wrap=True)
        )
        self._column.addSpacing(16)
        self._column.addWidget(self._search)
        self._column.addSpacing(8)
        self._column.addWidget(self._problems)
        self._column.addSpacing(12)
        self._column.addWidget(self._nothing)

    def _adding_models(self) -> Iterator[None]:
        heading = self._heading(tr("Models"))
        rows: list[Row] = []
        self._sections.append((heading, rows))
        for words in model_links():
            row = LinkRow(*words, self)
            row.asked.connect(self.page_asked)
            self._add_link(row, rows)
            yield

    def _add_link(self, row: Row, rows: list[Row]) -> None:
        row.setContentsMargins(0, 0, 0, 12)
        row.fit(self.width())
        rows.append(row)
        self._links.append(row)
        self._insert(row)

    def _heading(self, title: str) -> Heading:
        heading = Heading(title, self)
        heading.set_first(not self._sections)
        self._insert(heading)
        return heading

    def _adding_section(self, section: str, title: str) -> Iterator[None]:
        heading = self._heading(title)
        rows: list[Row] = []
        self._sections.append((heading, rows))
        if section == "keys":
            self._reset = QPushButton(tr("All keys back to the preset"), self)
            self._reset.setObjectName("resetKeys")
            theme.set_look(self._reset, kind="link")
            self._reset.clicked.connect(self.keys_reset_asked)
            heading.add_button(self._reset)
            self._show_reset()
        settings = [setting for setting in SETTINGS if setting.section == section]
        if section == "mcp":
            hint = tr("Claude Desktop, editors and scripts: what they may do, how to connect one, who called")
            words = " ".join(f"{tr(one.title)} {tr(one.help)} {one.key}" for one in settings)
            link = LinkRow("otherPrograms", title, hint, self, searched=words)
            link.asked.connect(self.page_asked)
            self._add_link(link, rows)
            yield
            return
        for setting in settings:
            row = self._setting_row(setting)
            rows.append(row)
            self._insert(row)
            if setting.field == "key_preset":
                self._insert(self._preset_note)
                self._preset_note.setVisible(bool(self._preset_note.text()))
            yield

    def _setting_row(self, setting: Setting) -> SettingRow:
        row = SettingRow(setting, self)
        row.setContentsMargins(0, 0, 0, 16)
        row.changed.connect(self.setting_asked)
        row.back_asked.connect(lambda field: self.setting_asked.emit(field, None))
        row.show_value(self._settings.value(setting.field))
        row.fit(self.width())
        self._rows.append(row)
        return row

    def _key_row(self, binding: Binding, menu: str) -> KeyRow:
        row = KeyRow(binding, menu, self)
        row.hide()
        row.setContentsMargins(0, 0, 0, 8)
        row.keys_asked.connect(self.keys_asked)
        row.moved.connect(self.key_moved)
        row.back_asked.connect(lambda name: self.keys_asked.emit(name, None))
        row.fit(self.width())
        self._key_rows.append(row)
        self._insert(row)
        return row

    def _add_foot(self) -> None:
        row = QHBoxLayout()
        row.setSpacing(8)
        row.addWidget(IconLabel("check", "state.success", 14))
        row.addWidget(
            label(tr("Saved at once, in a file that you may edit too:"), "small", "muted", wrap=True), 1
        )
        opener = self._opener = QPushButton(self._path.name, self)
        opener.setObjectName("openSettingsFile")
        opener.setFont(theme.font("small"))
        set_tip(opener, str(self._path))
        opener.setAccessibleName(tr("Open the settings file"))
        theme.set_look(opener, kind="link")
        opener.clicked.connect(self.file_asked)
        row.addWidget(opener)
        self._column.addSpacing(20)
        self._column.addLayout(row)


def _searched(row: Row, heading: Heading) -> str:
    words = [heading.title, row.title.text()]
    if isinstance(row, SettingRow):
        setting = row.setting
        words += [tr(setting.help), setting.key, setting.section]
    if isinstance(row, KeyRow | LinkRow):
        words.append(row.searched)
    return " ".join(words).casefold()
