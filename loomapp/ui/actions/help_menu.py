"""Actions of the Help menu: the keys, the log, and about the program."""

from __future__ import annotations

from loomapp.ui.actions.action import Action
from loomapp.ui.commands import keys_page, log, node_actions

HELP_MENU: tuple[Action, ...] = (
    Action("showKeys", keys_page.toggle_keys, leaves_text=True),
    Action("showLog", log.show_log, leaves_text=True),
    Action("about", node_actions.show_about, leaves_text=True),
)
