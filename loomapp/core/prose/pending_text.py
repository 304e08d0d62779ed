"""Pending text: a passage being edited, who wrote what of it, and its kept pieces."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from loomapp.core.model.entities import verbatim
from loomapp.core.model.tree import Tree
from loomapp.core.paths import piece_table
from loomapp.core.paths.piece_table import Pieces
from loomapp.core.prose.authorship import (
    Author,
    Spans,
    compared,
    mended,
    spans_made_of,
    spans_of,
    spliced_each,
)


@dataclass(frozen=True, slots=True)
class PendingText:
    """A text that is no node yet. `pieces` are of the node that it changes; all in code points."""

    text: str = ""
    spans: Spans = ()
    pieces: Pieces = ()

    def replaced(self, start: int, end: int, text: str, author: Author) -> PendingText:
        """The text once somebody puts another in place of a stretch of it."""
        return self.replaced_each(((start, end, text),), author)

    def replaced_each(self, stretches: Sequence[tuple[int, int, str]], author: Author) -> PendingText:
        """Replace several stretches, each its start, its end and the text that comes there. They ascend
        and do not overlap; it takes time for all together, not for each.
        """
        said, at = list[str](), 0
        for start, end, text in stretches:
            said += (self.text[at:start], text)
            at = end
        whole = "".join((*said, self.text[at:]))
        return PendingText(
            whole,
            mended(spliced_each(self.spans, stretches, author), whole),
            piece_table.replaced_each(
                self.pieces, ((start, end, len(text)) for start, end, text in stretches)
            ),
        )


def begun(tree: Tree, node_id: str) -> PendingText:
    """A node's text, before anything of it is changed."""
    text = verbatim(tree.nodes[node_id])
    return PendingText(text, spans_of(tree, node_id), piece_table.whole(node_id, len(text)))


def taken_up(tree: Tree, node_id: str, text: str, made_of: Pieces | None, author: Author) -> PendingText:
    """Return the text that stood in a node's place when somebody was interrupted who was changing it. Where
    its pieces were not kept, or are of something else, the two texts are compared.
    """
    if made_of is None or not piece_table.are_of(tree, made_of, text):
        made_of = compared(tree.nodes[node_id], text)
    return PendingText(text, spans_made_of(tree, made_of, text, author), made_of)


def fresh(text: str, author: Author) -> PendingText:
    """A text that somebody wrote from nothing."""
    return PendingText().replaced(0, 0, text, author)
