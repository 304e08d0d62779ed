"""No window names a key by hand that a person can change: it asks for the one that is bound now."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import loomapp

PACKAGE = Path(loomapp.__file__).parent
KEY = re.compile(r"\b(Ctrl|Alt|Shift|Meta)\+[^ a-z]|\bEsc\b|\bF[1-9][0-2]?\b")
GIVEN = ("core/action_table.py", "ui/keys.py")  # where keys are, and are refused with the reason
OWN = {  # keys of a part's own, which no action can have there, and an example
    (
        "core/settings/registry.py",
        "In a buffer answers are only offered after the text: Tab takes one, Esc dismisses it",
    ),
    ("core/settings/registry.py", "Then Ctrl+Enter begins a new line, unless another action has that key"),
    ("ui/buffer/bars.py", "Answers are only offered after your text: Tab takes one, Esc dismisses it"),
    ("ui/buffer/bars.py", "Alt+."),
    ("ui/buffer/bars.py", "Ctrl+→"),
    ("ui/buffer/bars.py", "Esc"),
    ("ui/dialogue/message/editor.py", "Ctrl+Enter"),
    ("ui/trees/documents/page.py", "Ctrl+Enter"),
    ("ui/commands/documents.py", "F2"),
    ("ui/dialogue/message/editor.py", "Esc"),
    ("ui/groves/window.py", "Ctrl+Q"),
    ("ui/palette/palette.py", "↑ ↓ choose · Enter opens · > commands only · Esc closes"),
    ("ui/palette/palette.py", "↑ ↓ choose · Enter takes it · Esc leaves all as it is"),
    ("ui/settings/key_rows.py", "{name}: press a key, Esc to leave it"),
    ("ui/settings/page.py", "Search: theme, backup, Ctrl+D…"),
    ("ui/trees/tree_list.py", "F2"),
    ("ui/widgets/page.py", "Close (Esc)"),
}


def named(path: Path) -> Iterator[str]:
    source = path.read_text(encoding="utf-8")
    if not KEY.search(source):
        return
    tree = ast.parse(source)
    told = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}  # docstrings
    texts = (node for node in ast.walk(tree) if isinstance(node, ast.Constant) and id(node) not in told)
    yield from (it.value for it in texts if isinstance(it.value, str) and KEY.search(it.value))


def test_no_key_that_can_be_changed_is_named_by_hand() -> None:
    paths = {str(path.relative_to(PACKAGE).as_posix()): path for path in sorted(PACKAGE.rglob("*.py"))}
    found = {(name, words) for name, path in paths.items() if name not in GIVEN for words in named(path)}

    assert found == OWN
