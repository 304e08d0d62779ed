"""Measuring: how high cards are, one by one and for a whole tree."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from loomapp.core.layout.arrays import Floats
from loomapp.core.model.content import Text, images_of
from loomapp.core.model.entities import Node
from loomapp.ui.graph.scene.card_faces import words
from loomapp.ui.graph.scene.card_text import LONG_TEXT, MOST_LINES, font, line_count, squeezed
from loomapp.ui.graph.scene.cards import Kind, card_height, text_width
from loomapp.ui.look import theme

UNSURE = (18, 96)  # lengths of texts whose lines have to be looked at; shorter is one, longer is three
MANY_UNSURE = 4_000  # of so many at once the lines are told from their lengths
FEW = 50  # texts whose lines are looked at in one step
PORTION = 5_000  # nodes of which less is asked in one step
LINE_LENGTH = 24  # characters, on average


def measured() -> tuple[object, ...]:
    """Return all that positions are made of but the tree: equal if they can stay as they are."""
    kinds: tuple[Kind, ...] = ("message", "note", "start", "draft", "failed")
    heights = (card_height(kind, lines) for kind in kinds for lines in range(1, MOST_LINES + 1))
    metrics = (theme.metric(name) for name in ("card.width", "card.gap_x", "card.gap_y"))
    return (font("small").key(), text_width(theme.metric("card.width")), *metrics, *heights)


def lines_of(node: Node) -> int:
    """Return the lines of a node's text on a card."""
    if images_of(node.content):
        return MOST_LINES
    return line_count(squeezed(words(node.content, node.text)), text_width(theme.metric("card.width")))


def height_of(kind: Kind, node: Node) -> float:
    return card_height(kind, lines_of(node))


def measuring(nodes: Sequence[Node | None], heights: Floats) -> Iterator[None]:
    """Fill in the heights of the cards of these nodes, as messages, a few between two steps; None is a card
    that is no node.
    """
    lengths = np.empty(len(nodes), np.int64)
    for part in portions(len(nodes)):
        lengths[part] = _lengths(nodes[part])
        yield
    lines = np.clip(-(-lengths // LINE_LENGTH), 1, MOST_LINES)
    unsure = np.flatnonzero(((lengths >= UNSURE[0]) & (lengths <= UNSURE[1])) | (lengths < 0))
    if len(unsure) <= MANY_UNSURE:
        long = np.flatnonzero(lengths > UNSURE[1])[:MANY_UNSURE].tolist()
        spaced = [i for i in long if (node := nodes[i]) is not None and _is_sparse(node.text)]
        for done, i in enumerate((*unsure.tolist(), *spaced)):
            node = nodes[i]
            lines[i] = 1 if node is None else lines_of(node)
            if done % FEW == FEW - 1:
                yield
    by_lines = np.array([card_height("message", count) for count in range(1, MOST_LINES + 1)], np.float32)
    heights[: len(nodes)] = by_lines[lines - 1]


def _lengths(nodes: Sequence[Node | None]) -> list[int]:
    """Return the lengths of nodes' texts; -1 for one that has no text of its own."""
    contents = (None if node is None else node.content for node in nodes)
    return [len(content.text) if type(content) is Text else -1 for content in contents]


def portions(count: int) -> Iterator[slice]:
    """Yield slices of so many things, each as large as one step takes."""
    return (slice(begin, begin + PORTION) for begin in range(0, count, PORTION))


def lines_in(height: float) -> int:
    """Return the number of text lines for which a card of a height has room."""
    room = (height - card_height("message", 1)) / theme.line_height("small")
    return max(1, min(MOST_LINES, 1 + round(room)))


def _is_sparse(text: str) -> bool:
    """True for a long text that begins with so much white space that it may be short on a card."""
    return len(text[:LONG_TEXT].strip()) <= UNSURE[1]
