"""Pending text: a passage being edited, who wrote what of it, its kept pieces, and its word space."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from unicodedata import category, name

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
    """A text that is no node yet. `pieces` are of the node that it changes; all in code points. With
    `has_word_space` its first character is a space that was put there for the writer.
    """

    text: str = ""
    spans: Spans = ()
    pieces: Pieces = ()
    has_word_space: bool = False

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
            self.has_word_space and all(start > 0 for start, _, _ in stretches),
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


WORD_SPACE = " "
BEGINNING_CATEGORIES = ("L", "N", "Pi", "Ps")  # letters, numbers, opening quotes and brackets
SCRIPTS_WITHOUT_SPACES = (
    *("BOPOMOFO", "CJK", "FULLWIDTH", "HALFWIDTH", "HIRAGANA", "KATAKANA"),
    *("KHMER", "LAO", "MYANMAR", "THAI", "TIBETAN"),
)  # the first word of the names of their letters
NOBODY = Author("human", "")  # where nothing is written


def begins_word(text: str) -> bool:
    """True if a text begins with a word that a space is written before: not with white space, a sign that
    belongs to the word before it, or in a script that has no spaces.
    """
    first = text[:1]
    if not first or not category(first).startswith(BEGINNING_CATEGORIES):
        return False
    return name(first, "").partition(" ")[0] not in SCRIPTS_WITHOUT_SPACES


def with_word_space(typed: PendingText) -> PendingText:
    return replace(typed, has_word_space=True)


def parts_words(typed: PendingText) -> bool:
    """True while a space that was put there for the writer stands before a word."""
    return typed.has_word_space and begins_word(typed.text[1:])


def joined(before: str, typed: PendingText) -> PendingText:
    """A text once it is known what stands before it for good. A space that was put there for the writer is
    his from now on; it goes if white space or nothing is before it, or no word behind it. All else stays.
    """
    if not typed.has_word_space:
        return typed
    is_wanted = bool(before) and not before[-1].isspace() and parts_words(typed)
    kept = typed if is_wanted else typed.replaced(0, len(WORD_SPACE), "", NOBODY)
    return replace(kept, has_word_space=False)
