"""Actions of the Edit menu: undo, copy, find, and files that go along."""

from __future__ import annotations

from loomapp.ui.actions.action import Action
from loomapp.ui.commands import availability, node_actions
from loomapp.ui.commands.attach import intake
from loomapp.ui.commands.availability import READ_ONLY
from loomapp.ui.commands.grove_search import search_grove
from loomapp.ui.commands.inspector import context as inspector_commands

NOTHING_DONE = "There is nothing to take back."
NO_WORDS = "This node has no words."

EDIT_MENU: tuple[Action, ...] = (
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
    Action("findInPath", "Find in path", "Edit", inspector_commands.find, ("Ctrl+F",)),
    Action("searchGrove", "Search in the grove", "Edit", search_grove, ("Ctrl+Shift+F",)),
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
)
