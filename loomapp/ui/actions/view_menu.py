"""Actions of the View menu: the canvas, the panes, and what they show."""

from __future__ import annotations

from loomapp.ui.actions.action import Action
from loomapp.ui.commands import availability, node_actions, panes
from loomapp.ui.commands import history as history_commands
from loomapp.ui.commands.availability import NO_TREE
from loomapp.ui.commands.graph import branches as graph_commands
from loomapp.ui.commands.inspector import context as inspector_commands
from loomapp.ui.commands.inspector import sources
from loomapp.ui.commands.palette import palette as palette_commands

VIEW_MENU: tuple[Action, ...] = (
    Action("commandPaletteAction", "Search or command…", "View", palette_commands.open_palette, ("Ctrl+P",)),
    Action("commandsAction", "All commands…", "View", palette_commands.open_for_commands, ("Ctrl+Shift+P",)),
    Action("fitAll", "Fit all", "View", graph_commands.fit_all, ("Ctrl+0",), new_group=True),
    Action("fitSelection", "Fit selection", "View", graph_commands.fit_selection, ("Ctrl+9",)),
    Action("zoomIn", "Zoom in", "View", graph_commands.zoom_in, ("Ctrl++", "Ctrl+=")),
    Action("zoomOut", "Zoom out", "View", graph_commands.zoom_out, ("Ctrl+-",)),
    Action("zoomFull", "Zoom to 100 %", "View", graph_commands.zoom_to_full_size, ("Ctrl+8",)),
    Action(
        "showPrunedAction",
        "Show pruned",
        "View",
        node_actions.toggle_show_pruned,
        checked=availability.is_showing_pruned,
    ),
    Action(
        "graphDirection",
        "Grow from the top down",
        "View",
        graph_commands.toggle_direction,
        checked=graph_commands.grows_down,
    ),
    Action(
        "fold",
        "Fold branch",
        "View",
        graph_commands.toggle_fold,
        graph_keys=("C",),
        enabled=graph_commands.can_fold,
        checked=graph_commands.is_folded,
        unless="Nothing is below this node.",
        new_group=True,
        on_node=True,
    ),
    Action("unfoldAll", "Unfold all", "View", graph_commands.unfold_all),
    Action("hoist", "Show only this branch", "View", graph_commands.hoist, graph_keys=("H",), on_node=True),
    Action(
        "unhoist",
        "Show the whole tree",
        "View",
        graph_commands.unhoist,
        graph_keys=("Shift+H",),
        enabled=graph_commands.is_hoisted,
        unless="The whole tree is shown.",
        on_node=True,
    ),
    Action("peek", "Peek at the whole text", "View", graph_commands.peek, graph_keys=("Space",)),
    Action("pinPreview", "Pin preview", "View", graph_commands.pin_preview, graph_keys=("P",)),
    Action("toggleTheme", "Dark or light", "View", node_actions.toggle_theme, new_group=True),
    Action("toggleSideBar", "Side bar", "View", panes.toggle_side_bar, ("F9",)),
    Action(
        "foldInspector",
        "Fold the inspector",
        "View",
        panes.toggle_inspector_fold,
        checked=panes.is_inspector_folded,
    ),
    Action("history", "History", "View", history_commands.show),
    Action(
        "contextInspector", "Context inspector", "View", inspector_commands.show_context, ("Ctrl+Shift+I",)
    ),
    Action("showSources", "Sources", "View", sources.show_sources, on_node=True),
    Action(
        "showSent",
        "What was this sent?",
        "View",
        inspector_commands.show_sent,
        enabled=availability.is_answer,
        unless="No model wrote this.",
        on_node=True,
    ),
    Action(
        "sinceLast",
        "Difference to the last request",
        "View",
        inspector_commands.compare_with_last,
        enabled=availability.has_tree,
        unless=NO_TREE,
    ),
    Action("focusGraph", "Go to the graph", "View", panes.focus_graph, ("Ctrl+1",), new_group=True),
    Action("focusText", "Go to the text", "View", panes.focus_text, ("Ctrl+2",)),
    Action("focusInspector", "Go to the inspector", "View", panes.focus_inspector, ("Ctrl+3",)),
    Action("focusOutline", "Go to the outline", "View", panes.focus_outline, ("Ctrl+4",)),
    Action("cycleFocus", "Next pane", "View", panes.cycle_focus, ("F6",)),
    Action("focusMode", "Focus mode", "View", panes.toggle_focus_mode, ("F11",), checked=panes.is_focused),
)
