"""Reach of modules: none is imported by a string but in two places, few know the window by its class, none
looks for widgets in others by name or kind but where Qt alone holds them, and no command asks for the kind of
the text that is read.
"""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

import loomapp

PACKAGE = Path(loomapp.__file__).parent
MODULES = sorted(PACKAGE.rglob("*.py"))
BY_STRING = {"import_module", "__import__", "exec", "eval"}
MAY_IMPORT_BY_STRING = {
    "cli/entry.py",  # a command's module is loaded when it is typed
    "core/dataclass.py",  # constructors are compiled from the names of fields, and import nothing
    "ui/commands/on_demand.py",  # the one table of what no window begins with
}
MAY_NAME_THE_WINDOW = {"app.py"}
EVENT_HANDLERS = ("Event", "eventFilter", "hitButton")
MAY_TAKE_ANY = {  # values by the names of the fields they come from
    "ui/trees/settings_rows.py",
    "ui/inspector/what_if/panel.py",
}
ASKS_NO_KIND = ("ui/actions/", "ui/commands/")
ARE_ONE_KIND = (
    "ui/commands/buffer/",  # each has one of the two text views
    "ui/commands/dialogue/",
    "ui/commands/save/draft_state.py",  # and says what of a buffer the file did not take
)
TEXT_VIEWS = {"TextView", "DialogueTextView", "BufferTextView"}
TEXT_OWNERS = {"buffer", "desk", "_desk", "text_pane", "text", "writing"}
WIDGET_QUERIES = {"findChild", "findChildren", "window"}
MAY_QUERY_WIDGETS = {
    ("ui/widgets/keyboard.py", "window"),  # the one place that asks where the keyboard is
    ("ui/widgets/file_dialog.py", "findChildren"),  # parts of Qt's own dialog
    ("ui/widgets/spoken.py", "findChildren"),  # the button that Qt puts into a field
    ("ui/window/native_events.py", "findChildren"),  # every stop of the window, whoever made it
    ("ui/groves/grove_files.py", "findChildren"),  # every widget of the window takes a dropped file
    ("ui/commands/save/leave.py", "findChildren"),  # every dialog of the window is put away at the end
    ("ui/keys.py", "findChildren"),  # every button of a part that shows an action's key
    ("ui/dialogue/message/message.py", "findChildren"),  # stops of the keyboard in parts of a message
    ("ui/dialogue/message/foot.py", "findChildren"),  # the same of its error
    ("ui/look/theme.py", "findChild"),  # the application keeps the one object that lives as long as it
    ("session/background/background_work.py", "findChild"),  # likewise the clock of its event loop
}


def imports_by_string(tree: ast.AST) -> Iterator[str]:
    """Yield every call, and every import, of what imports or runs code by its text."""
    for node in ast.walk(tree):
        match node:
            case ast.Call(func=ast.Name(id=name)) | ast.Call(func=ast.Attribute(attr=name)):
                if name in BY_STRING and not _is_method_of_qt(node):
                    yield name
            case ast.ImportFrom(module="importlib", names=names):
                yield from (alias.name for alias in names if alias.name in BY_STRING)


def _is_method_of_qt(node: ast.AST) -> bool:
    """Tell whether a call is of a dialog's or a menu's own `exec`, which runs no text."""
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "exec"


def names_of_the_window(tree: ast.AST) -> list[str]:
    """Return every place where the class of the window is imported or named."""
    names = [node.id for node in ast.walk(tree) if isinstance(node, ast.Name)]
    names += [
        alias.name for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) for alias in node.names
    ]
    return [name for name in names if name == "MainWindow"]


def loose_types(tree: ast.AST) -> Iterator[str]:
    """Yield `Any` wherever it is imported, and handlers of Qt's events that take any object."""
    for node in ast.walk(tree):
        match node:
            case ast.ImportFrom(module="typing", names=names):
                yield from (alias.name for alias in names if alias.name == "Any")
            case ast.FunctionDef(name=name, args=arguments) if name.endswith(EVENT_HANDLERS):
                given = [one.annotation for one in arguments.args]
                yield from (name for one in given if isinstance(one, ast.Name) and one.id == "object")


def widget_queries(tree: ast.AST) -> Iterator[str]:
    """Yield every call that asks a widget for its window or for the widgets in it."""
    for node in ast.walk(tree):
        match node:
            case ast.Call(func=ast.Attribute(attr=name)) if name in WIDGET_QUERIES:
                yield name


def questions_of_kind(tree: ast.AST) -> Iterator[str]:
    """Yield every question about the text that is read: whether it is a buffer or a dialogue."""
    for node in ast.walk(tree):
        match node:
            case ast.Attribute(
                attr="is_on" | "is_prose" | "is_open", value=ast.Attribute(attr=of) | ast.Name(id=of)
            ):
                yield from {of} & TEXT_OWNERS
            case ast.Compare():
                yield from (
                    "mode" for one in (node.left, *node.comparators) if _is_mode(one) or _is_kind(one)
                )
            case ast.Match(subject=subject) if _is_mode(subject):
                yield "mode"
            case ast.Call(func=ast.Name(id="isinstance")):
                yield from {name.id for name in ast.walk(node) if isinstance(name, ast.Name)} & TEXT_VIEWS
            case ast.MatchClass(cls=ast.Name(id=name)):
                yield from {name} & TEXT_VIEWS


