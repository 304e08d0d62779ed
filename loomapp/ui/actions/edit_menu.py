"""Actions of the Edit menu: undo, copy, find, and files that go along."""

from __future__ import annotations

from loomapp.ui.actions.action import Action, Enabled
from loomapp.ui.commands import availability, node_actions
from loomapp.ui.commands.attach import intake
from loomapp.ui.commands.availability import READ_ONLY
from loomapp.ui.commands.grove_search import search_grove
from loomapp.ui.commands.inspector import context as inspector_commands

NOTHING_DONE = "There is nothing to take back."
NO_WORDS = "This node has no words."

EDIT_MENU: tuple[Action, ...] = (
    Action("undo", node_actions.undo, Enabled(availability.can_undo, NOTHING_DONE)),
    Action("redo", node_actions.redo, Enabled(availability.can_redo, "There is nothing to redo.")),
    Action("copyText", node_actions.copy_text, Enabled(availability.is_message, NO_WORDS), on_node=True),
    Action("findInPath", inspector_commands.find),
    Action("searchGrove", search_grove),
    Action("attachFiles", intake.ask_files, Enabled(availability.can_write, READ_ONLY)),
)
