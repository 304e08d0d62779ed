"""What a command loads: looking at a grove brings neither Qt nor an SDK, assembling a file no database."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.kit.families import one_in
from tests.kit.loom_files import chain
from tests.kit.processes.command import new_tree

QT = {"PySide6", "shiboken6"}
SDKS = {"openai", "anthropic", "httpx2", "xllamacpp"}
DATABASE = {"sqlalchemy", "alembic"}
OF_FEW = ("loomapp.formats", "loomapp.core.economy", "loomapp.core.context.request")  # commands
PROBE = """
import sys
from loomapp.__main__ import main
status = main(sys.argv[1:])
print("\\n" + " ".join(sorted(sys.modules)))
sys.exit(status)
"""


def modules_loaded_by(*arguments: str) -> set[str]:
    done = subprocess.run(
        [sys.executable, "-c", PROBE, *arguments], capture_output=True, encoding="utf-8", timeout=240
    )
    assert done.returncode == 0, done.stderr
    return set(done.stdout.splitlines()[-1].split())


def loaded_by(*arguments: str) -> set[str]:
    return {name.partition(".")[0] for name in modules_loaded_by(*arguments)}


@pytest.mark.parametrize("command", one_in(3, ["trees", "show", "verify", "export", "context", "doctor"]))
def test_looking_at_a_grove_loads_neither_qt_nor_an_sdk(command: str, tmp_path: Path) -> None:
    grove = tmp_path / "g.loom"
    tree_id, root_id = new_tree(grove)
    more = {"show": [root_id], "export": ["--tree", tree_id], "context": ["--tree", tree_id]}

    loaded = loaded_by(command, *more.get(command, []), "--grove", str(grove))

    assert not loaded & (QT | SDKS | {"alembic"})


def test_assembling_a_file_loads_no_database_either(tmp_path: Path) -> None:
    file = tmp_path / "t.loom.json"
    file.write_text(json.dumps(chain("a")), encoding="utf-8")

    loaded = loaded_by("assemble", str(file), "--at", "n1")

    assert not loaded & (QT | SDKS | DATABASE)


def test_version_loads_next_to_nothing() -> None:
    loaded = modules_loaded_by("--version")

    assert not loaded & (QT | SDKS)
    assert not {name for name in loaded if name.startswith(OF_FEW)}


def test_a_command_about_a_grove_loads_no_format_and_nothing_that_assembles(tmp_path: Path) -> None:
    grove = tmp_path / "g.loom"
    _, root_id = new_tree(grove)

    loaded = modules_loaded_by("show", root_id, "--grove", str(grove))

    assert not {name for name in loaded if name.startswith(OF_FEW)}
