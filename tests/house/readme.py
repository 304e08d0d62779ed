"""The README's map and key table, built from the program itself; run as a module it writes them."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from itertools import groupby
from pathlib import Path

from loomapp.core.action_table import ACTIONS_BY_MENU

ROOT = Path(__file__).parents[2]
README = ROOT / "README.md"
INDENT = "  "


def file_map() -> str:
    """Every module and package of loomapp with the first line of its docstring."""
    rows = list(_rows(ROOT / "loomapp", depth=0))
    width = max(len(name) for name, _ in rows) + 2
    return "\n".join(["```", *(f"{name:{width}}{says}".rstrip() for name, says in rows), "```"])


def key_table() -> str:
    """Every action that has keys, in the order of the menus."""
    shown = [
        entry for entries in ACTIONS_BY_MENU.values() for entry in entries if entry.keys or entry.graph_keys
    ]
    rows = []
    for _, group in groupby(shown, key=lambda entry: entry.submenu or entry.name):
        first, *_, last = [*group] * 2
        text = first.submenu or first.title.rstrip("…")
        anywhere, in_graph = _span(first.keys, last.keys), _span(first.graph_keys, last.graph_keys)
        rows.append(f"| {text} | {anywhere} | {in_graph} |")
    return "\n".join(["| | anywhere | in the graph |", "|---|---|---|", *rows])


def section(name: str) -> str:
    """What the README holds between the markers of a section."""
    _, content, _ = _split(README.read_text(encoding="utf-8"), name)
    return content.strip()


def write(name: str, content: str) -> None:
    """Puts new content between the markers of a section."""
    before, _, after = _split(README.read_text(encoding="utf-8"), name)
    README.write_text(f"{before}\n{content}\n{after}", encoding="utf-8")


def _split(text: str, name: str) -> tuple[str, str, str]:
    start = text.index("-->", text.index(f"<!-- {name}:")) + len("-->")
    end = text.index(f"<!-- end of {name} -->")
    return text[:start], text[start:end], text[end:]


def _rows(folder: Path, depth: int) -> Iterator[tuple[str, str]]:
    """A package, then its modules, then the packages in it."""
    yield f"{INDENT * depth}{folder.name}/", _says(folder / "__init__.py")
    inside = sorted(folder.iterdir())
    for module in inside:
        if module.suffix == ".py" and module.name != "__init__.py":
            yield f"{INDENT * (depth + 1)}{module.name}", _says(module)
    for package in inside:
        if (package / "__init__.py").is_file():
            yield from _rows(package, depth + 1)


def _says(module: Path) -> str:
    docstring = ast.get_docstring(ast.parse(module.read_text(encoding="utf-8"))) or ""
    return docstring.partition("\n")[0]


def _span(first: tuple[str, ...], last: tuple[str, ...]) -> str:
    return _keys(first) if first == last else f"{_keys(first)} … {_keys(last)}"


def _keys(keys: Iterable[str]) -> str:
    return ", ".join(f"`{key}`" for key in keys)


def main() -> None:
    """Writes both sections."""
    write("map", file_map())
    write("keys", key_table())


if __name__ == "__main__":
    main()
