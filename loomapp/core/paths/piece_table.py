"""Pieces: which stretches of other nodes a text was made of, and what was written anew between them.

What is known exactly while somebody types, splits or merges is kept with the node, so that nobody has to
guess it later: `aa` corrected to `a` does not say which of the two stayed.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple, TypeAlias

from loomapp.core.model.entities import Node, verbatim
from loomapp.core.model.tree import Tree

PIECES = "pieces"  # of a node's extra: `["<node id>", start, end]` of another node, or how many are new

PART = "part"  # of a node's extra: one of these, if it says less or more than what it was edited from
SPLIT, MERGED = "split", "merged"

LEFT_OUT = "spacesLeftOut"  # of a node's extra: true, if it says its original but the spaces at its end


class Taken(NamedTuple):
    """Characters that stand so in another node, from `start` to before `end`, in code points."""

    node_id: str
    start: int
    end: int

    @property
    def length(self) -> int:
        return self.end - self.start


class New(NamedTuple):
    """Characters that were written anew."""

    length: int


Piece: TypeAlias = Taken | New
Pieces: TypeAlias = tuple[Piece, ...]


def whole(node_id: str, length: int) -> Pieces:
    return (Taken(node_id, 0, length),) if length else ()


def cut(pieces: Sequence[Piece], start: int, end: int) -> Pieces:
    """The pieces of a stretch of the text."""
    found: list[Piece] = []
    at = 0
    for piece in pieces:
        left, right = max(start - at, 0), min(end - at, piece.length)
        if left < right:
            found.append(
                Taken(piece.node_id, piece.start + left, piece.start + right)
                if isinstance(piece, Taken)
                else New(right - left)
            )
        at += piece.length
        if at >= end:
            break
    return tuple(found)


def joined(pieces: Iterable[Piece]) -> Pieces:
    """Join neighbouring pieces that go on from each other."""
    found: list[Piece] = []
    for piece in pieces:
        last = found[-1] if found else None
        if not piece.length:
            continue
        if isinstance(piece, New) and isinstance(last, New):
            found[-1] = New(last.length + piece.length)
        elif (
            isinstance(piece, Taken)
            and isinstance(last, Taken)
            and (last.node_id, last.end) == (piece.node_id, piece.start)
        ):
            found[-1] = Taken(last.node_id, last.start, piece.end)
        else:
            found.append(piece)
    return tuple(found)


def replaced(pieces: Sequence[Piece], start: int, end: int, new: int) -> Pieces:
    """The pieces once a stretch of the text is replaced by so many new characters."""
    return replaced_each(pieces, ((start, end, new),))


def replaced_each(pieces: Sequence[Piece], stretches: Iterable[tuple[int, int, int]]) -> Pieces:
    """Replace several stretches, each its start, its end and how many characters are new there. They
    ascend and do not overlap; it takes time for all together, not for each.
    """
    rest, found, at = list(reversed(pieces)), list[Piece](), 0
    for start, end, new in stretches:
        found += _taken_off(rest, start - at)
        found.append(New(new))
        _taken_off(rest, end - start)
        at = end
    return joined((*found, *reversed(rest)))


def _taken_off(rest: list[Piece], length: int) -> list[Piece]:
    """Take so many characters off the end of reversed pieces; what is there of them, in order."""
    found: list[Piece] = []
    while length > 0 and rest:
        piece = rest.pop()
        if piece.length > length:
            rest += cut((piece,), length, piece.length)
            (piece,) = cut((piece,), 0, length)
        found.append(piece)
        length -= piece.length
    return found


def to_json(pieces: Iterable[Piece]) -> list[object]:
    return [list(piece) if isinstance(piece, Taken) else piece.length for piece in pieces]


def from_json(said: object) -> Pieces | None:
    """The pieces as they were kept; None for anything else."""
    if not isinstance(said, list):
        return None
    found = [_piece(value) for value in said]
    return None if None in found else tuple(piece for piece in found if piece is not None)


def pieces_of(tree: Tree, node: Node, text: str) -> Pieces | None:
    """Return the pieces that a node was made of, by its own account, `text` being what it says now; None if
    it gives none, or a false one: a file may come from anywhere.
    """
    pieces = from_json(node.extra.get(PIECES))
    if pieces is None or any(isinstance(piece, Taken) and piece.node_id == node.id for piece in pieces):
        return None
    return pieces if are_of(tree, pieces, text) else None


def are_of(tree: Tree, pieces: Sequence[Piece], text: str) -> bool:
    at = 0
    for piece in pieces:
        if isinstance(piece, Taken):
            source = tree.nodes.get(piece.node_id)
            if source is None or verbatim(source)[piece.start : piece.end] != text[at : at + piece.length]:
                return False
        at += piece.length
    return at == len(text)


def _piece(value: object) -> Piece | None:
    match value:
        case int() as length if length > 0 and not isinstance(value, bool):
            return New(length)
        case [str() as node_id, int() as start, int() as end] if 0 <= start < end:
            return Taken(node_id, start, end)
    return None
