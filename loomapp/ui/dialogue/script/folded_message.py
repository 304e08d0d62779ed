"""A message of which only the beginning is shown: long attachments, never the words written below them."""

from __future__ import annotations

import re

from loomapp.core.model.content import AttachedDocument, Mixed
from loomapp.ui.dialogue.script.entries import Entry, body_words
from loomapp.ui.dialogue.script.heights import MARK, Folded, folded, lines_of

BETWEEN = "\n\n"  # between the blocks of a message
FENCE = re.compile("`[^`]*`\n\n(`{3,})\n")  # where the text of a document begins, below its name


def folded_message(entry: Entry) -> Folded | None:
    """Return the part of a long message that is shown at first; None for one that is shown whole.

    Attachments are folded by themselves: a person's words, which stand below them, are always in sight.
    """
    attached, words = _attached_and_words(entry)
    if not words.strip():
        return folded(entry.text)
    above = folded(BETWEEN.join(attached))
    if above is not None:
        beginning = above.beginning if above.is_marked else above.beginning + MARK  # words follow it
        below = _end_of_block(attached, above.shown) + BETWEEN
        return Folded(beginning, lines_of(entry.text), above.shown, below, words)
    long = folded(words)
    if long is None:
        return None
    before = BETWEEN.join([*attached, ""])
    return Folded(before + long.beginning, lines_of(entry.text), len(before) + long.shown)


def _attached_and_words(entry: Entry) -> tuple[list[str], str]:
    """Return the blocks of a message down to its last document, and all that stands below."""
    content = None if entry.node is None else entry.node.content
    blocks = body_words(content) if isinstance(content, Mixed) else []
    last = max(
        (at for at, (block, _) in enumerate(blocks) if isinstance(block, AttachedDocument)), default=-1
    )
    texts = [text for _, text in blocks]
    return texts[: last + 1], BETWEEN.join(texts[last + 1 :]) if last >= 0 else ""


def _end_of_block(blocks: list[str], shown: int) -> str:
    """Return what ends the text of a document that is cut after so many characters of all blocks."""
    for block in blocks:
        if shown <= len(block):
            fence = FENCE.match(block)
            return "" if fence is None or shown < fence.end() - 1 else f"\n{fence[1]}"
        shown -= len(block) + len(BETWEEN)
    return ""
