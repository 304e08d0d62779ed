"""Cards of the graph: continuations from one, its menu, and the tools at its edge."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QPoint
from PySide6.QtGui import QCursor

from loomapp.ui.commands import node_actions, panes
from loomapp.ui.commands.graph import branches as graph_commands
from loomapp.ui.workbench import Workbench

ACTION_OF_TOOL = {"note": "annotate"}  # the others are named as their actions are


def wire(bench: Workbench) -> None:
    graph = bench.views.graph
    graph.plus_clicked.connect(partial(ask_from, bench))
    graph.letters.keeps = bench.actions.acts_after_click
    graph.words_typed.connect(partial(panes.write_on, bench))
    graph.menu_asked.connect(partial(open_menu, bench))
    graph.tool_clicked.connect(partial(use_tool, bench))


def ask_from(bench: Workbench, node_id: str, follow: bool) -> None:
    """Ask for continuations of a card; with `follow` the reader goes there."""
    bench.frame.run_command(lambda w: node_actions.continue_node(w, node_id, follow=follow))


def open_menu(bench: Workbench, node_id: str, at: QPoint) -> None:
    if not node_id:
        return
    graph_commands.mean(bench, node_id)
    bench.actions.node_menu().popup(at)


def use_tool(bench: Workbench, node_id: str, tool: str) -> None:
    if tool == "more":
        open_menu(bench, node_id, QCursor.pos())
        return
    graph_commands.mean(bench, node_id)
    bench.actions.by_name[ACTION_OF_TOOL.get(tool, tool)].trigger()
