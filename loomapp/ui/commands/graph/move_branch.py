"""Hanging a branch elsewhere: on the card that it is let go over, or where its words are found."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence
from functools import partial

from loomapp.core.edits import branches
from loomapp.core.errors import InvalidInput
from loomapp.core.model.tree import Tree
from loomapp.core.paths.path import Path
from loomapp.core.text.query import excerpt
from loomapp.ui.palette.entries import PaletteEntry
from loomapp.ui.palette.palette import PaletteQuestion
from loomapp.ui.side_bar.outline.row_words import branch_title
from loomapp.ui.strings import told, tr
from loomapp.ui.workbench import Workbench

MOST_NEAR = 40  # nodes that are offered before anything is typed
TITLE_CHARACTERS = 60


def ask_where(bench: Workbench) -> None:
    """Let the user choose the node that the current branch is to hang on."""
    document, node_id = bench.work.document, bench.meant_id
    words = tr("Move “{text}” under… type a title or words of its new parent")
    question = PaletteQuestion(
        words.format(text=_title(document.tree, node_id)), partial(_take, bench, node_id)
    )
    bench.views.palette_box.ask(question, near(document.tree, node_id, document.path), document.tree)


def near(tree: Tree, node_id: str, path: Path) -> list[PaletteEntry]:
    """Return the nodes that a branch may most likely hang on: the shown path, from its end, then the heads of
    branches elsewhere, which are found by their titles so.
    """
    found = dict.fromkeys((*_not_below(tree, node_id, path), *_heads_elsewhere(tree, node_id)))
    return [
        PaletteEntry(
            "node",
            found_id,
            _title(tree, found_id),
            tree.nodes[found_id].local_id,
            "corner-down-right",
            why_not=_why_not(tree, node_id, found_id),
        )
        for found_id in found
    ]


def _not_below(tree: Tree, node_id: str, path: Path) -> Iterable[str]:
    """The last nodes of a path that are neither a node nor below it, from its end."""
    place = path.place_of(node_id)
    is_plain = all(len(edge.with_role("primary")) == 1 for edge in path.joints.values())
    if is_plain:  # then what follows it on the path is below it, and nothing else
        return path.node_ids[:place][: -MOST_NEAR - 1 : -1]
    below = set(tree.descendants(node_id))
    return itertools.islice((i for i in reversed(path.node_ids) if i not in below), MOST_NEAR)


def _heads_elsewhere(tree: Tree, node_id: str) -> Iterable[str]:
    """The heads of branches that are neither a node nor below it."""
    heads = (i for i in tree.branch_summaries if i in tree.nodes)
    return (i for i in heads if not branches.hangs_on(tree, i, node_id))


def reparent(bench: Workbench, node_id: str, parent_id: str) -> None:
    """Hang a branch on another node. Raises: LoomError, see `moving.reparent`."""
    moved = bench.work.document.edit(
        [node_id, parent_id],
        lambda tree, ids, pen: branches.reparent(tree, ids[0], ids[1], pen),
        keeps_current=True,
    )
    if moved:
        bench.frame.note(tr("Moved. Undo brings it back to where it was."))
        bench.views.graph.ensure_visible(moved[0])


def reparent_all(bench: Workbench, node_ids: Sequence[str], parent_id: str) -> None:
    """Hang several branches on another node, in one step. Raises: LoomError, see `moving.reparent_all`."""
    moved = bench.work.document.edit(
        [*node_ids, parent_id],
        lambda tree, ids, pen: branches.reparent_all(tree, ids[:-1], ids[-1], pen),
        keeps_current=True,
    )
    if moved:
        bench.frame.note(tr("Moved. Undo brings them back to where they were."))
        bench.views.graph.ensure_visible(moved[0])


def _take(bench: Workbench, node_id: str, parent_id: str) -> str:
    """Hang the branch there, or say why it cannot be."""
    document = bench.work.document
    if not {node_id, parent_id} <= document.tree.nodes.keys():
        return tr("It is gone: the tree was changed in the meantime.")
    why_not = _why_not(document.tree, node_id, parent_id)
    if why_not:
        return why_not
    try:
        branches.reparent(document.tree, node_id, parent_id, document.pen())
    except InvalidInput as error:
        return told(error.message)
    bench.frame.run_command(lambda w: reparent(w, node_id, parent_id))
    return ""


def _why_not(tree: Tree, node_id: str, parent_id: str) -> str:
    if branches.parents(tree, node_id) == (parent_id,):
        return tr("It is there already.")
    if tree.nodes[parent_id].metadata.pruned:
        return tr("That one is deleted: restore it first.")
    return ""


def _title(tree: Tree, node_id: str) -> str:
    if tree.is_empty_root(node_id):
        return tr("the beginning")
    node = tree.nodes[node_id]
    words, branch = excerpt(node.text, 0) or node.local_id, branch_title(tree, node)
    return (f"{branch}: {words}" if branch else words)[:TITLE_CHARACTERS]