def _is_mode(node: ast.AST) -> bool:
    return isinstance(node, ast.Attribute) and node.attr == "mode"


def _is_kind(node: ast.AST) -> bool:
    return isinstance(node, ast.Constant) and node.value in ("buffer", "dialogue")


@cache
def text_of(path: Path) -> str:
    return path.read_text(encoding="utf-8")


def parsed(path: Path) -> ast.AST:
    return ast.parse(text_of(path))


def saying(*words: str) -> list[Path]:
    """Return the modules in whose text one of these is: the others need not be parsed."""
    return [path for path in MODULES if any(word in text_of(path) for word in words)]


def place(path: Path) -> str:
    return path.relative_to(PACKAGE).as_posix()


def is_below(path: Path, *folders: str) -> bool:
    return place(path).startswith(folders)


def test_no_module_is_imported_by_a_string_but_commands_and_what_no_window_begins_with() -> None:
    found = {place(path): set(imports_by_string(parsed(path))) for path in saying(*BY_STRING)}

    assert {name for name, calls in found.items() if calls} <= MAY_IMPORT_BY_STRING


def test_only_the_app_and_the_windows_name_the_class_of_the_window() -> None:
    naming = {place(path) for path in saying("MainWindow") if names_of_the_window(parsed(path))}

    assert {name for name in naming if not name.startswith("ui/window/")} == MAY_NAME_THE_WINDOW


def test_no_widget_looks_for_others_by_kind_name_or_window_but_where_qt_alone_holds_them() -> None:
    calls = [f".{name}" for name in WIDGET_QUERIES]
    found = {(place(path), query) for path in saying(*calls) for query in widget_queries(parsed(path))}

    assert found == MAY_QUERY_WIDGETS


def test_the_window_knows_the_types_of_what_it_is_given() -> None:
    views = [path for path in saying("Any", "object") if is_below(path, "ui/")]
    found = {place(path) for path in views if list(loose_types(parsed(path)))}

    assert found == MAY_TAKE_ANY


def test_no_constant_of_a_module_is_given_another_value_further_down() -> None:
    found = {}
    for path in MODULES:
        heads = re.findall(r"^([A-Z][A-Z0-9_, ]*)(?::[^=\n]+)? = ", text_of(path), re.MULTILINE)
        names = Counter(name for head in heads for name in head.split(", "))
        if twice := [name for name, count in names.items() if count > 1]:
            found[place(path)] = twice

    assert found == {}


def test_no_command_asks_whether_a_dialogue_or_a_buffer_is_read_but_those_of_the_one_or_the_other() -> None:
    commands = [
        path for path in MODULES if is_below(path, *ASKS_NO_KIND) and not is_below(path, *ARE_ONE_KIND)
    ]
    asked = {place(path): list(questions_of_kind(parsed(path))) for path in commands}

    assert len(commands) > 40
    assert {name: questions for name, questions in asked.items() if questions} == {}


@pytest.mark.parametrize(
    "code",
    [
        "if bench.buffer.is_on: pass",
        "desk = bench.buffer\nreturn_ = desk.is_on",
        "bench.views.text_pane.is_prose",
        "is_prose = document.tree.loom.mode == 'buffer'",
        "match loom.mode:\n case 'buffer': pass",
        "if bench.work.writing.is_open: pass",
        "before = [row.before.mode for row in rows]\nif 'dialogue' in before: pass",
        "isinstance(bench.text, BufferTextView)",
        "match bench.text:\n case DialogueTextView(): pass",
    ],
)
def test_a_question_about_the_kind_of_the_text_is_found(code: str) -> None:
    assert list(questions_of_kind(ast.parse(code)))


@pytest.mark.parametrize(
    "code", ["from typing import Any", "class A:\n def enterEvent(self, event: object) -> None: ..."]
)
def test_a_loose_type_is_found(code: str) -> None:
    assert list(loose_types(ast.parse(code)))


@pytest.mark.parametrize("code", ["self.window().focusWidget()", "pane.findChild(QWidget, 'name')"])
def test_a_look_for_a_widget_is_found(code: str) -> None:
    assert list(widget_queries(ast.parse(code)))


@pytest.mark.parametrize(
    "code", ["import importlib\nimportlib.import_module('x')", "__import__('x')", "exec('import x')"]
)
def test_an_import_by_a_string_is_found(code: str) -> None:
    assert list(imports_by_string(ast.parse(code)))


@pytest.mark.parametrize(
    "code", ["from loomapp.ui.window.main_window import MainWindow", "def f(window: MainWindow): ..."]
)
def test_a_name_of_the_window_is_found(code: str) -> None:
    assert names_of_the_window(ast.parse(code))
