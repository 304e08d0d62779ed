"""The page of other programs: what they may do here, how they are connected, and who was heard last."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from PySide6.QtCore import Signal
from PySide6.QtGui import QResizeEvent, QShowEvent
from PySide6.QtWidgets import QHBoxLayout, QWidget

from loomapp.core.model.agent import Agent
from loomapp.core.settings.registry import FIELDS
from loomapp.core.settings.values import Settings, Value
from loomapp.mcp.client_configuration import ADDRESS, INSTALL, configurations, http_command, is_installed
from loomapp.mcp.last_heard import Heard
from loomapp.ui.look import theme
from loomapp.ui.settings.connect_box import ConnectBox
from loomapp.ui.settings.heard_list import HeardList
from loomapp.ui.settings.http_key_row import HttpKeyRow
from loomapp.ui.settings.rows import SettingRow
from loomapp.ui.strings import told, tr, unsteered
from loomapp.ui.widgets.buttons import push_button
from loomapp.ui.widgets.clipboard import copy
from loomapp.ui.widgets.error_strip import ErrorStrip
from loomapp.ui.widgets.labels import IconLabel, label, rule
from loomapp.ui.widgets.layouts import Scrolled, horizontal, vertical
from loomapp.ui.widgets.page import Page
from loomapp.ui.widgets.rows import Row
from loomapp.ui.widgets.segments import Segments

COLUMN_PX = 728
MARGIN_PX, NARROW_MARGIN_PX = 40, 20
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

    def show_heard(self, heard: Sequence[tuple[Heard, Agent]]) -> None:
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
        left = NARROW_MARGIN_PX if self.width() < COLUMN_PX else MARGIN_PX
        self._ground.setContentsMargins(left, 0, NARROW_MARGIN_PX, 0)

    # Building

    def _build(self) -> None:
        column = QWidget()
        column.setMaximumWidth(COLUMN_PX)
        self._column = vertical(column, (0, 20, 0, 24), spacing=0)
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
        ground = QWidget()
        self._ground = QHBoxLayout(ground)
        self._ground.addWidget(column, 1)
        self._ground.addStretch(0)
        vertical(self, spacing=0).addWidget(Scrolled(ground, "mcpArea"))

    def _add_head(self) -> None:
        back = push_button("mcpBackToSettings", tr("Settings"), self, kind="link")
        back.setFont(theme.font("small"))
        back.clicked.connect(self.settings_asked)
        up = horizontal()
        up.addWidget(back)
        up.addStretch(1)
        self._column.addLayout(up)
        self._column.addLayout(self.head(label(tr("Other programs (MCP)"), "title"), "mcpClose"))
        self._column.addSpacing(4)
        words = tr(
            "Claude Desktop, editors and scripts can read and write a grove while it is open here. What is "
            "allowed counts for every grove; the texts below connect a program to this one, {grove}."
        ).format(grove=unsteered(self._grove.name))
        self._column.addWidget(label(words, "ui", "secondary", wrap=True))
        self._problems = ErrorStrip(self)
        self._problems.setObjectName("mcpProblems")
        self._column.addSpacing(8)
        self._column.addWidget(self._problems)
        self._column.addSpacing(12)
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
