"""Every action of a window, in the order of the menus.

An action is a row of `core.action_table` and one of a menu here; EXPECTED in
`tests/ui/actions/test_availability.py` says when it can be done.
"""

from __future__ import annotations

from loomapp.ui.actions.edit_menu import EDIT_MENU
from loomapp.ui.actions.file_menu import FILE_MENU
from loomapp.ui.actions.generate_menu import GENERATE_MENU
from loomapp.ui.actions.go_menu import GO_MENU
from loomapp.ui.actions.help_menu import HELP_MENU
from loomapp.ui.actions.node_menu import NODE_MENU
from loomapp.ui.actions.view_menu import VIEW_MENU
from loomapp.ui.keys.keys import IN_GRAPH, Binding

ACTIONS = (*FILE_MENU, *EDIT_MENU, *VIEW_MENU, *GO_MENU, *NODE_MENU, *GENERATE_MENU, *HELP_MENU)


def bindings() -> tuple[Binding, ...]:
    """Return every set of keys that can be changed: one a row, one more where a row has keys in the graph."""
    found: list[Binding] = []
    for row in ACTIONS:
        found.append(Binding(row.name, row.text, "anywhere", row.entry.keys))
        if row.entry.graph_keys:
            found.append(Binding(row.name + IN_GRAPH, row.text, "graph", row.entry.graph_keys))
    return tuple(found)
