"""What is built and installed: the wheel, the pins, and what must not be in the tree."""

from __future__ import annotations

import ast
import os
import re
import shutil
import subprocess
import sys
import tomllib
import zipfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
from packaging.requirements import Requirement

from tests.house.requirements import folded, needed

ROOT = Path(__file__).parents[2]

IGNORED = {"__pycache__", "build", "dist", "node_modules"}
NOT_TEXT = {".ttf", ".otf", ".png", ".loom", ".gz", ".ico"}


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel as it would be published, built from a copy so that the checkout stays clean."""
    source = tmp_path_factory.mktemp("source") / "loomapp"
    shutil.copytree(ROOT, source, ignore=shutil.ignore_patterns(".*", "__pycache__", "build", "dist"))
    target = tmp_path_factory.mktemp("wheel")

    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(target)]
    built = subprocess.run(command, cwd=source, capture_output=True, text=True)

    assert built.returncode == 0, built.stdout + built.stderr
    (path,) = target.glob("*.whl")
    return path


def test_the_wheel_brings_every_resource_and_notice(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as file:
        names = set(file.namelist())

    resources = ROOT / "resources"
    wanted = {f"loomapp/resources/{p.relative_to(resources)}" for p in resources.rglob("*") if p.is_file()}
    assert wanted
    assert wanted <= names
    assert {name for name in names if name.endswith(("licenses/LICENSE", "licenses/THIRD-PARTY.md"))}
    assert not {name for name in names if name.startswith(("tests/", "packaging/", "resources/"))}


def test_the_installed_package_finds_its_resources(wheel: Path, tmp_path: Path) -> None:
    with zipfile.ZipFile(wheel) as file:
        file.extractall(tmp_path)
    code = "import loomapp; from loomapp.places import resource; print(loomapp.__file__, resource('icons'))"

    run = subprocess.run(
        [sys.executable, "-P", "-c", code],
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": str(tmp_path)},
        capture_output=True,
        text=True,
        check=True,
    )

    assert run.stdout.split() == [
        str(tmp_path / "loomapp" / "__init__.py"),
        str(tmp_path / "loomapp" / "resources" / "icons"),
    ]
    assert (tmp_path / "loomapp" / "resources" / "icons").is_dir()


CALLS = """
from PySide6.QtCore import QObject, Signal
class Teller(QObject):
    told = Signal(object)
heard = []
teller = Teller()
teller.told.connect(heard.append)
for number in range(10_000): teller.told.emit(number)
for _ in range(30_000): teller.setObjectName("x")
print(len(heard))
"""


def test_qt_survives_ten_thousand_signals_and_thirty_thousand_calls_that_return_nothing() -> None:
    """PySide6 6.12 on Python 3.11 loses a reference to None with each, and aborts after some 6,600."""
    run = subprocess.run([sys.executable, "-c", CALLS], capture_output=True, text=True)

    assert (run.returncode, run.stdout) == (0, "10000\n"), run.stderr


def test_every_package_that_is_installed_is_pinned() -> None:
    lines = (ROOT / "packaging" / "constraints.txt").read_text(encoding="utf-8").splitlines()
    pins = [line for line in lines if line and not line.startswith("#")]

    assert [pin for pin in pins if not re.fullmatch(r"[\w.-]+==[\w.]+(; .+)?", pin)] == []
    pinned = {folded(pin.partition("==")[0]) for pin in pins}
    assert sorted(needed("loomapp", "local", "test") - pinned) == []


def test_what_the_program_imports_is_declared() -> None:
    """Not only there because something else needs it."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = project["optional-dependencies"]
    lines = [*project["dependencies"], *extras["local"], *extras["spelling"], *extras["mcp"]]
    declared = {folded(Requirement(line).name) for line in lines}
    comes_from = {
        "PySide6": "PySide6-Essentials",
        "shiboken6": "PySide6-Essentials",
        "docx": "python-docx",
        "hunspell": "chunspell",
        "mcp_types": "mcp",
    }

    imported = {name for path in (ROOT / "loomapp").rglob("*.py") for name in _imports(path)}

    foreign = imported - set(sys.stdlib_module_names) - {"loomapp"}
    assert {name for name in foreign if folded(comes_from.get(name, name)) not in declared} == set()


def _imports(path: Path) -> Iterator[str]:
    for node in _statements(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name.partition(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            yield node.module.partition(".")[0]


def _statements(module: ast.Module) -> list[ast.AST]:
    """Every statement of a module: a tenth of what `ast.walk` goes through."""
    found: list[ast.AST] = [module]
    for node in found:  # grows while it is walked
        for block in ("body", "orelse", "finalbody", "handlers", "cases"):
            found += getattr(node, block, ())
    return found


def test_imports_go_one_way_only() -> None:
    linter = Path(sys.executable).with_name("lint-imports")

    run = subprocess.run([linter, "--no-cache"], cwd=ROOT, capture_output=True, text=True)

    assert run.returncode == 0, run.stdout + run.stderr


def test_no_path_of_a_developers_machine_is_in_the_tree() -> None:
    # Put together here, so that this file does not contain what it looks for.
    folders = "|".join(("work", "root", "Users", "opt"))
    foreign = re.compile(rf"(?<![\w.~])/(?:{folders})/[\w.]")

    found = [
        f"{path.relative_to(ROOT)}:{number}: {line.strip()[:100]}"
        for path in _texts(ROOT)
        for number, line in enumerate(path.read_text(encoding="utf-8", errors="replace").splitlines(), 1)
        if foreign.search(line)
    ]

    assert found == []


def _texts(folder: Path) -> Iterator[Path]:
    """Every text file of the tree; of the hidden ones only those that belong to it."""
    for path in sorted(folder.iterdir()):
        own = not path.name.startswith(".") or path.name in {".ci", ".gitignore", ".pre-commit-config.yaml"}
        if not own or path.name in IGNORED:
            continue
        if path.is_dir():
            yield from _texts(path)
        elif path.suffix not in NOT_TEXT:
            yield path


LINES, ENTRIES = 400, 25  # of a module, and in a folder, so that both are read in one go
LONGER = {  # each because a part of it alone would say nothing
    "core/model/tree.py": "one class: rows, and indexes that have to move with every one of them",
    "ui/buffer/text/exact_text.py": "one widget of Qt: every handler keeps the same text and its tail",
    "ui/inspector/preview.py": "one widget: rows, JSON, shares and why nothing is sent take one place",
    "ui/side_bar/outline/rows.py": "one model of Qt: its rows, indexes and data are of the same pieces",
}


def test_modules_and_folders_are_short_but_where_a_part_alone_would_say_nothing() -> None:
    modules = list((ROOT / "loomapp").rglob("*.py"))
    lines = {
        file.relative_to(ROOT / "loomapp").as_posix(): file.read_text(encoding="utf-8").count("\n")
        for file in modules
    }
    packages = {file.parent for file in modules}
    entries = Counter(file.parent for file in modules if file.name != "__init__.py")
    entries.update(package.parent for package in packages)

    long = {name for name, count in lines.items() if count > LINES} - LONGER.keys()
    assert long == set(), f"at most {LINES} lines a module: part it by what it is about"
    full = [folder for folder, count in entries.items() if count > ENTRIES]
    assert full == [], f"at most {ENTRIES} modules and rooms a folder: put the new one into a room of it"
