"""The table of actions in the core and what the window makes of it are about the same actions."""

from __future__ import annotations

from loomapp.core.action_table import ACTIONS_BY_MENU
from loomapp.ui.actions.registry import ACTIONS
from loomapp.ui.keys import MENUS


def test_every_entry_has_its_action_and_every_action_its_entry_in_the_same_order() -> None:
    listed = [(menu, entry.name) for menu, entries in ACTIONS_BY_MENU.items() for entry in entries]

    assert listed == [(action.menu, action.name) for action in ACTIONS]
    assert tuple(ACTIONS_BY_MENU) == MENUS


def test_no_name_stands_twice() -> None:
    names = [entry.name for entries in ACTIONS_BY_MENU.values() for entry in entries]

    assert len(names) == len(set(names))
