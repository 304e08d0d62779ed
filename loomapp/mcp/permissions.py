"""Permissions of other programs, as the user's settings have them at the moment of a call."""

from __future__ import annotations

from contextlib import suppress

from loomapp.core.settings.values import Settings
from loomapp.mcp.errors import ToolError
from loomapp.mcp.tools.tool import Tool
from loomapp.store.files.settings_file import read_settings, settings_path

PLACE = "Loomapp, Settings, Other programs (MCP)"
NO_READING = f"Reading is switched off in {PLACE}"
NO_WRITING = f"Writing is switched off in {PLACE}: nothing was changed"


class ServerPermissions:
    """The settings for other programs; the file is read again only after it changed."""

    def __init__(self) -> None:
        self._settings = Settings()
        self._stamp: tuple[int, int] | None = (0, 0)

    def settings(self) -> Settings:
        """The user's settings now."""
        stamp = None
        with suppress(OSError):
            status = settings_path().stat()
            stamp = status.st_mtime_ns, status.st_size
        if stamp != self._stamp:
            self._settings, self._stamp = read_settings().settings, stamp
        return self._settings

    def check(self, tool: Tool) -> None:
        """Raises: ToolError where a tool may not be called."""
        if not tool.reads_grove:
            return
        self.check_reading()
        if tool.writes and not self.settings().mcp_write:
            raise ToolError(NO_WRITING)

    def check_reading(self) -> None:
        """Raises: ToolError where the grove may not be read."""
        if not self.settings().mcp_read:
            raise ToolError(NO_READING)
