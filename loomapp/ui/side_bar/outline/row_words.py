"""Words of outline rows: the beginning of a message, and a sentence that says who, which and what of it."""

from __future__ import annotations

from loomapp.core.context.outcomes import ByName
from loomapp.core.model.content import images_of
from loomapp.core.model.entities import Node
from loomapp.core.outline.outline import Outline
from loomapp.ui import figures
from loomapp.ui.strings import tr, unsteered
from loomapp.ui.widgets.words.outcome_words import name_words

LONGEST = 160


def title(node: Node) -> str:
    """Return the beginning of a node's text on one line."""
    words = " ".join(node.text[:LONGEST].split())
    return unsteered(words) or tr("(empty)")


def sentence(
    node: Node, row: str, author: str, outline: Outline, fate: str | None, by_name: ByName | None = None
) -> str:
    """`Claude, 2 of 3: The night was …, excluded, 3 branches`; `row` is the node where branches hang."""
    number, count = outline.number(node.id)
    who = tr("{author}, {number} of {count}").format(
        author=author, number=figures.number(number), count=figures.number(count)
    )
    said = [f"{who if count > 1 else author}: {title(node)}", *states(node, fate, by_name)]
    branches = outline.branches(row)
    if branches > 1:
        said.append(tr("{count} branches").format(count=figures.number(branches)))
    return ", ".join(said)


def states(node: Node, fate: str | None, by_name: ByName | None = None) -> list[str]:
    """Return words for the marks of a node."""
    marks = node.metadata
    found = [
        (marks.excluded, tr("excluded")),
        (marks.pruned, tr("deleted")),
        (fate == "truncated", tr("no room")),
        (fate == "refused", tr("nothing can be sent now")),
        (marks.bookmarked, tr("bookmarked")),
        (node.interrupted is not None, tr("interrupted")),
    ]
    said = [words for is_so, words in found if is_so]
    return said if by_name is None else [*said, name_words(by_name, len(images_of(node.content)))]
