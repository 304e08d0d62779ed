"""Permissions of other programs, as the user's settings have them at the moment of a call, and their key."""

from __future__ import annotations

import re
import secrets
from contextlib import suppress

from loomapp.core.errors import LoomError
from loomapp.core.settings.setting import Settings
from loomapp.mcp.arguments import ToolError
from loomapp.mcp.tools.tool import Tool
from loomapp.providers.keys import SESSION_KEYS, Key, SessionKeys, forget, keep, key_for
from loomapp.store.files.settings_file import ParsedSettings, read_settings, settings_path

PLACE = "Loomapp, Settings, Other programs (MCP)"
NO_READING = f"Reading is switched off in {PLACE}"
_ABOUT = re.compile(r": mcp\.(read|write|ask_models) ")  # a complaint of one of these
NO_WRITING = f"Writing is switched off in {PLACE}: nothing was changed"


class ServerPermissions:
    """The settings for other programs; the file is read again only after it changed."""

    def __init__(self) -> None:
        self._settings = Settings()
        self._stamp: tuple[int, int] | None = (0, 0)
        self._fault = ""  # of the file, where nobody can tell what it forbids

    def settings(self) -> Settings:
        stamp = None
        with suppress(OSError):
            status = settings_path().stat()
            stamp = status.st_mtime_ns, status.st_size
        if stamp != self._stamp:
            read = read_settings()
            self._settings, self._stamp, self._fault = read.settings, stamp, _fault_of(read)
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
        settings = self.settings()
        if self._fault:
            raise ToolError(f"{self._fault}. Until that is mended other programs may do nothing here")
        if not settings.mcp_read:
            raise ToolError(NO_READING)


def _fault_of(read: ParsedSettings) -> str:
    """Tell why it is not known what other programs may do; "" where it is."""
    if not read.problems:
        return ""
    wrong = read.problems if not read.is_sound else [one for one in read.problems if _ABOUT.search(one)]
    return next((one.partition(";")[0].rstrip(".") for one in wrong), "")


KEY_NAME = "LOOMAPP_MCP_KEY"  # of an environment variable too
SWITCHED_OFF = f"MCP over HTTP is not switched on: {PLACE}"


class HttpRefused(LoomError):
    """The server is not to be, or cannot be, reached over HTTP."""

    code = "httpRefused"


def is_switched_off() -> bool:
    """Tell whether HTTP was switched off by now; not where the settings cannot be read."""
    read = read_settings()
    return not read.problems and read.settings.mcp_http == "off"


def http_key(*, new: bool = False) -> str:
    """The key that calls show; made and kept where the settings say at its first use, or anew. A new one is
    the only one, wherever the old one was kept.

    Raises: HttpRefused where HTTP is not switched on, or a new key would not count; KeychainUnavailable,
        KeyFileFailed.
    """
    where = read_settings().settings.mcp_http
    if where == "off":
        raise HttpRefused(SWITCHED_OFF)
    known = key_for(KEY_NAME, SessionKeys())  # another process may have made a new one
    if known is not None and not new:
        SESSION_KEYS.put(KEY_NAME, known)  # what shows texts shows no key that is known
        return known.text
    if known is not None and known.origin == "environment":
        raise HttpRefused(f"The key is that of the environment variable {KEY_NAME}: change it there")
    made = Key(secrets.token_urlsafe(32), "file" if where == "file" else "keychain")
    keep(KEY_NAME, made)
    if known is not None and known.origin != made.origin:
        forget(KEY_NAME, known.origin)
    return made.text


def key_of_now(known: str) -> str:
    """The key as it is kept by now, whoever made another one; the known one where none can be read."""
    found = None
    with suppress(LoomError):
        found = key_for(KEY_NAME, SessionKeys())  # what this process remembers may be the old one
    return known if found is None else found.text
