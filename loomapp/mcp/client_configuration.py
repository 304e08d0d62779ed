"""Configurations to copy into other programs, with the paths of this installation and of a grove."""

from __future__ import annotations

import importlib.util
import json
import shlex
import sys
from dataclasses import dataclass
from pathlib import Path

INSTALL = 'pip install "loomapp[mcp]"'


@dataclass(frozen=True, slots=True)
class ClientConfiguration:
    """A text for one program, and what is to be done with it."""

    name: str
    title: str
    hint: str
    text: str


def configurations(grove: Path) -> tuple[ClientConfiguration, ...]:
    """Configurations for the programs that are known; where the server is not installed, how to do that."""
    if importlib.util.find_spec("mcp") is None:
        hint = "Other programs can’t reach this grove yet: a part is missing. This command installs it"
        return (ClientConfiguration("install", "Not installed", hint, INSTALL),)
    command = [*_program(), "mcp", "--grove", str(grove.absolute())]
    server = {"command": command[0], "args": command[1:]}
    desktop = json.dumps({"mcpServers": {"loomapp": server}}, indent=2, ensure_ascii=False)
    code = ["claude", "mcp", "add", "loomapp", "--env", "LOOM_MCP_TOOLS=full", "--", *command]
    return (
        ClientConfiguration(
            "claude_desktop",
            "Claude Desktop",
            "Into claude_desktop_config.json (Settings, Developer, Edit config there); then start it again",
            desktop,
        ),
        ClientConfiguration("claude_code", "Claude Code", "A command for the terminal", shlex.join(code)),
        ClientConfiguration(
            "other",
            "Other programs",
            "The command that they are to start; it speaks MCP on standard input and output",
            shlex.join(command),
        ),
    )


def _program() -> list[str]:
    """The command that starts Loomapp as it is installed here."""
    if getattr(sys, "frozen", False):
        return [sys.executable]
    script = Path(sys.executable).with_name("loomapp.exe" if sys.platform == "win32" else "loomapp")
    return [str(script)] if script.exists() else [sys.executable, "-m", "loomapp"]
