"""Actions of the Help menu: the log, and about the program."""

from __future__ import annotations

from loomapp.ui.actions.action import Action
from loomapp.ui.commands import log, node_actions

HELP_MENU: tuple[Action, ...] = (
    Action("showLog", log.show_log, leaves_text=True),
    Action("about", node_actions.show_about, leaves_text=True),
)
