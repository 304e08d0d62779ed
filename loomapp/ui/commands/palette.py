"""The palette in a window: what it offers there, and what choosing does."""

from __future__ import annotations

from typing import TYPE_CHECKING

from loomapp.core.edits.tags import SIGN, sorted_tags
from loomapp.core.model.bookmarks import title
from loomapp.ui.actions.keys import with_key
from loomapp.ui.commands import navigate, palette_of_other_trees
from loomapp.ui.commands import tags as tagging
from loomapp.ui.commands.grove_search import open_node
from loomapp.ui.palette.entries import COMMAND_SIGN, Entry
from loomapp.ui.palette.palette import CommandPalette, Offer
from loomapp.ui.strings import tr

if TYPE_CHECKING:
    from loomapp.ui.actions.registry import Action
    from loomapp.ui.window.main_window import MainWindow

PALETTE_ITSELF = ("commandPaletteAction", "commandsAction")
MODE_ICONS = {"dialogue": "message-square", "buffer": "book-open"}


def open_palette(window: MainWindow) -> None:
    """Show it with everything; away with it if it is there already."""
    if window.palette_box.isVisible():
        window.palette_box.close_it()
    else:
        window.palette_box.open(offer(window))


def open_for_commands(window: MainWindow) -> None:
    """Show it with the commands alone."""
    window.palette_box.open(offer(window), COMMAND_SIGN)


def build(window: MainWindow) -> CommandPalette:
    """The palette of a window, what is chosen connected with what is done."""
    box = CommandPalette(window)
    box.action_chosen.connect(lambda name: window.actions_set.by_name[name].trigger())
    box.tree_chosen.connect(lambda i: window.run_command(lambda w: w.opening.open(i)))
    box.tag_chosen.connect(lambda name: window.run_command(lambda w: tagging.show_tagged(w, name)))
    box.node_chosen.connect(lambda i: window.run_command(lambda w: navigate.show(w, i)))
    box.elsewhere_chosen.connect(lambda *ids: window.run_command(lambda w: open_node(w, *ids)))
    window.closed.connect(box.end)
    return box


def offer(window: MainWindow) -> Offer:
    """All that the palette can lead to from here."""
    return Offer(
        tuple(everything(window)), window.document.tree, palette_of_other_trees.look(window), nothing(window)
    )


def nothing(window: MainWindow) -> str:
    """That nothing was found, and what can be done then."""
    if window.is_showing_pruned:
        return tr("Nothing in this grove matches. Fewer words find more; > looks through commands only.")
    shown = with_key(tr("Show pruned"), window.actions_set.key("showPrunedAction"))
    words = tr("Nothing in this grove matches. Fewer words find more; “{action}” finds what is pruned.")
    return words.format(action=shown)


def everything(window: MainWindow) -> list[Entry]:
    """Trees, bookmarks and tags of this tree, then every action."""
    return [*trees(window), *bookmarks(window), *tags(window), *actions(window)]


def trees(window: MainWindow) -> list[Entry]:
    """Every tree of the grove, archived ones last."""
    rows = sorted(window.document.trees(), key=lambda row: row.archived_at is not None)
    return [
        Entry(
            "tree",
            row.id,
            " ".join(row.title.split()) or tr("Untitled"),
            tr("archived tree") if row.archived_at is not None else tr("tree"),
            MODE_ICONS.get(row.mode, "message-square"),
        )
        for row in rows
    ]


def bookmarks(window: MainWindow) -> list[Entry]:
    """The marked nodes of this tree."""
    return [
        Entry("bookmark", node.id, title(node), tr("bookmark"), "bookmark")
        for node in window.document.bookmarks.nodes()
    ]


def tags(window: MainWindow) -> list[Entry]:
    """The tags of this tree."""
    return [
        Entry("tag", tag.name, SIGN + tag.name, tr("tag"), "hash")
        for tag in sorted_tags(window.document.tree)
    ]


def actions(window: MainWindow) -> list[Entry]:
    """Every action with its keys, and why it cannot be done now."""
    window.actions_set.refresh()
    return [_of_action(window, row) for row in window.actions_set.rows if row.name not in PALETTE_ITSELF]


def _of_action(window: MainWindow, row: Action) -> Entry:
    action = window.actions_set.by_name[row.name]
    keys = window.actions_set.key(row.name)
    why_not = "" if action.isEnabled() else tr(row.why_not(window)) or tr("This cannot be done now.")
    return Entry(
        "action", row.name, action.text().rstrip("…"), tr(row.menu), "corner-down-right", keys, why_not
    )
