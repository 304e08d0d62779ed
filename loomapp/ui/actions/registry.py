"""Every action as a row: menus, keys, enabled state and the README's key table follow from ACTIONS."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from PySide6.QtWidgets import QMenu

from loomapp.ui.actions import availability
from loomapp.ui.actions.availability import READ_ONLY, always
from loomapp.ui.actions.keys import IN_GRAPH, Binding
from loomapp.ui.commands import groves as grove_commands
from loomapp.ui.commands import history as history_commands
from loomapp.ui.commands import log, navigate, node_actions, panes, preferences
from loomapp.ui.commands import palette as palette_commands
from loomapp.ui.commands import tags as tagging
from loomapp.ui.commands.agents import asked_models as models
from loomapp.ui.commands.attach import attachments, intake
from loomapp.ui.commands.bookmark_label import ask_label
from loomapp.ui.commands.buffer import export, fill_in, passages
from loomapp.ui.commands.comparison import can_compare, compare_chosen
from loomapp.ui.commands.graph import branches as graph_commands
from loomapp.ui.commands.graph import move_branch
from loomapp.ui.commands.grove_search import search_grove
from loomapp.ui.commands.inspector import context as inspector_commands
from loomapp.ui.commands.inspector import sources, what_if
from loomapp.ui.commands.trees import tree_files
from loomapp.ui.graph.input.key_walk import Direction

if TYPE_CHECKING:
    from loomapp.ui.window.main_window import MainWindow

MENUS = ("File", "Edit", "View", "Go", "Node", "Generate", "Help")

DIRECTIONS: tuple[tuple[Direction, str], ...] = (
    ("left", "to the left"),
    ("right", "to the right"),
    ("up", "above"),
    ("down", "below"),
)
NOTHING_DONE = "There is nothing to take back."
NO_CHILD = "Nothing follows this node."
NO_SIBLING = "There is no other way on from its parent."
NO_VERSION = "This text was never edited."
NO_MESSAGE = "No message is selected, or the grove can only be read."
NO_TEXT = "Only messages of plain text can be edited, in a grove that can be written."
NOT_PRUNED = "This node is not pruned, or the grove can only be read."
NO_TREE = "The grove holds no tree yet."
NO_WORDS = "This node has no words."
NO_BUFFER = "This is for the text of a buffer, in a grove that can be written."
NOT_BEGUN = "There is only the first node."


@dataclass(frozen=True, slots=True)
class Action:
    """One thing a person can do. `keys` work anywhere in the window, `graph_keys` while the graph has focus.

    `menu` is one of MENUS, `submenu` a menu inside of it; a separator stands before a row with `new_group`.
    `enabled` is asked whenever something changed; `unless` says what is missing where it is not, or tells it
    of a window where there are several reasons.
    """

    name: str
    text: str
    menu: str
    run: Callable[[MainWindow], None]
    keys: tuple[str, ...] = ()
    graph_keys: tuple[str, ...] = ()
    enabled: Callable[[MainWindow], bool] = always
    checked: Callable[[MainWindow], bool] | None = None
    new_group: bool = False
    on_node: bool = False  # also in the menu of a card
    fill: Callable[[MainWindow, QMenu], None] | None = None  # it opens a menu, filled when it opens
    unless: str | Callable[[MainWindow], str] = ""
    submenu: str = ""
    destructive: bool = False  # in the menu of a card it stands one step further
    is_beside_text: bool = False  # see `leaves_text`
    named: Callable[[MainWindow], str] | None = None  # what it is called now, where that depends

    def why_not(self, window: MainWindow) -> str:
        """Return what is missing where it cannot be done now, to be translated; "" if nobody says."""
        return self.unless if isinstance(self.unless, str) else self.unless(window)

    @property
    def leaves_text(self) -> bool:
        """True if the text is neither read nor moved by it: what is offered after it stays on offer. So it is
        with all that only shows something.
        """
        return self.is_beside_text or self.menu in ("View", "Help")


ACTIONS: tuple[Action, ...] = (
    Action(
        "newDialogue",
        "New dialogue",
        "File",
        node_actions.new_dialogue,
        ("Ctrl+N",),
        enabled=availability.can_write,
        unless=READ_ONLY,
    ),
    Action(
        "newBuffer",
        "New buffer",
        "File",
        node_actions.new_buffer,
        ("Ctrl+Shift+B",),
        enabled=availability.can_write,
        unless=READ_ONLY,
    ),
    Action(
        "treeSettings",
        "Tree settings",
        "File",
        node_actions.toggle_tree_settings,
        ("Ctrl+Shift+T",),
        enabled=availability.has_tree,
        unless=NO_TREE,
        is_beside_text=True,
    ),
    Action("settings", "Settings", "File", preferences.toggle_page, ("Ctrl+,",), is_beside_text=True),
    Action("agents", "Agents…", "File", models.show_agents, is_beside_text=True),
    Action("endpoints", "Endpoints and keys…", "File", models.show_endpoints, is_beside_text=True),
    Action("usage", "Usage and prices…", "File", models.show_usage, is_beside_text=True),
    Action("openGrove", "Open grove…", "File", grove_commands.open_grove, ("Ctrl+O",), new_group=True),
    Action("newGrove", "New grove…", "File", grove_commands.new_grove),
    Action("openRecent", "Open recent", "File", grove_commands.show_recent, fill=grove_commands.fill_recent),
    Action("restoreBackup", "Restore a backup…", "File", grove_commands.restore_backup),
    Action(
        "importTree",
        "Import Loom JSON…",
        "File",
        tree_files.import_tree,
        new_group=True,
        enabled=availability.can_write,
        unless=READ_ONLY,
    ),
    Action(
        "exportTree",
        "Export this tree…",
        "File",
        tree_files.export_tree,
        enabled=availability.has_tree,
        unless=NO_TREE,
    ),
    Action(
        "exportPath",
        "Export this path as text…",
        "File",
        export.export_path,
        enabled=availability.has_tree,
        unless=NO_TREE,
    ),
    Action(
        "exportEvidence",
        "Export evidence…",
        "File",
        tree_files.export_evidence,
        enabled=availability.has_tree,
        unless=NO_TREE,
    ),
    Action("quit", "Quit", "File", node_actions.quit_window, ("Ctrl+Q",), new_group=True),
    Action(
        "undo",
        "Undo",
        "Edit",
        node_actions.undo,
        ("Ctrl+Z",),
        enabled=availability.can_undo,
        unless=NOTHING_DONE,
    ),
    Action(
        "redo",
        "Redo",
        "Edit",
        node_actions.redo,
        ("Ctrl+Shift+Z", "Ctrl+Y"),
        enabled=availability.can_redo,
        unless="Nothing was taken back.",
    ),
    Action(
        "copyText",
        "Copy text",
        "Edit",
        node_actions.copy_text,
        new_group=True,
        on_node=True,
        enabled=availability.is_message,
        unless=NO_WORDS,
    ),
    Action("commandPaletteAction", "Search or command…", "View", palette_commands.open_palette, ("Ctrl+P",)),
    Action("commandsAction", "All commands…", "View", palette_commands.open_for_commands, ("Ctrl+Shift+P",)),
    Action("findInPath", "Find in path", "Edit", inspector_commands.find, ("Ctrl+F",)),
    Action("searchGrove", "Search in the grove", "Edit", search_grove, ("Ctrl+Shift+F",)),
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
    Action(
        "hoist",
        "Show only this branch",
        "View",
        graph_commands.hoist,
        graph_keys=("H",),
        on_node=True,
    ),
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
    Action(
        "visitBack",
        "Back to where you were",
        "Go",
        navigate.visit_back,
        ("Alt+Shift+Left",),
        enabled=navigate.can_visit_back,
        unless="Nothing was visited before this.",
    ),
    Action(
        "visitForward",
        "Forward again",
        "Go",
        navigate.visit_forward,
        ("Alt+Shift+Right",),
        enabled=navigate.can_visit_forward,
        unless="You have not gone back.",
    ),
    Action(
        "goParent",
        "Parent",
        "Go",
        navigate.go_parent,
        ("Alt+Left",),
        enabled=navigate.has_parent,
        unless="This is the first node.",
        new_group=True,
    ),
    Action(
        "goChild",
        "Child",
        "Go",
        navigate.go_child,
        ("Alt+Right",),
        enabled=navigate.has_child,
        unless=NO_CHILD,
    ),
    *(
        Action(
            f"goChild{number}",
            f"Child {number}",
            "Go",
            navigate.nth_child(number),
            (f"Alt+{number}",),
            enabled=navigate.has_nth_child(number),
            unless="This node has fewer children.",
            submenu="Child by number",
        )
        for number in range(1, 10)
    ),
    Action(
        "previousSibling",
        "Previous sibling",
        "Go",
        navigate.previous_sibling,
        ("Alt+Up",),
        enabled=navigate.has_siblings,
        unless=NO_SIBLING,
        is_beside_text=True,
    ),
    Action(
        "nextSibling",
        "Next sibling",
        "Go",
        navigate.next_sibling,
        ("Alt+Down",),
        enabled=navigate.has_siblings,
        unless=NO_SIBLING,
        is_beside_text=True,
    ),
    Action(
        "previousVersion",
        "Previous version",
        "Go",
        navigate.previous_version,
        ("Alt+PgUp",),
        enabled=navigate.has_versions,
        unless=NO_VERSION,
    ),
    Action(
        "nextVersion",
        "Next version",
        "Go",
        navigate.next_version,
        ("Alt+PgDown",),
        enabled=navigate.has_versions,
        unless=NO_VERSION,
    ),
    Action(
        "previousFork",
        "Previous fork",
        "Go",
        navigate.previous_fork,
        ("Ctrl+Alt+PgUp",),
        enabled=availability.is_begun,
        unless=NOT_BEGUN,
    ),
    Action(
        "nextFork",
        "Next fork",
        "Go",
        navigate.next_fork,
        ("Ctrl+Alt+PgDown",),
        enabled=availability.is_begun,
        unless=NOT_BEGUN,
    ),
    Action(
        "nextUnread",
        "Next unread",
        "Go",
        graph_commands.next_unread,
        graph_keys=("N",),
        enabled=graph_commands.has_unread,
        unless="Everything has been looked at.",
    ),
    Action(
        "goRoot",
        "Root",
        "Go",
        navigate.go_root,
        ("Alt+Home",),
        new_group=True,
        enabled=availability.is_begun,
        unless=NOT_BEGUN,
    ),
    Action(
        "goLeaf",
        "Deepest leaf",
        "Go",
        navigate.go_leaf,
        ("Alt+End",),
        enabled=availability.is_begun,
        unless=NOT_BEGUN,
    ),
    Action("readHere", "Read this path", "Go", graph_commands.read, graph_keys=("Return", "Enter")),
    *(
        Action(
            f"walk{name.capitalize()}",
            f"Go to the card {where}",
            "Go",
            graph_commands.walk(name),
            graph_keys=(name.capitalize(),),
            submenu="Go to the card beside",
            is_beside_text=True,
        )
        for name, where in DIRECTIONS
    ),
    *(
        Action(
            f"extend{name.capitalize()}",
            f"Select the card {where} too",
            "Go",
            graph_commands.extend(name),
            graph_keys=(f"Shift+{name.capitalize()}",),
            submenu="Select the card beside too",
            is_beside_text=True,
        )
        for name, where in DIRECTIONS
    ),
    Action(
        "edit",
        "Edit",
        "Node",
        node_actions.edit,
        ("F2",),
        enabled=availability.can_edit,
        on_node=True,
        unless=NO_TEXT,
    ),
    Action(
        "bookmark",
        "Bookmark",
        "Node",
        node_actions.toggle_bookmark,
        ("Ctrl+D",),
        ("B",),
        enabled=availability.can_mark_chosen,
        unless=NO_MESSAGE,
        checked=availability.is_bookmarked,
        on_node=True,
    ),
    Action(
        "bookmarkAs",
        "Bookmark as…",
        "Node",
        ask_label,
        enabled=availability.can_mark,
        unless=NO_MESSAGE,
    ),
    Action(
        "tag",
        "Tag…",
        "Node",
        tagging.ask_tag,
        graph_keys=("T",),
        enabled=availability.can_mark_chosen,
        unless=NO_MESSAGE,
        on_node=True,
    ),
    Action(
        "exclude",
        "Exclude from context",
        "Node",
        node_actions.toggle_excluded,
        ("Ctrl+Shift+X",),
        ("X",),
        enabled=availability.can_mark_chosen,
        unless=NO_MESSAGE,
        checked=availability.is_excluded,
        on_node=True,
    ),
    Action(
        "attachFiles",
        "Attach files…",
        "Edit",
        intake.ask_files,
        ("Ctrl+Shift+A",),
        enabled=availability.can_write,
        unless=READ_ONLY,
        new_group=True,
    ),
    Action(
        "excludeBranch",
        "Exclude branch from context",
        "Node",
        graph_commands.exclude_branches,
        graph_keys=("Shift+X",),
        enabled=availability.can_mark_chosen,
        unless=NO_MESSAGE,
        checked=graph_commands.are_branches_excluded,
        on_node=True,
    ),
    Action(
        "attachContext",
        "Attach as context",
        "Node",
        attachments.attach_context,
        ("Ctrl+Shift+C",),
        enabled=attachments.can_attach,
        on_node=True,
        unless=NO_MESSAGE,
    ),
    Action(
        "attachInstruction",
        "Attach as instruction",
        "Node",
        attachments.attach_instruction,
        ("Ctrl+Shift+N",),
        enabled=attachments.can_attach,
        on_node=True,
        unless=NO_MESSAGE,
    ),
    Action(
        "annotate",
        "Add a note…",
        "Node",
        node_actions.annotate,
        enabled=availability.can_mark,
        on_node=True,
        unless=NO_MESSAGE,
    ),
    Action(
        "includeNote",
        "Include note in context",
        "Node",
        node_actions.toggle_note_included,
        enabled=availability.can_include_note,
        unless="This node is not a note, or the grove can only be read.",
        checked=availability.is_note_included,
        on_node=True,
    ),
    Action(
        "splitPassage",
        "Split at the caret",
        "Node",
        passages.split,
        ("Ctrl+Shift+K",),
        enabled=passages.is_prose,
        new_group=True,
        unless=NO_BUFFER,
    ),
    Action(
        "mergeWithParent",
        "Merge with the passage before",
        "Node",
        passages.merge,
        ("Ctrl+Shift+J",),
        enabled=passages.is_prose,
        unless=NO_BUFFER,
    ),
    Action(
        "mergeChain",
        "Merge the whole stretch",
        "Node",
        passages.merge_chain,
        enabled=passages.is_prose,
        unless=NO_BUFFER,
    ),
    Action(
        "keepPath",
        "Keep only this path",
        "Node",
        passages.keep_path,
        enabled=passages.is_prose,
        unless=NO_BUFFER,
    ),
    Action(
        "reparent",
        "Hang branch elsewhere…",
        "Node",
        move_branch.ask_where,
        ("Ctrl+Shift+M",),
        ("M",),
        enabled=availability.can_reparent,
        on_node=True,
        unless="The first node hangs on nothing, or the grove can only be read.",
    ),
    Action(
        "compare",
        "Compare selected",
        "Node",
        compare_chosen,
        ("Ctrl+Shift+D",),
        enabled=can_compare,
        on_node=True,
        unless="Select two messages or more: Ctrl+click, or Shift+drag around them.",
        new_group=True,
    ),
    Action(
        "compareSent",
        "Compare what they were sent",
        "Node",
        inspector_commands.compare_sent,
        enabled=inspector_commands.can_compare_sent,
        on_node=True,
        unless="Select two answers of models or more.",
    ),
    Action(
        "prune",
        "Prune branch",
        "Node",
        node_actions.prune,
        graph_keys=("Del",),
        enabled=availability.can_prune,
        unless="The first node stays, and a pruned one is pruned already.",
        new_group=True,
        on_node=True,
        destructive=True,
    ),
    Action(
        "restore",
        "Restore branch",
        "Node",
        node_actions.restore,
        enabled=availability.can_restore,
        on_node=True,
        unless=NOT_PRUNED,
    ),
    Action(
        "generate",
        "Generate",
        "Generate",
        node_actions.generate,
        ("Ctrl+Enter", "Ctrl+Return"),
        ("G",),
        enabled=availability.can_generate,
        unless=READ_ONLY,
    ),
    Action(
        "generateSiblings",
        "Generate siblings of this one",
        "Generate",
        node_actions.generate_siblings,
        ("Ctrl+Shift+Enter", "Ctrl+Shift+Return"),
        ("S",),
        enabled=availability.can_retry,
        unless=availability.why_no_retry,
        named=availability.retry_name,
    ),
    Action(
        "generateAll",
        "Generate with all checked agents",
        "Generate",
        node_actions.generate,
        ("Ctrl+Alt+Enter", "Ctrl+Alt+Return"),
        enabled=availability.asks_several,
        unless="Only one agent is checked, in the header.",
    ),
    Action(
        "fillIn",
        "Fill in at the caret",
        "Generate",
        fill_in.fill_in,
        ("Ctrl+Shift+L",),
        enabled=fill_in.can_fill_in,
        unless=fill_in.NOBODY,
    ),
    Action(
        "fillsIn",
        "Generate fills in at the caret",
        "Generate",
        fill_in.toggle,
        enabled=fill_in.can_fill_in,
        checked=fill_in.is_on,
        unless=fill_in.NOBODY,
    ),
    Action(
        "whatIf",
        "Try another context…",
        "Generate",
        what_if.toggle,
        enabled=availability.has_tree,
        checked=what_if.is_trying,
        unless=NO_TREE,
    ),
    Action(
        "stop",
        "Stop",
        "Generate",
        node_actions.stop,
        ("Esc",),
        new_group=True,
        enabled=availability.can_stop,
        unless="Nothing is being written here.",
        is_beside_text=True,
    ),
    Action(
        "stopAll",
        "Stop everything",
        "Generate",
        node_actions.stop_all,
        ("Shift+Esc",),
        enabled=availability.is_streaming,
        unless="Nothing is being written.",
        is_beside_text=True,
    ),
    Action("showLog", "Show the log", "Help", log.show_log),
    Action("about", "About Loomapp", "Help", node_actions.show_about),
)


def bindings() -> tuple[Binding, ...]:
    """Every set of keys that can be changed: one a row, and one more for what a row has in the graph."""
    found: list[Binding] = []
    for row in ACTIONS:
        found.append(Binding(row.name, row.text, "anywhere", row.keys))
        if row.graph_keys:
            found.append(Binding(row.name + IN_GRAPH, row.text, "graph", row.graph_keys))
    return tuple(found)
