"""`loomapp doctor`: versions, libraries, display, engine, model, grove, folders: one paste for a report."""

from __future__ import annotations

import importlib.metadata
import platform
import sqlite3
import subprocess
import sys
from collections.abc import Iterator

from loomapp import __version__, places
from loomapp.cli.arguments import DONE, Namespace, Parser
from loomapp.cli.groves import grove_path, look_at_named
from loomapp.cli.output import one_line, say, say_json
from loomapp.core.errors import GroveError
from loomapp.preflight import display_problem, missing_engine_libraries, missing_libraries
from loomapp.providers.engine import model_files
from loomapp.providers.engine.model_fetch import KNOWN_MODELS
from loomapp.store.opening.look import look

PACKAGES = ("PySide6-Essentials", "SQLAlchemy", "alembic", "openai", "anthropic", "xllamacpp", "numpy")
FONTS = {"中": "fonts-noto-cjk", "한": "fonts-noto-cjk", "😀": "fonts-noto-color-emoji"}
"""Characters that no bundled font has, and the Debian package of a font that does."""
LIST_TIMEOUT_S = 10.0


def add_arguments(_parser: Parser) -> None:
    """`doctor` takes what every command takes."""


def run(arguments: Namespace) -> int:
    """Prints a line a fact; looks and changes nothing. No text of the user's and no key is among them."""
    facts = list(_facts(arguments))
    if arguments.json:
        say_json(dict(facts))
    else:
        width = max(len(name) for name, _ in facts)
        for name, value in facts:
            say(f"{name:<{width}}  {one_line(value)}")
    return DONE


def _facts(arguments: Namespace) -> Iterator[tuple[str, str]]:
    yield "loomapp", __version__
    yield "python", f"{platform.python_version()} ({sys.executable})"
    yield "system", platform.platform()
    yield "sqlite", sqlite3.sqlite_version
    for name in PACKAGES:
        yield name, _version(name)
    yield "missing libraries", ", ".join(missing_libraries()) or "none"
    yield "missing engine libraries", ", ".join(missing_engine_libraries()) or "none"
    yield "missing fonts", ", ".join(missing_fonts()) or "none"
    yield "display", display_problem() or "there is one"
    yield "engine", _engine()
    yield "model folder", str(places.model_folder())
    for model in model_files.models():
        yield f"model {model.name}", f"{model.size_bytes} bytes, {_genuine(model.name)}"
    yield "grove", str(grove_path(arguments))
    yield "grove state", _grove_state(arguments)
    yield "data folder", str(places.data_folder())
    yield "settings folder", str(places.config_folder())
    yield "log folder", str(places.state_folder())


def _version(name: str) -> str:
    try:
        return importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        return "not installed"


def missing_fonts() -> list[str]:
    """The Debian packages of fonts without which some scripts are boxes; empty where nothing lists fonts."""
    return sorted({package for character, package in FONTS.items() if not _has_font(character)})


def _has_font(character: str) -> bool:
    command = ["fc-list", f":charset={ord(character):x}", "family"]
    try:
        listed = subprocess.run(command, capture_output=True, timeout=LIST_TIMEOUT_S, check=True)
    except (OSError, subprocess.SubprocessError):
        return True
    return bool(listed.stdout.strip())


def _engine() -> str:
    installed = _version("xllamacpp")
    return "not installed (pip install 'loomapp[local]')" if installed == "not installed" else "installed"


def _genuine(name: str) -> str:
    if name not in KNOWN_MODELS:
        return "a file of your own"
    return "genuine" if model_files.is_genuine(name) else "NOT genuine: remove and fetch it again"


def _grove_state(arguments: Namespace) -> str:
    path = grove_path(arguments)
    if not path.exists():
        return "not there yet"
    try:
        looked = look(path)
        with look_at_named(arguments) as grove:
            rows = grove.trees()
    except GroveError as error:
        return f"{error.code}: {error.message}"
    nodes = sum(row.node_count for row in rows)
    writable = "writable" if looked.is_writable else "read-only"
    return (
        f"format {looked.version}, {writable}, {path.stat().st_size} bytes, {len(rows)} trees, {nodes} nodes"
    )


COMMANDS = {"doctor": (add_arguments, run)}
