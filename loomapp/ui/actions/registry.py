"""Every action of a window, in the order of the menus.

An action is a row of `core.action_table` and one of a menu here; EXPECTED in
`tests/ui/actions/test_availability.py` says when it can be done.
"""

from __future__ import annotations

from collections.abc import Callable

from loomapp.ui.actions.action import Action, Enabled
from loomapp.ui.commands import (
    availability,
    dialogue,
    documents,
    groves,
    navigate,
    node_actions,
    on_demand,
    palette,
    panes,
    preferences,
    tags,
)
from loomapp.ui.commands.agents import asked_models
from loomapp.ui.commands.attach import attachments, intake
from loomapp.ui.commands.availability import NO_TREE, READ_ONLY
from loomapp.ui.commands.buffer import fill_in, passages
from loomapp.ui.commands.graph import branches
from loomapp.ui.commands.inspector import context, history, sources, summaries, what_if
from loomapp.ui.commands.inspector.comparison import can_compare, compare_chosen
from loomapp.ui.commands.palette import ask_label
from loomapp.ui.commands.side_bar import search_grove
from loomapp.ui.commands.summaries import conversation
from loomapp.ui.graph.input.key_walk import Direction
from loomapp.ui.keys import IN_GRAPH, Binding
from loomapp.ui.workbench import Workbench

NOTHING_DONE = "There is nothing to take back."
NO_WORDS = "This node has no words."
NO_CHILD = "Nothing follows this node."
NO_SIBLING = "It has no siblings: nothing else follows its parent."
NO_VERSION = "This text was never edited."
NOT_BEGUN = "There is only the first node."
DIRECTIONS: tuple[Direction, ...] = ("left", "right", "up", "down")


def _unless_read_only(why: str) -> Callable[[Workbench], str]:
    """Return a reason that is given in a grove that can be written; in another one that is the reason."""
    return lambda bench: why if availability.can_write(bench) else READ_ONLY


NO_MESSAGE = _unless_read_only("No message is selected.")
NO_TEXT = _unless_read_only("Only messages that hold nothing but text can be edited.")
NOT_PRUNED = _unless_read_only("This node is not deleted.")
NO_DIALOGUE = _unless_read_only("This works in a dialogue only.")
NO_BUFFER = _unless_read_only("This works in a buffer only.")

WRITABLE = Enabled(availability.can_write, READ_ONLY)
IN_A_TREE = Enabled(availability.has_tree, NO_TREE)
MARKABLE = Enabled(availability.can_mark_chosen, NO_MESSAGE)
IN_A_BUFFER = Enabled(passages.is_prose, NO_BUFFER)


# Commands whose modules are loaded when they are first wanted: they bring every format, or a page.


def _back_up_now(bench: Workbench) -> None:
    from loomapp.ui.commands.trees import tree_files

    tree_files.back_up_now(bench)


def _check_grove(bench: Workbench) -> None:
    from loomapp.ui.commands.trees import grove_check

    grove_check.check_grove(bench)


def _import_tree(bench: Workbench) -> None:
    from loomapp.ui.commands.trees import tree_files

    tree_files.import_tree(bench)


def _export_tree(bench: Workbench) -> None:
    from loomapp.ui.commands.trees import export_panel

    export_panel.show(bench)


def _export_evidence(bench: Workbench) -> None:
    from loomapp.ui.commands.trees import tree_files

    tree_files.export_evidence(bench)


def _move_branch(bench: Workbench) -> None:
    from loomapp.ui.commands.graph import move_branch

    move_branch.ask_where(bench)


def _show_other_programs(bench: Workbench) -> None:
    from loomapp.ui.commands.agents import other_programs

    other_programs.show_page(bench)


def _toggle_keys(bench: Workbench) -> None:
    from loomapp.ui.commands.help import keys_page

    keys_page.toggle_keys(bench)


def _show_log(bench: Workbench) -> None:
    on_demand.log.show_log(bench)


