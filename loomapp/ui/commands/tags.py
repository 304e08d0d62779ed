"""Tagging in a window: a tag is asked for in the palette, and a menu leads to what carries one."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial

from PySide6.QtCore import QPoint
from PySide6.QtGui import QCursor
from PySide6.QtWidgets import QMenu

from loomapp.core.edits.node_marks import (
    SIGN,
    clean_name,
    find_tag,
    put_tag,
    rename_tag,
    sorted_tags,
    tagged_nodes,
    take_tag,
)
from loomapp.core.model.change import Change
from loomapp.core.model.entities import Node, Tag
from loomapp.core.model.tree import Tree
from loomapp.ui import figures
from loomapp.ui.commands import navigate
from loomapp.ui.commands.graph.branches import meant
from loomapp.ui.palette.entries import PaletteEntry
from loomapp.ui.palette.palette import PaletteQuestion
from loomapp.ui.side_bar.outline.marks import TagCount
from loomapp.ui.side_bar.outline.row_words import bookmark_title, branch_title
from loomapp.ui.strings import tr
from loomapp.ui.widgets.page import Menu
from loomapp.ui.workbench import Workbench

MOST_LISTED = 24  # messages in a menu; all of them can be selected
TITLE_CHARACTERS = 48


def ask_tag(bench: Workbench) -> None:
    """Let a tag be chosen or typed for the current node or the selected ones; one that is on comes off."""
    tree, nodes = bench.work.document.tree, meant(bench)
    words = tr("Tag {count} messages: choose a tag, or type a new one")
    if len(nodes) == 1:
        words = tr("Tag this message: choose a tag, or type a new one")
    question = PaletteQuestion(
        words.format(count=figures.number(len(nodes))),
        partial(_take_answer, bench, nodes),
        new=partial(_new_tag, bench),
    )
    entries = [_entry_of(tag, all(node_id in tag.node_ids for node_id in nodes)) for tag in sorted_tags(tree)]
    bench.views.palette_box.ask(question, entries)


def remove_tag(bench: Workbench, name: str) -> None:
    document = bench.work.document
    document.edit([document.current_id], lambda tree, ids, pen: take_tag(tree, ids, name, pen))


def counts(bench: Workbench) -> list[TagCount]:
    """The tags of this tree, and how many messages that are not pruned carry each."""
    tree = bench.work.document.tree
    return [TagCount(tag.name, len(tagged_nodes(tree, tag))) for tag in sorted_tags(tree)]


def may_change_counts(change: Change) -> bool:
    return any(row.before is not None for row in change.changed(Node)) or any(change.changed(Tag))


def show_tagged(bench: Workbench, name: str) -> None:
    """Select the nodes that carry a tag and bring them into view."""
    tree = bench.work.document.tree
    tag = find_tag(tree, name)
    nodes = [] if tag is None else tagged_nodes(tree, tag)
    if not nodes:
        bench.frame.note(tr("No message carries #{name} any more.").format(name=name))
        return
    bench.views.pages.show_graph()
    if len(nodes) == 1:
        navigate.show(bench, nodes[0].id)
        return
    bench.work.document.place.set_current(nodes[0].id)
    bench.views.graph.choose([node.id for node in nodes])
    bench.views.graph.ensure_all_visible([node.id for node in nodes])
    bench.actions.refresh()
    words = tr("{count} messages are selected: #{name}")
    bench.frame.note(words.format(count=figures.number(len(nodes)), name=name))


def open_menu(bench: Workbench, name: str, at: QPoint | None = None) -> None:
    """The menu of a tag: what carries it, all of that selected, another name, and away with it."""
    tree = bench.work.document.tree
    tag = find_tag(tree, name)
    if tag is None:
        return
    menu = Menu(bench.views.window)
    menu.setObjectName("tagMenu")
    menu.setAccessibleName(SIGN + tag.name)
    _fill(bench, menu, tag)
    menu.aboutToHide.connect(menu.deleteLater)
    menu.popup(at or QCursor.pos())
    menu.setActiveAction(menu.actions()[0])


def _fill(bench: Workbench, menu: QMenu, tag: Tag) -> None:
    run, tree = bench.frame.run_command, bench.work.document.tree
    nodes = tagged_nodes(tree, tag)
    for node in nodes[:MOST_LISTED]:
        menu.addAction(_said(tree, node)).triggered.connect(
            lambda _=False, i=node.id: run(lambda w: navigate.show(w, i))
        )
    menu.addSeparator()
    every = menu.addAction(tr("Select all {count}").format(count=figures.number(len(nodes))))
    every.setEnabled(bool(nodes))
    every.triggered.connect(lambda: run(lambda w: show_tagged(w, tag.name)))
    can_write = not bench.work.document.grove.read_only
    rename = menu.addAction(tr("Rename this tag…"))
    rename.setEnabled(can_write)
    rename.triggered.connect(lambda: ask_name(bench, tag.name))
    away = menu.addAction(tr("Take this tag off every message"))
    away.setEnabled(can_write)
    away.triggered.connect(lambda: run(lambda w: _drop(w, tag.name)))


def ask_name(bench: Workbench, name: str) -> None:
    def entry(typed: str) -> PaletteEntry | None:
        new = clean_name(typed)
        if not new or new == name:
            return None
        other = find_tag(bench.work.document.tree, new)
        words = (
            tr("Call it #{name}") if other is None or other.name == name else tr("Make it one with #{name}")
        )
        return PaletteEntry("tag", new, words.format(name=new), icon="hash")

    def take(new: str) -> str:
        document = bench.work.document
        bench.frame.run_command(
            lambda _: document.commit(rename_tag(document.tree, name, new, document.pen()))
        )
        return ""

    words = tr("Rename #{name}").format(name=name)
    bench.views.palette_box.ask(PaletteQuestion(words, take, new=entry), [])


def _take_answer(bench: Workbench, meant: Iterable[str], name: str) -> str:
    document = bench.work.document
    there = [node_id for node_id in meant if node_id in document.tree.nodes]
    if not there:
        return tr("It is gone: the tree was changed in the meantime.")
    tag = find_tag(document.tree, name)
    is_on = tag is not None and all(node_id in tag.node_ids for node_id in there)
    act = take_tag if is_on else put_tag

    def put(_: Workbench) -> None:
        document.edit(there, lambda tree, ids, pen: act(tree, ids, name, pen))

    bench.frame.run_command(put)
    return ""


def _new_tag(bench: Workbench, typed: str) -> PaletteEntry | None:
    name = clean_name(typed)
    if not name or find_tag(bench.work.document.tree, name) is not None:
        return None
    return PaletteEntry("tag", name, tr("New tag #{name}").format(name=name), icon="plus")


def _entry_of(tag: Tag, is_on: bool) -> PaletteEntry:
    where = tr("on it: Enter takes it off") if is_on else ""
    return PaletteEntry("tag", tag.name, SIGN + tag.name, where, "check" if is_on else "hash")


def _drop(bench: Workbench, name: str) -> None:
    document = bench.work.document
    tag = find_tag(document.tree, name)
    document.commit(None if tag is None else take_tag(document.tree, tag.node_ids, name, document.pen()))


def _said(tree: Tree, node: Node) -> str:
    """Return a node's first words for a menu, in which an ampersand is no key."""
    words = bookmark_title(node, branch_title(tree, node))
    cut = words if len(words) <= TITLE_CHARACTERS else words[: TITLE_CHARACTERS - 1].rstrip() + "…"
    return cut.replace("&", "&&")
