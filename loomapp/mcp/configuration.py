"""Configuration of other programs: what is copied into each so that it reaches the server."""

from __future__ import annotations

import importlib.util
import json
import os
import shlex
import sys
from collections.abc import Sequence
from pathlib import Path

from loomapp.core.dataclass import dataclass

INSTALL = 'pip install "loomapp[mcp]"'
HOST, PORT, PATH = "127.0.0.1", 8377, "/mcp"  # over HTTP; another port may be named
ADDRESS = f"http://{HOST}:{PORT}{PATH}"
DESKTOP = """{
  "mcpServers": {
    "loomapp": {
      "command": %s,
      "args": %s%s
    }
  }
}"""
# Where settings, models and groves are, if not in the usual folders. Other programs hand on few variables.
FOLDERS = ("XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME", "LOOMAPP_MODEL_DIR")


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
    folders = _own_folders()
    placed = f',\n      "env": {json.dumps(folders, ensure_ascii=False)}' if folders else ""
    desktop = DESKTOP % (program, given, placed)
    variables = [
        part for pair in {"LOOM_MCP_TOOLS": "full", **folders}.items() for part in ("--env", "=".join(pair))
    ]
    code = ["claude", "mcp", "add", "loomapp", *variables, "--", *command]
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
            _in_a_terminal(command),
        ),
    )


def _own_folders() -> dict[str, str]:
    named = ((name, os.environ.get(name, "").strip()) for name in FOLDERS)
    return {name: str(Path(folder).absolute()) for name, folder in named if folder}


def _in_a_terminal(command: Sequence[str]) -> str:
    """A command that finds the folders of this process wherever it is started."""
    folders = [] if sys.platform == "win32" else ["=".join(pair) for pair in _own_folders().items()]
    return shlex.join([*(("env", *folders) if folders else ()), *command])


def http_command(grove: Path) -> str:
    return _in_a_terminal([*_command(grove), "--http"])


def _command(grove: Path) -> list[str]:
    return [*_program(), "mcp", "--grove", str(grove.absolute())]


def _program() -> list[str]:
    """The command that starts Loomapp as it is installed here."""
    if getattr(sys, "frozen", False):
        return [sys.executable]
    script = Path(sys.executable).with_name("loomapp.exe" if sys.platform == "win32" else "loomapp")
    return [str(script)] if script.exists() else [sys.executable, "-m", "loomapp"]
