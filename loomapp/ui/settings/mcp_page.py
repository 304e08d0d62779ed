"""The page of other programs: what they may do here, how they are connected, and who was heard last."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QFontMetrics, QResizeEvent, QShowEvent
from PySide6.QtWidgets import QFrame, QGridLayout, QLabel, QTabBar, QWidget

from loomapp.core.model.agent import Agent
from loomapp.core.settings.registry import FIELDS
from loomapp.core.settings.setting import Settings, Value
from loomapp.mcp.configuration import (
    ADDRESS,
    INSTALL,
    ClientConfiguration,
    configurations,
    http_command,
    is_installed,
)
from loomapp.mcp.last_heard import Heard
from loomapp.ui import figures
from loomapp.ui.look import theme
from loomapp.ui.settings.rows import SettingRow
from loomapp.ui.strings import told, tr, unsteered
from loomapp.ui.widgets.buttons import Segments, push_button
from loomapp.ui.widgets.chip import AgentMark
from loomapp.ui.widgets.clipboard import copy
from loomapp.ui.widgets.error_strip import ErrorStrip
from loomapp.ui.widgets.labels import IconLabel, PlainView, label, rule, set_tip
from loomapp.ui.widgets.layouts import ScrolledColumn, horizontal, vertical
from loomapp.ui.widgets.page import Page
from loomapp.ui.widgets.rows import Row

LINES = 9  # of the text that are seen at once


class ConnectBox(QFrame):
    """Shows the exact text for one program, to be selected or copied."""

    def __init__(self, configurations: Sequence[ClientConfiguration], parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("connectBox")
        self._configurations = tuple(configurations)
        self._tabs = QTabBar(self)
        self._tabs.setObjectName("connectTabs")
        self._tabs.setAccessibleName(tr("Program"))
        for one in self._configurations:
            self._tabs.addTab(tr(one.title))
        self._text = PlainView(tr("Configuration"), self)
        self._text.name_field("connectText")
        self._text.set_bare()
        self._text.setFixedHeight(LINES * QFontMetrics(theme.font("mono")).lineSpacing() + 16)
        self._hint = label("", "small", "muted", wrap=True, name="connectHint")
        self._copy = push_button("copyConfiguration", tr("Copy"), self)
        theme.put_beside_words(self._copy, "copy", "text.secondary", 14)
        self._copy.clicked.connect(lambda: copy(self._shown.text))
        head = horizontal(margins=(4, 4, 8, 4), spacing=8)
        head.addWidget(self._tabs)
        head.addStretch(1)
        head.addWidget(self._copy)
        foot = horizontal(margins=(14, 4, 14, 10), spacing=8)
        foot.addWidget(IconLabel("info", "text.muted", 14))
        foot.addWidget(self._hint, 1)
        column = vertical(self, spacing=0)
        column.addLayout(head)
        column.addWidget(rule())
        body = horizontal(margins=(12, 8, 8, 0))
        body.addWidget(self._text)
        column.addLayout(body)
        column.addLayout(foot)
        self._tabs.currentChanged.connect(self.show_one)
        self.show_one(0)

    @property
    def _shown(self) -> ClientConfiguration:
        return self._configurations[self._tabs.currentIndex()]

    def show_one(self, _number: int) -> None:
        """Show the text of the program whose tab is chosen."""
        one = self._shown
        self._text.show_text(one.text)
        self._hint.setText(tr(one.hint))
        self._copy.setAccessibleName(tr("Copy: {title}").format(title=tr(one.title)))


MARK, NAME, WHEN, WHAT, SHOW = range(5)  # columns


class HeardList(QWidget):
    """A row for each program, the one heard last first."""

    show_asked = Signal()  # what it wrote and nobody looked at

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("heardList")
        self._shown: tuple[tuple[Heard, Agent, bool], ...] = ()
        self._nobody = label(tr("No program has called yet."), "ui", "muted", name="heardNobody")
        self._column = vertical(self, spacing=0)
        self._column.addWidget(self._nobody)
        self._rows: QWidget | None = None

    def show_programs(self, heard: Sequence[tuple[Heard, Agent, bool]]) -> None:
        """Show these; each with the agent that stands for it, and whether nobody looked at what it wrote."""
        if tuple(heard) == self._shown:
            return
        self._shown = tuple(heard)
        if self._rows is not None:
            self._rows.hide()
            self._column.removeWidget(self._rows)
            self._rows.deleteLater()
            self._rows = None
        self._nobody.setVisible(not self._shown)
        if self._shown:
            self._rows = self._built()
            self._column.addWidget(self._rows)

    def _built(self) -> QWidget:
        rows = QWidget(self)
        grid = QGridLayout(rows)
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setHorizontalSpacing(16)
        grid.setVerticalSpacing(6)
        grid.setColumnStretch(WHAT, 1)
        for number, (heard, agent, is_new) in enumerate(self._shown):
            line = 2 * number
            grid.addWidget(rule(), line, MARK, 1, SHOW + 1)
            mark = AgentMark(rows)
            mark.show_agent(agent)
            name = horizontal(spacing=8)
            name.addWidget(mark, 0, Qt.AlignmentFlag.AlignTop)
            called = label(unsteered(heard.client), "ui_strong", name="heardName")
            name.addWidget(called, 1, Qt.AlignmentFlag.AlignTop)
            grid.addLayout(name, line + 1, MARK, 1, 2)
            top = Qt.AlignmentFlag.AlignTop
            when = label(figures.moment(heard.at), "small", "secondary", name="heardWhen")
            grid.addWidget(when, line + 1, WHEN, top)
            grid.addWidget(_what(heard), line + 1, WHAT)
            if is_new:
                button = push_button("heardShow", tr("Show"), rows, kind="link")
                button.setAccessibleName(tr("Show what {name} wrote").format(name=called.text()))
                button.clicked.connect(self.show_asked)
                grid.addWidget(button, line + 1, SHOW, top)
        return rows


def _what(heard: Heard) -> QLabel:
    words = label(done_words(heard), "small", "secondary", wrap=True, name="heardWhat")
    set_tip(words, unsteered(heard.refusal))
    return words


def done_words(heard: Heard) -> str:
    """Return what a program did in words: `wrote 2 nodes, read 14 times · 3,180 tokens · last: show`."""
    counts = (
        (heard.nodes, tr("wrote 1 node"), tr("wrote {n} nodes")),
        (heard.changes, tr("changed once"), tr("changed {n} times")),
        (heard.reads, tr("read once"), tr("read {n} times")),
        (heard.refused, tr("refused once"), tr("refused {n} times")),
    )
    said = [
        (once if count == 1 else often).format(n=figures.number(count))
        for count, once, often in counts
        if count
    ]
    parts = [", ".join(said)]
    if heard.tokens:
        parts.append(tr("{n} tokens").format(n=figures.number(heard.tokens)))
    if heard.tool:
        parts.append(tr("last: {tool}").format(tool=unsteered(heard.tool)))
    told = " · ".join(filter(None, parts))
    return f"{told}\n{unsteered(heard.refusal)}" if heard.refusal else told


HIDDEN = "••••••••"
KEY_LINE = 22  # letters of a key in a line: in one it is wider than a narrow page has room for


class HttpKeyRow(Row):
    """The key is asked for by a signal, and shown by `show_key`."""

    key_asked = Signal(bool)  # whether another one is to be made

    def __init__(self, parent: QWidget) -> None:
        title = tr("Key for HTTP")
        hint = tr("Every call shows it in a header, Authorization: Bearer KEY. A new key ends the old one")
        super().__init__(title, hint, parent)
        self.searched = f"{title} {hint}"
        self.is_of_use = False  # while HTTP is switched on
        self._shown = ""  # the key, where it is not hidden
        self._key = label(HIDDEN, "mono", name="httpKey")
        self._show = push_button("showHttpKey", tr("Show"), self, kind="link")
        self._show.clicked.connect(self._on_show)
        self._copy = push_button("copyHttpKey", tr("Copy"), self, kind="link")
        self._copy.setAccessibleName(tr("Copy: {title}").format(title=title))
        self._copy.clicked.connect(lambda: copy(self._shown))
        self._new = push_button("newHttpKey", tr("New key"), self, kind="link")
        self._new.clicked.connect(lambda: self.key_asked.emit(True))
        for part in (self._key, self._show, self._copy, self._new):
            self.flow.addWidget(part)
        self.show_key("")

    def show_key(self, key: str) -> None:
        """Show a key, or hide it again where there is none."""
        self._shown = key
        lines = (key[start : start + KEY_LINE] for start in range(0, len(key), KEY_LINE))
        self._key.setText("\n".join(lines) or HIDDEN)
        self._copy.setVisible(bool(key))
        self._show.setText(tr("Hide") if key else tr("Show"))

    def set_of_use(self, is_on: bool) -> None:
        """Be there only while HTTP is switched on."""
        self.is_of_use = is_on
        self.setVisible(is_on)
        if not is_on:
            self.show_key("")

    def _on_show(self) -> None:
        if self._shown:
            self.show_key("")
        else:
            self.key_asked.emit(False)


COLUMN_PX = 728
WORDS_PX = 440  # of a row
PERMISSIONS = ("mcp_read", "mcp_write", "mcp_ask_models")


class SegmentsRow(SettingRow):
    """Row of a setting whose few values stand beside each other."""

    def _choice(
        self, options: list[tuple[str, str]]
    ) -> tuple[Callable[[Value], None], Callable[[Value], str]]:
        field = Segments(f"setting_{self.setting.field}", tr(self.setting.title), options)
        field.chosen.connect(self._say)
        self.control = field
        self.flow.addWidget(field)
        words = dict(options)
        return lambda value: field.show_value(str(value)), lambda value: words[str(value)]


class McpPage(Page):
    """Shows `Settings` and who called, and says what is asked for; it writes nothing."""

    setting_asked = Signal(str, object)  # field, value or None for the usual one
    http_key_asked = Signal(bool)  # whether another one is to be made
    settings_asked = Signal()  # all other settings
    shown = Signal()

    def __init__(self, grove: Path, parent: QWidget) -> None:
        super().__init__("mcpPage", tr("Other programs (MCP)"), parent)
        self._grove, self._is_installed = grove, is_installed()
        self._permissions: dict[str, SettingRow] = {}
        self._rows: list[Row] = []
        self.heard = HeardList(self)
        self._build()

    def show_settings(self, settings: Settings) -> None:
        """Show what counts. What is of no use while something above it is off cannot be changed."""
        for field, row in self._permissions.items():
            row.show_value(settings.value(field))
        self._permissions["mcp_write"].setEnabled(settings.mcp_read)
        self._permissions["mcp_ask_models"].setEnabled(settings.mcp_read and settings.mcp_write)
        self._http.show_value(settings.mcp_http)
        is_on = settings.mcp_http != "off"
        self._address.setVisible(is_on)
        self.http_key.set_of_use(is_on)

    def show_heard(self, heard: Sequence[tuple[Heard, Agent, bool]]) -> None:
        self.heard.show_programs(heard)

    def show_problems(self, problems: Sequence[str]) -> None:
        """Show why something could not be saved or shown; nothing if all is well."""
        if problems:
            self._problems.say("\n".join(map(told, problems)), tone="warning")
        else:
            self._problems.clear()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.shown.emit()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        for row in self._rows:
            row.fit(self.width())

    # Building

    def _build(self) -> None:
        area = ScrolledColumn(COLUMN_PX, "mcpArea", self)
        self._problems = ErrorStrip(self)
        self._problems.setObjectName("mcpProblems")
        whole = vertical(self, spacing=0)
        whole.addWidget(self._problems)  # in view wherever the page is scrolled to
        whole.addWidget(area)
        area.add_head(self.head(label(tr("Other programs (MCP)"), "title"), "mcpClose"))
        self._column = vertical(area.column, (0, 0, 0, 24), spacing=0)
        self._add_head()
        for field in PERMISSIONS:
            row = self._permissions[field] = self._setting(SegmentsRow(FIELDS[field], self))
            row.setVisible(self._is_installed)
        self._column.addWidget(rule())
        self._column.addSpacing(16)
        if self._is_installed:
            self._column.addWidget(label(tr("Connect a program"), "ui_strong"))
            self._column.addSpacing(8)
            box = ConnectBox(configurations(self._grove), self)
            self._column.addWidget(box)
            self._column.addSpacing(24)
            self.setFocusProxy(self._permissions["mcp_read"].control)
        self._column.addWidget(label(tr("Last heard"), "ui_strong"))
        self._column.addSpacing(8)
        self._column.addWidget(self.heard)
        self._column.addSpacing(24)
        self._add_http()
        self._column.addStretch(1)

    def _add_head(self) -> None:
        back = push_button("mcpBackToSettings", tr("Back to the settings"), self, kind="link")
        theme.set_look(back, flush=True)
        back.setFont(theme.font("small"))
        back.clicked.connect(self.settings_asked)
        up = horizontal()
        up.addWidget(back)
        up.addStretch(1)
        self._column.addLayout(up)
        self._column.addSpacing(4)
        words = tr(
            "Claude Desktop, editors and scripts can read and write a grove while it is open here. What is "
            "allowed counts for every grove; the texts below connect a program to this one, {grove}."
        ).format(grove=unsteered(self._grove.name))
        self._column.addWidget(label(words, "ui", "secondary", wrap=True))
        self._column.addSpacing(20)
        if not self._is_installed:
            self._add_install()

    def _add_install(self) -> None:
        """Add the strip in place of the switches: how to install what is missing."""
        strip = QWidget(self)
        strip.setObjectName("mcpMissing")
        row = horizontal(strip, (0, 0, 0, 16), spacing=8)
        row.addWidget(IconLabel("info", "text.muted"))
        words = label(tr("Other programs can’t reach this grove yet: a part is missing."), wrap=True)
        row.addWidget(words, 1)
        row.addWidget(label(INSTALL, "mono", name="mcpInstall"))
        row.addWidget(_copy_button("copyInstall", tr("Install"), INSTALL, strip))
        self._column.addWidget(strip)

    def _add_http(self) -> None:
        self._column.addWidget(rule())
        self._column.addSpacing(16)
        self._http = self._setting(SettingRow(FIELDS["mcp_http"], self))
        command = http_command(self._grove)
        self._address = Row(
            tr("Address"), tr("While this command runs: {command}").format(command=command), self
        )
        self._address.flow.addWidget(label(ADDRESS, "mono", name="httpAddress"))
        self._address.flow.addWidget(_copy_button("copyHttpAddress", tr("Address"), ADDRESS, self))
        words = tr("Copy the command")
        self._address.flow.addWidget(_copy_button("copyHttpCommand", words, command, self, shown=words))
        self._add_row(self._address)
        self.http_key = HttpKeyRow(self)
        self.http_key.key_asked.connect(self.http_key_asked)
        self._add_row(self.http_key)
        for row in (self._http, self._address, self.http_key):
            row.setVisible(self._is_installed)

    def _setting(self, row: SettingRow) -> SettingRow:
        row.changed.connect(self.setting_asked)
        row.back_asked.connect(lambda field: self.setting_asked.emit(field, None))
        self._add_row(row)
        return row

    def _add_row(self, row: Row) -> None:
        row.words_px = WORDS_PX
        row.setContentsMargins(0, 0, 0, 16)
        self._rows.append(row)
        self._column.addWidget(row)


def _copy_button(name: str, what: str, text: str, parent: QWidget, *, shown: str = "") -> QWidget:
    button = push_button(name, shown or tr("Copy"), parent, kind="link")
    button.setAccessibleName(tr("Copy: {title}").format(title=what))
    button.clicked.connect(lambda: copy(text))
    return button