FILE_MENU: tuple[Action, ...] = (
    Action("newDialogue", node_actions.new_dialogue, WRITABLE),
    Action("newBuffer", node_actions.new_buffer, WRITABLE),
    Action("newDocument", documents.ask_new, WRITABLE),
    Action("treeSettings", node_actions.toggle_tree_settings, IN_A_TREE, leaves_text=True),
    Action("settings", preferences.toggle_page, leaves_text=True),
    Action("agents", asked_models.show_agents, leaves_text=True),
    Action("endpoints", asked_models.show_endpoints, leaves_text=True),
    Action("usage", asked_models.show_usage, leaves_text=True),
    Action("otherPrograms", _show_other_programs, leaves_text=True),
    Action("openGrove", groves.open_grove),
    Action("newGrove", groves.new_grove),
    Action("openRecent", groves.show_recent, fill=groves.fill_recent),
    Action("restoreBackup", groves.restore_backup),
    Action("backUpNow", _back_up_now, IN_A_TREE),
    Action("checkGrove", _check_grove, IN_A_TREE),
    Action("importTree", _import_tree, WRITABLE),
    Action("exportTree", _export_tree, IN_A_TREE),
    Action("exportEvidence", _export_evidence, IN_A_TREE),
    Action("quit", node_actions.quit_window),
)

EDIT_MENU: tuple[Action, ...] = (
    Action("undo", node_actions.undo, Enabled(availability.can_undo, NOTHING_DONE)),
    Action("redo", node_actions.redo, Enabled(availability.can_redo, "There is nothing to redo.")),
    Action("copyText", node_actions.copy_text, Enabled(availability.is_message, NO_WORDS), on_node=True),
    Action("findInPath", context.find),
    Action("searchGrove", search_grove),
    Action("attachFiles", intake.ask_files, WRITABLE),
)

VIEW_MENU: tuple[Action, ...] = (
    Action("commandPaletteAction", palette.open_palette, leaves_text=True),
    Action("commandsAction", palette.open_for_commands, leaves_text=True),
    Action("fitAll", panes.fit_all, leaves_text=True, named=panes.fit_all_name),
    Action("fitSelection", branches.fit_selection, leaves_text=True),
    Action("zoomIn", panes.zoom_in, leaves_text=True, named=panes.zoom_in_name),
    Action("zoomOut", panes.zoom_out, leaves_text=True, named=panes.zoom_out_name),
    Action("zoomFull", branches.zoom_to_full_size, leaves_text=True),
    Action(
        "showPrunedAction",
        node_actions.toggle_show_pruned,
        checked=availability.is_showing_pruned,
        leaves_text=True,
    ),
    Action("graphDirection", branches.toggle_direction, checked=branches.grows_down, leaves_text=True),
    Action("moveOverview", branches.move_overview, leaves_text=True),
    Action(
        "fold",
        branches.toggle_fold,
        Enabled(branches.can_fold, "Nothing is below this node."),
        checked=branches.is_folded,
        on_node=True,
        leaves_text=True,
    ),
    Action("unfoldAll", branches.unfold_all, leaves_text=True),
    Action("hoist", branches.hoist, on_node=True, leaves_text=True),
    Action(
        "unhoist",
        branches.unhoist,
        Enabled(branches.is_hoisted, "The whole tree is shown."),
        on_node=True,
        leaves_text=True,
    ),
    Action("peek", branches.peek, leaves_text=True),
    Action("pinPreview", branches.pin_preview, leaves_text=True),
    Action("toggleTheme", node_actions.toggle_theme, leaves_text=True),
    Action("toggleSideBar", panes.toggle_side_bar, leaves_text=True),
    Action("swapSides", panes.swap_sides, leaves_text=True),
    Action("foldInspector", panes.toggle_inspector_fold, checked=panes.is_inspector_folded, leaves_text=True),
    Action("history", history.show, leaves_text=True),
    Action("contextInspector", context.show_context, leaves_text=True),
    Action("showSources", sources.show_sources, on_node=True, leaves_text=True),
    Action(
        "showSent",
        context.show_sent,
        Enabled(availability.is_answer, "No model wrote this."),
        on_node=True,
        leaves_text=True,
    ),
    Action("sinceLast", context.compare_with_last, IN_A_TREE, leaves_text=True),
    Action("focusGraph", panes.focus_graph, leaves_text=True),
    Action("focusText", panes.focus_text, leaves_text=True),
    Action("focusInspector", panes.focus_inspector, leaves_text=True),
    Action("focusOutline", panes.focus_outline, leaves_text=True),
    Action("focusDocuments", documents.focus_documents, leaves_text=True),
    Action("openMenus", panes.open_menus, leaves_text=True),
    Action("cycleFocus", panes.cycle_focus, leaves_text=True),
    Action("focusMode", panes.toggle_focus_mode, checked=panes.is_focused, leaves_text=True),
)

