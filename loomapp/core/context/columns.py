"""Columns: what the nodes of a path say, a list a property, found from those before where little differs."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass, field

from loomapp.core.context.messages import ROLES, MessageRole
from loomapp.core.model.content import Text
from loomapp.core.model.entities import Mode, Node
from loomapp.core.model.tree import Tree
from loomapp.core.sequences import SLICE, common_end, common_length

MOST_KEPT = 2  # paths


@dataclass(frozen=True, slots=True)
class TextColumns:
    """Of each node, in order: its role, its text, and what that costs. The text is empty, and the node among
    the `others`, ascending, if it is flagged, blank, or more than a text.

    They hold until those of another path are asked for, whose lists these may become.
    """

    mode: Mode
    nodes: tuple[Node, ...]
    roles: list[MessageRole]
    texts: list[str]
    tokens: list[int]
    others: list[int]


@dataclass(slots=True)
class KnownColumns:
    """The columns that were read last of a tree's paths. A tree and its sketches share them: they
    hold wherever the nodes are the same ones.
    """

    kept: list[TextColumns] = field(default_factory=list)

    def keep(self, columns: TextColumns, instead: TextColumns | None = None) -> None:
        """Keep columns that were read, in the place of some that they go on from. Of the others the longest
        stay: of those the most would have to be read again.
        """
        others = [one for one in self.kept if one is not instead]
        others.sort(key=lambda one: -len(one.nodes))
        self.kept[:] = [columns, *others][:MOST_KEPT]

    def for_sketch(self) -> KnownColumns:
        """Return the same ones."""
        return self


def columns_of(tree: Tree, nodes: tuple[Node, ...]) -> TextColumns:
    """The columns of a path's nodes; they may go on after the last of these."""
    mode = tree.loom.mode
    cache = tree.caches.of(KnownColumns)
    known = [one for one in cache.kept if one.mode == mode]
    if not known:
        found = _read(nodes, mode)
        cache.keep(found)
        return found
    best = max(known, key=lambda one: _known_rows(one.nodes, nodes))
    same, rest = _shared(best.nodes, nodes)
    if same == len(nodes):
        return best
    goes_on = len(nodes) >= len(best.nodes)
    found = (_rewritten if goes_on else _from)(best, nodes, same, rest)
    cache.keep(found, instead=best if goes_on else None)
    return found


def _shared(known: tuple[Node, ...], nodes: tuple[Node, ...]) -> tuple[int, int]:
    """Count the nodes that two ways share at the beginning and, of the rest, at the end."""
    same = common_length(known, nodes)
    return same, common_end(known, nodes, min(len(known), len(nodes)) - same)


def _known_rows(known: tuple[Node, ...], nodes: tuple[Node, ...]) -> int:
    """About how many rows need not be read."""
    same, rest = _shared(known, nodes)
    stretches = range(same, len(nodes) - rest, SLICE)
    return same + rest + sum(SLICE for n in stretches if known[n : n + SLICE] == nodes[n : n + SLICE])


def _rewritten(known: TextColumns, nodes: tuple[Node, ...], same: int, rest: int) -> TextColumns:
    """Columns whose first `same` rows are known and last `rest` rows, in the lists of the known ones, which
    are of no use after that: a hundred thousand rows are not copied for one that is more or another.
    """
    was, now = len(known.nodes), len(nodes)
    read = _read_again(known, nodes, same, now - rest)
    known.roles[same : was - rest] = read.roles
    known.texts[same : was - rest] = read.texts
    known.tokens[same : was - rest] = read.tokens
    others = known.others
    begin, end = bisect_left(others, same), bisect_left(others, was - rest)
    others[begin:] = [
        *(same + place for place in read.others),
        *(place - was + now for place in others[end:]),
    ]
    return TextColumns(known.mode, nodes, known.roles, known.texts, known.tokens, others)


def _from(known: TextColumns, nodes: tuple[Node, ...], same: int, rest: int) -> TextColumns:
    """Columns whose first `same` rows are known, and last `rest` rows, some rows further on."""
    end = len(nodes) - rest
    read = _read_again(known, nodes, same, end)
    after, length = len(known.nodes) - rest, len(known.nodes)
    return TextColumns(
        known.mode,
        nodes,
        known.roles[:same] + read.roles + known.roles[after:length],
        known.texts[:same] + read.texts + known.texts[after:length],
        known.tokens[:same] + read.tokens + known.tokens[after:length],
        [
            *(place for place in known.others if place < same),
            *(same + place for place in read.others),
            *(place - after + end for place in known.others if after <= place < length),
        ],
    )


def _read_again(known: TextColumns, nodes: tuple[Node, ...], begin: int, end: int) -> TextColumns:
    """The rows from one place to before another; long stretches of nodes that stood there stay as known."""
    if end - begin <= SLICE:
        return _read(nodes[begin:end], known.mode)
    found = TextColumns(known.mode, nodes[begin:end], [], [], [], [])
    for start in range(begin, end, SLICE):
        until = min(start + SLICE, end)
        piece = nodes[start:until]
        rows, at = (known, start) if known.nodes[start:until] == piece else (_read(piece, known.mode), 0)
        stop = at + len(piece)
        found.roles.extend(rows.roles[at:stop])
        found.texts.extend(rows.texts[at:stop])
        found.tokens.extend(rows.tokens[at:stop])
        others = rows.others[bisect_left(rows.others, at) : bisect_left(rows.others, stop)]
        found.others.extend(place - at + start - begin for place in others)
    return found


def _read(nodes: Sequence[Node], mode: Mode) -> TextColumns:
    texts = [
        content.text
        if type(content := node.content) is Text
        and not ((metadata := node.metadata).pruned or metadata.excluded)
        else ""
        for node in nodes
    ]
    if mode == "dialogue":
        texts = list(map(str.strip, texts))
    return TextColumns(
        mode,
        tuple(nodes),
        [ROLES[node.author_type] for node in nodes],
        texts,
        [(len(text) + 3) // 4 for text in texts],  # `estimate`, without the calls
        [] if all(texts) else [place for place, text in enumerate(texts) if not text],
    )
