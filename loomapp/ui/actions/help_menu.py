"""Actions of the Help menu: the log, and about the program."""

from __future__ import annotations

from loomapp.ui.actions.action import Action
from loomapp.ui.commands import log, node_actions

HELP_MENU: tuple[Action, ...] = (
    Action("showLog", "Show the log", "Help", log.show_log),
    Action("about", "About Loomapp", "Help", node_actions.show_about),
)
