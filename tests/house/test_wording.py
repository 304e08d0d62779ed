"""What people read can be translated: no error is put together by itself, no window shows one as it came."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator
from pathlib import Path

import loomapp
from loomapp.core import errors
from loomapp.core.errors import LoomError
from loomapp.core.generation import answers

ROOT = Path(loomapp.__file__).parent
PRINTED = ("cli", "mcp")  # what is printed is English, for programs too
# Constructors of errors and what makes them; their texts are the arguments that are texts.
MAKERS = {"failure", "_refuse", "_bad", "_missing", "_unavailable"}


def modules(words: Iterable[str]) -> Iterator[tuple[Path, ast.Module]]:
    """The modules in whose text one of the words is: the others need not be parsed."""
    is_said = re.compile("|".join(map(re.escape, words)))
    for path in sorted(ROOT.rglob("*.py")):
        if path.relative_to(ROOT).parts[0] not in PRINTED:
            text = path.read_text(encoding="utf-8")
            if is_said.search(text):
                yield path, ast.parse(text)


def error_names() -> set[str]:
    known = {name for module in (errors, answers) for name, it in vars(module).items() if is_error(it)}
    defined = {
        node.name
        for _, tree in modules(known)
        for node in tree.body
        if isinstance(node, ast.ClassDef) and {ast.unparse(base) for base in node.bases} & known
    }
    return known | defined


def is_error(it: object) -> bool:
    return isinstance(it, type) and issubclass(it, LoomError)


def called(call: ast.Call) -> str:
    return (
        call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
    )  # the last part of its name


def is_put_together(value: ast.expr, names: dict[str, ast.expr]) -> bool:
    """True for words made by an f-string, a sum or `format`, also by way of a name."""
    if isinstance(value, ast.Name) and value.id in names:
        return is_put_together(names[value.id], {})
    if isinstance(value, ast.IfExp):
        return is_put_together(value.body, names) or is_put_together(value.orelse, names)
    if isinstance(value, ast.JoinedStr):
        return any(isinstance(part, ast.Constant) and " " in str(part.value) for part in value.values)
    if isinstance(value, ast.BinOp) and isinstance(value.op, ast.Add):
        return True
    is_format = isinstance(value, ast.Call) and called(value) == "format"
    return is_format and "tr(" not in ast.unparse(value)


def test_no_error_is_put_together_but_of_sentences_that_can_be_translated() -> None:
    names, found = error_names() | MAKERS, []
    for path, tree in modules(f"{name}(" for name in names):
        for function in ast.walk(tree):
            if not isinstance(function, ast.FunctionDef):
                continue
            inside = list(ast.walk(function))
            calls = [node for node in inside if isinstance(node, ast.Call) and called(node) in names]
            if not calls:
                continue
            texts = {
                target.id: node.value
                for node in inside
                if isinstance(node, ast.Assign)
                for target in node.targets
                if isinstance(target, ast.Name)
            }
            found += [
                f"{path.relative_to(ROOT)}:{call.lineno}: {ast.unparse(call)[:90]}"
                for call in calls
                if any(is_put_together(arg, texts) for arg in call.args)
            ]

    assert not found, "say it with core.wording.worded(…):\n" + "\n".join(sorted(set(found)))
    assert len(names) > 12


def test_no_window_shows_an_error_as_it_came() -> None:
    found = []
    for path, tree in modules(["error.message"]):
        if path.relative_to(ROOT).parts[0] != "ui" or path.name == "strings.py":
            continue
        told = {
            id(inner)
            for call in ast.walk(tree)
            if isinstance(call, ast.Call) and called(call) == "told"
            for inner in ast.walk(call)
        }
        for node in ast.walk(tree):
            shown = isinstance(node, ast.Attribute) and node.attr == "message" and id(node) not in told
            if shown and ast.unparse(node).endswith("error.message"):
                found.append(f"{path.relative_to(ROOT)}: {ast.unparse(node)}")

    assert not found, "say it with ui.strings.told(…):\n" + "\n".join(found)


# Words of earlier days that nobody understood, and names that files and commands keep but no window says.
UNCLEAR = re.compile(
    r"\b(take away|hang branch|make it so|spoken to by|nobody told|given up|hangs on|wants a pause|wanders"
    r"|is otherwise|dark is ink|light is paper|if you know better|marked is what|prune[ds]?|swipes?"
    r"|regenerate)\b",
    re.IGNORECASE,
)


def shown_texts() -> Iterator[tuple[Path, str]]:
    """The texts that a window shows: what goes through the translator, and the titles of actions."""
    for path, tree in modules(("tr(", "ActionEntry(")):
        for call in (node for node in ast.walk(tree) if isinstance(node, ast.Call)):
            texts = {"tr": call.args[:1], "ActionEntry": call.args[1:2]}.get(called(call), [])
            yield from ((path, str(one.value)) for one in texts if isinstance(one, ast.Constant))


def test_no_window_says_what_strangers_stumbled_over() -> None:
    shown = list(shown_texts())
    assert len(shown) > 1000
    assert [f"{path.name}: {text}" for path, text in shown if UNCLEAR.search(text)] == []
