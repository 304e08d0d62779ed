"""Paths and steps restored: what was read before, and what an undone step wrote."""

from __future__ import annotations

from collections.abc import Sequence

from loomapp.core.edits import node_edits
from loomapp.core.edits.undo import bring_back
from loomapp.core.model.change import Change
from loomapp.core.model.entities import ActivePath
from loomapp.core.model.tree import Tree
from loomapp.core.paths.path import Path
from loomapp.core.paths.resolve import resolve
from loomapp.core.prose.path_choice import way_back
from loomapp.session.document import Document
from loomapp.session.open_tree import USER, Initiator


def read_again(
    document: Document,
    tree: Tree,
    before: ActivePath,
    ends: Sequence[str],
    initiator: Initiator = USER,
) -> ActivePath | None:
    """Read what was read before the text was made to end at a node, if it ends there still; `ends` are the
    node and its versions. Gives the path that is read then, None if it is another. Raises: LoomError.
    """
    if tree is document.tree:
        document.begin_step()  # words that were written after the end stay there
    if tree.path.leaf_id not in ends:
        return None
    way = way_back(tree, before, ends)
    if way is None:
        return None
    change = node_edits.choose_path(tree, way.leaf_id, document.pen(), way.selections)
    if change is not None:
        # Who stood at that end stands at this one, if it is no part of what is read now.
        is_left = document.current_id in ends and document.current_id not in _read_by(tree, way)
        current_id = way.leaf_id if is_left else None
        document.commit_to(tree, change, initiator, keeps_current=True, current_id=current_id)
    return way


def read_way_again(document: Document, way: ActivePath) -> None:
    """Read a path again that was read before, if its end is still there. After undo, too: another program's
    change may lead elsewhere, and what was typed belongs where it was.
    """
    if way == document.tree.path or way.leaf_id not in document.tree.nodes:
        return
    change = node_edits.choose_path(document.tree, way.leaf_id, document.pen(), way.selections)
    if change is not None:
        document.commit(change)


def _read_by(tree: Tree, way: ActivePath) -> Path:
    return resolve(tree, way.leaf_id, way.selections)


def bring_step_back(document: Document, sequence: int) -> None:
    """Add what a step made to the tree again, as one step of undo, and read it. Nothing if it is all there.

    Raises: LoomError if it cannot be read or saved.
    """

    def make() -> tuple[Change, None] | None:
        step = document.history.logged_step(sequence)
        change = bring_back(document.tree, step, document.pen())
        return None if change is None else (change, None)

    document.commit_made(make)
