"""The key that calls over HTTP show, kept where the user's settings say."""

from __future__ import annotations

import secrets

from loomapp.core.errors import LoomError
from loomapp.mcp.permissions import PLACE
from loomapp.providers.keys import Key, keep, key_for
from loomapp.store.files.settings_file import read_settings

KEY_NAME = "LOOMAPP_MCP_KEY"  # of an environment variable too
SWITCHED_OFF = f"MCP over HTTP is not switched on: {PLACE}"


class HttpRefused(LoomError):
    """The server is not to be, or cannot be, reached over HTTP."""

    code = "httpRefused"


def http_key(*, new: bool = False) -> str:
    """The key that calls show; made and kept where the settings say at its first use, or anew.

    Raises: HttpRefused where HTTP is not switched on; KeychainUnavailable, KeyFileFailed.
    """
    where = read_settings().settings.mcp_http
    if where == "off":
        raise HttpRefused(SWITCHED_OFF)
    known = None if new else key_for(KEY_NAME)
    if known is not None:
        return known.text
    made = secrets.token_urlsafe(32)
    keep(KEY_NAME, Key(made, "file" if where == "file" else "keychain"))
    return made
