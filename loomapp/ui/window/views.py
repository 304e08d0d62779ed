"""The views of a window: built, and put in their places."""

from __future__ import annotations

from PySide6.QtWidgets import QMainWindow

from loomapp.session.document import Document
from loomapp.ui.actions.action_set import ActionSet, Host
from loomapp.ui.composer.text_pane import TextHead, TextPane
from loomapp.ui.first_page.page import FirstPage
from loomapp.ui.first_page.starters import Starters
from loomapp.ui.frame.header import Header
from loomapp.ui.frame.notices import Announcer, Banner, FilesUnderWay
from loomapp.ui.frame.status import Status
from loomapp.ui.graph.view import GraphView
from loomapp.ui.inspector.pane import InspectorPane
from loomapp.ui.media.pictures import Thumbnails
from loomapp.ui.palette.palette import CommandPalette
from loomapp.ui.side_bar.side_bar import SideBar
from loomapp.ui.trees.tree_list import TreeList
from loomapp.ui.trees.tree_settings import TreeSettingsPage
from loomapp.ui.window.native_events import SideButtons
from loomapp.ui.window.responsive import Halves, build_docks, fill_docks
from loomapp.ui.workbench import Views


def build_views(window: QMainWindow, host: Host, document: Document) -> tuple[Views, Halves, ActionSet]:
    """Fill an empty window; return its views, their arrangement, and its actions, which `host` does."""
    # Each is made inside of what holds it: one that moves there later is styled once more.
    announcer, banner = Announcer(window), Banner(window)
    halves = Halves(banner, window)
    window.setCentralWidget(halves)
    pages = halves.pages
    graph = GraphView(pages)
    crumbs = graph.add_crumbs()
    settings_page = TreeSettingsPage(pages)
    pages.add_first(graph, settings_page)
    thumbnails = Thumbnails(document.media, window)
    side_bar, text_dock, inspector_dock = docks = build_docks(window)
    tree_list = TreeList(side_bar)
    inspector = InspectorPane(inspector_dock)
    text_pane = TextPane(text_dock)
    pages.stand_beside(text_pane, inspector_dock)
    side_parts = SideBar(tree_list, side_bar)
    fill_docks(window, docks, (side_parts, text_pane, inspector))
    halves.set_docks(side_bar, text_dock)
    actions = ActionSet(window, graph, host)
    SideButtons(window, actions.by_name)
    header = Header(actions, window)
    text_head = TextHead(actions, text_pane)
    text_pane.add_head(text_head)
    window.setMenuWidget(header)
    status = Status(window)
    window.setStatusBar(status)
    views = Views(
        window=window,
        graph=graph,
        crumbs=crumbs,
        pages=pages,
        settings_page=settings_page,
        text_dock=text_dock,
        text_pane=text_pane,
        text_head=text_head,
        dialogue=text_pane.dialogue,
        composer=text_pane.composer,
        palette_box=CommandPalette(window),
        first_page=FirstPage(graph),
        starters=Starters(text_pane),
        inspector=inspector,
        inspector_dock=inspector_dock,
        side_bar=side_bar,
        side_parts=side_parts,
        tree_list=tree_list,
        header=header,
        banner=banner,
        files=FilesUnderWay(banner, window),
        status=status,
        announcer=announcer,
        thumbnails=thumbnails,
    )
    return views, halves, actions
