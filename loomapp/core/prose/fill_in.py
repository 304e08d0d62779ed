"""Filling in a gap at the caret, and the anchor of an answer, which follows versions made meanwhile too."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from loomapp.core.dataclass import dataclass
from loomapp.core.edits.edit_context import EditContext
from loomapp.core.errors import AssemblyError
from loomapp.core.model.change import Change, RowChange
from loomapp.core.model.entities import ActivePath, Edge, EdgeSource, verbatim
from loomapp.core.model.raw_response import Evidence
from loomapp.core.model.tree import Tree
from loomapp.core.paths import siblings
from loomapp.core.paths.piece_table import PART, whole
from loomapp.core.paths.resolve import resolve
from loomapp.core.prose import passage_edits
from loomapp.core.prose.authorship import author_of
from loomapp.core.prose.passage_change import PassageChange, plain_text_of


@dataclass(frozen=True, slots=True)
class AnswerAnchor:
    """The versions that the continued node had, and what was read in the gap that is filled in."""

    versions: frozenset[str] = frozenset()
    filled_id: str | None = None


def anchor_at(tree: Tree, node_id: str, gap_id: str | None = None) -> AnswerAnchor:
    """Return the anchor of an answer that continues a node, or fills in a gap after it."""
    return AnswerAnchor(
        frozenset(_versions(tree, node_id)), None if gap_id is None else read_in(tree, gap_id)
    )


def versions_since(tree: Tree, node_id: str, standing: AnswerAnchor) -> tuple[str, ...]:
    """The versions that a node got since: what was asked of it follows them too, as all that was there when
    it was edited does. In order of creation.
    """
    return tuple(version for version in _versions(tree, node_id) if version not in standing.versions)


def read_in(tree: Tree, gap_id: str) -> str | None:
    """The node of the active path that stands in a gap: the gap itself, what fills it, or an edit of that;
    None if the path leads elsewhere.
    """
    try:
        way = resolve(tree, tree.path.leaf_id).node_ids
    except AssemblyError:
        return None
    return next((node_id for node_id in way if node_id == gap_id or tree.family(node_id) == gap_id), None)


def _versions(tree: Tree, node_id: str) -> tuple[str, ...]:
    return siblings.followed_too(tree, node_id) if tree.loom.mode == "buffer" else ()


OPENED = "Fill in"


class Gap(NamedTuple):
    """An empty passage between two others, and the Change that puts it there; None if it is there already."""

    gap_id: str
    above_id: str
    change: Change | None


def open_gap(
    tree: Tree, way: Sequence[str], place: int, at: int, pen: EditContext, evidence: Evidence | None = None
) -> Gap | None:
    """A gap in the passage at a place of a path, `at` so many code points; None where nothing is before it.

    A passage is parted there, as by a split, with an empty passage between the halves. Before its first
    character it gets a version that says the same and follows the gap. So what comes after it follows the gap
    and, as versions of that, all that is filled in: nothing is copied, and one place changes.

    Raises: InvalidInput for what is not plain text. `evidence` is the response that the passage rests on.
    """
    if at > 0:
        change = passage_edits.split(tree, way, way[place], at, pen, evidence, gap=True)
        if change is not None:
            first, gap, *_ = change.added_nodes()
            return Gap(gap.id, first.id, change)
        place += 1
    if place == 0 or place >= len(way):
        return None
    above = way[place - 1]
    if place > 1 and not tree.is_empty_root(above) and not verbatim(tree.nodes[above]):
        return Gap(above, way[place - 2], None)
    return _opened_before(tree, way, way[place], pen, evidence)


def _opened_before(
    tree: Tree, way: Sequence[str], node_id: str, pen: EditContext, evidence: Evidence | None
) -> Gap:
    node, revision = tree.nodes[node_id], PassageChange(tree, way, pen)
    text = plain_text_of(node)
    gap_id = revision.add("", revision.sources_of(node_id), edited_from=None, pieces=())
    version = revision.add(
        text,
        (EdgeSource(gap_id),),
        edited_from=node_id,
        pieces=whole(node_id, len(text)),
        author=author_of(node),
        evidence=passage_edits.rests_on(node, evidence),
        interrupted=node.interrupted,
        excluded=node.metadata.excluded,
    )
    revision.follow_too(node_id, version)
    revision.go_through([gap_id, version], instead_of=[node_id])
    return Gap(gap_id, way[way.index(node_id) - 1], revision.change(OPENED))


def gap_of(tree: Tree, node_id: str) -> tuple[str, str] | None:
    """The gap that a model's node fills, or what it is an edit of, and the node before it; None if it fills
    none.
    """
    gap_id = next((gap for i in siblings.edited_as_whole(tree, node_id) if (gap := _gap(tree, i))), None)
    if gap_id is None:
        return None
    above = tree.incoming(gap_id)[0].with_role("primary")
    way = resolve(tree, tree.path.leaf_id).node_ids
    return gap_id, next((i for i in above if i in way), above[-1])


def _gap(tree: Tree, node_id: str) -> str | None:
    """The gap that a node itself was written for."""
    node = tree.nodes.get(node_id)
    gap = None if node is None else tree.nodes.get(node.edited_from or "")
    if node is None or node.author_type != "model" or PART in node.extra:
        return None
    return gap.id if gap is not None and not verbatim(gap) and tree.incoming(gap.id) else None


def suffix_of(tree: Tree, gap_id: str) -> str:
    """Return the text that follows a gap: the passages after it on the active path, or, where that leads
    elsewhere by now, down to where writing went last. Excluded and pruned passages are no part of it.
    """
    way = resolve(tree, tree.path.leaf_id).node_ids
    standing = read_in(tree, gap_id)
    after = _down(tree, gap_id) if standing is None else way[way.index(standing) + 1 :]
    return "".join(said(tree, after))


def said(tree: Tree, node_ids: Sequence[str]) -> Iterator[str]:
    """Give the texts of passages that are neither excluded nor pruned."""
    for node_id in node_ids:
        node = tree.nodes[node_id]
        if not node.metadata.excluded and not node.metadata.pruned:
            yield verbatim(node)


def filled(
    tree: Tree,
    gap_id: str,
    node_ids: Sequence[str],
    read_id: str | None,
    chosen: Mapping[str, str],
    *,
    instead_of: str,
) -> Iterator[RowChange]:
    """The rows by which what follows a gap follows these nodes too, which fill it; the active path takes
    `read_id` if it still goes through what stood there (`instead_of`: the gap itself, or what filled it), by
    `chosen` sources where there is a choice. Where the text goes on from what filled it on a way of its own,
    which was sent as what follows, that follows these too.
    """
    followed = [*_followed(tree, gap_id)]
    way = resolve(tree, tree.path.leaf_id).node_ids
    after = way[way.index(instead_of) + 1 :] if instead_of in way else ()
    if after and after[0] not in {edge.target_id for edge in followed}:
        known = {edge.id for edge in followed}
        followed += [edge for edge in _followed(tree, instead_of) if edge.id not in known]
    for edge in followed:
        yield RowChange(edge, replace(edge, sources=(*edge.sources, *map(EdgeSource, node_ids))))
    targets = [edge.target_id for edge in followed]
    if read_id is None or instead_of not in way or (after and after[0] not in targets):
        return
    before = tree.path
    selections = {**before.selections, **chosen, **dict.fromkeys(targets, read_id)}
    leaf = before.leaf_id if after else read_id
    yield RowChange(before, ActivePath(leaf, selections, before.extra))


def _followed(tree: Tree, node_id: str) -> Iterator[Edge]:
    for edge in tree.edges_out(node_id):
        if edge.type == "continuation" and node_id in edge.with_role("primary"):
            yield edge


def _down(tree: Tree, node_id: str) -> list[str]:
    way: dict[str, None] = {node_id: None}
    last = node_id
    while living := [i for i in tree.living_children(last) if i not in way]:
        last = max(living, key=lambda child: tree.nodes[child].created_at)
        way[last] = None
    return list(way)[1:]
