"""Columns: what the nodes of a path say, a list a property, found from those before where little differs."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass

from loomapp.core.content import Text
from loomapp.core.context.messages import ROLES, MessageRole
from loomapp.core.paths import common_end, common_length
from loomapp.core.tree import Mode, Node, Tree


@dataclass(frozen=True, slots=True)
class Columns:
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


def columns_of(tree: Tree, nodes: tuple[Node, ...]) -> Columns:
    """The columns of a path's nodes; they may go on after the last of these."""
    mode = tree.loom.mode
    known = [(common_length(one.nodes, nodes), one) for one in tree.memo.columns if one.mode == mode]
    if not known:
        found = _read(nodes, mode)
        tree.memo.keep_columns(found)
        return found
    same, best = max(known, key=lambda pair: pair[0])
    if same == len(nodes):
        return best
    goes_on = len(nodes) >= len(best.nodes)
    found = _rewritten(best, nodes, same) if goes_on else _from(best, nodes, same)
    tree.memo.keep_columns(found, instead=best if goes_on else None)
    return found


def _rewritten(known: Columns, nodes: tuple[Node, ...], same: int) -> Columns:
    """Columns whose first `same` rows are known, in the lists of the known ones, which are of no use after
    that: a hundred thousand rows are not copied for one that is more or another.
    """
    was, now = len(known.nodes), len(nodes)
    rest = common_end(known.nodes, nodes, was - same)
    read = _read(nodes[same : now - rest], known.mode)
    known.roles[same : was - rest] = read.roles
    known.texts[same : was - rest] = read.texts
    known.tokens[same : was - rest] = read.tokens
    others = known.others
    begin, end = bisect_left(others, same), bisect_left(others, was - rest)
    others[begin:] = [
        *(same + place for place in read.others),
        *(place - was + now for place in others[end:]),
    ]
    return Columns(known.mode, nodes, known.roles, known.texts, known.tokens, others)


def _from(known: Columns, nodes: tuple[Node, ...], same: int) -> Columns:
    """Columns whose first `same` rows are known; what comes at the end may be too, some rows further on."""
    rest = common_end(known.nodes, nodes, len(nodes) - same)
    end = len(nodes) - rest
    read = _read(nodes[same:end], known.mode)
    after, length = len(known.nodes) - rest, len(known.nodes)
    return Columns(
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


def _read(nodes: Sequence[Node], mode: Mode) -> Columns:
    texts = [
        content.text
        if type(content := node.content) is Text
        and not ((metadata := node.metadata).pruned or metadata.excluded)
        else ""
        for node in nodes
    ]
    if mode == "dialogue":
        texts = list(map(str.strip, texts))
    return Columns(
        mode,
        tuple(nodes),
        [ROLES[node.author_type] for node in nodes],
        texts,
        [(len(text) + 3) // 4 for text in texts],  # `estimate`, without the calls
        [] if all(texts) else [place for place, text in enumerate(texts) if not text],
    )
