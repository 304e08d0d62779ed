"""Documents in a window: their list in step with the tree, the page of one, and what is done with them."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QObject, QPoint
from PySide6.QtGui import QKeySequence

from loomapp.core.edits import documents as edits
from loomapp.core.edits.documents import (
    LooseDocument,
    document_at,
    document_of,
    documents_of,
    is_loose_document,
    text_of,
)
from loomapp.core.model.change import Change
from loomapp.core.model.entities import Node
from loomapp.core.model.tree import Tree
from loomapp.session.background.background_work import IdleTimer
from loomapp.session.context.pending_sources import Attached
from loomapp.ui import figures
from loomapp.ui.commands import availability
from loomapp.ui.commands.save import save
from loomapp.ui.graph.scene.card_faces import author_name
from loomapp.ui.look import theme
from loomapp.ui.palette.entries import PaletteEntry
from loomapp.ui.palette.palette import PaletteQuestion
from loomapp.ui.strings import tr
from loomapp.ui.trees.documents.document_list import DocumentEntry
from loomapp.ui.trees.documents.page import DocumentFacts, DocumentPage, VersionFacts
from loomapp.ui.widgets.page import Menu
from loomapp.ui.workbench import Workbench


class DocumentDesk(QObject):
    """Keeps the list and the page of documents in step with the tree, and does what they ask."""

    def __init__(self, bench: Workbench) -> None:
        super().__init__(bench.views.window)
        self._bench = bench
        bar, document, run = bench.views.side_parts, bench.work.document, bench.frame.run_command
        self._list = bar.documents
        self._soon = IdleTimer(self)
        self._soon.timeout.connect(self.show_list)
        bar.new_document_asked.connect(lambda: run(ask_new))
        bar.set_can_change(availability.can_write(bench))
        self._list.row_chosen.connect(lambda i: run(partial(open_document, node_id=i)))
        self._list.rename_asked.connect(lambda i: run(partial(ask_name, node_id=i)))
        self._list.delete_asked.connect(lambda i: run(partial(delete, node_id=i)))
        self._list.menu_asked.connect(partial(open_menu, bench))
        bench.unfinished.writings.document_wanted.connect(lambda i: run(partial(open_document, node_id=i)))
        document.leaving.connect(self.on_leaving)
        document.tree_opened.connect(self.on_tree_opened)
        document.tree_changed.connect(self.on_tree_changed)
        self._soon.start()

    def on_leaving(self) -> None:
        """Save what is written on the page: another tree is about to be shown."""
        page = shown_page(self._bench)
        if page is not None:
            page.flush()

    def on_tree_opened(self, _: Tree) -> None:
        if (page := self._bench.parts.made(DocumentPage)) is not None:
            page.forget()
        if shown_page(self._bench) is not None:
            self._bench.views.pages.show_graph()
        self._soon.start()

    def on_tree_changed(self, change: Change) -> None:
        """Show what a change made of documents, anyone's; one that is attached goes along as it is now."""
        if not any(_holds_document(row.before) or _holds_document(row.after) for row in change.changed(Node)):
            return
        self._attach_newest(change)
        self.show_list()
        page = shown_page(self._bench)
        if page is None:
            return
        tree = self._bench.work.document.tree
        here = (document_at(tree, node_id) for node_id in page.node_ids if node_id in tree.nodes)
        document = next((one for one in here if one is not None), None)
        if document is not None:
            page.refresh(facts_of(self._bench, document))
        elif not page.is_changed:
            self._bench.views.pages.show_graph()

    def show_list(self) -> None:
        found = documents_of(self._bench.work.document.tree)
        entries = [entry_of(self._bench, document) for document in found]
        entries.sort(key=lambda entry: entry.name.casefold())
        self._list.show_documents(entries, self._bench.work.document.tree.loom.id)
        self._bench.views.side_parts.set_documented(bool(entries))

    def _attach_newest(self, change: Change) -> None:
        pending = self._bench.work.preview.pending
        for node in change.added_nodes():
            before = node.edited_from or ""
            role = pending.roles.get(before)
            if role is not None and document_of(node) is not None:
                pending.detach(before, is_step=False)
                pending.attach([node.id], role, is_step=False)


