"""Maps of the program from its own docstrings: packages in the README, modules in each package's docstring.

Run as a module it writes them.
"""

from __future__ import annotations

import ast
import inspect
import textwrap
import tokenize
from collections.abc import Iterable, Iterator
from pathlib import Path

from loomapp.core.action_table import ACTIONS_BY_MENU

ROOT = Path(__file__).parents[2]
README = ROOT / "README.md"
PROGRAM = ROOT / "loomapp"
HEADING = "Contents:"
WIDTH = 108  # of a line of the contents
# Actions whose keys the README tells.
EVERYDAY = (
    "undo",
    "redo",
    "findInPath",
    "commandPaletteAction",
    "fitAll",
    "fold",
    "focusGraph",
    "focusText",
    "focusMode",
    "goParent",
    "goChild",
    "previousSibling",
    "nextSibling",
    "nextVersion",
    "edit",
    "bookmark",
    "exclude",
    "prune",
    "generate",
    "generateSiblings",
    "stop",
)
DEPTH = 2  # of the packages that the README lists: those of the program, and the rooms in them


def packages() -> list[Path]:
    """Every package of the program, each before those in it."""
    return sorted(file.parent for file in PROGRAM.rglob("__init__.py"))


def modules() -> list[Path]:
    """Every module of the program but the `__init__` of its packages."""
    return sorted(file for file in PROGRAM.rglob("*.py") if file.name != "__init__.py")


def package_map() -> str:
    """Return the README's table of packages, each with the first line of its docstring."""
    rows = ["| | |", "|---|---|"]
    for package in packages():
        below = package.relative_to(PROGRAM).parts
        if len(below) <= DEPTH:
            rows.append(f"| `{'/'.join((PROGRAM.name, *below))}/` | {first_line(package)} |")
    return "\n".join(rows)


def contents(package: Path) -> str:
    """Return what a package's docstring has to end with: its modules and rooms, one after the other."""
    lines = [HEADING]
    for name, inside in _inside(package):
        entry = f"{name}: {first_line(inside)}"
        lines += textwrap.wrap(entry, WIDTH, initial_indent="  ", subsequent_indent="      ")
    return "\n".join(lines)


def told_contents(package: Path) -> str:
    """Return what a package's docstring ends with now; empty where it lists nothing."""
    _, mark, told = _docstring(package / "__init__.py").partition(f"\n{HEADING}\n")
    return f"{HEADING}\n{told}".rstrip() if mark else ""


def first_line(place: Path) -> str:
    """Return the first line of the docstring of a module or package."""
    return _docstring(place / "__init__.py" if place.is_dir() else place).partition("\n")[0]


def key_table() -> str:
    """Return the README's table of the keys to know, in the order of the menus."""
    known = {entry.name: entry for entries in ACTIONS_BY_MENU.values() for entry in entries}
    rows = (
        f"| {entry.title.rstrip('…')} | {_keys(entry.keys)} | {_keys(entry.graph_keys)} |"
        for name, entry in known.items()
        if name in EVERYDAY
    )
    return "\n".join(["| | anywhere | in the graph |", "|---|---|---|", *rows])


def section(name: str) -> str:
    """What the README holds between the markers of a section."""
    _, content, _ = _split(README.read_text(encoding="utf-8"), name)
    return content.strip()


def write(name: str, content: str) -> None:
    """Puts new content between the markers of a section."""
    before, _, after = _split(README.read_text(encoding="utf-8"), name)
    README.write_text(f"{before}\n{content}\n{after}", encoding="utf-8")


def write_contents(package: Path) -> None:
    """Put the contents of a package at the end of its docstring."""
    file = package / "__init__.py"
    source = file.read_text(encoding="utf-8")
    statement = ast.parse(source).body[0]
    says = _docstring(file).partition(f"\n{HEADING}\n")[0].strip()
    rest = source.splitlines(keepends=True)[statement.end_lineno :]
    written = f"{says}\n\n{contents(package)}\n".replace("\\", r"\\")
    file.write_text(f'"""{written}"""\n' + "".join(rest), encoding="utf-8")


def _split(text: str, name: str) -> tuple[str, str, str]:
    start = text.index("-->", text.index(f"<!-- {name}:")) + len("-->")
    end = text.index(f"<!-- end of {name} -->")
    return text[:start], text[start:end], text[end:]


def _inside(package: Path) -> Iterator[tuple[str, Path]]:
    """Modules of a package by name, then the packages in it."""
    inside = sorted(package.iterdir())
    for module in inside:
        if module.suffix == ".py" and module.name != "__init__.py":
            yield module.stem, module
    for room in inside:
        if (room / "__init__.py").is_file():
            yield f"{room.name}/", room


def _docstring(module: Path) -> str:
    """The docstring of a module, of which no more is read than that."""
    with tokenize.open(module) as file:
        for token in tokenize.generate_tokens(file.readline):
            if token.type == tokenize.STRING:
                return inspect.cleandoc(ast.literal_eval(token.string))
            if token.type not in (tokenize.COMMENT, tokenize.NL):
                break
    return ""


def _keys(keys: Iterable[str]) -> str:
    return ", ".join(f"`{key}`" for key in keys)


def main() -> None:
    """Writes the maps and the key table."""
    for package in packages():
        write_contents(package)
    write("packages", package_map())
    write("keys", key_table())


if __name__ == "__main__":
    main()
