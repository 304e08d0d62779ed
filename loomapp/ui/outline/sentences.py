"""What an outline says of a node: its first words to see, a whole sentence to hear."""

from __future__ import annotations

from loomapp.core.outline import Outline
from loomapp.core.tree import Node
from loomapp.ui.strings import tr, unsteered

LONGEST = 160


def title(node: Node) -> str:
    """How a text begins, on one line."""
    words = " ".join(node.text[:LONGEST].split())
    return unsteered(words) or tr("(empty)")


def sentence(node: Node, author: str, outline: Outline, fate: str | None) -> str:
    """`Claude, 2 of 3: The night was …, excluded, 3 branches`."""
    number, count = outline.number(node.id)
    who = tr("{author}, {number} of {count}").format(author=author, number=number, count=count)
    said = [f"{who if count > 1 else author}: {title(node)}", *states(node, fate)]
    branches = outline.branches(node.id)
    if branches > 1:
        said.append(tr("{count} branches").format(count=branches))
    return ", ".join(said)


def states(node: Node, fate: str | None) -> list[str]:
    """What is marked about a node, in words."""
    marks = node.metadata
    found = [
        (marks.excluded, tr("excluded")),
        (marks.pruned, tr("pruned")),
        (fate == "truncated", tr("no room")),
        (marks.bookmarked, tr("bookmarked")),
        (node.interrupted is not None, tr("interrupted")),
    ]
    return [words for is_so, words in found if is_so]
