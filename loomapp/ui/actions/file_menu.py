"""Actions of the File menu: new trees, the pages of settings, groves, import and export."""

from __future__ import annotations

from loomapp.ui.actions.action import Action, Enabled
from loomapp.ui.commands import availability, node_actions, preferences
from loomapp.ui.commands import groves as grove_commands
from loomapp.ui.commands.agents import asked_models as models
from loomapp.ui.commands.availability import NO_TREE, READ_ONLY
from loomapp.ui.commands.buffer import export
from loomapp.ui.commands.trees import tree_files

FILE_MENU: tuple[Action, ...] = (
    Action("newDialogue", node_actions.new_dialogue, Enabled(availability.can_write, READ_ONLY)),
    Action("newBuffer", node_actions.new_buffer, Enabled(availability.can_write, READ_ONLY)),
    Action(
        "treeSettings",
        node_actions.toggle_tree_settings,
        Enabled(availability.has_tree, NO_TREE),
        leaves_text=True,
    ),
    Action("settings", preferences.toggle_page, leaves_text=True),
    Action("agents", models.show_agents, leaves_text=True),
    Action("endpoints", models.show_endpoints, leaves_text=True),
    Action("usage", models.show_usage, leaves_text=True),
    Action("openGrove", grove_commands.open_grove),
    Action("newGrove", grove_commands.new_grove),
    Action("openRecent", grove_commands.show_recent, fill=grove_commands.fill_recent),
    Action("restoreBackup", grove_commands.restore_backup),
    Action("importTree", tree_files.import_tree, Enabled(availability.can_write, READ_ONLY)),
    Action("exportTree", tree_files.export_tree, Enabled(availability.has_tree, NO_TREE)),
    Action("exportPath", export.export_path, Enabled(availability.has_tree, NO_TREE)),
    Action("exportEvidence", tree_files.export_evidence, Enabled(availability.has_tree, NO_TREE)),
    Action("quit", node_actions.quit_window),
)