GO_MENU: tuple[Action, ...] = (
    Action(
        "visitBack", navigate.visit_back, Enabled(navigate.can_visit_back, "Nothing was visited before this.")
    ),
    Action(
        "visitForward", navigate.visit_forward, Enabled(navigate.can_visit_forward, "You have not gone back.")
    ),
    Action("goParent", navigate.go_parent, Enabled(navigate.has_parent, "This is the first node.")),
    Action("goChild", navigate.go_child, Enabled(navigate.has_child, NO_CHILD)),
    *(
        Action(
            f"goChild{number}",
            navigate.nth_child(number),
            Enabled(navigate.has_nth_child(number), "This node has fewer children."),
        )
        for number in range(1, 10)
    ),
    Action(
        "previousSibling",
        navigate.previous_sibling,
        Enabled(navigate.has_siblings, NO_SIBLING),
        leaves_text=True,
    ),
    Action(
        "nextSibling", navigate.next_sibling, Enabled(navigate.has_siblings, NO_SIBLING), leaves_text=True
    ),
    Action("previousVersion", navigate.previous_version, Enabled(navigate.has_versions, NO_VERSION)),
    Action("nextVersion", navigate.next_version, Enabled(navigate.has_versions, NO_VERSION)),
    Action("previousFork", navigate.previous_fork, Enabled(availability.is_begun, NOT_BEGUN)),
    Action("nextFork", navigate.next_fork, Enabled(availability.is_begun, NOT_BEGUN)),
    Action("nextUnread", branches.next_unread, Enabled(branches.has_unread, "There is nothing unread.")),
    Action("goRoot", navigate.go_root, Enabled(availability.is_begun, NOT_BEGUN)),
    Action("goLeaf", navigate.go_leaf, Enabled(availability.is_begun, NOT_BEGUN)),
    Action("readHere", branches.read),
    *(Action(f"walk{name.capitalize()}", branches.walk(name), leaves_text=True) for name in DIRECTIONS),
    *(Action(f"extend{name.capitalize()}", branches.extend(name), leaves_text=True) for name in DIRECTIONS),
)

