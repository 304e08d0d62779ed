"""Actions of the File menu: new trees, the pages of settings, groves, import and export."""

from __future__ import annotations

from loomapp.ui.actions.action import Action
from loomapp.ui.commands import availability, node_actions, preferences
from loomapp.ui.commands import groves as grove_commands
from loomapp.ui.commands.agents import asked_models as models
from loomapp.ui.commands.availability import NO_TREE, READ_ONLY
from loomapp.ui.commands.buffer import export
from loomapp.ui.commands.trees import tree_files

FILE_MENU: tuple[Action, ...] = (
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
)
