"""The palette in a window: what it offers there, and what choosing does."""

from __future__ import annotations

from loomapp.core.edits.tags import SIGN, sorted_tags
from loomapp.core.model.bookmarks import title
from loomapp.ui.commands import navigate
from loomapp.ui.commands import tags as tagging
from loomapp.ui.commands.grove_search import open_node
from loomapp.ui.commands.palette import other_trees
from loomapp.ui.keys.actions import ActionRow
from loomapp.ui.keys.keys import with_key
from loomapp.ui.palette.entries import COMMAND_SIGN, PaletteEntry
from loomapp.ui.palette.palette import PaletteSource
from loomapp.ui.strings import tr
from loomapp.ui.workbench import AtEnd, Workbench

PALETTE_ITSELF = ("commandPaletteAction", "commandsAction")
MODE_ICONS = {"dialogue": "message-square", "buffer": "book-open"}


def open_palette(bench: Workbench) -> None:
    """Open the palette with everything; close it if it is open."""
    if bench.views.palette_box.isVisible():
        bench.views.palette_box.close_it()
    else:
        bench.views.palette_box.open(offer(bench))


def open_for_commands(bench: Workbench) -> None:
    bench.views.palette_box.open(offer(bench), COMMAND_SIGN)


def wire(bench: Workbench) -> None:
    box = bench.views.palette_box
    box.action_chosen.connect(lambda name: bench.actions.by_name[name].trigger())
    box.tree_chosen.connect(lambda i: bench.frame.run_command(lambda w: w.frame.open_tree(i)))
    box.tag_chosen.connect(lambda name: bench.frame.run_command(lambda w: tagging.show_tagged(w, name)))
    box.node_chosen.connect(lambda i: bench.frame.run_command(lambda w: navigate.show(w, i)))
    box.elsewhere_chosen.connect(lambda *ids: bench.frame.run_command(lambda w: open_node(w, *ids)))
    bench.frame.keep_until_closed(AtEnd(box.end))


def offer(bench: Workbench) -> PaletteSource:
    return PaletteSource(
        tuple(everything(bench)), bench.work.document.tree, other_trees.look(bench), nothing(bench)
    )


def nothing(bench: Workbench) -> str:
    """Return words for a search that found nothing, and what can be done then."""
    if bench.display.is_showing_pruned:
        return tr("Nothing in this grove matches. Fewer words find more; > looks through commands only.")
    shown = with_key(tr("Show pruned"), bench.actions.key("showPrunedAction"))
    words = tr("Nothing in this grove matches. Fewer words find more; “{action}” finds what is pruned.")
    return words.format(action=shown)


def everything(bench: Workbench) -> list[PaletteEntry]:
    """Return trees, bookmarks and tags of this tree, then every action."""
    return [*trees(bench), *bookmarks(bench), *tags(bench), *actions(bench)]


def trees(bench: Workbench) -> list[PaletteEntry]:
    """Return every tree of the grove, archived ones last."""
    rows = sorted(bench.work.document.trees.rows(), key=lambda row: row.archived_at is not None)
    return [
        PaletteEntry(
            "tree",
            row.id,
            " ".join(row.title.split()) or tr("Untitled"),
            tr("archived tree") if row.archived_at is not None else tr("tree"),
            MODE_ICONS.get(row.mode, "message-square"),
        )
        for row in rows
    ]


def bookmarks(bench: Workbench) -> list[PaletteEntry]:
    return [
        PaletteEntry("bookmark", node.id, title(node), tr("bookmark"), "bookmark")
        for node in bench.work.document.bookmarks.nodes()
    ]


def tags(bench: Workbench) -> list[PaletteEntry]:
    return [
        PaletteEntry("tag", tag.name, SIGN + tag.name, tr("tag"), "hash")
        for tag in sorted_tags(bench.work.document.tree)
    ]


def actions(bench: Workbench) -> list[PaletteEntry]:
    """Return every action with its keys, and why it cannot be done now."""
    bench.actions.refresh()
    return [_of_action(bench, row) for row in bench.actions.rows if row.name not in PALETTE_ITSELF]


def _of_action(bench: Workbench, row: ActionRow) -> PaletteEntry:
    action = bench.actions.by_name[row.name]
    keys = bench.actions.key(row.name)
    why_not = (
        "" if action.isEnabled() else tr(bench.actions.why_not(row.name)) or tr("This cannot be done now.")
    )
    return PaletteEntry(
        "action", row.name, action.text().rstrip("…"), tr(row.menu), "corner-down-right", keys, why_not
    )
