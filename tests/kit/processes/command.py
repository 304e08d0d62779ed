"""The installed command, run as a person or a script runs it."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.kit.processes import warm

TIMEOUT_S = 240  # of a run that hangs: `demo` computes for ten seconds, and ten times that on a busy machine
COMMAND = (sys.executable, "-m", "loomapp")


@dataclass(frozen=True)
class Ran:
    """What a command line came to."""

    status: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """Its stdout, read as one JSON value."""
        return json.loads(self.out)

    @property
    def complaint(self) -> str:
        """Its one line on stderr, checked to be one and no traceback."""
        lines = self.err.splitlines()
        assert len(lines) == 1, self.err
        assert "Traceback" not in self.err
        assert "fault in Loomapp" not in self.err
        return lines[0]


def loomapp(*arguments: str | Path, environment: Mapping[str, str | None] | None = None) -> Ran:
    """Runs `loomapp`; `environment` adds variables, or takes away those that are None.

    With an environment of its own it is started from nothing, else it is forked from a warm process.
    """
    if environment is None:
        called = warm.run(list(map(str, arguments)))
        return Ran(called.returncode, called.stdout, called.stderr)
    variables: dict[str, str | None] = {**os.environ, **environment}
    done = subprocess.run(
        [*COMMAND, *map(str, arguments)],
        env={name: value for name, value in variables.items() if value is not None},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        encoding="utf-8",
        timeout=TIMEOUT_S,
    )
    return Ran(done.returncode, done.stdout, done.stderr)


def sha256(path: Path) -> str:
    """What shows that a file is byte for byte the same."""
    return hashlib.sha256(path.read_bytes()).hexdigest()


def new_tree(grove: Path, *, mode: str = "dialogue", text: str = "Hello") -> tuple[str, str]:
    """A tree made by the command line; its id and its root's."""
    made = loomapp("tree", "new", "--grove", grove, "--mode", mode, "--title", "T", "--text", text, "--json")
    assert made.status == 0, made.err
    return made.json["treeId"], made.json["rootNodeId"]
