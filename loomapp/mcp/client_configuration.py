"""Configurations to copy into other programs, with the paths of this installation and of a grove."""

from __future__ import annotations

import importlib.util
import json
import shlex
import sys
from pathlib import Path

from loomapp.core.dataclass import dataclass

INSTALL = 'pip install "loomapp[mcp]"'
HOST, PORT, PATH = "127.0.0.1", 8377, "/mcp"  # over HTTP; another port may be named
ADDRESS = f"http://{HOST}:{PORT}{PATH}"
DESKTOP = """{
  "mcpServers": {
    "loomapp": {
      "command": %s,
      "args": %s
    }
  }
}"""


@dataclass(frozen=True, slots=True)
class ClientConfiguration:
    """A text for one program, and what is to be done with it."""

    name: str
    title: str
    hint: str
    text: str


def is_installed() -> bool:
    """Tell whether the server can be started here: it is an extra."""
    return importlib.util.find_spec("mcp") is not None


def configurations(grove: Path) -> tuple[ClientConfiguration, ...]:
    """Configurations for the programs that are known, and for any other."""
    command = _command(grove)
    program, given = (json.dumps(part, ensure_ascii=False) for part in (command[0], command[1:]))
    desktop = DESKTOP % (program, given)
    code = ["claude", "mcp", "add", "loomapp", "--env", "LOOM_MCP_TOOLS=full", "--", *command]
    return (
        ClientConfiguration(
            "claude_desktop",
            "Claude Desktop",
            "Into claude_desktop_config.json (there: Settings → Developer → Edit config), then start Claude "
            "Desktop again.",
            desktop,
        ),
        ClientConfiguration("claude_code", "Claude Code", "Into a terminal, once.", shlex.join(code)),
        ClientConfiguration(
            "other",
            "Other",
            "The command that the program is to start; it speaks MCP on standard input and output.",
            shlex.join(command),
        ),
    )


def http_command(grove: Path) -> str:
    """The command that serves a grove over HTTP."""
    return shlex.join([*_command(grove), "--http"])


def _command(grove: Path) -> list[str]:
    return [*_program(), "mcp", "--grove", str(grove.absolute())]


def _program() -> list[str]:
    """The command that starts Loomapp as it is installed here."""
    if getattr(sys, "frozen", False):
        return [sys.executable]
    script = Path(sys.executable).with_name("loomapp.exe" if sys.platform == "win32" else "loomapp")
    return [str(script)] if script.exists() else [sys.executable, "-m", "loomapp"]
