"""Configuration: environment variables of the server, and what is copied into other programs to reach it."""

from __future__ import annotations

import importlib.util
import json
import os
import re
import shlex
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from loomapp.core.dataclass import dataclass
from loomapp.core.errors import InvalidInput

THRESHOLD, PREVIEW = 20, 5  # results; of more than the first only as many as the second are shown
PREFIXES = ("LOOM_MCP_", "BEADS_MCP_")  # of those that set the numbers, the first that is set counts
_WHOLE = re.compile(r"[+-]?[0-9]{1,1000}")  # more are no number to Python
_YES, _NO = ("1", "true", "yes", "on"), ("", "0", "false", "no", "off")


@dataclass(frozen=True, slots=True)
class Environment:
    """The values that count for one server."""

    threshold: int = THRESHOLD
    preview: int = PREVIEW
    lists_every_tool: bool = False
    is_read_only: bool = False


def read_environment(variables: Mapping[str, str]) -> Environment:
    """Read the variables. Raises: InvalidInput, in one line that names the variable."""
    threshold = _number(variables, "COMPACTION_THRESHOLD")
    preview = _number(variables, "PREVIEW_COUNT")
    most = THRESHOLD if threshold is None else threshold
    if preview is not None and preview > most:
        name = _name(variables, "PREVIEW_COUNT")
        raise InvalidInput(f"{name} must be <= LOOM_MCP_COMPACTION_THRESHOLD (is {preview})")
    return Environment(
        threshold=most,
        preview=min(PREVIEW, most) if preview is None else preview,
        lists_every_tool=_choice(variables, "LOOM_MCP_TOOLS", yes=("full",), no=("", "lazy")),
        is_read_only=_choice(variables, "LOOM_MCP_READ_ONLY", yes=_YES, no=_NO),
    )


def _name(variables: Mapping[str, str], ending: str) -> str:
    names = [prefix + ending for prefix in PREFIXES]
    return next((name for name in names if variables.get(name, "").strip()), names[0])


def _number(variables: Mapping[str, str], ending: str) -> int | None:
    name = _name(variables, ending)
    text = variables.get(name, "").strip()
    if not text:
        return None
    if not _WHOLE.fullmatch(text):
        raise InvalidInput(f"{name} must be >= 1 (is {text!r})")
    if int(text) < 1:
        raise InvalidInput(f"{name} must be >= 1 (is {int(text)})")
    return int(text)


def _choice(variables: Mapping[str, str], name: str, *, yes: tuple[str, ...], no: tuple[str, ...]) -> bool:
    word = variables.get(name, "").strip().lower()
    if word not in (*yes, *no):
        raise InvalidInput(f"{name} must be {yes[0]!r} or {no[1]!r} (is {word!r})")
    return word in yes


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
    """The command that serves a grove over HTTP."""
    return _in_a_terminal([*_command(grove), "--http"])


def _command(grove: Path) -> list[str]:
    return [*_program(), "mcp", "--grove", str(grove.absolute())]


def _program() -> list[str]:
    """The command that starts Loomapp as it is installed here."""
    if getattr(sys, "frozen", False):
        return [sys.executable]
    script = Path(sys.executable).with_name("loomapp.exe" if sys.platform == "win32" else "loomapp")
    return [str(script)] if script.exists() else [sys.executable, "-m", "loomapp"]
