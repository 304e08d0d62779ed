"""Modules that no window begins with: each is loaded when something of it is first wanted.

`on_demand.settings_page.SettingsPage(…)` in the body of a function, in place of an import at the top. They
are of pages that many sessions never show; a test has a list of what a start has loaded.
"""

from __future__ import annotations

from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from loomapp.formats import registry as format_registry
    from loomapp.store.salvage import salvage
    from loomapp.ui.commands import log
    from loomapp.ui.groves import backup_page
    from loomapp.ui.groves import window as opening_window
    from loomapp.ui.settings import mcp_page
    from loomapp.ui.settings import page as settings_page
    from loomapp.ui.workbench import Workbench

    class ModelPages(Protocol):
        """Protocol of the commands that show the pages of models."""

        def show_agents(self, bench: Workbench) -> None: ...

        def show_agent(self, bench: Workbench, agent_id: str) -> None: ...

        def show_endpoints(self, bench: Workbench) -> None: ...

        def show_endpoint(self, bench: Workbench, endpoint_id: str) -> None: ...

        def show_usage(self, bench: Workbench) -> None: ...

        def show_learned(self, bench: Workbench) -> None: ...

    model_pages: ModelPages

__all__ = [
    "backup_page",
    "format_registry",
    "log",
    "mcp_page",
    "model_pages",
    "opening_window",
    "salvage",
    "settings_page",
]

MODULES = {
    "backup_page": "loomapp.ui.groves.backup_page",
    "format_registry": "loomapp.formats.registry",
    "log": "loomapp.ui.commands.log",
    "mcp_page": "loomapp.ui.settings.mcp_page",
    "model_pages": "loomapp.ui.commands.agents.models",
    "opening_window": "loomapp.ui.groves.window",
    "salvage": "loomapp.store.salvage.salvage",
    "settings_page": "loomapp.ui.settings.page",
}


def __getattr__(name: str) -> ModuleType:
    if name not in MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return import_module(MODULES[name])
