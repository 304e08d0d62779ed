"""A small checkout with the real start script, on a machine that can be made to lack things."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]

# Stands in for an interpreter, because a real environment takes a minute to install: "-m venv" lays out
# one whose pip and loomapp note what they were asked. Everything else goes to the real Python.
PYTHON = """#!/bin/sh
if [ "$1" = -m ] && [ "$2" = venv ]; then
    mkdir -p "$3/bin" && cp "$HERE/inside" "$3/bin/python" && cp "$HERE/inside" "$3/bin/loomapp" || exit 1
    echo "made ${3##*/}" >>"$LOG"
    exit
fi
[ -z "${SAYS_VERSION:-}" ] || [ "$1" != -B ] || { "$REAL" "$@" | sed "1s/.*/$SAYS_VERSION/"; exit; }
exec "$REAL" "$@"
"""
INSIDE = """#!/bin/sh
echo "${0##*/} $*" | sed "s|$ROOT|ROOT|g" >>"$LOG"
case $2 in
pip) [ -z "${PIP_FAILS:-}" ] ;;
uv) [ -z "${UV_FAILS:-}" ] ;;
esac
"""
NOTES = '#!/bin/sh\necho "${0##*/} $*" >>"$LOG"\n'
SCREENS = ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM")  # the last is set for windows of this process


class Checkout:
    """The folder, and what was called while the script ran."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder / "loom tree"  # people have folders with spaces
        self.tools = folder / "my tools"
        self.log = folder / "log"
        self.models = folder / "models"
        for path in (
            "pyproject.toml",
            "packaging/start.sh",
            "packaging/constraints.txt",
            "loomapp/preflight.py",
        ):
            (self.folder / path).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / path, self.folder / path)
        (self.folder / "loomapp/__init__.py").touch()
        self.tools.mkdir()
        self.models.mkdir()
        (self.models / "small.gguf").write_bytes(b"a model")
        self.add_tool("python", PYTHON)
        self.add_tool("inside", INSIDE)

    def add_tool(self, name: str, script: str = NOTES) -> None:
        """Puts a program in front of the machine's own; by default one that only notes its call."""
        path = self.tools / name
        path.write_text(script)
        path.chmod(0o755)

    def without_library(self, package: str) -> None:
        """Makes the preflight look for a library that no machine has, in this package."""
        preflight = self.folder / "loomapp/preflight.py"
        preflight.write_text(preflight.read_text().replace(f'": "{package}"', f'.none": "{package}"'))

    def start(self, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
        """Runs the script with no screen, unless DISPLAY is given."""
        own = {name: value for name, value in os.environ.items() if name not in SCREENS}
        own |= {
            "PATH": f"{self.tools}:{os.environ['PATH']}",
            "PYTHON": str(self.tools / "python"),
            "REAL": sys.executable,
            "HERE": str(self.tools),
            "LOG": str(self.log),
            "ROOT": str(self.folder),
            "LOOMAPP_MODEL_DIR": str(self.models),
        }
        return subprocess.run(
            ["sh", str(self.folder / "packaging/start.sh"), *arguments],
            env=own | environment,
            capture_output=True,
            text=True,
        )

    def called(self) -> list[str]:
        """What was called since the last time, one line each."""
        lines = self.log.read_text().splitlines() if self.log.exists() else []
        self.log.unlink(missing_ok=True)
        return lines

    def installs(self) -> int:
        """How often the libraries were installed since the last time."""
        return sum("--editable" in line for line in self.called())
