"""Links to nodes of the tree where an agent that sees it names them: by short ids, documents by names."""

from __future__ import annotations

import re
from collections.abc import Mapping

from PySide6.QtGui import QTextCharFormat, QTextCursor

from loomapp.ui.dialogue.text.safe_document import SafeDocument
from loomapp.ui.look import theme

NODE_LINK = "node:"  # made here alone: a text's own links are of other schemes
LEAST_NAME = 4  # characters of a document's name: shorter ones are words of any text
LOCAL_ID = re.compile(r"(?<![\w-])[0-9A-Z]{6,26}(?![\w-])")


def node_of_link(href: str) -> str | None:
    """The node that a link within the tree goes to; None for an address."""
    return href.removeprefix(NODE_LINK) if href.startswith(NODE_LINK) else None


def link_nodes(document: SafeDocument, nodes: Mapping[str, str]) -> None:
    """Make links of short ids of nodes and names of documents in a text, but for its code; `nodes` are their
    whole ids.
    """
    pattern = _pattern(nodes)
    codes = (range(mark.first, mark.last + 1) for mark in document.marks if mark.kind == "code")
    code = {number for numbers in codes for number in numbers}
    cursor = QTextCursor(document)
    for block in document.blocks():
        if block.blockNumber() in code:
            continue
        for found in pattern.finditer(block.text()):
            if found[0] not in nodes:
                continue
            link = QTextCharFormat()
            link.setAnchor(True)
            link.setAnchorHref(NODE_LINK + nodes[found[0]])
            if LOCAL_ID.fullmatch(found[0]):
                link.setFont(theme.font("code"))
            link.setForeground(theme.colour("text.link"))
            link.setFontUnderline(True)
            cursor.setPosition(block.position() + found.start())
            cursor.setPosition(block.position() + found.end(), QTextCursor.MoveMode.KeepAnchor)
            cursor.mergeCharFormat(link)


def _pattern(nodes: Mapping[str, str]) -> re.Pattern[str]:
    """Return what is linked: the names first, the longest before those that it begins with."""
    names = sorted((name for name in nodes if not LOCAL_ID.fullmatch(name)), key=len, reverse=True)
    return re.compile("|".join((*(rf"(?<!\w){re.escape(name)}(?!\w)" for name in names), LOCAL_ID.pattern)))