def _holds_document(row: object) -> bool:
    return isinstance(row, Node) and document_of(row) is not None


# The page


def shown_page(bench: Workbench) -> DocumentPage | None:
    """Return the page, if it is the one in the graph's place."""
    page = bench.parts.made(DocumentPage)
    return page if page is bench.views.pages.currentWidget() else None


def open_document(bench: Workbench, node_id: str) -> None:
    """Show a document at the version that is a node, the newest with words that were begun and left."""
    document = document_at(bench.work.document.tree, node_id)
    if document is None:
        bench.frame.note(tr("This document is deleted. Undo brings it back."))
        return
    page = bench.parts.one(DocumentPage, partial(_built, bench))
    page.flush()
    begun = _take_begun(bench, document)
    facts = facts_of(bench, document)
    page.show_document(facts, facts.newest.node_id if begun is not None else node_id, begun)
    bench.views.pages.show_instead(page)
    page.setFocus()


def _take_begun(bench: Workbench, document: LooseDocument) -> str | None:
    """Return the words that were begun on a document, to be gone on with on its newest version."""
    writings = bench.unfinished.writings
    for node in reversed(document.versions):
        begun = writings.text_of("document", node.id)
        if begun is not None:
            if node is not document.newest:
                writings.discard("document", node.id)
            return begun
    return None


def _built(bench: Workbench) -> DocumentPage:
    page = DocumentPage(bench.views.pages)
    bench.views.pages.addWidget(page)
    page.close_asked.connect(bench.views.pages.show_graph)
    bench.work.preferences.changed.connect(lambda _: page.fit_text())
    page.typed.connect(bench.unfinished.writings.on_document_typed)
    page.menu_asked.connect(partial(open_menu, bench))
    page.written.connect(lambda *words: bench.frame.run_beside_text(lambda w: _save(w, page, *words)))
    return page


def _save(bench: Workbench, page: DocumentPage, node_id: str, text: str) -> None:
    """Save what was written; what the file does not take stays begun."""
    if save.save_document(bench, node_id, text, is_shown=page.isVisible()):
        document = document_at(bench.work.document.tree, node_id)
        if document is not None:
            page.show_document(facts_of(bench, document))


def facts_of(bench: Workbench, document: LooseDocument) -> DocumentFacts:
    versions = tuple(_version(bench, node) for node in document.drafted)
    return DocumentFacts(document.name, versions, availability.can_write(bench))


def _version(bench: Workbench, node: Node) -> VersionFacts:
    agents = bench.work.document.agents.by_id()
    return VersionFacts(
        node.id,
        text_of(node),
        author_name(node, agents),
        agents.get(node.author_agent_id or ""),
        figures.moment(node.created_at),
    )


def entry_of(bench: Workbench, document: LooseDocument) -> DocumentEntry:
    """A document as its row in the list."""
    newest, number = _version(bench, document.newest), len(document.drafted)
    words = tr("{name}: version {number}, written by {author}, {when}")
    said = words.format(
        name=document.name, number=figures.number(number), author=newest.author, when=newest.when
    )
    return DocumentEntry(newest.node_id, document.name, number, newest.agent, said)


# What is done


def ask_new(bench: Workbench) -> None:
    """Ask for the name of a new document; it is shown to be written."""

    def entry(typed: str) -> PaletteEntry | None:
        name = edits.clean_name(typed)
        return (
            PaletteEntry("node", name, tr("New document “{name}”").format(name=name), icon="plus")
            if name
            else None
        )

    def take(name: str) -> str:
        bench.frame.run_command(partial(_new, name=name))
        return ""

    question = PaletteQuestion(tr("Name of the new document"), take, new=entry, about="new document")
    bench.views.palette_box.ask(question, [])


def _new(bench: Workbench, name: str) -> None:
    document = bench.work.document
    change = edits.new_document(document.tree, name, document.pen())
    document.commit(change, keeps_current=True)
    open_document(bench, change.added_nodes()[0].id)


