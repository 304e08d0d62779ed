"""The beginning of an export as a preview shows it: some lines, as they are or as they read."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from html.parser import HTMLParser
from itertools import islice
from typing import NamedTuple

from loomapp.core.model.agent import Agent
from loomapp.core.model.tree import Tree
from loomapp.formats.exports.export import Export
from loomapp.formats.exports.readable import paragraphs

MOST_LINES = 200
MOST_COLUMNS = 2_000  # characters of a line: an image is one line of millions
PARTS = frozenset({"h1", "summary", "article", "div", "p"})  # of a page, each a line of its own
UNSEEN = frozenset({"style", "title"})


class FirstLines(NamedTuple):
    """Lines of an export, long ones cut off with dots; `is_cut` if more lines follow."""

    text: str
    is_cut: bool


def beginning(export: Export, write: Callable[[Export], str]) -> FirstLines:
    """The first lines of a text format, exactly as they are written."""
    return _cut(write(_first_nodes(export)), goes_on=_goes_on(export))


def tree_beginning(tree: Tree, agents: Sequence[Agent], write: Callable[..., str]) -> FirstLines:
    """The first lines of a format that holds a whole tree: what comes before responses and images."""
    first = tree
    if len(tree.nodes) > MOST_LINES:
        first = Tree(tree.loom, nodes=islice(tree.nodes.values(), MOST_LINES))
    found = _cut(write(first, agents))
    return FirstLines(found.text, found.is_cut or first is not tree)


def page_beginning(export: Export, write: Callable[[Export], str]) -> FirstLines:
    """The first lines of a web page as it reads, without its marks."""
    page = _Reader()
    page.feed(write(_first_nodes(export)))
    return _cut(page.text, goes_on=_goes_on(export))


def document_beginning(export: Export) -> FirstLines:
    """The first paragraphs of a Word document."""
    first = _first_nodes(export)
    return _cut("\n\n".join(text for _, text in paragraphs(first)), goes_on=_goes_on(export))


def _first_nodes(export: Export) -> Export:
    """An export of as many nodes as can be seen: each is a line at least."""
    return replace(export, most=MOST_LINES)


def _goes_on(export: Export) -> bool:
    """Tell whether an export holds more nodes than are shown of it."""
    return len(export.tree.nodes if export.wanted.branches else export.nodes) > MOST_LINES


def _cut(text: str, *, goes_on: bool = False) -> FirstLines:
    lines = text.split("\n", MOST_LINES)
    shown = [line if len(line) <= MOST_COLUMNS else f"{line[:MOST_COLUMNS]}…" for line in lines[:MOST_LINES]]
    return FirstLines("\n".join(shown), len(lines) > MOST_LINES or goes_on)


class _Reader(HTMLParser):
    """The words of a page that `html_page` made, a part a line."""

    def __init__(self) -> None:
        super().__init__()
        self._lines: list[str] = [""]
        self._unseen = 0

    @property
    def text(self) -> str:
        return "\n".join(self._lines).strip("\n") + "\n"

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._unseen += tag in UNSEEN
        if tag in PARTS and self._lines[-1]:
            self._lines.append("")
        if tag == "summary":
            self._lines[-1] = "▸ "
        elif tag == "img":
            self._lines[-1] += f"[image: {dict(attrs).get('alt') or ''}]"

    def handle_endtag(self, tag: str) -> None:
        self._unseen -= tag in UNSEEN
        if tag in ("article", "h1") or (tag in PARTS and self._lines[-1]):
            self._lines.append("")

    def handle_data(self, data: str) -> None:
        if not self._unseen and (data.strip() or self._lines[-1].strip()):
            self._lines[-1] += data
