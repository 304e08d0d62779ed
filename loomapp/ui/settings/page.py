"""The settings page: everything in one searchable place, beside a file that people may edit too."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from PySide6.QtCore import Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QLabel, QPushButton, QWidget

from loomapp.core.settings.registry import SECTIONS, SETTINGS, SYNONYMS
from loomapp.core.settings.setting import Setting, Settings, SummaryPrompt
from loomapp.ui.keys import Binding, effective, usable
from loomapp.ui.look import theme
from loomapp.ui.settings.key_rows import KeyRow, preset_words, searched_words
from loomapp.ui.settings.rows import Heading, LinkRow, SettingRow, model_links
from loomapp.ui.settings.rows_in_view import RowMaker, RowsInView
from loomapp.ui.strings import told, tr
from loomapp.ui.widgets.error_strip import ErrorStrip
from loomapp.ui.widgets.fields import Line
from loomapp.ui.widgets.keyboard import focused_beside
from loomapp.ui.widgets.labels import IconLabel, label, set_tip
from loomapp.ui.widgets.layouts import ScrolledColumn, vertical
from loomapp.ui.widgets.page import Page

COLUMN_PX = 680
HEADING_PX, SETTING_PX, PROMPT_PX, LINK_PX, NOTE_PX, KEY_PX = 69, 62, 300, 58, 40, 39  # the usual heights


class SettingsPage(Page):
    """Shows `Settings` and says what is asked for; it writes nothing."""

    setting_asked = Signal(str, object)  # field, value or None for the usual one
    keys_asked = Signal(str, object)  # binding, tuple of keys or None for the preset's
    key_moved = Signal(str, str, str)  # a key, from a binding, to a binding
    keys_reset_asked = Signal()
    file_asked = Signal()
    page_asked = Signal(str)  # name of the action that opens it

    def __init__(self, path: Path, bindings: Sequence[tuple[Binding, str]], parent: QWidget) -> None:
        """`bindings` come with the menu that each is in."""
        super().__init__("settingsPage", tr("Settings"), parent)
        self._path = path
        self._bindings = tuple(bindings)
        self._names = {binding.name: binding.title for binding, _ in bindings}
        self._makers: list[RowMaker] = []
        self._sections: list[tuple[str, range]] = []  # title, and numbers of rows, the heading first
        self._settings = Settings()
        self._keys: Mapping[str, tuple[str, ...]] = {}
        self._preset_words = ""
        self._add_rows()
        self._build()
        self.setFocusProxy(self._search)

    def show_settings(self, settings: Settings) -> None:
        self._settings = settings
        bindings = [binding for binding, _ in self._bindings]
        own, _ = usable(bindings, settings.key_preset, settings.keys)
        self._keys = effective(bindings, settings.key_preset, own)
        self._preset_words = preset_words(bindings, settings.key_preset)
        for row in self._rows.rows.values():
            self.on_row_made(row)
        self.on_searched(self._search.text())

    def show_problems(self, problems: Sequence[str]) -> None:
        """Show, by line, what of the settings file cannot be used; nothing if all is well."""
        if problems:
            self._problems.say("\n".join(map(told, problems)), tr("Open the file"), tone="warning")
        else:
            self._problems.clear()

    def search(self, words: str) -> None:
        """Put words into the search field, and show it: the page may have been left further down."""
        self._search.setText(words)
        self._area.verticalScrollBar().setValue(0)

    def is_whole(self) -> bool:
        """Return True if no row is to come where one looks."""
        return self._rows.is_filled

    # What happened

    def on_searched(self, words: str) -> None:
        """Hide what does not match; a section without rows goes too."""
        wanted = words.casefold().split()
        shown: list[int] = []
        for title, (heading, *rows) in self._sections:
            found = [number for number in rows if self._has(number, title, wanted)]
            shown += [heading, *found] if found else []
        self._nothing.setVisible(not shown)
        self._rows.show_only(shown)

    def _has(self, number: int, title: str, wanted: Sequence[str]) -> bool:
        text = f"{title} {self._makers[number].words()}".casefold()
        is_empty = number == self._note_number and not self._preset_words
        return not is_empty and all(word in text for word in wanted)

    def on_row_made(self, row: QWidget) -> None:
        """Let a row show what is so now."""
        match row:
            case SettingRow():
                row.show_value(self._settings.value(row.setting.field))
            case KeyRow():
                row.show_keys(self._keys, self._names, own=row.binding.name in self._settings.keys)
            case Heading():
                for button in row.stops:
                    button.setVisible(bool(self._settings.keys))
            case QLabel():
                row.setText(self._preset_words)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._rows.fit(self.width())

    def focusNextPrevChild(self, forward: bool) -> bool:
        """Go to a row that is made only now, if it is the next one."""
        focused = focused_beside(self)
        if focused is not None:
            self._rows.make_beside(focused, forward=forward)
        return super().focusNextPrevChild(forward)

    # Building

    def _build(self) -> None:
        self._area = area = ScrolledColumn(COLUMN_PX, "settingsArea", self)
        vertical(self, spacing=0).addWidget(area)
        area.add_head(self.head(label(tr("Settings"), "title"), "settingsClose"))
        self._column = vertical(area.column, (0, 0, 0, 24), spacing=0)
        self._add_title()
        self._rows = RowsInView(self._makers, area, between=(self._search, self._add_foot()))
        self._rows.made.connect(self.on_row_made)
        self._column.insertWidget(self._column.count() - 2, self._rows)  # above the foot
        self._column.addStretch(1)

    def _add_title(self) -> None:
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

    def _add_rows(self) -> None:
        """Say which rows there are; each is made where one looks."""
        for section, title in SECTIONS:
            settings = [setting for setting in SETTINGS if setting.section == section]
            if section == "mcp":
                self._add_section(tr(title), [self._mcp_link(tr(title), settings)])
                continue
            rows = [self._setting_row(setting) for setting in settings]
            if section == "keys":  # the longest comes last
                self._add_section(tr("Models"), [self._link_row(*words) for words in model_links()])
                rows += [rows[-1]._replace(usual_px=NOTE_PX, make=self._note)]  # the preset is the last
                self._note_number = len(self._makers) + len(rows)
                rows += [self._key_row(*binding) for binding in self._bindings]
            self._add_section(tr(title), rows, has_reset=section == "keys")

    def _add_section(self, title: str, rows: Sequence[RowMaker], *, has_reset: bool = False) -> None:
        first = len(self._makers)

        def make(parent: QWidget) -> Heading:
            heading = Heading(title, parent)
            if has_reset:
                heading.add_button(self._reset_button(heading))
            return heading

        self._makers += [RowMaker(HEADING_PX, make), *rows]
        self._sections.append((title, range(first, len(self._makers))))

    def _reset_button(self, parent: QWidget) -> QPushButton:
        button = QPushButton(tr("All keys back to the preset"), parent)
        button.setObjectName("resetKeys")
        theme.set_look(button, kind="link")
        button.clicked.connect(self.keys_reset_asked)
        return button

    def _mcp_link(self, title: str, settings: Sequence[Setting]) -> RowMaker:
        hint = tr("Claude Desktop, editors and scripts: what they may do, how to connect one, who called")
        words = " ".join(f"{tr(one.title)} {tr(one.help)} {one.key}" for one in settings)
        return self._link_row("otherPrograms", title, hint, words)

    def _link_row(self, action: str, title: str, hint: str, words: str = "") -> RowMaker:
        def make(parent: QWidget) -> LinkRow:
            row = LinkRow(action, title, hint, parent)
            row.setContentsMargins(0, 0, 0, 12)
            row.asked.connect(self.page_asked)
            return row

        return RowMaker(LINK_PX, make, lambda: f"{title} {hint} {words}")

    def _setting_row(self, setting: Setting) -> RowMaker:
        def make(parent: QWidget) -> SettingRow:
            row = SettingRow(setting, parent)
            row.setContentsMargins(0, 0, 0, 16)
            row.changed.connect(self.setting_asked)
            row.back_asked.connect(lambda field: self.setting_asked.emit(field, None))
            return row

        others = " ".join(SYNONYMS.get(setting.field, ()))
        words = f"{tr(setting.title)} {tr(setting.help)} {setting.key} {setting.section} {others}"
        usual_px = PROMPT_PX if isinstance(setting.kind, SummaryPrompt) else SETTING_PX
        return RowMaker(usual_px, make, lambda: words)

    def _note(self, parent: QWidget) -> QLabel:
        note = label("", "small", "muted", wrap=True, name="keyPresetNote")
        note.setParent(parent)
        note.setContentsMargins(0, 0, 0, 16)
        return note

    def _key_row(self, binding: Binding, menu: str) -> RowMaker:
        def make(parent: QWidget) -> KeyRow:
            row = KeyRow(binding, menu, parent)
            row.setContentsMargins(0, 0, 0, 8)
            row.keys_asked.connect(self.keys_asked)
            row.moved.connect(self.key_moved)
            row.back_asked.connect(lambda name: self.keys_asked.emit(name, None))
            return row

        return RowMaker(KEY_PX, make, lambda: searched_words(binding, self._keys[binding.name]))

    def _add_foot(self) -> QPushButton:
        row = QHBoxLayout()
        row.setSpacing(8)
        row.addWidget(IconLabel("check", "state.success", 14))
        row.addWidget(
            label(tr("Saved at once, in a file that you may edit too:"), "small", "muted", wrap=True), 1
        )
        opener = QPushButton(self._path.name, self)
        opener.setObjectName("openSettingsFile")
        opener.setFont(theme.font("small"))
        set_tip(opener, str(self._path))
        opener.setAccessibleName(tr("Open the settings file"))
        theme.set_look(opener, kind="link")
        opener.clicked.connect(self.file_asked)
        row.addWidget(opener)
        self._column.addSpacing(20)
        self._column.addLayout(row)
        return opener