def ask_name(bench: Workbench, node_id: str) -> None:
    known = document_at(bench.work.document.tree, node_id)
    if known is None or not availability.can_write(bench):
        return

    def entry(typed: str) -> PaletteEntry | None:
        name = edits.clean_name(typed)
        if not name or name == known.name:
            return None
        return PaletteEntry("node", name, tr("Call it “{name}”").format(name=name), icon="pencil")

    def take(name: str) -> str:
        bench.frame.run_command(partial(_rename, node_id=node_id, name=name))
        return ""

    words = tr("Rename “{name}”").format(name=known.name)
    bench.views.palette_box.ask(PaletteQuestion(words, take, new=entry, about=f"document {node_id}"), [])


def _rename(bench: Workbench, node_id: str, name: str) -> None:
    _flush(bench)
    document = bench.work.document
    change = edits.rename_document(document.tree, node_id, name, document.pen())
    document.commit(change, keeps_current=True)


def delete(bench: Workbench, node_id: str) -> None:
    """Delete a document with all its versions; undo brings it back."""
    if not availability.can_write(bench):
        return
    _flush(bench)
    document = bench.work.document
    known = document_at(document.tree, node_id)
    if known is None:
        return
    document.commit(edits.delete_document(document.tree, node_id, document.pen()))
    bench.frame.note(tr("“{name}” is deleted. Undo brings it back.").format(name=known.name))


def attach(bench: Workbench, node_id: str, role: Attached) -> None:
    """Let a document go along with the next generation, as it is written now."""
    newest = newest_of(bench, node_id)
    if newest is not None:
        bench.work.preview.pending.attach([newest], role)


def newest_of(bench: Workbench, node_id: str) -> str | None:
    """Save what is written on the page; return the newest version of a document, None if it is deleted."""
    _flush(bench)
    tree = bench.work.document.tree
    known = document_at(tree, node_id) if node_id in tree.nodes else None
    return None if known is None else known.newest.id


def is_document_of(bench: Workbench, node_id: str, other_id: str) -> bool:
    """True if another node is a version of the document of a node."""
    known = document_at(bench.work.document.tree, node_id)
    return known is not None and known.has(other_id)


def _flush(bench: Workbench) -> None:
    page = shown_page(bench)
    if page is not None:
        page.flush()


def is_current(bench: Workbench) -> bool:
    """True if the current node is a version of a document."""
    return is_document(bench, bench.work.document.current_id)


def is_document(bench: Workbench, node_id: str) -> bool:
    """True if a node of the open tree is a version of a document."""
    return is_loose_document(bench.work.document.tree, node_id)


def open_current(bench: Workbench) -> None:
    open_document(bench, bench.work.document.current_id)


def focus_documents(bench: Workbench) -> None:
    """Put the keyboard into the list of documents."""
    bench.views.side_bar.show()
    bench.views.side_parts.bring_documents()


def open_menu(bench: Workbench, node_id: str, at: QPoint) -> None:
    menu = Menu(bench.views.window)
    menu.setObjectName("documentMenu")
    run, can_write = bench.frame.run_command, availability.can_write(bench)
    is_shown = shown_page(bench) is not None
    if not is_shown:
        menu.addAction(tr("Open"), lambda: run(partial(open_document, node_id=node_id)))
    rename = menu.addAction(tr("Rename…"), lambda: run(partial(ask_name, node_id=node_id)))
    if not is_shown:
        rename.setShortcut(QKeySequence("F2"))
    menu.addSeparator()
    context = menu.addAction(
        theme.icon("layers"),
        tr("Attach as context"),
        lambda: run(partial(attach, node_id=node_id, role="context")),
    )
    instruction = menu.addAction(
        theme.icon("sticky-note"),
        tr("Attach as instruction"),
        lambda: run(partial(attach, node_id=node_id, role="instruction")),
    )
    menu.addSeparator()
    away = menu.addAction(tr("Delete"), lambda: run(partial(delete, node_id=node_id)))
    for action in (rename, context, instruction, away):
        action.setEnabled(can_write)
    menu.aboutToHide.connect(menu.deleteLater)
    menu.popup(at)
