"""The page of other programs in a window: shown, kept up to date while it is seen, and what it asks for."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer

from loomapp.core.errors import LoomError
from loomapp.core.model.agent import Agent
from loomapp.mcp.last_heard import last_heard
from loomapp.ui.commands import on_demand
from loomapp.ui.commands.graph.foreign_writes import ForeignWritesNotice
from loomapp.ui.strings import told
from loomapp.ui.workbench import Workbench

if TYPE_CHECKING:
    from loomapp.ui.settings.mcp_page import McpPage

LOOK_MS = 2_000  # between two looks at who called
COLOUR = "a3"  # of a program that has written nothing yet


def show_page(bench: Workbench) -> None:
    """Show the page in the graph's place."""
    desk = bench.parts.one(OtherPrograms, partial(OtherPrograms, bench))
    bench.views.pages.show_instead(desk.page)
    desk.page.setFocus()


class OtherPrograms(QObject):
    """Commands of the page of other programs."""

    def __init__(self, bench: Workbench) -> None:
        super().__init__(bench.views.window)
        self._bench = bench
        self.page: McpPage = on_demand.mcp_page.McpPage(bench.work.document.grove.path, bench.views.pages)
        bench.views.pages.addWidget(self.page)
        self._timer = QTimer(self)
        self._timer.setInterval(LOOK_MS)
        self._timer.timeout.connect(self.on_due)
        page, settings = self.page, bench.work.preferences
        page.show_settings(settings.settings)
        settings.changed.connect(page.show_settings)
        page.shown.connect(self.on_shown)
        page.close_asked.connect(bench.views.pages.show_graph)
        page.settings_asked.connect(bench.actions.by_name["settings"].trigger)
        page.setting_asked.connect(self.on_setting_asked)
        page.http_key_asked.connect(self.on_key_asked)
        self._notice = bench.parts.made(ForeignWritesNotice)
        if self._notice is not None:
            page.heard.show_asked.connect(self._notice.open)

    def on_shown(self) -> None:
        self.refresh()
        self._timer.start()

    def on_due(self) -> None:
        """Look again while the page is seen: it says that it is left also where it stays, before an undo."""
        if self.page.isVisible():
            self.refresh()
        else:
            self._timer.stop()

    def refresh(self) -> None:
        document = self._bench.work.document
        known = {agent.name: agent for agent in document.agents.by_id().values() if agent.model_ref is None}
        new = () if self._notice is None else self._notice.writes.writers
        self.page.show_heard(
            [
                (
                    one,
                    known.get(one.client) or Agent("", one.client, "model", colour=COLOUR),
                    one.client in new,
                )
                for one in last_heard(document.grove.path)
            ]
        )

    def on_setting_asked(self, field: str, value: str | bool | int | None) -> None:
        """Save a setting; where that fails, the page shows the one that still counts."""
        preferences_now = self._bench.work.preferences
        self.page.show_problems(())
        try:
            preferences_now.put(field, value)
        except LoomError as error:
            self.page.show_problems((told(error.message),))
        self.page.show_settings(preferences_now.settings)

    def on_key_asked(self, new: bool) -> None:
        """Show the key of calls over HTTP, or another that is made now."""
        from loomapp.mcp.permissions import http_key  # late: hardly ever wanted

        self.page.show_problems(())
        try:
            self.page.http_key.show_key(http_key(new=new))
        except LoomError as error:
            self.page.show_problems((told(error.message),))
