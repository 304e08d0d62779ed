"""Actions of the View menu: the canvas, the panes, and what they show."""

from __future__ import annotations

from loomapp.ui.actions.action import Action, Enabled
from loomapp.ui.commands import availability, node_actions, panes
from loomapp.ui.commands.availability import NO_TREE
from loomapp.ui.commands.graph import branches as graph_commands
from loomapp.ui.commands.inspector import context as inspector_commands
from loomapp.ui.commands.inspector import history as history_commands
from loomapp.ui.commands.inspector import sources
from loomapp.ui.commands.palette import palette as palette_commands

VIEW_MENU: tuple[Action, ...] = (
    Action("commandPaletteAction", palette_commands.open_palette, leaves_text=True),
    Action("commandsAction", palette_commands.open_for_commands, leaves_text=True),
    Action("fitAll", graph_commands.fit_all, leaves_text=True),
    Action("fitSelection", graph_commands.fit_selection, leaves_text=True),
    Action("zoomIn", graph_commands.zoom_in, leaves_text=True),
    Action("zoomOut", graph_commands.zoom_out, leaves_text=True),
    Action("zoomFull", graph_commands.zoom_to_full_size, leaves_text=True),
    Action(
        "showPrunedAction",
        node_actions.toggle_show_pruned,
        checked=availability.is_showing_pruned,
        leaves_text=True,
    ),
    Action(
        "graphDirection", graph_commands.toggle_direction, checked=graph_commands.grows_down, leaves_text=True
    ),
    Action(
        "fold",
        graph_commands.toggle_fold,
        Enabled(graph_commands.can_fold, "Nothing is below this node."),
        checked=graph_commands.is_folded,
        on_node=True,
        leaves_text=True,
    ),
    Action("unfoldAll", graph_commands.unfold_all, leaves_text=True),
    Action("hoist", graph_commands.hoist, on_node=True, leaves_text=True),
    Action(
        "unhoist",
        graph_commands.unhoist,
        Enabled(graph_commands.is_hoisted, "The whole tree is shown."),
        on_node=True,
        leaves_text=True,
    ),
    Action("peek", graph_commands.peek, leaves_text=True),
    Action("pinPreview", graph_commands.pin_preview, leaves_text=True),
    Action("toggleTheme", node_actions.toggle_theme, leaves_text=True),
    Action("toggleSideBar", panes.toggle_side_bar, leaves_text=True),
    Action("foldInspector", panes.toggle_inspector_fold, checked=panes.is_inspector_folded, leaves_text=True),
    Action("history", history_commands.show, leaves_text=True),
    Action("contextInspector", inspector_commands.show_context, leaves_text=True),
    Action("showSources", sources.show_sources, on_node=True, leaves_text=True),
    Action(
        "showSent",
        inspector_commands.show_sent,
        Enabled(availability.is_answer, "No model wrote this."),
        on_node=True,
        leaves_text=True,
    ),
    Action(
        "sinceLast",
        inspector_commands.compare_with_last,
        Enabled(availability.has_tree, NO_TREE),
        leaves_text=True,
    ),
    Action("focusGraph", panes.focus_graph, leaves_text=True),
    Action("focusText", panes.focus_text, leaves_text=True),
    Action("focusInspector", panes.focus_inspector, leaves_text=True),
    Action("focusOutline", panes.focus_outline, leaves_text=True),
    Action("cycleFocus", panes.cycle_focus, leaves_text=True),
    Action("focusMode", panes.toggle_focus_mode, checked=panes.is_focused, leaves_text=True),
)
