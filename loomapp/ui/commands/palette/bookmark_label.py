"""The label of a bookmark, typed in the palette."""

from __future__ import annotations

from functools import partial

from loomapp.core.edits import node_marks
from loomapp.ui.palette.entries import PaletteEntry
from loomapp.ui.palette.palette import PaletteQuestion
from loomapp.ui.strings import tr
from loomapp.ui.workbench import Workbench

LONGEST_LABEL = 120  # characters


def ask_label(bench: Workbench) -> None:
    """Let a label be typed for the current node's bookmark; a node without one gets it."""
    node_id = bench.work.document.current_id
    words, take = tr("What this bookmark is called"), partial(_take, bench, node_id)
    bench.views.palette_box.ask(PaletteQuestion(words, take, new=_entry, about=f"bookmark {node_id}"), [])


def _entry(typed: str) -> PaletteEntry | None:
    label = " ".join(typed.split())[:LONGEST_LABEL]
    if not label:
        return None
    return PaletteEntry(
        "bookmark", label, tr("Bookmark it as “{label}”").format(label=label), icon="bookmark"
    )


def _take(bench: Workbench, node_id: str, label: str) -> str:
    document = bench.work.document
    if node_id not in document.tree.nodes:
        return tr("It is gone: the tree was changed in the meantime.")

    def put(_: Workbench) -> None:
        document.edit([node_id], lambda tree, ids, pen: node_marks.bookmark(tree, ids[0], label, pen))

    bench.frame.run_command(put)
    return ""
