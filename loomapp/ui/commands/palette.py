"""Palette in a window: its entries of this tree and of others, what choosing does, and a bookmark's label."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from loomapp.core.action_table import SYNONYMS, TOLD
from loomapp.core.edits import node_marks
from loomapp.core.edits.documents import documents_of
from loomapp.core.edits.node_marks import SIGN, sorted_tags
from loomapp.core.progress import Progress
from loomapp.core.settings.registry import FIELDS, SECTIONS, SETTINGS
from loomapp.core.settings.registry import SYNONYMS as SETTING_SYNONYMS
from loomapp.core.text.query import SearchHit
from loomapp.ui.commands import navigate, on_demand, preferences
from loomapp.ui.commands import tags as tagging
from loomapp.ui.commands.documents import open_document
from loomapp.ui.commands.side_bar import bring_words_into_view, open_node
from loomapp.ui.graph.scene.card_faces import author_name
from loomapp.ui.keys import ActionRow, with_key
from loomapp.ui.palette.entries import (
    BOOKMARK_PLACE,
    COMMAND_SIGN,
    LOOSE_PLACE,
    PaletteEntry,
    best,
    marked,
    place_of_text,
)
from loomapp.ui.palette.palette import PaletteQuestion, PaletteSource
from loomapp.ui.palette.text_search import Look
from loomapp.ui.side_bar.outline.row_words import bookmark_title, branch_title
from loomapp.ui.strings import tr
from loomapp.ui.workbench import AtEnd, Workbench

PALETTE_ITSELF = ("commandPaletteAction", "commandsAction")
MODE_ICONS = {"dialogue": "message-square", "buffer": "book-open"}
LONGEST_LABEL = 120  # characters


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
    box.action_chosen.connect(partial(_act, bench))
    box.setting_chosen.connect(
        lambda field: bench.frame.run_command(lambda w: preferences.show_page(w, tr(FIELDS[field].title)))
    )
    box.tree_chosen.connect(lambda i: bench.frame.run_command(lambda w: w.frame.open_tree(i)))
    box.tag_chosen.connect(lambda name: bench.frame.run_command(lambda w: tagging.show_tagged(w, name)))
    box.document_chosen.connect(lambda i: bench.frame.run_command(partial(open_document, node_id=i)))
    box.agent_chosen.connect(
        lambda i: bench.frame.run_command(lambda w: on_demand.model_pages.show_agent(w, i))
    )
    box.node_chosen.connect(lambda i: bench.frame.run_command(partial(_show_found, node_id=i)))
    box.elsewhere_chosen.connect(
        lambda tree, node: bench.frame.run_command(lambda w: open_node(w, tree, node, box.looked_for))
    )
    bench.frame.keep_until_closed(AtEnd(box.end))


def _act(bench: Workbench, name: str) -> None:
    """Do an action. A page that is shown already is gone to: its keys close it, who looks for it does not."""
    is_shown = {
        "treeSettings": bench.views.pages.is_showing_settings,
        "settings": preferences.is_page_shown(bench),
    }
    page = bench.views.pages.currentWidget()
    if is_shown.get(name) and page is not None:
        page.setFocus()
    else:
        bench.actions.by_name[name].trigger()


def _show_found(bench: Workbench, *, node_id: str) -> None:
    navigate.show(bench, node_id)
    bring_words_into_view(bench, bench.views.palette_box.looked_for, node_id)


def offer(bench: Workbench) -> PaletteSource:
    document = bench.work.document
    names = partial(author_name, agents=document.agents.by_id())
    return PaletteSource(
        tuple(everything(bench)), document.tree, search_elsewhere(bench), nothing(bench), names
    )


def nothing(bench: Workbench) -> str:
    """Return words for a search that found nothing, and what can be done then."""
    if bench.display.is_showing_pruned:
        return tr("Nothing in this grove matches. Fewer words find more; > looks through commands only.")
    shown = with_key(tr("Show deleted"), bench.actions.key("showPrunedAction"))
    words = tr("Nothing in this grove matches. Fewer words find more; “{action}” finds what was deleted.")
    return words.format(action=shown)


def everything(bench: Workbench) -> list[PaletteEntry]:
    """Return trees, documents, bookmarks and tags of this tree, agents, every action, then the settings."""
    of_tree = (*documents(bench), *bookmarks(bench), *tags(bench))
    return [*trees(bench), *of_tree, *agents(bench), *actions(bench), *settings(), *facts()]


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


def documents(bench: Workbench) -> list[PaletteEntry]:
    return [
        PaletteEntry("document", document.newest.id, document.name, tr("document"), "file-text")
        for document in documents_of(bench.work.document.tree)
    ]


def bookmarks(bench: Workbench) -> list[PaletteEntry]:
    tree = bench.work.document.tree
    return [
        PaletteEntry(
            "bookmark", node.id, bookmark_title(node, branch_title(tree, node)), tr("bookmark"), "bookmark"
        )
        for node in bench.work.document.bookmarks.nodes()
    ]


def tags(bench: Workbench) -> list[PaletteEntry]:
    return [
        PaletteEntry("tag", tag.name, SIGN + tag.name, tr("tag"), "hash")
        for tag in sorted_tags(bench.work.document.tree)
    ]


def agents(bench: Workbench) -> list[PaletteEntry]:
    """Return the models that can be asked; choosing one opens its page."""
    return [
        PaletteEntry("agent", agent.id, agent.name, tr("agent"), "cpu")
        for agent in bench.work.document.agents.models()
    ]


def actions(bench: Workbench) -> list[PaletteEntry]:
    """Return every action with its keys, and why it cannot be done now."""
    bench.actions.refresh()
    return [_of_action(bench, row) for row in bench.actions.rows if row.name not in PALETTE_ITSELF]


def settings() -> list[PaletteEntry]:
    """Return every setting that has a row on the page of the settings."""
    titles = dict(SECTIONS)
    return [
        PaletteEntry(
            "setting",
            one.field,
            tr(one.title),
            tr(titles[one.section]),
            "settings",
            synonyms=SETTING_SYNONYMS.get(one.field, ()),
        )
        for one in SETTINGS
        if one.section != "mcp"  # they have a page of their own, which is an action
    ]


def facts() -> list[PaletteEntry]:
    """Return what is told in place of an action that people look for."""
    return [PaletteEntry("told", said, tr(said), icon="info", synonyms=words) for said, words in TOLD.items()]


def _of_action(bench: Workbench, row: ActionRow) -> PaletteEntry:
    action = bench.actions.by_name[row.name]
    keys = bench.actions.key(row.name)
    why_not = (
        "" if action.isEnabled() else tr(bench.actions.why_not(row.name)) or tr("This cannot be done now.")
    )
    return PaletteEntry(
        "action",
        row.name,
        action.text().rstrip("…"),
        tr(row.menu),
        "corner-down-right",
        keys,
        why_not,
        synonyms=SYNONYMS.get(row.name, ()),
    )


def search_elsewhere(bench: Workbench) -> Look:
    """Return the search of other trees; it knows nothing of the window, and works on any thread."""
    grove, tree_id, pruned = (
        bench.work.document.grove,
        bench.work.document.tree.loom.id,
        bench.display.is_showing_pruned,
    )
    mark, untitled = tr("bookmark"), tr("Untitled")

    def work(query: str, progress: Progress) -> tuple[list[PaletteEntry], bool]:
        from loomapp.store.queries.search import look_elsewhere  # late: by then a person has looked for words

        found = look_elsewhere(grove, query, tree_id, progress, pruned=pruned)
        bookmarks = [_bookmark_elsewhere(hit, f"{mark} · {_title(hit, untitled)}") for hit in found.bookmarks]
        texts = [marked(_text_elsewhere(hit, _title(hit, untitled)), query) for hit in found.texts]
        return [*(_placed(entry, query) for entry in best(bookmarks, query)), *texts], found.has_more

    return work


def _title(hit: SearchHit, untitled: str) -> str:
    return " ".join(hit.tree_title.split()) or untitled


def _bookmark_elsewhere(hit: SearchHit, where: str) -> PaletteEntry:
    return PaletteEntry("bookmark", hit.node_id, hit.excerpt, where, "bookmark", tree=hit.tree_id)


def _text_elsewhere(hit: SearchHit, where: str) -> PaletteEntry:
    place = place_of_text(hit.standing, is_elsewhere=True)
    return PaletteEntry("node", hit.node_id, hit.excerpt, where, "file-text", tree=hit.tree_id, place=place)


def _placed(bookmark: PaletteEntry, query: str) -> PaletteEntry:
    is_told = " ".join(query.casefold().split()) in bookmark.title.casefold()
    return replace(bookmark, place=BOOKMARK_PLACE if is_told else LOOSE_PLACE)


def ask_label(bench: Workbench) -> None:
    """Let a label be typed for the current node's bookmark; a node without one gets it."""
    node_id = bench.meant_id
    words, take = tr("What this bookmark is called"), partial(_take_label, bench, node_id)
    bench.views.palette_box.ask(
        PaletteQuestion(words, take, new=_label_entry, about=f"bookmark {node_id}"), []
    )


def _label_entry(typed: str) -> PaletteEntry | None:
    label = " ".join(typed.split())[:LONGEST_LABEL]
    if not label:
        return None
    return PaletteEntry(
        "bookmark", label, tr("Bookmark it as “{label}”").format(label=label), icon="bookmark"
    )


def _take_label(bench: Workbench, node_id: str, label: str) -> str:
    document = bench.work.document
    if node_id not in document.tree.nodes:
        return tr("It is gone: the tree was changed in the meantime.")

    def put(_: Workbench) -> None:
        document.edit([node_id], lambda tree, ids, pen: node_marks.bookmark(tree, ids[0], label, pen))

    bench.frame.run_command(put)
    return ""