NODE_MENU: tuple[Action, ...] = (
    Action("edit", node_actions.edit, Enabled(availability.can_edit, NO_TEXT), on_node=True),
    Action(
        "bookmark", node_actions.toggle_bookmark, MARKABLE, checked=availability.is_bookmarked, on_node=True
    ),
    Action("bookmarkAs", ask_label, Enabled(availability.can_mark, NO_MESSAGE)),
    Action("tag", tags.ask_tag, MARKABLE, on_node=True),
    Action("exclude", node_actions.toggle_excluded, MARKABLE, checked=availability.is_excluded, on_node=True),
    Action(
        "excludeBranch",
        branches.exclude_branches,
        MARKABLE,
        checked=branches.are_branches_excluded,
        on_node=True,
    ),
    Action(
        "attachContext", attachments.attach_context, Enabled(attachments.can_attach, NO_MESSAGE), on_node=True
    ),
    Action(
        "attachInstruction",
        attachments.attach_instruction,
        Enabled(attachments.can_attach, NO_MESSAGE),
        on_node=True,
    ),
    Action("annotate", node_actions.annotate, Enabled(availability.can_annotate, NO_MESSAGE), on_node=True),
    Action(
        "includeNote",
        node_actions.toggle_note_included,
        Enabled(availability.can_include_note, availability.why_no_note),
        checked=availability.is_note_included,
        on_node=True,
    ),
    Action(
        "openDocument",
        documents.open_current,
        Enabled(documents.is_current, "This node is no document."),
        on_node=True,
        leaves_text=True,
    ),
    Action("nameBranch", summaries.ask_name, Enabled(summaries.can_name, summaries.NO_NAME), on_node=True),
    Action("splitPassage", passages.split, IN_A_BUFFER),
    Action("mergeWithParent", passages.merge, IN_A_BUFFER),
    Action("mergeChain", passages.merge_chain, IN_A_BUFFER),
    Action("keepPath", passages.keep_path, IN_A_BUFFER),
    Action(
        "summariseHere",
        conversation.summarise_here,
        Enabled(availability.can_mark, NO_MESSAGE),
        on_node=True,
        leaves_text=True,
    ),
    Action(
        "compactBranch", conversation.compact_branch, Enabled(availability.can_mark, NO_MESSAGE), on_node=True
    ),
    Action(
        "reparent",
        _move_branch,
        Enabled(availability.can_reparent, _unless_read_only("The first message of a tree has no parent.")),
        on_node=True,
    ),
    Action(
        "compare",
        compare_chosen,
        Enabled(can_compare, "First Ctrl+click two cards or more in the graph, or Shift+drag around them."),
        on_node=True,
    ),
    Action(
        "compareSent",
        context.compare_sent,
        Enabled(context.can_compare_sent, "First Ctrl+click two answers of models or more in the graph."),
        on_node=True,
    ),
    Action(
        "prune",
        node_actions.prune,
        Enabled(availability.can_prune, availability.why_no_prune),
        on_node=True,
        destructive=True,
    ),
    Action("restore", node_actions.restore, Enabled(availability.can_restore, NOT_PRUNED), on_node=True),
)

GENERATE_MENU: tuple[Action, ...] = (
    Action("generate", node_actions.generate, Enabled(availability.can_generate, READ_ONLY)),
    Action(
        "generateSiblings",
        node_actions.generate_siblings,
        Enabled(availability.can_retry, availability.why_no_retry),
        named=availability.retry_name,
    ),
    Action(
        "generateAll", node_actions.generate, Enabled(availability.asks_several, availability.why_not_several)
    ),
    Action("addMessage", dialogue.add_message, Enabled(availability.can_add_message, NO_DIALOGUE)),
    Action("addBeside", dialogue.add_beside, Enabled(availability.can_add_beside, NO_DIALOGUE)),
    Action("fillIn", fill_in.fill_in, Enabled(fill_in.can_fill_in, fill_in.NOBODY)),
    Action("fillsIn", fill_in.toggle, Enabled(fill_in.can_fill_in, fill_in.NOBODY), checked=fill_in.is_on),
    Action("whatIf", what_if.toggle, IN_A_TREE, checked=what_if.is_trying),
    Action(
        "stop",
        node_actions.stop,
        Enabled(availability.can_stop, "Nothing is being written here."),
        leaves_text=True,
    ),
    Action(
        "stopAll",
        node_actions.stop_all,
        Enabled(availability.is_streaming, "Nothing is being written."),
        leaves_text=True,
    ),
)

HELP_MENU: tuple[Action, ...] = (
    Action("showKeys", _toggle_keys, leaves_text=True),
    Action("showLog", _show_log, leaves_text=True),
    Action("about", node_actions.show_about, leaves_text=True),
)
ACTIONS = (*FILE_MENU, *EDIT_MENU, *VIEW_MENU, *GO_MENU, *NODE_MENU, *GENERATE_MENU, *HELP_MENU)


def bindings() -> tuple[Binding, ...]:
    """Return every set of keys that can be changed: one a row, one more where a row has keys in the graph."""
    found: list[Binding] = []
    for row in ACTIONS:
        found.append(Binding(row.name, row.text, "anywhere", row.entry.keys))
        if row.entry.graph_keys:
            found.append(Binding(row.name + IN_GRAPH, row.text, "graph", row.entry.graph_keys))
    return tuple(found)
