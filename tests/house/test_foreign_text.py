"""Text of others is never read as markup: labels are plain, tips escaped, one class shows markdown."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest

import loomapp

ROOT = Path(loomapp.__file__).parent
MODULES = sorted((ROOT / "ui").rglob("*.py"))
FORBIDDEN = {"QTextBrowser", "setHtml", "insertHtml", "toHtml", "QGraphicsTextItem", "QStaticText"}
TELLING = {*FORBIDDEN, "ToolTip", "QLabel", "QMessageBox", "setMarkdown", "QTextDocument", "QTextEdit"}
"""Words without which a module shows nothing that could be read as markup."""
# Tips that are made of our own words, by module and function; whoever adds one has looked.
OWN_WORDS = {
    ("composer.py", "tr"),
    ("context_bar.py", "exact"),
    ("keys.py", "tip_of"),
    ("header.py", "_tip"),
    ("buttons.py", "accessibleName"),
    ("node_inspector.py", "iso_time"),
    ("empty.py", "line"),
    ("find_bar.py", "title"),
    ("head.py", "title"),
    ("pager.py", "title"),
    ("crumbs.py", "accessible"),
    ("view.py", "text"),
    ("strategies.py", "tip"),
}


def calls(tree: ast.AST) -> Iterator[tuple[str, ast.Call]]:
    """Every call in a module with the last part of what is called."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            name = node.func
            yield (
                name.attr if isinstance(name, ast.Attribute) else getattr(name, "id", ""),
                node,
            )


def called(value: ast.expr) -> str:
    """The last part of what makes a value: a call, a name; empty for anything else."""
    if isinstance(value, ast.Call):
        return called(value.func)
    if isinstance(value, ast.Attribute):
        return value.attr
    return value.id if isinstance(value, ast.Name) else ""


def tips(made: Iterable[tuple[str, ast.Call]]) -> Iterator[ast.expr]:
    """What every tool tip among the calls of a module says."""
    for name, call in made:
        if name == "setToolTip":
            yield call.args[-1]
        elif name == "showText" and "QToolTip" in ast.unparse(call.func):
            yield call.args[1]


def faults(module: Path) -> Iterator[str]:
    """What a module does that could show foreign text as markup."""
    source = module.read_text(encoding="utf-8")
    if not any(word in source for word in TELLING):
        return
    made = list(calls(ast.parse(source)))
    names = [name for name, _ in made]

    yield from sorted(FORBIDDEN & set(names))
    for tip in tips(made):
        if called(tip) not in {"plain_tip", "tr"} and (module.name, called(tip)) not in OWN_WORDS:
            yield f"line {tip.lineno}: {ast.unparse(tip)} may be of others; use plain_tip"
    makes = names.count("QLabel") + source.count("(QLabel):") + source.count("(QMessageBox):")
    makes += names.count("QMessageBox")
    if makes and "setTextFormat(Qt.TextFormat.PlainText)" not in source:
        yield "a label or a message box whose text is not said to be plain"
    if names.count("setMarkdown") != (1 if module.name == "safe_document.py" else 0):
        yield "setMarkdown"
    if "QTextDocument" in names:
        yield "QTextDocument: SafeDocument is the one class for texts"
    if source.count("(QTextEdit):") != source.count("setAcceptRichText(False)"):
        yield "a QTextEdit that takes rich text"


def test_what_a_module_shows_is_never_read_as_markup() -> None:
    found = [f"{module.relative_to(ROOT)}: {fault}" for module in MODULES for fault in faults(module)]

    assert found == []
    assert len(MODULES) > 200


@pytest.mark.parametrize(
    "code",
    [
        "QTextBrowser()",
        "label.setToolTip(node.text)",
        "QLabel(title)",
        "view.setMarkdown(text)",
        "QTextDocument(text)",
        "class Field(QTextEdit): ...",
    ],
)
def test_what_reads_markup_is_found(code: str, tmp_path: Path) -> None:
    module = tmp_path / "some.py"
    module.write_text(code, encoding="utf-8")

    assert list(faults(module))
