"""Loom JSON as an importer: the one tree of a file, read strictly."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from loomapp.core.errors import InvalidInput
from loomapp.core.model.new_tree import FirstRows
from loomapp.core.model.statistics import TreeStatistics
from loomapp.core.progress import Progress, unheard
from loomapp.core.sentences import Sentence, sentence
from loomapp.files import open_regular
from loomapp.formats import loom_json
from loomapp.formats.importer import Facts, Finding, Found, Imported, Reading
from loomapp.formats.sources import HEAD_BYTES, Source

_FORMAT = re.compile(rb'"format"\s*:\s*"loom-json"')
# A text is taken in one go, also one that ends nowhere: neither its length nor its quotes cost anything.
_TEXT = rb'"[^"\\]*+(?:\\.[^"\\]*+)*+(?:"|\\?\Z)'
_SIGN = re.compile(_TEXT + rb"|[{}\[\]]", re.DOTALL)  # a text, or where something begins or ends


def recognises(source: Source) -> Sentence | None:
    if source.is_single and _says_so(source.head(source.names[0]).text):
        return sentence("“format” is “loom-json”")
    return None


def is_loom_json(path: Path) -> bool:
    """Tell by the beginning of a file, of which no more is read; False for what cannot be read."""
    with contextlib.suppress(OSError, InvalidInput), open_regular(path) as file:
        return _says_so(file.read(HEAD_BYTES))
    return False


def _says_so(head: bytes) -> bool:
    """Tell whether the object that a file begins with names the format: not one in it, nor a quotation."""
    if not head.removeprefix(b"\xef\xbb\xbf").lstrip().startswith(b"{") or not _FORMAT.search(head):
        return False
    depth = 0
    for sign in _SIGN.finditer(head):
        text = sign[0]
        if text in b"{[":
            depth += 1
        elif text in b"}]":
            depth -= 1
            if not depth:
                return False
        elif depth == 1 and text == b'"format"' and _FORMAT.match(head, sign.start()):
            return True
    return False


def read(source: Source, reading: Reading, progress: Progress = unheard) -> Iterator[Finding]:
    """The tree of the file. Raises: InvalidInput as `loom_json.read`."""
    yield found(loom_json.read(source.path, now=reading.now, untitled=""))
    progress(source.size, source.size)


def found(imported: Imported) -> Found:
    loom = imported.tree.loom
    once = replace(imported, rows=FirstRows.only_once(imported.tree))  # the only one that holds it then
    return Found(loom.id, loom.title, lambda: facts_of(once), lambda _owner: once, is_read=True)


def facts_of(imported: Imported) -> Facts:
    """Return the facts of a tree that was read."""
    tree = imported.tree
    branches = TreeStatistics(tree).branches
    written = set(tree.nodes)
    if tree.is_empty_root(tree.root_id):
        written.discard(tree.root_id)
    times = [node.created_at for node in tree.nodes.values()]
    return Facts(
        written,
        branches,
        min(times, default=None),
        max(times, default=None),
        authors=tuple(agent.name for agent in imported.agents if agent.type == "model"),
        has_system_context=bool(tree.loom.system_context),
    )
